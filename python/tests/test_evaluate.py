"""The scores of `rather evaluate`, computed again here: every fold is written as two tables, a model is learned of the one by `rather fit`, and
what `rather predict` says of the other is scored in Python, by definitions written here and nothing else."""

import csv
import json
import math
import random
import subprocess

import pytest

# One setting of the hyperparameters and one kernel: predictions of numbers are of one Gaussian.
MODEL = ("--kernel", "se", "--hyperparameters", "maximise", "--pair-effect", "off", "--quiet")
ITEMS, ROWS, Z95 = 8, 60, 1.959963984540054
PARTS, USERS, DATES = ("x", "y", "z"), ("ann", "bob", "cid"), ("2026-01-10", "2026-02-10", "2026-03-10")


def sides(a, b, z):
    return {"left": f"i{a}", "right": f"i{b}"}


def plain(a, b, z):
    return sides(a, b, z) | {"outcome": "left" if z > 0 else "right"}


def tied(a, b, z):
    return sides(a, b, z) | {"outcome": "tie" if abs(z) < 0.5 else "left" if z > 0 else "right"}


def graded(a, b, z):
    strength = "" if abs(z) < 1.4 else "much "
    return sides(a, b, z) | {"outcome": "tie" if abs(z) < 0.4 else strength + ("left" if z > 0 else "right")}


def judged(a, b, z):
    # In thirds of a thousand, so that nobody is sure and nothing is a tie.
    return sides(a, b, z) | {"probability": round(1 / (1 + math.exp(-z)), 3)}


def both(a, b, z):
    level = 0.5 * (a + b) + z
    word = "both bad" if level < 2 else "both good" if level > 5 else "left" if z > 0 else "right"
    return sides(a, b, z) | {"outcome": word}


def apart(a, b, z):
    return sides(a, b, z) | {"difference": round(1.7 * z, 2)}


def rated(a, b, z):
    return {"item": f"i{a}", "rating": 1 + min(2, max(0, int(0.4 * a + z)))}


def measured(a, b, z):
    return {"item": f"i{a}", "value": round(3.0 * a + 2.0 * z, 3)}


def labelled(a, b, z):
    return {"item": f"i{a}", "label": "yes" if 0.5 * a + z > 2 else "no"}


KINDS = (plain, tied, graded, judged, both, apart, rated, measured, labelled)


