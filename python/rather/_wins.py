"""Matrices of wins as tables of answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import DataError


def wins(matrix: Any, names: Sequence[Any] | None = None) -> dict[str, Any]:
    """A matrix of wins as a table of comparisons.

    Parameters
    ----------
    matrix : array, shape (n_items, n_items)
        How often the item of a row was preferred to that of a column; also fractions. Of a data frame of pandas, the index has the names.
    names : sequence, optional
        What the items are called; row numbers if not given.

    Returns
    -------
    dict
        With columns `winner`, `loser` and `count`, as :meth:`rather.PreferenceGP.fit` takes them.

    Raises
    ------
    DataError
        If it is not square, or an entry is negative or no number.

    Examples
    --------
    >>> import rather
    >>> model = rather.PreferenceGP("white").fit(None, wins([[0, 9, 8], [1, 0, 6], [2, 4, 0]], ["tea", "coffee", "wine"]))
    >>> model.ranking()[0].item
    'tea'
    """
    if names is None and hasattr(matrix, "iloc"):
        names = matrix.index.tolist()
    counts = np.asarray(matrix, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise DataError(f"a matrix of wins is square, with a row and a column an item; this has the shape {counts.shape}")
    if names is not None and len(names) != len(counts):
        raise DataError(f"there are {len(names)} names for {len(counts)} items")
    if not np.all(np.isfinite(counts) & (counts >= 0.0)):
        raise DataError("an entry of the matrix of wins is negative or no number; write how often a row was preferred to a column")
    np.fill_diagonal(counts := counts.copy(), 0.0)
    winner, loser = np.nonzero(counts)
    called = list(range(len(counts))) if names is None else list(names)
    return {"winner": [called[i] for i in winner], "loser": [called[i] for i in loser], "count": counts[winner, loser]}
