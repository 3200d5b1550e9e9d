"""The program and this package are one engine: the same numbers, bit for bit."""

import json
import subprocess

import numpy as np
import pytest

from rather import PreferenceGP

@pytest.mark.parametrize("inference", ["ep", "laplace", "exact"])
def test_the_program_says_the_same(world, program, tmp_path, inference):
    items, duels, pairs = (tmp_path / name for name in ("items.csv", "duels.csv", "pairs.csv"))
    rows = [f"{i},{a!r},{b!r}" for i, (a, b) in enumerate(world.X.tolist())]
    items.write_text("\n".join(["item,x0,x1", *rows]) + "\n")
    duels.write_text("\n".join(["winner,loser", *(f"{w},{l}" for w, l in world.duels)]) + "\n")
    pairs.write_text("left,right\n" + "".join(f"{i},{i + 1}\n" for i in range(29)))
    model = tmp_path / "model"

    def say(*words):
        return json.loads(subprocess.run([program, *map(str, words), "--json"], check=True, capture_output=True).stdout)

    told = say("fit", items, duels, "--inference", inference, "-o", model)
    ours = PreferenceGP(inference=inference).fit(world.X, world.duels)
    assert told["hyperparameters"] == ours.hyperparameters_
    assert told["log_evidence"] == ours.log_evidence_
    assert {p["item"]: p["mean"] for p in told["ranking"]} == {str(p.item): p.mean for p in ours.ranking()}
    predicted = [line["probability"] for line in say("predict", model, pairs)]
    of_file = PreferenceGP.load(model).predict_proba(np.array([(str(i), str(i + 1)) for i in range(29)], dtype=object))
    assert predicted == of_file[:, 0].tolist()
