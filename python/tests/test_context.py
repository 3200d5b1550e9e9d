"""Columns of comparisons: where, when and how two sides were compared."""

from __future__ import annotations

import datetime
import json
import subprocess

import numpy as np
import pytest

import rather

KERNEL = "white[item] + white[item]*matern32[date] + white[item]*white[court] + linear[home]"
#: Sides are numbered in another order than the program's, so that sums are rounded otherwise; what is learned is as near as its search stops.
NEAR = 1e-6


def matches() -> dict[str, list[object]]:
    """Thirty matches of four players on two courts."""
    rng = np.random.default_rng(5)
    skill = dict(zip("abcd", (1.0, 0.4, -0.2, -1.2)))
    out: dict[str, list[object]] = {name: [] for name in ("left", "right", "outcome", "date", "court", "home_left", "home_right")}
    for match in range(30):
        left, right = rng.choice(list("abcd"), 2, replace=False)
        at_home = int(rng.integers(3))
        z = skill[left] - skill[right] + 0.8 * ((at_home == 1) - (at_home == 2)) + rng.normal()
        date = datetime.date(2025, 1, 4) + datetime.timedelta(days=5 * match)
        row = (str(left), str(right), "left" if z > 0 else "right", date.isoformat(), ("clay", "grass")[int(rng.integers(2))], int(at_home == 1), int(at_home == 2))
        for name, value in zip(out, row):
            out[name].append(value)
    return out


def csv(table: dict[str, list[object]]) -> str:
    return "\n".join([",".join(table), *(",".join(map(str, row)) for row in zip(*table.values()))]) + "\n"


PAIRS: dict[str, list[object]] = {
    "left": ["a", "b"],
    "right": ["b", "d"],
    "date": ["2025-06-10", "2025-02-01"],
    "court": ["clay", "grass"],
    "home_left": [1, 0],
    "home_right": [0, 1],
}


@pytest.fixture(scope="module")
def model() -> rather.PreferenceGP:
    return rather.PreferenceGP(KERNEL).fit(None, matches(), names=list("abcd"))


def test_the_program_says_the_same(model, program, tmp_path):
    (tmp_path / "items.csv").write_text("item\na\nb\nc\nd\n")
    (tmp_path / "matches.csv").write_text(csv(matches()))
    (tmp_path / "pairs.csv").write_text(csv(PAIRS))

    def say(*words):
        run = subprocess.run([program, *words, "--json"], check=True, capture_output=True, cwd=tmp_path)
        return json.loads(run.stdout)

    told = say("fit", "items.csv", "matches.csv", "--kernel", KERNEL, "-o", "m.rather")
    assert model.log_evidence_ == pytest.approx(told["log_evidence"], rel=NEAR)
    ours = model.predict_proba(PAIRS)[:, 0]
    np.testing.assert_allclose(ours, [line["probability"] for line in say("predict", "m.rather", "pairs.csv")], rtol=1e-4)
    ranked = {line["item"]: line["mean"] for line in say("rank", "m.rather", "--at", "court=clay", "--at", "date=2025-03-01")}
    there = {line.item: line.mean for line in model.at(court="clay", date="2025-03-01").ranking()}
    np.testing.assert_allclose([there[item] for item in ranked], list(ranked.values()), rtol=1e-3, atol=1e-4)


def test_dates_may_be_written_in_every_way(model):
    given = matches()
    for made in (datetime.date.fromisoformat, np.datetime64, datetime.datetime.fromisoformat):
        table = {**given, "date": [made(date) for date in given["date"]]}
        assert rather.PreferenceGP(KERNEL).fit(None, table, names=list("abcd")).log_evidence_ == model.log_evidence_
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({**given, "date": pandas.to_datetime(given["date"])})
    assert rather.PreferenceGP(KERNEL).fit(None, frame, names=list("abcd")).log_evidence_ == model.log_evidence_


def test_an_advantage_is_a_weight_and_shows_in_its_context(model):
    mean, sd = model.weights_["home"]
    assert mean > 0.0 and sd > 0.0
    here = {**PAIRS, "home_left": [1, 1], "home_right": [0, 0]}
    there = {**PAIRS, "home_left": [0, 0], "home_right": [1, 1]}
    assert (model.predict_proba(here)[:, 0] > model.predict_proba(there)[:, 0]).all()


def test_scores_are_of_the_context(model):
    given = matches()
    p = model.predict_proba(given)[:, 0]
    won = np.array(given["outcome"]) == "left"
    assert model.log_score(None, given) == pytest.approx(np.mean(np.log(np.where(won, p, 1.0 - p))))


def test_winners_have_sides_too():
    table = {"winner": ["a", "b", "a"], "loser": ["b", "c", "c"], "home_winner": [1, 1, 0], "home_loser": [0, 0, 0]}
    model = rather.PreferenceGP("white[item] + linear[home]").fit(None, table)
    assert model.weights_["home"][0] > 0.0
    assert set(model.items_) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"date": ["2025-01-04"] * 29 + ["soon"]}, "has dates, and 'soon' is none"),
        ({"court": ["clay"] * 29 + [None]}, "'court' is missing in a comparison"),
        ({"right": ["a"] * 30, "left": ["a"] * 30}, "compares an item with itself"),
    ],
)
def test_what_cannot_be_read_is_refused(change, sentence):
    with pytest.raises(rather.DataError, match=sentence):
        rather.PreferenceGP(KERNEL).fit(None, {**matches(), **change}, names=list("abcd"))


def test_pairs_have_all_columns_or_none(model):
    assert model.predict_proba([("a", "b")]).shape == (1, 2)
    part = {name: values for name, values in PAIRS.items() if name != "court"}
    with pytest.raises(rather.DataError, match="have no column 'court'"):
        model.predict_proba(part)


def test_a_column_that_is_not_there_is_named(model):
    with pytest.raises(rather.RatherError, match="surface"):
        model.at(surface="clay")
    with pytest.raises(rather.DataError, match="write a date like"):
        model.at(date="soon")
