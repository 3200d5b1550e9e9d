"""Items as people have them (arrays, pandas, polars, anything with an Arrow stream) as tables of the compiled part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _lib
from ._distinct import distinct
from .errors import DataError, FeatureError

#: A whole number in digits, as Python prints it.
_DIGITS = re.compile("0|-?[1-9][0-9]*")
#: Whole numbers of more digits are names like any text.
_LONGEST_INTEGER = 100
#: A column: its name, and numbers or texts.
Column = tuple[str, np.ndarray[Any, np.dtype[np.float64]] | list[str]]


def items(X: Any, names: Any = None) -> tuple[_lib.Table, Labels]:
    """The table of `X`, and how its items are called.

    A data frame of pandas calls items by its index, any other table by row numbers, unless `names` says otherwise: a
    sequence, one name an item, or the name of a column that has them.
    """
    columns, index = _columns(X)
    if isinstance(names, str):
        by_name = dict(columns)
        if names not in by_name:
            raise DataError(f"there is no column {names!r} to take the names from, only {', '.join(by_name)}")
        column = by_name[names]
        columns = [(name, values) for name, values in columns if name != names]
        labels = column if isinstance(column, list) else _whole(column)
    elif names is not None:
        labels = list(names)
        if len(labels) != _rows(X, columns):
            raise DataError(f"there are {len(labels)} names for {_rows(X, columns)} items")
    else:
        labels = index if index is not None else list(range(_rows(X, columns)))
    return named(labels, columns)


def named(names: Sequence[Any], columns: Sequence[Column] = ()) -> tuple[_lib.Table, Labels]:
    """The table of items called so, and the names. Whether they are whole numbers is kept, also in the file of a model."""
    texts = [str(name) for name in names]
    integers = all(map(_is_integer, names)) and max(map(len, texts), default=0) <= _LONGEST_INTEGER
    return _lib.Table(texts, list(columns), integers), Labels(names)


class Labels:
    """How items are called, and which row has which name."""

    def __init__(self, names: Sequence[Any]) -> None:
        self.names = names
        self._plain = all(isinstance(name, (int, np.integer)) and name == row for row, name in enumerate(names))
        self._rows: dict[Any, int] = {} if self._plain else {name: row for row, name in enumerate(names)}
        integers = any(isinstance(name, (int, np.integer)) for name in names)
        #: Whether whole numbers became text somewhere, as in a table of the program: a number then means the name, not the row.
        self._digits = not integers and any(isinstance(name, str) and _DIGITS.fullmatch(name) for name in names)
        #: Whether a whole number is a name.
        self._numbered = integers or self._digits

    @classmethod
    def saved(cls, names: list[str], integers: bool) -> Labels:
        """The names that a model's file holds, of which it tells whether they were whole numbers."""
        return cls([int(name) for name in names] if integers else names)

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, names: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The row numbers of items called so; where items have no names of their own, whole numbers are rows already."""
        known = None if self._plain else distinct(names)
        if known is not None and not self._are_rows(known[1]):
            return self._rows_of(*known)
        array = _plain_array(names)
        if array.dtype.kind in "iu" and (self._plain or not self._numbered):
            return np.ascontiguousarray(array, dtype=np.int64)
        if array.dtype.kind == "f" and self._plain:
            whole = array.astype(np.int64)
            if np.array_equal(whole, array):
                return whole
        try:
            return np.fromiter(map(self._position, array.tolist()), dtype=np.int64, count=len(array))
        except KeyError as missing:
            raise _unknown(missing.args[0]) from None

    def _are_rows(self, values: list[Any]) -> bool:
        return not self._numbered and all(isinstance(v, (int, np.integer)) for v in values)

    def _rows_of(self, codes: np.ndarray[Any, np.dtype[np.int64]], values: list[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        values = [self._key(value) for value in values]
        unknown = next((value for value in values if value not in self._rows), None)
        if unknown is not None or (len(codes) and codes.min() < 0):
            raise _unknown(unknown)
        rows = np.fromiter((self._rows[value] for value in values), dtype=np.int64, count=len(values))
        return np.take(rows, codes)

    def _position(self, name: Any) -> int:
        return self._rows[self._key(name)] if not self._plain else _row(name)

    def _key(self, name: Any) -> Any:
        """A name as it stands in the table, where whole numbers may have become text."""
        return str(name) if self._digits and _is_integer(name) else name


def _is_integer(name: Any) -> bool:
    return isinstance(name, (int, np.integer)) and not isinstance(name, bool)


def _row(name: Any) -> int:
    if isinstance(name, int) and not isinstance(name, bool):
        return name
    # Whole numbers beside an empty cell become floats.
    if isinstance(name, float) and name.is_integer():
        return int(name)
    raise KeyError(name)


def _unknown(name: Any) -> DataError:
    from .errors import UnknownItemError

    return UnknownItemError(f"there is no item {name!r}; add it to the items, or correct the comparison")


def _plain_array(names: Any) -> np.ndarray[Any, Any]:
    """One name an entry; text stays Python's own, which is what dictionaries look up fastest."""
    if hasattr(names, "to_numpy"):
        names = names.to_numpy()
    if isinstance(names, np.ndarray):
        array = names
    else:
        values = list(names)
        whole = all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in values)
        array = np.array(values, dtype=np.int64 if whole else object)
    return array.reshape(-1)


