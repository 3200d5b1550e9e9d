"""Bradley-Terry by maximum likelihood, by evalica: no features, no uncertainty, nothing to learn besides."""

import evalica
import numpy as np

from peer import main


def fit(problem, learned):
    """The strengths of all items; one that was never compared gets the average."""
    winners, losers = (problem.train[:, i].tolist() for i in (0, 1))
    found = evalica.bradley_terry(winners, losers, [evalica.Winner.X] * len(winners))
    strength = np.full(len(problem.features), found.scores.mean())
    strength[found.scores.index] = found.scores
    return lambda pairs: strength[pairs[:, 0]] / (strength[pairs[:, 0]] + strength[pairs[:, 1]])


main(fit)
