"""Sets of items of which the best and the worst are to be predicted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import _lib
from ._orders import MOST, check_distinct, listed, options_in
from ._columns import table_of
from ._tables import Labels
from ._tables import missing as empty
from .errors import DataError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]


class Sets(NamedTuple):
    """A row a set: the row numbers of its items, and which places of the row have one."""

    rows: np.ndarray[Any, np.dtype[np.int64]]
    offered: np.ndarray[Any, np.dtype[np.bool_]]

    @classmethod
    def of(cls, given: Any, labels: Labels) -> Sets:
        """Sets as people have them, of the items called `labels`."""
        sets = _cells(given)
        for row, cells in enumerate(sets):
            options = [cell for cell in cells if not empty(cell)]
            if not 2 <= len(options) <= MOST:
                raise DataError(f"set {row} (counted from 0) has {len(options)} items; give 2 to {MOST}")
            check_distinct(f"set {row} (counted from 0)", options)
        offered = np.zeros((len(sets), max(map(len, sets), default=0)), dtype=np.bool_)
        for row, cells in enumerate(sets):
            offered[row, : len(cells)] = [not empty(cell) for cell in cells]
        rows = np.zeros(offered.shape, dtype=np.int64)
        rows[offered] = labels.rows([cell for cells in sets for cell in cells if not empty(cell)])
        return cls(rows, offered)

    def part(self, which: np.ndarray[Any, np.dtype[np.bool_]]) -> Sets:
        """Some of them."""
        return Sets(self.rows[which], self.offered[which])

    def extremes(self, model: _lib.Model, table: _lib.Table | None = None) -> tuple[_Numbers, _Numbers]:
        """The probabilities that each is the best of its set, and the worst; NaN where a row has no item."""
        best, worst = model.extremes(self.rows[self.offered], self.offered.sum(axis=1).tolist(), table)
        return self._placed(best), self._placed(worst)

    def _placed(self, values: _Numbers) -> _Numbers:
        out = np.full(self.offered.shape, np.nan)
        out[self.offered] = values
        return out


def _cells(given: Any) -> list[list[Any]]:
    table = table_of(given)
    if table is not None:
        columns = options_in(table)
        if not columns:
            raise DataError(f"sets need columns option_1, option_2 and so on; the columns are {', '.join(table)}")
        return [list(row) for row in zip(*[listed(table[column]) for column in columns])]
    sets = list(given)
    if any(isinstance(one, str) or not isinstance(one, Iterable) for one in sets):
        raise DataError("sets are lists of items each, such as [['tea', 'coffee', 'wine']], or a table with columns option_1, option_2 and so on")
    return [listed(one) for one in sets]
