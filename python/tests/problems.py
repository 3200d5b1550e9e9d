"""Problems that several tests and the processes that they start learn from."""

import numpy as np

from rather import PreferenceGP


def large(seed=0):
    """A problem that takes seconds, many of Python's time slices."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(900, 3))
    pairs = np.array([rng.choice(900, 2, replace=False) for _ in range(3000)])
    u = np.sin(5 * X).sum(axis=1)
    swap = u[pairs[:, 0]] < u[pairs[:, 1]]
    return X, np.where(swap[:, None], pairs[:, ::-1], pairs)


def problem(items=400, comparisons=800):
    """Large enough for the thread pool."""
    rng = np.random.default_rng(7)
    X = rng.uniform(size=(items, 2))
    pairs = np.array([rng.choice(items, 2, replace=False) for _ in range(comparisons)])
    better = np.sin(5 * X[:, 0])
    swap = better[pairs[:, 0]] < better[pairs[:, 1]]
    return X, np.where(swap[:, None], pairs[:, ::-1], pairs)


def bits(_=None):
    """Of a fit and of what it predicts."""
    X, duels = problem()
    model = PreferenceGP("se", fixed={"lengthscale": 0.3, "variance": 4.0, "noise": 1.0}).fit(X, duels)
    return model.predict().tobytes() + model.predict(X[:300] + 0.01).tobytes() + model.covariance(X[:300]).tobytes()
