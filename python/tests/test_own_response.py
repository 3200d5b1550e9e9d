"""A kind of answer from outside the package: `examples/own_response.rs`, a compiled part in place of that of the package."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LIBRARY = os.environ.get("RATHER_OWN_RESPONSE")

SCRIPT = """
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.ExtensionFileLoader("own_response", sys.argv[1])
sys.modules["rather._lib"] = module = importlib.util.module_from_spec(importlib.util.spec_from_loader("own_response", loader))
loader.exec_module(module)
import rather

taken = {"item": ["tea", "coffee", "wine", "water", "tea"], "taken": [9, 5, 2, 1, 7]}
for model in (rather.PreferenceGP("white"), rather.PreferenceGP("white", hyperparameters="maximise")):
    model.fit(None, taken)
    assert [place.item for place in model.ranking()] == ["tea", "coffee", "wine", "water"]
    assert model.hyperparameters_["taken.rate"] > 0
    model.save(sys.argv[2])
    assert list(rather.PreferenceGP.load(sys.argv[2]).predict()) == list(model.predict())
# Beside comparisons, and of many users, each with a taste of their own.
both = rather.PreferenceGP("white").fit(None, [taken, {"winner": ["wine", "wine"], "loser": ["tea", "water"]}])
assert both.predict_proba([("wine", "water")])[0, 0] > model.predict_proba([("wine", "water")])[0, 0]
users = {"user": ["ann", "ann", "bob", "bob"], "item": ["tea", "wine", "tea", "wine"], "taken": [9, 1, 1, 9]}
many = rather.PopulationGP("per-user", "white").fit(None, users)
assert (many.ranking(user="ann")[0].item, many.ranking(user="bob")[0].item) == ("tea", "wine")
new = many.newcomer({"item": ["wine", "tea"], "taken": [8, 0]})
assert new.ranking()[0].item == "wine"
# One that compares two items, in a fit and as the answers of a study.
ahead = {"left": ["tea", "wine", "wine"], "right": ["coffee", "coffee", "tea"], "points": [2, -1, -4]}
model = rather.PreferenceGP("white").fit(None, ahead)
assert [place.item for place in model.ranking()] == ["tea", "coffee", "wine"]
assert model.hyperparameters_["points.scale"] > 0
study = rather.Study.create(sys.argv[2] + ".study", ["tea", "coffee", "wine"], take="points-ahead")
for _ in range(6):
    asked = study.ask()
    study.tell(asked, str(["wine", "coffee", "tea"].index(asked.left) - ["wine", "coffee", "tea"].index(asked.right)))
assert study.best().recommended == "tea"
try:
    rather.PreferenceGP("white").fit(None, {**ahead, "points": [2, -1, 9]})
    raise SystemExit("accepted")
except rather.DataError as error:
    assert "no answer of its kind" in str(error), error
for wrong, sentence in [([9, "five"], "row 1 (counted from 0) of the column 'taken'"), ([9, -1], "whole number")]:
    try:
        rather.PreferenceGP("white").fit(None, {"item": ["tea", "wine"], "taken": wrong})
        raise SystemExit("accepted")
    except rather.DataError as error:
        assert sentence.replace("'", '"') in str(error), error
"""


@pytest.mark.skipif(LIBRARY is None, reason="RATHER_OWN_RESPONSE names no compiled example; test.sh builds it")
def test_answers_of_a_kind_of_ones_own_are_learned_from(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(LIBRARY), str(tmp_path / "m.rather")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
