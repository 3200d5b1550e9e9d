"""Comparisons as the samples of scikit-learn's cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _lib
from ._pairs import _winners
from ._tables import Labels, items

_Rows = np.ndarray[Any, np.dtype[np.int64]]


class Comparisons:
    """Comparisons with the items that they are about: one sample a comparison.

    An estimator of scikit-learn takes as many targets as samples, but there are as many items as there are and as many
    comparisons as were made. Where comparisons are to be split (cross-validation, a grid search), they come as `Comparisons`, which are
    sliced like an array and stand for items and comparisons at once. Their `groups` keep the answers about one pair in one part, so that none
    leaks from training to test.

    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> from rather import PreferenceGP
    >>> comparisons = Comparisons([[0.0], [1.0], [2.0]], [(2, 0), (2, 1), (1, 0), (2, 0), (1, 0), (2, 1)])
    >>> cross_val_score(PreferenceGP("se"), comparisons, cv=GroupKFold(3), groups=comparisons.groups).mean()
    np.float64(1.0)
    """

    def __init__(self, X: Any, comparisons: Any, *, names: Any = None) -> None:
        self.table, self.labels = items(X, names)
        winners, losers, counts = _winners(comparisons, self.labels)
        self._rows = np.column_stack([winners, losers])
        self._counts = np.ones(len(winners), dtype=np.int64) if counts is None else counts

    @property
    def shape(self) -> tuple[int, int]:
        """Number of comparisons, and 2."""
        return len(self._rows), 2

    @property
    def pairs(self) -> _Rows:
        """Row numbers of the items: the winner, the loser."""
        return self._rows

    @property
    def counts(self) -> _Rows:
        """The number of times each comparison was answered."""
        return self._counts

    @property
    def groups(self) -> _Rows:
        """A number for each pair of items, for splitters that keep a pair's comparisons together (`GroupKFold`)."""
        return np.unique(np.sort(self._rows, axis=1), axis=0, return_inverse=True)[1].reshape(-1)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[_Rows]:
        return iter(self._rows)

    def __getitem__(self, key: Any) -> Comparisons:
        rows = key[0] if isinstance(key, tuple) else key
        part = object.__new__(Comparisons)
        part.table, part.labels = self.table, self.labels
        part._rows, part._counts = self._rows[rows].reshape(-1, 2), np.atleast_1d(self._counts[rows])
        return part

    def answers(self) -> _lib.Answers:
        """As the compiled part takes them."""
        winners, losers = (np.ascontiguousarray(column) for column in self._rows.T)
        return _lib.Answers(winners, losers, len(self.labels), np.ascontiguousarray(self._counts))
