"""Models of many users, by `users=`."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import rather
from rather import PopulationGP

KINDS = ["collaborative", "hierarchical", "kronecker", "per-user", "pooled"]


@pytest.fixture(scope="module")
def votes():
    """Two tastes: even users like what is cheap, odd ones what is dear."""
    rng = np.random.default_rng(0)
    price = rng.uniform(-1, 1, (12, 1))
    user = rng.integers(10, size=300)
    pair = rng.integers(12, size=(300, 2))
    keep = pair[:, 0] != pair[:, 1]
    user, pair = user[keep], pair[keep]
    sign = np.where(user % 2 == 0, -1.0, 1.0)
    first = sign * (price[pair[:, 0], 0] - price[pair[:, 1], 0]) * 3 + rng.normal(size=len(user)) * 0.3 > 0
    return price, np.where(first[:, None], pair, pair[:, ::-1]), user, pair[::7]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_every_question(kind, votes, tmp_path):
    price, said, user, _ = votes
    model = PopulationGP(kind, "se", n_functions=4).fit(price, said, users=user)
    assert model.score(None, said, users=user) > (0.4 if kind == "pooled" else 0.85)
    cheap = int(price[:, 0].argmin())
    if kind != "pooled":
        assert price[model.ranking(user=4)[0].item, 0] < 0 < price[model.ranking(user=3)[0].item, 0]
    mean, sd = model.predict(user=2, return_std=True)
    assert mean.shape == sd.shape == (12,) and abs(mean.mean()) < 1e-9 and (sd > 0).all()
    assert model.user(2).predict([[0.0], [0.5]]).shape == (2,)
    assert model.predict_proba(said[:5], users=user[:5]).sum(axis=1) == pytest.approx(1.0)
    new = model.newcomer([(cheap, int(price[:, 0].argmax()))])
    assert new.predict_proba([(cheap, 0 if cheap else 1)]).shape == (1, 2)
    assert len(new.suggest(n=2)) == 2
    # Of a pool of one's own, and by its values.
    (best,) = new.suggest([[-0.9], [0.0], [0.9]])
    assert new.acquisition([best[:2]], "bald", [[-0.9], [0.0], [0.9]])[0] == pytest.approx(best.score)
    if kind in ("per-user", "hierarchical", "pooled"):
        assert model.user(2).check(samples=400).probabilities.largest < 0.1
    else:
        with pytest.raises(rather.errors.RatherError, match="exact posterior"):
            model.user(2).check()
    with pytest.raises(rather.errors.RatherError, match="no comparison"):
        new.check()
    with pytest.raises(rather.errors.RatherError, match="evidence"):
        new.predict_proba([(0, 1)], sharp=True)
    assert model.newcomer().ranking(top=3)[2].rank == 3
    model.save(tmp_path / "model.rather")
    again = PopulationGP.load(tmp_path / "model.rather")
    assert again.model == kind
    with pytest.raises(rather.ModelFileError, match="PopulationGP.load"):
        rather.PreferenceGP.load(tmp_path / "model.rather")
    # A loaded model knows users and items by the same names.
    assert (again.users_, again.items_) == (model.users_, model.items_)
    assert np.array_equal(again.predict(user=2), model.predict(user=2))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(user=2), model.predict(user=2))
    assert clone(model).model == kind and not hasattr(clone(model), "model_")


def test_a_table_tells_who(votes):
    pd = pytest.importorskip("pandas")
    price, said, user, asked = votes
    items = pd.DataFrame({"price": price[:, 0]}, index=[f"item {i}" for i in range(12)])
    table = pd.DataFrame(
        {"Who": [f"u{u}" for u in user], "winner": [f"item {i}" for i in said[:, 0]], "loser": [f"item {i}" for i in said[:, 1]]}
    )
    model = PopulationGP("per-user", "se").fit(items, table, users="who")
    plain = PopulationGP("per-user", "se").fit(price, said, users=user)
    assert np.array_equal(model.predict(user="u3"), plain.predict(user=3))
    assert model.score(None, table, users="Who") == plain.score(None, said, users=user)
    asked = pd.DataFrame({"user": ["u1", "u2"], "left": ["item 0", "item 1"], "right": ["item 3", "item 0"]})
    both = model.predict_proba(asked)
    assert both[1, 0] == model.predict_proba(asked, users="u2")[1, 0] == model.user("u2").predict_proba([("item 1", "item 0")])[0, 0]


def test_features_of_users_tell_of_somebody_new(votes):
    price, said, user, _ = votes
    age = {"odd": (np.arange(10) % 2).astype(float)}
    model = PopulationGP("collaborative", "se", n_functions=4).fit(price, said, users=user, user_features=age)
    dear = model.newcomer(features={"odd": [1.0]}).ranking()[0].item
    cheap = model.newcomer(features={"odd": [0.0]}).ranking()[0].item
    assert price[cheap, 0] < 0 < price[dear, 0]


def test_the_program_says_the_same(votes, tmp_path, program):
    import json
    import subprocess

    price, said, user, _ = votes
    (tmp_path / "items.csv").write_text("item,price\n" + "".join(f"i{i},{p!r}\n" for i, p in enumerate(price[:, 0].tolist())))
    rows = "".join(f"u{u},i{w},i{loser}\n" for u, (w, loser) in zip(user, said))
    (tmp_path / "votes.csv").write_text("user,winner,loser\n" + rows)
    command = [program, "fit", "items.csv", "votes.csv", "--model", "collaborative", "--kernel", "se", "-o", "m.rather", "--json"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    names = [f"i{i}" for i in range(12)]
    by_name = [(names[w], names[loser]) for w, loser in said]
    model = PopulationGP("collaborative", "se").fit({"price": price[:, 0]}, by_name, users=[f"u{u}" for u in user], names=names)
    assert json.loads(ran.stdout)["log_evidence"] == model.log_evidence_
    assert np.array_equal(PopulationGP.load(tmp_path / "m.rather").predict(user="u5"), model.predict(user="u5"))
    # Of a part of the items too, utilities are relative to the compared ones.
    (tmp_path / "some.csv").write_text("item,price\nnew,0.9\ni3," + repr(float(price[3, 0])) + "\n")
    command = [program, "rank", "m.rather", "--user", "u5", "--items", "some.csv", "--json"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    ranked = {row["item"]: row["mean"] for row in json.loads(ran.stdout)}
    found = model.user("u5").predict({"price": [0.9, price[3, 0]]}, names=["new", "i3"])
    assert found.tolist() == [ranked["new"], ranked["i3"]]
    assert found[1] == pytest.approx(model.predict(user="u5")[3], abs=1e-9)


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda X, y, u: PopulationGP("mixed").fit(X, y, users=u), rather.ParameterError, "model=\"mixed\" is not known; take collaborative"),
        (lambda X, y, u: PopulationGP(n_functions=0).fit(X, y, users=u), rather.ParameterError, "n_functions=0"),
        (lambda X, y, u: PopulationGP().fit(X, y), rather.DataError, "no column 'user'"),
        (lambda X, y, u: PopulationGP().fit(X, y, users=u[:3]), rather.DataError, "3 users for"),
        (lambda X, y, u: PopulationGP("per-user", "se").fit(X, y, users=u).predict(user=77), rather.UnknownUserError, "no user 77"),
        (lambda X, y, u: PopulationGP("per-user", "se").fit(X, y, users=u).predict(user="bob"), rather.UnknownUserError, "no user 'bob'"),
        (
            lambda X, y, u: PopulationGP("collaborative", "se").fit(X, y, users=u, user_features={"age": [1.0, 2.0]}),
            rather.UnknownUserError,
            "no user",
        ),
        (
            lambda X, y, u: PopulationGP("per-user", "se").fit(X, y, users=u).newcomer(features={"a": [1.0, 2.0]}),
            rather.DataError,
            "one row of features, not 2",
        ),
    ],
)
def test_wrong_input_has_its_sentence(call, kind, sentence, votes):
    price, said, user, _ = votes
    with pytest.raises(kind, match=sentence):
        call(price, said, user)


def test_before_a_fit_there_is_nothing():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        PopulationGP().user("ann")
    assert not hasattr(PopulationGP(), "kernel_")


@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_every_kind(kind, tmp_path):
    """Ties, grades and ratings of two tastes are learned together, predicted, saved, and asked of somebody new."""
    tables = [{"who": [], "left": [], "right": [], "outcome": []}, {"who": [], "item": [], "rating": []}]
    for user in range(8):
        sign = 1 if user % 2 else -1
        for a, b in [(0, 1), (2, 5), (1, 4), (4, 0), (3, 5), (1, 2)]:
            likes = sign * (a - b)
            outcome = "tie" if abs(likes) < 2 else ("much " if abs(likes) > 2 else "") + ("left" if likes > 0 else "right")
            for column, value in zip(tables[0].values(), (user, a, b, outcome)):
                column.append(value)
        for item in (0, 3, 5):
            for column, value in zip(tables[1].values(), (user, item, 2.5 + sign * (item - 3) / 2)):
                column.append(value)
    model = PopulationGP(kind, "se", n_functions=3).fit({"x": np.arange(6.0)}, tables, users="who")
    assert {"tie", "grade[2]", "rating.first"} <= set(model.hyperparameters_)
    model.save(tmp_path / "m.rather")
    again = PopulationGP.load(tmp_path / "m.rather")
    for fitted in (model, again):
        outcomes = fitted.user(1).predict_outcomes([(5, 0), (2, 3)])
        assert list(outcomes) == ["much left", "left", "tie", "right", "much right"]
        assert np.allclose(sum(outcomes.values()), 1)
        ratings = fitted.user(1).predict_ratings()
        assert list(ratings) == sorted(set(tables[1]["rating"])) and np.allclose(sum(ratings.values()), 1)
        if kind != "pooled":
            assert outcomes["much left"][0] > outcomes["much right"][0]
            assert fitted.user(0).predict_proba([(5, 0)])[0, 0] < 0.2
    before = model.newcomer().predict_proba([(5, 0)])[0, 0]
    new = model.newcomer({"left": [5, 1], "right": [0, 2], "outcome": ["much left", "tie"]})
    assert new.predict_proba([(5, 0)])[0, 0] > before
    with pytest.raises(rather.errors.RatherError, match="there is not"):
        model.newcomer({"item": [2], "rating": [17.0]})
    with pytest.raises(rather.errors.DataError, match="in a column each"):
        PopulationGP(kind).fit(None, tables, users=[1, 2])


def test_none_of_these_is_an_option_of_every_row():
    tasks = {
        "user": ["a", "a", "b", "b"],
        "choice": ["x", "none", "z", "None of these"],
        "option_1": ["x", "y", "z", "x"],
        "option_2": ["y", "z", "y", "y"],
        "option_3": ["z", None, "x", "z"],
    }
    with pytest.raises(rather.DataError, match="None of these"):
        rather.PopulationGP("per-user", "white", rankings="joint").fit(None, tasks)
    tasks["choice"][3] = "none"
    model = rather.PopulationGP("per-user", "white", rankings="joint").fit(None, tasks)
    assert set(model.items_) == {"x", "y", "z", "none"}
    assert model.predict_best([["x", "none"]], users="b")[0][0, 1] > 0.5


def test_segments_are_those_that_were_planted():
    tasks = {"user": [], "task": [], "item": [], "chosen": []}
    for user in range(12):
        for task in range(5):
            for at, item in enumerate("vwxyz"[: 3 + task % 3]):
                tasks["user"].append(f"p{user}")
                tasks["task"].append(task)
                tasks["item"].append(item)
                last = 2 + task % 3
                best, worst = (last, 0) if user % 3 == 0 else (0, last)
                tasks["chosen"].append(1 if at == best else -1 if at == worst else 0)
    model = rather.PopulationGP("hierarchical", "white", rankings="joint").fit(None, tasks)
    found = model.segments()
    assert found.labels.tolist() == [1 if user % 3 == 0 else 0 for user in range(12)]
    assert found.probabilities.min() > 0.9 and found.silhouette > 0.5
    np.testing.assert_allclose(found.shares, [2 / 3, 1 / 3])
    assert found.means.shape == (2, 5) and found.items[int(found.means[1].argmax())] == "z"
    with pytest.raises(rather.ParameterError, match="segments"):
        model.segments(1)


def test_items_may_be_told_by_their_attributes():
    rng = np.random.default_rng(4)
    tasks = {"respondent": [], "task": [], "chosen": [], "price": [], "size": []}
    for person in range(15):
        for task in range(8):
            offered = [(int(rng.choice([10, 20, 30])), str(rng.choice(["s", "l"]))) for _ in range(3)]
            utility = [-0.2 * price + (size == "l") + rng.normal() for price, size in offered]
            for at, (price, size) in enumerate(offered):
                for column, cell in zip(tasks, (person, task, int(at == np.argmax(utility)), price, size)):
                    tasks[column].append(cell)
    model = rather.PopulationGP("hierarchical", "linear", rankings="joint").fit(None, tasks, users="respondent")
    assert {"10, s", "30, l"} <= set(model.items_)
    best, _ = model.predict_best([["10, l", "20, s", "30, s"]], users=3)
    assert best[0].argmax() == 0
    # The same as with a table of items.
    profiles = sorted({(name.split(" (")[0], name) for name in model.items_}, key=lambda names: model.items_.index(names[1]))
    table = {"price": [int(plain.split(", ")[0]) for plain, _ in profiles], "size": [plain.split(", ")[1] for plain, _ in profiles]}
    np.testing.assert_allclose(model.predict(table, user=3), model.predict(user=3), atol=1e-9)


def test_features_and_whole_numbers_are_known_after_loading(tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "users.rather"
    frame = pd.DataFrame({"price": [1.0, 2.0, 3.0], "same": [4.0] * 3, "size": [1.0, 7.0, 4.0], "kind": ["a", "b", "a"]}, index=[1, 2, 3])
    votes, users = [(1, 2), (2, 3), (3, 1), (3, 2)], [1, 1, 2, 2]
    for X, names in ((frame, list(frame.columns)), (frame[["price", "same"]].to_numpy(), None)):
        said = votes if names else [(winner - 1, loser - 1) for winner, loser in votes]
        fitted = PopulationGP("per-user", "se").fit(X, said, users=users)
        fitted.save(path)
        again = PopulationGP.load(path)
        assert again.n_features_in_ == fitted.n_features_in_ == X.shape[1]
        assert list(getattr(again, "feature_names_in_", ())) == (names or [])
        # A column that was left out because it is constant may be there, and no other number of columns.
        np.testing.assert_array_equal(again.predict(X, user=2), fitted.predict(X, user=2))
        with pytest.raises(rather.DataError, match=f"expecting {X.shape[1]} features"):
            again.predict(np.zeros((2, 7)), user=1)
        # The commonest names of users are 1 to n.
        assert again.users_ == fitted.users_ == [1, 2]
        np.testing.assert_array_equal(again.predict(user=1), fitted.predict(user=1))
        with pytest.raises(rather.UnknownUserError):
            again.predict(user=0)
    names_alone = PopulationGP("pooled", "white").fit(None, [("a", "b")], users=["u"])
    names_alone.save(path)
    assert not hasattr(PopulationGP.load(path), "n_features_in_")
