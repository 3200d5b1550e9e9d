"""Answers of every kind, and response models."""

from __future__ import annotations

import json
import pickle
import subprocess

import numpy as np
import pytest

import rather
from rather import PreferenceGP

FIXED = {"lengthscale": 1.0, "variance": 4.0, "noise": 1.0}


def fitted(X, y, **parameters):
    return PreferenceGP("se", fixed=FIXED, raw_features=True, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def price():
    return {"name": list("abcd"), "price": [0.0, 1.0, 2.0, 3.0]}


def test_a_tie_is_a_tie(price):
    votes = {"left": list("aabcb"), "right": list("bccdd"), "outcome": ["tie", "left", "left", "=", "much left"]}
    model = PreferenceGP("se").fit(price | {}, votes, names="name")
    outcomes = model.predict_outcomes([("a", "d"), ("b", "a")])
    assert list(outcomes) == ["much left", "left", "tie", "right", "much right"]
    assert np.sum(list(outcomes.values()), axis=0) == pytest.approx(1.0)
    assert model.hyperparameters_["tie"] > 0
    dropped = fitted(np.array([[0.0], [1.0]]), {"left": [0, 0], "right": [1, 1], "outcome": ["left", "tie"]}, ties="drop")
    assert np.array_equal(dropped.predict(), fitted(np.array([[0.0], [1.0]]), [(0, 1)]).predict())
    assert not dropped.predict_outcomes([(0, 1)])
    both = fitted(np.array([[0.0], [1.0]]), {"left": [0], "right": [1], "outcome": ["tie"]}, ties="both")
    assert both.predict() == pytest.approx([0, 0], abs=1e-12)


def test_sides_alone_are_plain_comparisons(price):
    votes = {"left": list("abca"), "right": list("bcdd"), "outcome": ["left", "right", "left", "left"], "user": list("xxyy")}
    plain = PreferenceGP("se").fit(price, [("a", "b"), ("c", "b"), ("c", "d"), ("a", "d")], names="name")
    # The quick way, and that of every kind of answer.
    assert np.array_equal(PreferenceGP("se").fit(price, votes, names="name").predict(), plain.predict())
    assert np.array_equal(PreferenceGP("se").fit(price, [votes, {"winner": [], "loser": []}], names="name").predict(), plain.predict())


def test_ratings_values_choices_and_rankings(price):
    ratings = {"item": list("abcd") * 2, "rating": [5, 4, 2, 1, 5, 5, 2, 1], "user": ["x"] * 4 + ["y"] * 4}
    model = PreferenceGP("se").fit(price, ratings, names="name")
    found = model.predict_ratings()
    assert list(found) == [1.0, 2.0, 4.0, 5.0] and np.sum(list(found.values()), axis=0) == pytest.approx(1.0)
    assert model.ranking()[0].item == "a" and found[5.0][0] > found[5.0][3]
    values = {"item": list("abcd"), "value": [3.5, 2.0, "<1.5", 0.0]}
    assert PreferenceGP("se").fit(price, values, names="name").ranking()[3].item == "d"
    labels = {"item": list("abcd"), "label": [1.0, True, "no", False]}
    assert PreferenceGP("se").fit(price, labels, names="name").ranking()[0].item in "ab"
    choices = {"choice": ["a", "b"], "option_1": ["a", "c"], "option_2": ["c", "b"], "option_3": ["d", None]}
    same = [("a", "c"), ("a", "d"), ("b", "c")]
    assert np.array_equal(PreferenceGP("se").fit(price, choices, names="name").predict(), PreferenceGP("se").fit(price, same, names="name").predict())
    for ranking in ("a > b > c", ["a", "b", "c"]):
        every = PreferenceGP("white").fit(None, {"ranking": [ranking]})
        assert np.array_equal(every.predict(), PreferenceGP("white").fit(None, [("a", "b"), ("a", "c"), ("b", "c")]).predict())
        neighbours = PreferenceGP("white", rankings="adjacent").fit(None, {"ranking": [ranking]})
        assert np.array_equal(neighbours.predict(), PreferenceGP("white").fit(None, [("a", "b"), ("b", "c")]).predict())
    assert "tie" in PreferenceGP("white").fit(None, {"ranking": ["a > b = c"]}).hyperparameters_
    together = PreferenceGP("se").fit(price, [ratings, {"winner": ["d"], "loser": ["c"]}], names="name")
    assert len(together.predict_ratings()) == 4


def test_people_err(price):
    votes = {"left": list("abca"), "right": list("bcdd"), "outcome": ["left", "right", "left", "left"], "user": list("xxyy")}
    assert PreferenceGP("se", lapse="learn").fit(price, votes, names="name").hyperparameters_["lapse"] > 0
    assert "bias" in PreferenceGP("se", bias=True).fit(price, votes, names="name").hyperparameters_
    assert "factor[x]" in PreferenceGP("se", user_noise=True).fit(price, votes, names="name").hyperparameters_
    logistic = PreferenceGP("se", link="logistic", lapse=0.1).fit(price, votes, names="name")
    assert logistic.predict_proba([("a", "d")])[0, 0] < 0.95


@pytest.mark.parametrize(
    ("table", "flags", "parameters"),
    [
        ({"left": list("aabc"), "right": list("bcdd"), "outcome": ["tie", "left", "right", "left"]}, [], {}),
        ({"left": list("aabc"), "right": list("bcdd"), "outcome": ["<", "much left", ">", "left"]}, ["--bias"], {"bias": True}),
        ({"item": list("abcd"), "rating": [3, 2, 2, 1], "user": list("xyxy")}, [], {}),
        ({"item": list("abcd"), "value": [3.0, 2.5, ">2", 1.0]}, ["--robust"], {"robust": True}),
        ({"item": list("abcd"), "label": ["yes", "yes", "no", "no"]}, [], {}),
        ({"ranking": ["a > b = c", "b > d"]}, ["--rankings", "adjacent"], {"rankings": "adjacent"}),
        ({"winner": list("abc"), "loser": list("bcd"), "noise": [1.0, 2.0, 1.5]}, ["--lapse", "0.1"], {"lapse": 0.1}),
    ],
)
def test_the_program_says_the_same(price, program, tmp_path, table, flags, parameters):
    (tmp_path / "items.csv").write_text("name,price\n" + "".join(f"{n},{p}\n" for n, p in zip(*price.values())))
    rows = "".join(",".join(map(str, row)) + "\n" for row in zip(*table.values()))
    (tmp_path / "said.csv").write_text(",".join(table) + "\n" + rows)
    command = [program, "fit", "items.csv", "said.csv", "--kernel", "se", "--json", *flags]
    ran = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    model = PreferenceGP("se", **parameters).fit(price, table, names="name")
    assert ran["log_evidence"] == model.log_evidence_ and ran["hyperparameters"] == model.hyperparameters_


@pytest.mark.parametrize(
    ("table", "parameters", "kind", "sentence"),
    [
        ({"left": ["a"], "right": ["b"], "outcome": ["maybe"]}, {}, rather.DataError, 'comparison 0 .* is "maybe"; write left, right or tie'),
        ({"left": ["a"], "right": ["a"], "outcome": ["tie"]}, {}, rather.DataError, "with itself"),
        ({"item": ["a"], "rating": ["good"]}, {}, rather.DataError, "'rating' must have numbers"),
        ({"item": ["a", "b"], "rating": [1.0, float("nan")]}, {}, rather.DataError, "rating 1 .* is NaN"),
        ({"item": ["a"], "value": [">x"]}, {}, rather.DataError, "value 0 .* is '>x'"),
        ({"item": ["a"], "label": ["perhaps"]}, {}, rather.DataError, 'label 0 .* is "perhaps"; write yes or no'),
        ({"item": ["a", "b"], "label": [True, True]}, {}, rather.DataError, "every label .* add items with the other label"),
        ({"ranking": ["a > > b"]}, {}, rather.DataError, "ranking 0"),
        ({"ranking": ["a > b > a"]}, {}, rather.DataError, "names 'a' twice"),
        ({"choice": ["a"], "option_1": ["b"], "option_2": ["c"]}, {}, rather.DataError, "none of its options"),
        ({"item": ["z"], "rating": [1.0]}, {}, rather.UnknownItemError, "no item 'z'"),
        ({"winner": ["a"], "loser": ["b"], "noise": [0.0]}, {}, rather.DataError, "the noise 0"),
        ({"left": ["a"], "right": ["b"], "outcome": ["tie"]}, {"ties": "split"}, rather.ParameterError, "learn, drop or both"),
        ({"ranking": ["a > b"]}, {"rankings": "all"}, rather.ParameterError, "pairs, adjacent or joint"),
        ({"winner": ["a"], "loser": ["b"]}, {"link": "cauchy"}, rather.ParameterError, "probit or logistic"),
        ({"winner": ["a"], "loser": ["b"]}, {"lapse": 1.5}, rather.ParameterError, "rate from 0 to below 1"),
        ({"apples": ["a"]}, {}, rather.DataError, "the columns are apples"),
    ],
)
def test_wrong_answers_have_their_sentence(price, table, parameters, kind, sentence):
    with pytest.raises(kind, match=sentence):
        PreferenceGP("se", **parameters).fit(price, table, names="name")


def test_outcomes_are_called_as_the_table_calls_them(price, tmp_path):
    votes = {"left": list("aabcb"), "right": list("bccdd"), "outcome": ["a little left", "left", "much left", "tie", ">>"]}
    model = PreferenceGP("se").fit(price, votes, names="name")
    named = ["much left", "left", "a little left", "tie", "a little right", "right", "much right"]
    assert list(model.predict_outcomes([("a", "d")])) == named
    model.save(tmp_path / "m.rather")
    assert list(PreferenceGP.load(tmp_path / "m.rather").predict_outcomes([("a", "d")])) == named


WHOLE = {"left": [7, 7, 8, 9, 8], "right": [8, 9, 9, 10, 10], "outcome": ["left", "tie", "much left", "right", "left"]}


@pytest.mark.parametrize(
    ("said", "parameters"),
    [
        ([(7, 8), (8, 9), (9, 10), (10, 8)], {}),
        ([(7, 8), (8, 9), (9, 10), (10, 8)], {"inference": "laplace"}),
        ([(7, 8), (8, 9), (9, 10), (10, 8)], {"inference": "exact", "samples": 100}),
        ([(7, 8), (8, 9), (9, 10), (10, 8)], {"inference": "streaming"}),
        ([(7, 8), (8, 9), (9, 10), (10, 8)], {"representation": "sparse"}),
        ({"winner": [7, 8, 9], "loser": [8, 9, 10], "count": [4_000_000_000, 3, 4_000_000_000]}, {"fixed": {"noise": 1.0, "variance": 1.0}}),
        (WHOLE, {}),
        (WHOLE, {"bias": True, "link": "logistic"}),
        (WHOLE, {"ties": "drop", "lapse": 0.1}),
        ({"item": [7, 8, 9, 10], "label": ["yes", "no", "yes", "no"]}, {}),
        ({"item": [7, 8, 9, 10], "label": ["yes", "no", "yes", "no"]}, {"inference": "laplace"}),
        ([{"item": [7, 8, 9, 10], "label": ["yes", "no", "yes", "no"]}, {"winner": [7], "loser": [9]}], {}),
        ({"item": [7, 8, 9, 10], "rating": [1.0, 2.5, 2.5, 4.0], "user": list("xyxy")}, {}),
        ({"item": [7, 8, 9, 10], "value": [3.0, ">2", 1.5, "<1"]}, {"robust": True}),
    ],
)
def test_every_model_comes_back(said, parameters, tmp_path):
    """From its file and from a pickle, names that are whole numbers included: the same bits."""
    model = PreferenceGP("white", **parameters).fit(None, said)
    model.save(tmp_path / "m.rather")
    pairs = [(7, 8), (9, 10), (8, 10)]
    for again in (PreferenceGP.load(tmp_path / "m.rather"), pickle.loads(pickle.dumps(model))):
        assert again.items_ == model.items_ and isinstance(again.items_[0], int)
        assert np.array_equal(again.predict(), model.predict())
        assert np.array_equal(again.predict_proba(pairs), model.predict_proba(pairs))
        assert again.hyperparameters_ == model.hyperparameters_ and again.log_evidence_ == model.log_evidence_
        for ask in (lambda m: m.predict_outcomes(pairs), lambda m: m.predict_ratings()):
            old, new = ask(model), ask(again)
            assert list(old) == list(new) and all(np.array_equal(old[name], new[name]) for name in old)


def test_a_learned_advantage_counts_where_sides_are_given():
    votes = {"left": list("abbcac"), "right": list("bacbca"), "outcome": ["left"] * 5 + ["right"], "count": [5, 4, 5, 3, 2, 1]}
    model = PreferenceGP("white", bias=True, fixed={"noise": 1.0, "variance": 1.0}).fit(None, votes)
    asked = {"left": ["a", "b"], "right": ["b", "a"]}
    sided, alone = model.predict_proba(asked)[:, 0], model.predict_proba([("a", "b"), ("b", "a")])[:, 0]
    outcomes = model.predict_outcomes(asked)
    assert sided == pytest.approx(outcomes["left"], abs=1e-12)
    assert (sided > alone + 0.05).all() and alone.sum() == pytest.approx(1.0)
    assert model.log_score(None, votes) > model.log_score(None, [("a", "b")] * 5 + [("b", "a")] * 4)
    plain = PreferenceGP("white").fit(None, votes)
    assert np.array_equal(plain.predict_proba(asked), plain.predict_proba([("a", "b"), ("b", "a")]))


def test_sides_that_nobody_told_are_refused():
    duels = rather.Comparisons([[0.0], [1.0], [2.0]], [(2, 0), (2, 1)])
    for said in ((duels, None), (np.zeros((3, 1)), [(2, 0), (2, 1)])):
        with pytest.raises(rather.ParameterError, match="which item was on the left"):
            PreferenceGP("white", bias=True).fit(*said)


def test_scores_are_those_of_the_answers_that_may_be_given(price):
    votes = {"left": list("aabc"), "right": list("bcdd"), "outcome": ["tie", "left", "right", "left"]}
    model = PreferenceGP("se").fit(price, votes, names="name")
    outcomes = model.predict_outcomes([("a", "b")])
    p = np.array([outcomes[name][0] for name in ("left", "tie", "right")])
    assert model.acquisition([("a", "b")], "entropy")[0] == pytest.approx(-(p * np.log2(p)).sum(), abs=1e-6)
    assert model.suggest()[0].score > 0.0
    lapsing = PreferenceGP("se", lapse=0.1).fit(price, [("a", "b"), ("b", "c")], names="name")
    with pytest.raises(rather.RatherError, match="default response model"):
        lapsing.predict_proba([("a", "b")], sharp=True)
