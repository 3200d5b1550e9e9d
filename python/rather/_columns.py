"""Tables of answers as dicts of columns, by what their columns are called in the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _lib
from .errors import DataError

Table = dict[str, Any]


def table_of(given: Any, columns: Mapping[str, str] | None = None) -> Table | None:
    """The columns of a table by their names in small letters; `None` for what is no table.

    A column that is called by another usual name of its role stands under the role, too: `left`, `right` and `outcome` of a table with `model_a`,
    `model_b` and `winner`. `columns` names those of other names: `{"left": "First", "right": "Second"}`.
    """
    found = _as_given(given)
    if found is None:
        if columns:
            raise DataError(f"columns={dict(columns)!r} needs a table; these comparisons are {type(given).__name__}")
        return None
    roles = {str(role).lower(): _called(name, found) for role, name in (columns or {}).items()}
    table = {**found, **roles}
    header = list(table)
    return {**table, **{role: table[header[at]] for role, at in _lib.roles(header)}}


def read_as(given: Any, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """The roles that columns of answers have by other usual names than the role's own, each with what the column is called; what `columns` names is not
    guessed. `given` is a table, or a list of them."""
    named = [str(role).lower() for role in columns or ()]
    out: dict[str, str] = {}
    several = isinstance(given, (list, tuple)) and bool(given) and (isinstance(given[0], dict) or hasattr(given[0], "columns"))
    for table in given if several else [given]:
        found = _as_given(table)
        header = [*(found or ()), *named]
        out |= {role: header[at] for role, at in (_lib.roles(header) if found else ()) if role not in named}
    return out


def sides_of(columns: set[str]) -> tuple[str, str] | None:
    """The columns of the two sides of comparisons, if it is known what came of these."""
    if {"left", "right"} <= columns and columns & {"outcome", "probability", *_lib.number_columns()}:
        return "left", "right"
    return ("winner", "loser") if {"winner", "loser"} <= columns else None


def is_series(given: Any) -> bool:
    """Whether it is one column of pandas, polars or pyarrow: these have an Arrow stream, as tables do."""
    library = type(given).__module__.split(".")[0]
    if library == "pyarrow":
        return not hasattr(given, "column_names")
    return library in ("pandas", "polars") and not hasattr(given, "columns")


def is_pandas(X: Any) -> bool:
    """Whether it is a data frame of pandas."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def names_of(table: Any) -> list[Any]:
    """What the columns of a table of Arrow's or polars' are called."""
    return list(getattr(table, "column_names", None) or table.columns)


def arrow(X: Any) -> Any:
    """Polars and pyarrow as they are; what only has an Arrow stream through whichever of them is installed."""
    if type(X).__module__.split(".")[0] in ("polars", "pyarrow"):
        return X
    try:
        import polars

        return polars.DataFrame(X)
    except ImportError:
        pass
    try:
        import pyarrow

        return pyarrow.table(X)
    except ImportError:
        raise DataError(f"to read a table of type {type(X).__name__}, install polars or pyarrow") from None


def check_once(names: Iterable[Any]) -> None:
    """That no two columns of a table have the same name."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise DataError(f"there are two columns called {name!r}; rename or drop one of them")
        seen.add(name)


def taken(column: Any, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Any:
    """Some entries of a column, held by the library that held all of them."""
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    if hasattr(column, "take"):
        return column.take(rows)
    if type(column).__module__.split(".")[0] == "polars":
        return column[rows]
    return [column[row] for row in rows.tolist()]


def _as_given(given: Any) -> Table | None:
    if isinstance(given, dict):
        return _lower(given, given)
    if is_series(given):
        return None
    if is_pandas(given):
        check_once(given.columns)
        return _lower(given.columns, given)
    if hasattr(given, "__arrow_c_stream__"):
        table = arrow(given)
        return _lower(names_of(table), table)
    return None


def _lower(names: Iterable[Any], table: Any) -> Table:
    names = list(names)
    lower = [str(name).lower() for name in names]
    check_once(lower)
    return {name: table[given] for name, given in zip(lower, names)}


def _called(name: Any, table: Table) -> Any:
    if str(name).lower() not in table:
        raise DataError(f"there is no column {name!r}; the columns are {', '.join(table)}")
    return table[str(name).lower()]
