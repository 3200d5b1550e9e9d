"""Expectation propagation for a probit and independent items, by choix: the same posterior as ours without features."""

import choix
import numpy as np
from scipy.special import ndtr

from peer import main


def fit(problem, learned):
    """Mean and covariance. choix gives a difference unit noise; ours is the square root of two noises per item."""
    unit = 2.0 * problem.truth["noise"] ** 2
    mean, cov = choix.ep_pairwise(
        len(problem.features), problem.train.tolist(), alpha=unit / problem.truth["variance"], model="probit"
    )

    def predict(pairs):
        a, b = pairs.T
        return ndtr((mean[a] - mean[b]) / np.sqrt(1.0 + cov[a, a] + cov[b, b] - 2.0 * cov[a, b]))

    return predict


main(fit)
