"""Answers that are parts of answers, differences, and what is good or bad."""

from __future__ import annotations

import numpy as np
import pytest

import rather


def test_a_probability_is_parts_of_two_answers() -> None:
    judged = {"left": ["a", "b", "a"], "right": ["b", "c", "c"], "probability": [0.8, 0.7, 1.0]}
    parts = {"winner": ["a", "b", "b", "c", "a"], "loser": ["b", "a", "c", "b", "c"], "count": [0.8, 0.2, 0.7, 0.3, 1]}
    one, other = (rather.PreferenceGP(kernel="white").fit(None, y, names=["a", "b", "c"]) for y in (judged, parts))
    np.testing.assert_allclose(one.predict_proba([("a", "b")]), other.predict_proba([("a", "b")]), rtol=1e-12)


def test_whole_differences_tell_of_ties() -> None:
    played = {"left": ["a", "b", "a", "c"], "right": ["b", "c", "c", "a"], "difference": [2, 1, 0, -3]}
    model = rather.PreferenceGP(kernel="white").fit(None, played, names=["a", "b", "c"])
    outcomes = model.predict_outcomes([("a", "c")])
    assert sum(float(p[0]) for p in outcomes.values()) == pytest.approx(1.0)
    assert float(model.predict_proba([("a", "c")])[0, 0]) > 0.7


def test_both_bad_is_about_each() -> None:
    votes = {"left": ["a", "c", "a"], "right": ["b", "d", "c"], "outcome": ["both good", "both bad", "left"]}
    model = rather.PreferenceGP(kernel="white").fit(None, votes, names=["a", "b", "c", "d"])
    assert model.predict_proba([("b", "d")])[0, 0] > 0.5


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"left": ["a"], "right": ["b"], "probability": [1.2]}, "is 1.2; write a number from 0 to 1"),
        ({"winner": ["a"], "loser": ["b"], "difference": [-1.0]}, "the winner cannot have been worse"),
        ({"left": ["a"], "right": ["b"], "difference": [float("nan")]}, "is NaN; write a number"),
        ({"winner": ["a"], "loser": ["b"], "count": [-0.5]}, "write a positive number"),
    ],
)
def test_what_is_no_such_answer_is_refused(table: dict[str, object], sentence: str) -> None:
    with pytest.raises(rather.DataError, match=sentence.replace("(", r"\(")):
        rather.PreferenceGP(kernel="white").fit(None, table, names=["a", "b"])
