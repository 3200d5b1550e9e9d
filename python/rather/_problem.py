"""Items and answers as a fit takes them, whatever they were given as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import _answer_tables, _lib
from ._columns import table_of
from ._pairs import as_table, named_in
from ._profiles import Profiles
from ._tables import Labels, items, named
from .errors import ParameterError


class Problem(NamedTuple):
    """Items, what they are called, and the answers about them: as they were given, or tables that name the items."""

    table: _lib.Table
    labels: Labels
    answers: Any

    @classmethod
    def of(cls, X: Any, y: Any, names: Any = None, columns: Mapping[str, str] | None = None) -> Problem:
        """The items of `X`, or those that the answers `y` name."""
        if y is None:
            raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
        # What can be read only once is kept.
        y = list(y) if isinstance(y, (Iterator, zip)) else y
        y = with_roles(y, columns)
        if X is not None:
            return cls(*items(X, names), y)
        tables = _answer_tables.all_tables(y)
        profiles = Profiles.of(tables) if names is None and tables else None
        if profiles is not None:
            return cls(*items(profiles.columns, profiles.names), profiles.tables)
        if names is None:
            names = named_in(y) if tables is None else _answer_tables.named_in(tables)
        return cls(*named(list(names)), y)


def with_roles(y: Any, columns: Mapping[str, str] | None) -> Any:
    """Tables whose columns have been called by their roles."""
    if not columns:
        return y
    if _answer_tables.are_several(y):
        return [table_of(table, columns) for table in y]
    return table_of(y, columns)


def named_tables(answers: Any, reading: Labels, labels: Labels) -> list[dict[str, Any]]:
    """Answers as tables that call items by their names, of answers that call them by `reading`."""
    tables = _answer_tables.all_tables(answers)
    if tables is None:
        rows = as_table(answers, reading)
    elif reading is labels:
        return tables
    else:
        # Row numbers, of comparisons that were in no table.
        (rows,) = tables
    return [{**rows, **{side: [labels.names[row] for row in rows[side]] for side in ("winner", "loser")}}]


def joined(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tables with the same columns as one, in their order."""
    out: list[dict[str, Any]] = []
    for table in tables:
        at = next((k for k, other in enumerate(out) if {*other} == {*table}), None)
        if at is None:
            out.append(table)
        else:
            out[at] = {name: [*out[at][name], *table[name]] for name in table}
    return out
