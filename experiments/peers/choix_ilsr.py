"""Bradley-Terry by iterative Luce spectral ranking, by choix: no features, no uncertainty, nothing to learn besides."""

import choix
import numpy as np

from peer import main


def fit(problem, learned):
    """The log strengths, slightly regularised as choix advises where some items always win."""
    strength = choix.ilsr_pairwise(len(problem.features), problem.train.tolist(), alpha=1e-3)
    return lambda pairs: 1.0 / (1.0 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))


main(fit)
