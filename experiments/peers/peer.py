"""What every driver does: read the tables, time the fit alone, score the held-out pairs, print one line of JSON.

    python pairwise_gp.py FOLDER fixed|learned

FOLDER holds items.csv (a key, then features), train.csv and test.csv (winner, loser) and truth.json (variance and
lengthscales of the squared exponential kernel, noise per item). A driver gives `fit(problem, learned)`, which returns a
function from pairs of items to the probabilities that the first of each is preferred.
"""

import csv
import json
import math
import resource
import sys
from pathlib import Path
from time import process_time

import numpy as np

# A fit is repeated until so many seconds have passed or so many fits; the median counts.
ENOUGH_SECONDS = 1.0
ENOUGH_FITS = 21


class Problem:
    """The tables of a folder: features (items x d), pairs of item numbers (winner, loser), the truth."""

    def __init__(self, folder):
        folder = Path(folder)
        header, *rows = csv.reader((folder / "items.csv").open())
        number = {row[0]: i for i, row in enumerate(rows)}
        self.features = np.array([[float(x) for x in row[1:]] for row in rows]).reshape(len(rows), len(header) - 1)
        self.train, self.test = (
            np.array([[number[key] for key in row] for row in list(csv.reader((folder / name).open()))[1:]]).reshape(-1, 2)
            for name in ("train.csv", "test.csv")
        )
        self.truth = json.loads((folder / "truth.json").read_text())


def scores(probabilities):
    """Accuracy (one half for a probability of one half) and log loss of the probabilities of what was answered."""
    p = np.asarray(probabilities, dtype=float)
    accuracy = np.mean(np.where(np.abs(p - 0.5) <= 1e-12, 0.5, p > 0.5))
    return float(accuracy), float(-np.mean(np.log(np.maximum(p, sys.float_info.min))))


def measure(fit, folder, learned):
    """Fits as often as makes sense, and scores the last fit."""
    problem = Problem(folder)
    seconds = []
    while sum(seconds) < ENOUGH_SECONDS and len(seconds) < ENOUGH_FITS:
        start = process_time()
        predict = fit(problem, learned)
        seconds.append(process_time() - start)
    accuracy, log_loss = scores(predict(problem.test))
    if not math.isfinite(log_loss):
        raise ArithmeticError("a probability is not a number")
    return {
        "seconds": float(np.median(seconds)),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "accuracy": accuracy,
        "log_loss": log_loss,
    }


def main(fit):
    """The program of a driver. A peer's own error is a result too."""
    folder, how = sys.argv[1:]
    try:
        result = measure(fit, folder, how == "learned")
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    print(json.dumps(result))
