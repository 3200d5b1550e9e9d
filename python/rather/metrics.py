"""Scores of predictions of answers that were not learned from, for scikit-learn's `scoring=` and by themselves.

Each function takes a fitted :class:`rather.PreferenceGP` or :class:`rather.PopulationGP`, items and answers as its `score` does, and gives a number of which
more is better, whatever the kind of answer: a comparison with or without ties and grades, a rating, a value, a label, a choice or a ranking.

>>> from sklearn.model_selection import cross_validate
>>> import rather
>>> votes = {"left": ["a", "b", "a", "c"] * 4, "right": ["b", "c", "c", "b"] * 4, "outcome": ["left", "tie", "left", "right"] * 4}
>>> scores = {"accuracy": rather.metrics.accuracy, "log_loss": rather.metrics.neg_log_loss}
>>> found = cross_validate(rather.PreferenceGP("white"), rather.Comparisons(None, votes), cv=4, scoring=scores)
>>> bool((found["test_accuracy"] >= 0.5).all()), bool((found["test_log_loss"] < 0).all())
(True, True)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

__all__ = ["Scores", "accuracy", "neg_brier", "neg_crps", "neg_log_loss", "neg_rps"]


class Scores(NamedTuple):
    """Averages over answers, each weighted by its count; NaN where a score does not apply.

    Attributes
    ----------
    accuracy : float
        The share of answers that had the largest probability of all that could be given; of `k` equally probable ones `1 / k`.
    log_loss : float
        Mean of the negative log probability of the answer, in nats; of a measured value, of its density.
    brier : float
        Half the mean squared distance of the probabilities from what was answered: of two outcomes `(1 - p)**2`.
    rps : float
        The ranked probability score of outcomes in their order, from 0 to 1.
    crps : float
        The continuous ranked probability score of measured values and differences, in their unit.
    coverage_50, coverage_95 : float
        The shares of answers within their central predictive intervals of 50 and 95 %.
    answers : float
        The number of answers, repeated ones counted.
    """

    accuracy: float
    log_loss: float
    brier: float
    rps: float
    crps: float
    coverage_50: float
    coverage_95: float
    answers: float

    @classmethod
    def of(cls, found: dict[str, float | None]) -> Scores:
        """From the compiled part."""
        return cls(**{name: math.nan if value is None else float(value) for name, value in found.items()})


def accuracy(estimator: Any, X: Any, y: Any = None) -> float:
    """The share of answers that were the most probable ones (:attr:`Scores.accuracy`).

    Parameters
    ----------
    estimator : PreferenceGP or PopulationGP
        A fitted one.
    X, y
        As its `scores` takes them.
    """
    return float(estimator.scores(X, y).accuracy)


def neg_log_loss(estimator: Any, X: Any, y: Any = None) -> float:
    """The mean log probability of the answers, in nats (:attr:`Scores.log_loss`, negative).

    Parameters
    ----------
    estimator : PreferenceGP or PopulationGP
        A fitted one.
    X, y
        As its `scores` takes them.
    """
    return -float(estimator.scores(X, y).log_loss)


def neg_brier(estimator: Any, X: Any, y: Any = None) -> float:
    """The negative Brier score (:attr:`Scores.brier`).

    Parameters
    ----------
    estimator : PreferenceGP or PopulationGP
        A fitted one.
    X, y
        As its `scores` takes them.
    """
    return -float(estimator.scores(X, y).brier)


def neg_rps(estimator: Any, X: Any, y: Any = None) -> float:
    """The negative ranked probability score (:attr:`Scores.rps`).

    Parameters
    ----------
    estimator : PreferenceGP or PopulationGP
        A fitted one.
    X, y
        As its `scores` takes them.
    """
    return -float(estimator.scores(X, y).rps)


def neg_crps(estimator: Any, X: Any, y: Any = None) -> float:
    """The negative continuous ranked probability score of measured values (:attr:`Scores.crps`).

    Parameters
    ----------
    estimator : PreferenceGP or PopulationGP
        A fitted one.
    X, y
        As its `scores` takes them.
    """
    return -float(estimator.scores(X, y).crps)
