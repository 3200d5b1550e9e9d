"""Answers about several items: rankings, choices, the best and the worst, in a row or with a row an option, taken as comparisons or as one answer."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import rather
from rather import PopulationGP, PreferenceGP

PRICE = {"name": list("abcdef"), "price": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
OPTIONS = {"option_1": ["c", "f", "e", "b"], "option_2": ["a", "b", "d", "e"], "option_3": ["d", "e", "a", "a"], "option_4": ["f", "c", "f", "d"]}
BEST = {"best": ["a", "b", "a", "b"], **OPTIONS}
WORST = {"worst": ["d", "f", "f", "e"], **OPTIONS}
BOTH = {"worst": WORST["worst"], **BEST}


def rows_of(best: list[str] | None, worst: list[str] | None) -> dict[str, list[object]]:
    """The same tasks with a row an option; the first option of all tasks first, so that tasks are mixed."""
    table: dict[str, list[object]] = {"task": [], "item": [], "chosen": []}
    for options in OPTIONS.values():
        for task, option in enumerate(options):
            said = 1 if best and best[task] == option else -1 if worst and worst[task] == option else 0
            for column, cell in zip(table.values(), (f"t{task}", option, said)):
                column.append(cell)
    return table


def fitted(table: object, rankings: str = "joint", kernel: str = "se") -> PreferenceGP:
    return PreferenceGP(kernel, rankings=rankings).fit(PRICE, table, names="name")


def same(one: PreferenceGP, other: PreferenceGP) -> bool:
    return one.log_evidence_ == other.log_evidence_ and np.array_equal(one.predict(), other.predict())


@pytest.mark.parametrize("rankings", ["pairs", "adjacent", "joint"])
def test_a_row_an_option_says_the_same_as_a_row_a_task(rankings: str) -> None:
    for wide, best, worst in [(BEST, BEST["best"], None), (WORST, None, WORST["worst"]), (BOTH, BEST["best"], WORST["worst"])]:
        assert same(fitted(wide, rankings), fitted(rows_of(best, worst), rankings))
    ranked = {"task": list("xyxyxx"), "option": list("acbdcd"), "rank": [1.0, 2.0, 2.0, 1.0, 3.0, float("nan")]}
    assert same(fitted(ranked, rankings), fitted({"ranking": ["a > b > c > d", "d > c"]}, rankings))


def test_best_and_worst_as_comparisons() -> None:
    said = {"best": ["a"], "worst": ["d"], "option_1": ["b"], "option_2": ["a"], "option_3": ["d"], "option_4": ["c"]}
    pairs = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")]
    assert same(fitted(said, "pairs"), fitted(pairs))
    # Best and worst are neighbours of those between, not of each other.
    assert same(fitted(said, "adjacent"), fitted([pair for pair in pairs if pair != ("a", "d")]))


def test_an_answer_taken_jointly_says_less_than_its_pairs() -> None:
    """Pairs count the noise of an item as often as it has others, so that they seem to say more."""
    fixed = {"noise": 1.0, "variance": 4.0}
    table = {"ranking": ["a > b > c > d > e > f"] * 3}
    joint, pairs = (PreferenceGP("white", fixed=fixed, rankings=how).fit(None, table) for how in ("joint", "pairs"))
    assert [place.item for place in joint.ranking()] == [place.item for place in pairs.ranking()] == list("abcdef")
    assert (joint.predict(return_std=True)[1] > 1.04 * pairs.predict(return_std=True)[1]).all()
    # A ranking of two is a comparison, and a tie of two a tie.
    two = fitted({"ranking": ["a > b", "b > c", "c = d"]})
    assert same(two, fitted({"ranking": ["a > b", "b > c", "c = d"]}, "pairs")) and "tie" in two.hyperparameters_
    assert same(fitted({"choice": ["a"], "option_1": ["a"], "option_2": ["c"]}), fitted([("a", "c")]))


def test_equal_ranks_in_one_place_are_of_unknown_order() -> None:
    best_and_worst = {"best": ["a"], "worst": ["d"], "option_1": ["a"], "option_2": ["b"], "option_3": ["c"], "option_4": ["d"]}
    assert same(fitted({"ranking": ["a > b = c > d"]}), fitted(best_and_worst))


def test_who_said_it_and_how_often() -> None:
    """Tasks are of users; the first row of a task has its count."""
    rows = {"user": list("xyxy"), "task": [1, 1, 1, 1], "item": list("abcd"), "chosen": [True, "0", 0.0, "1"], "count": [2, 3, 1, 1]}
    assert same(fitted(rows), fitted({"winner": ["a", "d"], "loser": ["c", "b"], "count": [2, 3]}))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"ranking": ["a > b", "a = b > c > d = e"]}, "ranking 1 .* has items of equal rank in two places, .* take rankings='pairs'"),
        ({"ranking": ["a = b = c"]}, "ranking 0 .* says of no item that it is better than another"),
        ({"ranking": [list("abcdefghijklm")]}, "ranking 0 .* is about more than 12 items"),
        ({"best": ["a"], "option_1": ["b"], "option_2": ["c"]}, "best 0 .* is 'a', which is none of its options"),
        ({"worst": ["a", None], "option_1": ["b", "a"], "option_2": ["a", "b"]}, "worst 1 .* is None, which is none"),
        ({"best": ["a"], "worst": ["a"], "option_1": ["b"], "option_2": ["a"]}, "best 0 .* is 'a', and so is the worst option"),
        ({"choice": ["a"], "option_1": ["a"], "option_2": ["a"]}, "choice 0 .* names 'a' twice"),
        ({"task": [1, 1], "item": ["a", "b"], "chosen": [1, "maybe"]}, "chosen 1 .* is 'maybe'; write 1 for the chosen option"),
        ({"task": [1, 1], "item": ["a", "b"], "rank": [1, 0]}, "rank 1 .* is 0; write 1 for the best option"),
        ({"task": [1, 2, 1, 2], "item": list("abba"), "chosen": [1, 0, 0, 0]}, "the task of row 1 .* has no option that is chosen"),
        ({"task": [1, 2, 1], "item": list("aba"), "chosen": [1, 1, 0]}, "the task of row 0 .* names 'a' again in row 2"),
        ({"task": [1, None], "item": ["a", "b"], "chosen": [1, 0]}, "row 1 .* names no task"),
        ({"task": [1, 1, 1, 1], "item": list("abcd"), "chosen": [1, 1, 0, 0]}, "the task of row 0 .* equal rank in two places"),
        ({"task": [1, 1], "item": ["a", "z"], "chosen": [1, 0]}, "no item 'z'"),
    ],
)
def test_what_is_no_such_answer_is_refused(table: dict[str, object], sentence: str) -> None:
    with pytest.raises(rather.DataError, match=sentence):
        fitted(table)


def test_lapses_are_not_taken_jointly() -> None:
    with pytest.raises(rather.RatherError, match="without lapses.*take them as pairs"):
        PreferenceGP("white", rankings="joint", lapse=0.1).fit(None, {"ranking": ["a > b > c"]})


def test_the_best_and_the_worst_of_sets() -> None:
    """The frequencies of the greatest and the smallest of noisy draws. Tolerance: 200,000 draws have a standard deviation of 0.001, and expectation
    propagation of a set is right to 0.01."""
    model = PreferenceGP("se", rankings="joint", fixed={"noise": 1.0, "variance": 4.0, "lengthscale": 2.0}).fit(PRICE, BOTH, names="name")
    best, worst = model.predict_best({"option_1": ["b", "f"], "option_2": ["e", None], "option_3": ["d", "a"], "option_4": ["f", None]})
    assert best.shape == worst.shape == (2, 4)
    rows = [1, 4, 3, 5]
    draws = model.sample(n_samples=200_000)[:, rows]
    draws = draws + np.random.default_rng(0).normal(size=draws.shape)
    for found, extreme in ((best, draws.argmax(axis=1)), (worst, draws.argmin(axis=1))):
        assert found[0] == pytest.approx(np.bincount(extreme, minlength=4) / len(draws), abs=0.012)
    # Of two it is the choice.
    assert np.isnan(best[1, [1, 3]]).all() and np.isnan(worst[1, [1, 3]]).all()
    assert [best[1, 0], best[1, 2]] == pytest.approx(model.predict_proba([("f", "a")])[0], abs=1e-12)
    assert best[1, 0] == pytest.approx(worst[1, 2], abs=1e-12)
    # Of lists, and of new items.
    assert np.array_equal(model.predict_best([list("bedf"), ["f", "a"]])[0][0], best[0])
    new = model.predict_best(np.array([[0, 1, 2]]), {"price": [6.0, 1.0, 5.0]})[0]
    assert new[0] == pytest.approx(model.predict_best([["f", "a", "e"]])[0][0], abs=1e-9)


@pytest.mark.parametrize(
    ("sets", "kind", "sentence"),
    [
        (["a", "b"], rather.DataError, "sets are lists of items each"),
        ([["a", "b"], ["a"]], rather.DataError, "set 1 .* has 1 items; give 2 to 12"),
        ([list("abcdefabcdefa")], rather.DataError, "set 0 .* has 13 items; give 2 to 12"),
        ([["a", "b", "a"]], rather.DataError, "set 0 .* names 'a' twice"),
        ([["a", "z"]], rather.UnknownItemError, "no item 'z'"),
        ([[0, 77]], rather.UnknownItemError, "no item 77"),
        ({"left": ["a"], "right": ["b"]}, rather.DataError, "sets need columns option_1"),
    ],
)
def test_wrong_sets_have_their_sentence(sets: object, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        fitted([("a", "b"), ("b", "c")]).predict_best(sets)


def test_items_by_their_row_numbers() -> None:
    """Where some rows have fewer options, pandas makes floats of them."""
    pandas = pytest.importorskip("pandas")
    x = np.array(PRICE["price"])[:, None]
    table = pandas.DataFrame({"choice": [0, 1], "option_1": [0, 3], "option_2": [2, 1], "option_3": [3, None]})
    model = PreferenceGP("se", rankings="joint").fit(x, table)
    named = fitted({"choice": ["a", "b"], "option_1": ["a", "d"], "option_2": ["c", "b"], "option_3": ["d", None]})
    assert same(model, named)
    # Of names, too, whole numbers are rows.
    assert same(named, fitted({"ranking": [[0, [2, 3]], [1, 3]]}))
    assert np.array_equal(model.predict_best(table)[0], named.predict_best([list("acd"), list("db")])[0], equal_nan=True)
    assert model.predict_best([])[0].shape == (0, 0)
    with pytest.raises(rather.UnknownItemError, match="no item -1"):
        PreferenceGP("se", rankings="joint").fit(x, {"ranking": [[0, 1, -1]]})


def tasks_of_two_tastes() -> dict[str, list[object]]:
    """Even users like what is cheap, odd ones what is dear: tasks of four, the best and the worst, a row an option."""
    rng = np.random.default_rng(0)
    table: dict[str, list[object]] = {"who": [], "task": [], "item": [], "chosen": []}
    for user in range(6):
        for task in range(8):
            offered = rng.choice(6, 4, replace=False)
            utility = (-1.0 if user % 2 == 0 else 1.0) * offered + 0.3 * rng.normal(size=4)
            for option, of_it in zip(offered, utility):
                said = 1 if of_it == utility.max() else -1 if of_it == utility.min() else 0
                for column, cell in zip(table.values(), (f"u{user}", task, "abcdef"[option], said)):
                    column.append(cell)
    return table


@pytest.mark.parametrize("kind", ["hierarchical", "collaborative", "per-user", "pooled", "kronecker"])
def test_many_users_choose_among_several(kind: str, tmp_path: object) -> None:
    table = tasks_of_two_tastes()
    model = PopulationGP(kind, "se", n_functions=3, rankings="joint").fit(PRICE, table, users="who", names="name")
    sets = {"user": ["u0", "u1", "u0"], "option_1": ["a", "a", "f"], "option_2": ["c", "c", "b"], "option_3": ["f", "f", None]}
    best, worst = model.predict_best(sets)
    assert np.nansum(best, axis=1) == pytest.approx(1.0) and np.nansum(worst, axis=1) == pytest.approx(1.0)
    for row, user in enumerate(sets["user"]):
        own = [[cell for cell in (sets[f"option_{at}"][row] for at in (1, 2, 3)) if cell]]
        for found, of_user in zip((best, worst), model.user(user).predict_best(own)):
            assert found[row, : of_user.shape[1]] == pytest.approx(of_user[0], abs=1e-12)
        assert np.array_equal(model.predict_best(own, users=user)[0], model.user(user).predict_best(own)[0])
    if kind != "pooled":
        assert best[0, 0] > 0.6 < best[1, 2] and worst[0, 2] > 0.6 < worst[1, 0]
    pairs = PopulationGP(kind, "se", n_functions=3).fit(PRICE, table, users="who", names="name")
    assert pairs.log_evidence_ != model.log_evidence_
    said = {"best": ["f", "e"], "worst": ["a", "b"], "option_1": ["a", "b"], "option_2": ["f", "c"], "option_3": ["d", "e"]}
    before, after = (model.newcomer(given).predict_best([["a", "c", "f"]])[0][0, 2] for given in (None, said))
    assert after > before + (0.0 if kind == "pooled" else 0.1)


@pytest.mark.parametrize("rankings", ["pairs", "adjacent", "joint"])
@pytest.mark.parametrize("table", [BOTH, BEST, rows_of(BEST["best"], WORST["worst"]), {"ranking": ["a > b = c > f", "b > d > e"]}])
def test_the_program_says_the_same(table, rankings, program, tmp_path) -> None:
    write(tmp_path, items=PRICE, said=table, sets=OPTIONS)
    command = ["fit", "items.csv", "said.csv", "--kernel", "se", "--rankings", rankings, "-o", "m.rather"]
    ran = say(program, tmp_path, *command)
    model = fitted(table, rankings)
    assert ran["log_evidence"] == model.log_evidence_ and ran["hyperparameters"] == model.hyperparameters_
    predicted = say(program, tmp_path, "predict", "m.rather", "sets.csv")
    best, worst = PreferenceGP.load(tmp_path / "m.rather").predict_best(OPTIONS)
    assert_same(predicted, best, worst)


def test_the_program_says_the_same_of_users(program, tmp_path) -> None:
    table = tasks_of_two_tastes()
    sets = {"user": ["u0", "u1", "u0", "u5"], **OPTIONS}
    write(tmp_path, items=PRICE, said={"user": table["who"], **{name: cells for name, cells in table.items() if name != "who"}}, sets=sets)
    command = ["fit", "items.csv", "said.csv", "--kernel", "se", "--model", "hierarchical", "--rankings", "joint", "-o", "m.rather"]
    ran = say(program, tmp_path, *command)
    model = PopulationGP("hierarchical", "se", rankings="joint").fit(PRICE, table, users="who", names="name")
    assert ran["log_evidence"] == model.log_evidence_
    assert_same(say(program, tmp_path, "predict", "m.rather", "sets.csv"), *model.predict_best(sets))


def write(folder, **tables) -> None:
    for name, table in tables.items():
        rows = "".join(",".join(map(str, row)) + "\n" for row in zip(*table.values()))
        (folder / f"{name}.csv").write_text(",".join(table) + "\n" + rows)


def say(program, folder, *words):
    return json.loads(subprocess.run([program, *words, "--json"], cwd=folder, check=True, capture_output=True).stdout)


def assert_same(predicted, best, worst) -> None:
    """Of sets of equal size: the program has a line an option."""
    assert [line["probability_of_best"] for line in predicted] == best.ravel().tolist()
    assert [line["probability_of_worst"] for line in predicted] == worst.ravel().tolist()