def made(kind):
    """Rows of a kind of answer about items along x, and where, by whom and when each was given."""
    rng = random.Random(7)
    rows = []
    for k in range(ROWS):
        a, b = rng.sample(range(ITEMS), 2)
        about = 0.5 * (a - b) if "left" in kind(a, b, 0.1) else 0.0
        z = about + rng.gauss(0, 1.0)
        rows.append(kind(a, b, z) | {"part": PARTS[k % 3], "user": USERS[(k // 3) % 3], "date": DATES[k * 3 // ROWS]})
    return rows


def phi(z):
    return 0.5 * math.erfc(-z / math.sqrt(2))


def density(z):
    return math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


class Of:
    """What one answer adds to each score, and how often it counts."""

    def __init__(self, count=1.0, **scores):
        self.count, self.scores = count, scores


def of_outcomes(p, given, ordered, count=1.0):
    """Of a list of probabilities, of which `given` was answered; `ordered` says whether the outcomes have an order of more than two."""
    hit = [float(k == given) for k in range(len(p))]
    below = [sum(p[: k + 1]) for k in range(len(p) - 1)]
    scores = {
        "log_loss": -math.log(p[given]),
        "accuracy": float(p[given] == max(p)),
        "brier": 0.5 * sum((x - y) ** 2 for x, y in zip(p, hit)),
        "rps": sum((x - (given <= k)) ** 2 for k, x in enumerate(below)) / len(below),
    }
    if ordered:
        ends = [*below, math.inf]
        for name, tail in (("coverage_50", 0.25), ("coverage_95", 0.025)):
            first = next(k for k, x in enumerate(ends) if x >= tail)
            last = next(k for k, x in enumerate(ends) if x >= 1 - tail)
            scores[name] = float(first <= given <= last)
    return Of(count, **scores)


def of_number(mean, lower, upper, y):
    """Of a Gaussian by its mean and 95 % interval: its density, its CRPS, and whether it holds the number."""
    sd = (upper - lower) / (2 * Z95)
    z = (y - mean) / sd
    return {
        "log_loss": -math.log(density(z) / sd),
        "crps": sd * (z * (2 * phi(z) - 1) + 2 * density(z) - 1 / math.sqrt(math.pi)),
        "coverage_50": float(0.25 <= phi(z) < 0.75),
        "coverage_95": float(0.025 <= phi(z) < 0.975),
    }


def scored(row, said, items):
    """What an answer adds: `said` is the prediction of its pair or item, `items` those of all items."""
    if "value" in row:
        return [Of(**of_number(said["value"], said["value_lower"], said["value_upper"], row["value"]))]
    if "label" in row:
        p = said["probability_of_yes"]
        return [of_outcomes([p, 1 - p], 0 if row["label"] == "yes" else 1, False)]
    if "rating" in row:
        levels = sorted(said["ratings"], key=float)
        return [of_outcomes([said["ratings"][level] for level in levels], levels.index(str(row["rating"])), True)]
    p = said["probability"]
    if "probability" in row:
        q = row["probability"]
        return [of_outcomes([p, 1 - p], 0, False, q), of_outcomes([p, 1 - p], 1, False, 1 - q)]
    if "difference" in row:
        d = row["difference"]
        won = of_outcomes([p, 1 - p], 0 if d > 0 else 1, False)
        names = ("reported_difference", "reported_lower", "reported_upper")
        won.scores |= {k: x for k, x in of_number(*(said[name] for name in names), d).items() if k != "log_loss"}
        return [won]
    if row["outcome"].startswith("both"):
        given = 0 if row["outcome"] == "both good" else 1
        good = [items[row[side]]["probability_of_good"] for side in ("left", "right")]
        return [of_outcomes([q, 1 - q], given, False) for q in good]
    if "outcomes" in said:
        names = list(said["outcomes"])
        return [of_outcomes(list(said["outcomes"].values()), names.index(row["outcome"]), len(names) > 2)]
    return [of_outcomes([p, 1 - p], 0 if row["outcome"] == "left" else 1, False)]


def mean(answers, score):
    have = [answer for answer in answers if score in answer.scores]
    return sum(a.count * a.scores[score] for a in have) / sum(a.count for a in have) if have else None


class Tables:
    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.write("items.csv", [{"item": f"i{k}", "x": 0.5 * k} for k in range(ITEMS)])

    def write(self, name, rows):
        with open(self.folder / name, "w", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys())
            table.writeheader()
            table.writerows(rows)

    def run(self, *words):
        run = subprocess.run([self.program, *words, "--json"], cwd=self.folder, capture_output=True, text=True)
        assert run.returncode == 0, (words, run.stderr)
        return json.loads(run.stdout)

    def by_hand(self, folds):
        """The answers of each fold's second part, scored on a model of its first part."""
        out = []
        for training, test in folds:
            self.write("training.csv", training)
            self.write("test.csv", test)
            self.write("asked.csv", [{"item": f"i{k}"} for k in range(ITEMS)])
            self.run("fit", "items.csv", "training.csv", "-o", "m.rather", *MODEL)
            said = self.run("predict", "m.rather", "test.csv", "--quiet")
            items = {line["item"]: line for line in self.run("predict", "m.rather", "asked.csv")}
            for row, line in zip(test, said, strict=True):
                out += scored(row, line, items)
        return out


def apart_by(rows, of):
    """Each value of `of` is held out once."""
    values = sorted({of(row) for row in rows})
    return [([r for r in rows if of(r) != v], [r for r in rows if of(r) == v]) for v in values]


def rolling(rows):
    """Each month on all before it."""
    return [([r for r in rows if r["date"] < at], [r for r in rows if r["date"] == at]) for at in DATES[1:]]


FOLDS = {
    "part": ((), lambda rows: apart_by(rows, lambda row: row["part"])),
    "users": (("--folds", "3"), lambda rows: apart_by(rows, lambda row: row["user"])),
    "date": (("--period", "month"), rolling),
}


# Who rates has an offset, which `predict` does not ask for; of somebody new it is not known, and where others of their ratings were learned from it is.
CASES = [(kind, by) for kind in KINDS for by in FOLDS if (kind, by) != (rated, "users")]


@pytest.mark.parametrize(("kind", "by"), CASES, ids=[f"{kind.__name__}-{by}" for kind, by in CASES])
def test_the_scores_are_those_computed_here(tmp_path, program, kind, by):
    tables, rows = Tables(tmp_path, program), made(kind)
    flags, folds = FOLDS[by]
    if kind is rated:
        rows = [{k: v for k, v in row.items() if k != "user"} for row in rows]
    tables.write("all.csv", rows)
    found = tables.run("evaluate", "items.csv", "all.csv", "--by", by, *flags, *MODEL, "--baselines", "none")
    expected = tables.by_hand(folds(rows))
    assert found["folds"] == len(folds(rows))
    for score in ("log_loss", "accuracy", "brier", "rps", "crps", "coverage_50", "coverage_95"):
        ours = mean(expected, score)
        if ours is None:
            assert found[score] is None, score
        else:
            assert found[score] == pytest.approx(ours, rel=1e-9, abs=1e-9), score


def test_elo_is_as_it_is_computed_here(tmp_path, program):
    """After the games of all months before, in their order, by the step that predicts these best, each from those before it."""

    def through(games, step):
        ratings, loss = {}, 0.0
        for left, right, won in games:
            p = expected(ratings, left, right)
            loss -= math.log(p if won else 1 - p)
            change = step * (won - p)
            ratings[left], ratings[right] = ratings.get(left, 0.0) + change, ratings.get(right, 0.0) - change
        return loss, ratings

    def expected(ratings, left, right):
        return 1 / (1 + 10 ** ((ratings.get(right, 0.0) - ratings.get(left, 0.0)) / 400))

    tables, rows = Tables(tmp_path, program), made(plain)
    tables.write("all.csv", rows)
    flags = ("--by", "date", "--period", "month", "--baselines", "elo")
    (elo,) = tables.run("evaluate", "items.csv", "all.csv", *flags, *MODEL)["baselines"]
    losses = []
    for training, test in rolling(rows):
        games = [(row["left"], row["right"], row["outcome"] == "left") for row in training]
        _, ratings = min((through(games, step) for step in (4, 8, 16, 24, 32, 64, 128)), key=lambda found: found[0])
        for row in test:
            p = expected(ratings, row["left"], row["right"])
            losses.append(-math.log(p if row["outcome"] == "left" else 1 - p))
    assert elo["log_loss"] == pytest.approx(sum(losses) / len(losses), rel=1e-9)


def test_base_rates_are_frequencies(tmp_path, program):
    """Of labels, whose items are all alike to base rates: nearly how often yes was answered in the other folds, under a weak prior."""
    tables, rows = Tables(tmp_path, program), made(labelled)
    tables.write("all.csv", rows)
    found = tables.run("evaluate", "items.csv", "all.csv", "--by", "part", *MODEL, "--baselines", "base-rates")
    losses = []
    for training, test in apart_by(rows, lambda row: row["part"]):
        p = sum(row["label"] == "yes" for row in training) / len(training)
        losses += [-math.log(p if row["label"] == "yes" else 1 - p) for row in test]
    assert found["baselines"][0]["log_loss"] == pytest.approx(sum(losses) / len(losses), abs=0.02)
