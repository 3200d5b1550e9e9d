"""Columns of comparisons that a kernel names: where, when and how two sides were compared.

A column is of each side (`home_left` and `home_right`) or of the comparison (`date`), as in the tables of the program.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _lib
from ._tables import Labels, _column, _plain_array
from .errors import DataError

_Rows = np.ndarray[Any, np.dtype[np.int64]]
_Table = dict[str, Any]

#: The columns of the two items of a comparison, and how columns of their sides end.
_LAYOUTS = {
    ("left", "right"): (("left", "right"), ("a", "b"), ("1", "2")),
    ("winner", "loser"): (("winner", "loser"),),
}


@dataclass(frozen=True)
class Placed:
    """Comparisons between sides: the sides, and the rows of each comparison's first and second one."""

    sides: _lib.Sides
    first: _Rows
    second: _Rows


def named_in(kernel: Any, features: list[str]) -> list[str]:
    """The columns that a kernel names and items do not have."""
    known = {name.lower() for name in features}
    return [name for name in (_lib.named_columns(kernel) if isinstance(kernel, str) else []) if name.lower() not in known]


def asked(table: _Table | None, labels: Labels, model: _lib.Model) -> Placed | None:
    """The sides of pairs to ask a model about; `None` if their table has no columns of comparisons."""
    wanted = [name for name, _ in model.context]
    if table is None or not wanted:
        return None
    return placed(table, labels, wanted, next((pair for pair in _LAYOUTS if set(pair) <= set(table)), None), every=True)


def placed(table: _Table, labels: Labels, wanted: list[str], layout: tuple[str, str] | None, every: bool = False) -> Placed | None:
    """The sides of the comparisons in a table, by those of the columns `wanted` that it has; `None` if it has none. Where `every` one is needed,
    it must have all or none."""
    found = {name: places for name in wanted if (places := _places(table, layout, name.lower())) is not None}
    if not found:
        return None
    missing = next((name for name in wanted if name not in found), None)
    if every and missing is not None:
        raise DataError(f"the pairs have no column {missing!r}, though they have {', '.join(found)}; add it, or leave out all of them and use at()")
    if layout is None:
        raise DataError("columns of comparisons go with columns left and right, or winner and loser")
    first, second = (labels.rows(table[column]) for column in layout)
    same = np.flatnonzero(first == second)
    if len(same):
        raise DataError(f"comparison {same[0]} (counted from 0) compares an item with itself; name two different items")
    items = np.concatenate([first, second])
    columns = [_read(name, [table[place] for place in places]) for name, places in found.items()]
    codes = np.column_stack([items, *(np.unique(_plain_array(values), return_inverse=True)[1] for _, values, _, _ in columns)])
    _, rows, numbers = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    numbers = numbers.reshape(-1).astype(np.int64)
    each = [(name, _at(values, rows), shared, date) for name, values, shared, date in columns]
    return Placed(_lib.Sides(len(labels), items[rows], each), numbers[: len(first)], numbers[len(first) :])


def value(name: str, given: Any, is_date: bool) -> Any:
    """A value of a column, as one row."""
    _, values, date = _values(name, [given])
    if is_date and not date and isinstance(given, str):
        raise DataError(f"{name} is {given!r}; write a date like 2026-01-31")
    return values


def _places(table: _Table, layout: tuple[str, str] | None, name: str) -> list[str] | None:
    """Where the values of a column stand: in a column a side, or in one of both."""
    for first, second in _LAYOUTS[layout] if layout is not None else ():
        for one, other in ((f"{name}_{first}", f"{name}_{second}"), (f"{first}_{name}", f"{second}_{name}")):
            if one in table and other in table:
                return [one, other]
    return [name] if name in table else None


def _read(name: str, columns: list[Any]) -> tuple[str, Any, bool, bool]:
    """The name, the values of all first sides and all second ones, whether they are shared, and whether they are dates."""
    shared = len(columns) == 1
    given = [value for column in (columns * 2 if shared else columns) for value in _listed(column)]
    name, values, date = _values(name, given)
    return name, values, shared, date


def _listed(column: Any) -> list[Any]:
    return list(column.to_list() if hasattr(column, "to_list") else column)


def _values(name: str, given: list[Any]) -> tuple[str, Any, bool]:
    """Numbers or texts, and whether they are dates: these become days since 1970-01-01."""
    missing = next((row for row, one in enumerate(given) if one is None or one != one or one == ""), None)
    if missing is not None:
        raise DataError(f"the column {name!r} is missing in a comparison; fill it in, or leave the comparison out")
    days = [_days(one) for one in given]
    known = sum(day is not None for day in days)
    if known and 2 * known >= len(days):
        wrong = next((one for one, day in zip(given, days) if day is None), None)
        if wrong is not None:
            raise DataError(f"the column {name!r} has dates, and {wrong!r} is none; write it like 2026-01-31")
        return name, np.array(days, dtype=np.float64), True
    return (*_column(name, given), False)


def _days(one: Any) -> float | None:
    """Days since 1970-01-01 of a date; `None` of what is none."""
    if isinstance(one, str):
        return _lib.days(one.strip())
    if isinstance(one, datetime.date):
        one = np.datetime64(one)
    if isinstance(one, np.datetime64):
        return float((one - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
    return None


def _at(values: Any, rows: _Rows) -> Any:
    return values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows]
