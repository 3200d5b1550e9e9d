"""Mixed logit by xlogit on the conjoint choices of cars: held-out tasks of people whose other tasks are known.

    OMP_NUM_THREADS=1 python conjoint_mixed_logit.py FOLDER [SPLITS [DRAWS]]

FOLDER is that of the data (conjoint_cars_us): 384 respondents, each with 15 tasks of 3 cars. Each of SPLITS splits (5) holds
out 3 tasks of every respondent (`held_out`). The coefficients of all attributes are independent normal variables over
respondents, constant over the tasks of one; means and standard deviations maximise the likelihood simulated with DRAWS (1000)
Halton draws a respondent. Scores of the held-out tasks, in nats a task and in shares of right first guesses:

    individual  the respondent's choice probabilities given their own 12 other tasks
    population  those of someone of whom nothing is known

Prints one line of JSON a split and one of the means. Seconds are CPU seconds of fit and prediction.
"""

import csv
import gzip
import json
import math
import resource
import sys
from pathlib import Path
from time import process_time

import numpy as np
from scipy.stats import norm, qmc
from xlogit import MixedLogit

TASKS, ALTERNATIVES, HELD_OUT = 15, 3, 3
NOT_ATTRIBUTES = ("id", "obsnum", "choice", "weights")
# Numbers among the attributes. All others are 0 or 1: the kind of drive (else petrol), fast charging, the make (else German).
NUMBERS = ("price", "opCost", "accelTime")
# Draws of the coefficients behind a prediction. They cost little, and few of them fit a respondent's own choices.
PREDICTION_DRAWS = 8192
# Draws that xlogit works on at a time: what they need stays small.
BATCH = 50


def read(folder):
    """Names of the attributes; attributes (respondent x task x alternative x attribute); the alternative that was chosen."""
    with gzip.open(folder / "choices.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    tasks = {}
    for row in rows:
        tasks.setdefault(row["id"], {}).setdefault(row["obsnum"], []).append(row)
    names = [name for name in rows[0] if name not in NOT_ATTRIBUTES]
    sizes = {len(task) for own in tasks.values() for task in own.values()}
    if {len(own) for own in tasks.values()} != {TASKS} or sizes != {ALTERNATIVES}:
        raise ValueError(f"each respondent must have {TASKS} tasks of {ALTERNATIVES} alternatives")

    def table(columns):
        return np.array(
            [[[[float(row[name]) for name in columns] for row in task] for task in own.values()] for own in tasks.values()]
        )

    attributes, chosen = table(names), table(["choice"])[..., 0]
    if not np.all(chosen.sum(axis=2) == 1):
        raise ValueError("each task must have one alternative that was chosen")
    # Coefficients of like sizes are easier to read; the model and its likelihood are the same in every unit.
    for name in NUMBERS:
        column = attributes[..., names.index(name)]
        column[:] = (column - column.mean()) / column.std()
    return names, attributes, chosen.argmax(axis=2)


def mixed(respondent, task, split):
    """A number of 32 bits in place of a random one, in arithmetic of integers that every language has."""
    h = ((respondent * TASKS + task) * 2654435761 + split * 40503) % 2**32
    h ^= h >> 16
    h = h * 2246822519 % 2**32
    return h ^ h >> 13


def held_out(respondents, split):
    """Whether a task of a respondent is held out: the three with the smallest numbers are, of equal ones the earlier.

    Respondents, their tasks and splits count from 0, in the order in which the table first names them.
    """
    out = np.zeros((respondents, TASKS), dtype=bool)
    for r in range(respondents):
        out[r, sorted(range(TASKS), key=lambda k: (mixed(r, k, split), k))[:HELD_OUT]] = True
    return out


def fit(names, attributes, chosen, train, draws):
    """The model of the tasks of `train`."""
    respondent = np.nonzero(train)[0]
    tasks = len(respondent)
    model = MixedLogit()
    model.fit(
        X=attributes[train].reshape(tasks * ALTERNATIVES, len(names)),
        y=np.eye(ALTERNATIVES)[chosen[train]].ravel(),
        varnames=names,
        alts=np.tile(np.arange(ALTERNATIVES), tasks),
        ids=np.repeat(np.arange(tasks), ALTERNATIVES),
        panels=np.repeat(respondent, ALTERNATIVES),
        randvars={name: "n" for name in names},
        n_draws=draws,
        batch_size=BATCH,
        skip_std_errs=True,
        verbose=0,
    )
    return model


def predict(model, attributes, chosen, train):
    """Choice probabilities of all held-out tasks, respondent by respondent: given the own tasks, and of the population."""
    features = attributes.shape[-1]
    mean, deviation = np.split(model.coeff_, [features])
    uniform = qmc.Halton(features, rng=0).random(PREDICTION_DRAWS)
    coefficients = (mean + deviation * norm.ppf(uniform)).T
    individual, population = [], []
    for of, own, known in zip(attributes, chosen, train):
        utility = of @ coefficients
        utility -= utility.max(axis=1, keepdims=True)
        probability = np.exp(utility)
        probability /= probability.sum(axis=1, keepdims=True)
        # Draws count as much as they make likely what the respondent chose.
        log_likelihood = np.log(probability[known, own[known]]).sum(axis=0)
        weight = np.exp(log_likelihood - log_likelihood.max())
        individual.append(probability[~known] @ (weight / weight.sum()))
        population.append(probability[~known].mean(axis=2))
    return np.concatenate(individual), np.concatenate(population)


def scores(probabilities, chosen):
    """Log loss, and the share of tasks whose likeliest alternative was chosen (alternatives as likely share a hit)."""
    p = np.take_along_axis(probabilities, chosen[:, None], axis=1)
    likeliest = probabilities >= probabilities.max(axis=1, keepdims=True) - 1e-12
    hit = np.take_along_axis(likeliest, chosen[:, None], axis=1) / likeliest.sum(axis=1, keepdims=True)
    return float(-np.mean(np.log(np.maximum(p, sys.float_info.min)))), float(hit.mean())


def run(names, attributes, chosen, split, draws):
    """The results of one split."""
    train = ~held_out(len(attributes), split)
    start = process_time()
    model = fit(names, attributes, chosen, train, draws)
    fitted = process_time()
    individual, population = predict(model, attributes, chosen, train)
    end = process_time()
    log_loss, hit_rate = scores(individual, chosen[~train])
    population_log_loss, population_hit_rate = scores(population, chosen[~train])
    return {
        "seconds": end - start,
        "fit_seconds": fitted - start,
        "iterations": model.total_iter,
        "converged": float(model.convergence),
        "train_log_likelihood": float(model.loglikelihood),
        "log_loss": log_loss,
        "hit_rate": hit_rate,
        "population_log_loss": population_log_loss,
        "population_hit_rate": population_hit_rate,
    }


def main(folder, splits=5, draws=1000):
    names, attributes, chosen = read(Path(folder))
    results = []
    for split in range(splits):
        results.append(run(names, attributes, chosen, split, draws))
        print(json.dumps({"split": split} | results[-1]), flush=True)
    summary = {name: float(np.mean([result[name] for result in results])) for name in results[0]}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"mean_of": splits, "draws": draws} | summary | {"peak_mb": peak, "equal_shares_log_loss": math.log(ALTERNATIVES)}))


main(sys.argv[1], *(int(x) for x in sys.argv[2:]))