def _rows(X: Any, columns: list[Column]) -> int:
    return len(columns[0][1]) if columns else len(X)


def _columns(X: Any) -> tuple[list[Column], list[Any] | None]:
    """Columns of any table, and the names of its rows if it has such."""
    # A sparse matrix of scikit-learn's may be a dict too; it has its sentence below.
    if isinstance(X, dict) and not hasattr(X, "shape"):
        return [_column(str(name), values) for name, values in X.items()], None
    if _is_pandas(X):
        return [_column(str(name), X.iloc[:, at]) for at, name in enumerate(X.columns)], X.index.tolist()
    if hasattr(X, "__arrow_c_stream__"):
        table = _arrow(X)
        return [_column(str(name), table[name]) for name in _names(table)], None
    array = _numbers(X)
    return [(f"x{d}", np.ascontiguousarray(array[:, d])) for d in range(array.shape[1])], None


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _names(table: Any) -> Iterable[Any]:
    return getattr(table, "column_names", None) or table.columns  # type: ignore[no-any-return]


def _arrow(X: Any) -> Any:
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


def _column(name: str, values: Any) -> Column:
    given = values.to_numpy() if hasattr(values, "to_numpy") else values
    # An array of numbers and text would be text throughout.
    mixed = not isinstance(given, np.ndarray) and any(isinstance(v, str) for v in given)
    array = np.array(given, dtype=object) if mixed else np.asarray(given)
    if array.dtype.kind in "biuf":
        return name, np.ascontiguousarray(array, dtype=np.float64)
    texts = array.tolist()
    if all(isinstance(v, (bool, int, float, np.number, np.bool_)) for v in texts):
        return name, np.array(texts, dtype=np.float64)
    missing = next((row for row, v in enumerate(texts) if not isinstance(v, str)), None)
    if missing is not None:
        raise FeatureError(
            f"the column {name!r} has {texts[missing]!r} in row {missing} beside text; make it all text or all numbers"
        )
    return name, texts


def _numbers(X: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    from sklearn.utils.validation import check_array

    try:
        return np.asarray(check_array(X, dtype=np.float64, ensure_min_features=0, input_name="X"))
    except (TypeError, ValueError) as error:
        raise DataError(str(error)) from error


def _whole(column: np.ndarray[Any, np.dtype[np.float64]]) -> list[Any]:
    return [int(v) if v.is_integer() else v for v in column.tolist()]
