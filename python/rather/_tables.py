"""Items as people have them (arrays, pandas, polars, anything with an Arrow stream) as tables of the compiled part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _lib
from ._columns import arrow, check_once, is_pandas, is_series, names_of
from ._distinct import distinct
from .errors import DataError, FeatureError, UnknownItemError

#: A whole number in digits, as Python prints it.
_DIGITS = re.compile("0|-?[1-9][0-9]*")
#: Whole numbers of more digits are names like any text.
_LONGEST_INTEGER = 100
#: Row numbers are smaller.
_MOST = 2**62
#: A column: its name, and numbers or texts.
Column = tuple[str, np.ndarray[Any, np.dtype[np.float64]] | list[str]]


def items(X: Any, names: Any = None) -> tuple[_lib.Table, Labels]:
    """The table of `X`, and how its items are called.

    A data frame of pandas calls items by its index, any other table by row numbers, unless `names` says otherwise: a
    sequence, one name an item, or the name of a column that has them. A list of texts has names alone.
    """
    alone = names_alone(X) if names is None else None
    if alone is not None:
        return named(alone)
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
    if not len(names):
        raise DataError("there are no items; give at least two")
    empty = next((row for row, name in enumerate(names) if missing(name)), None)
    if empty is not None:
        raise DataError(f"the name of item {empty} (counted from 0) is missing; name every item, or leave it out")
    texts = [str(name) for name in names]
    wrong = next((text for text in texts if not _is_unicode(text)), None)
    if wrong is not None:
        raise DataError(f"the name {wrong!r} is no valid Unicode text; correct it")
    integers = all(map(_is_integer, names)) and max(map(len, texts), default=0) <= _LONGEST_INTEGER
    return _lib.Table(texts, list(columns), integers), Labels(names)


def names_alone(X: Any) -> list[Any] | None:
    """The names of items without their features, which must be known: a list of texts, or a data frame without columns."""
    if is_pandas(X):
        return X.index.tolist() if len(X.columns) == 0 else None
    return list(X) if isinstance(X, (list, tuple)) and len(X) and all(isinstance(name, str) for name in X) else None


def known(names: list[Any], labels: Labels) -> tuple[_lib.Table, Labels]:
    """Some of the items of a model, which are called `labels`."""
    rows = labels.rows(names)
    wrong = next((name for name, row in zip(names, rows.tolist()) if not 0 <= row < len(labels)), None)
    if wrong is not None:
        raise _unknown(wrong)
    return _lib.Table.of_known(rows.tolist()), Labels(names)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Labels:
    """How items are called, and which row has which name."""

    def __init__(self, names: Sequence[Any]) -> None:
        self.names = names
        self._plain = all(isinstance(name, (int, np.integer)) and name == row for row, name in enumerate(names))
        try:
            self._rows: dict[Any, int] = {} if self._plain else {name: row for row, name in enumerate(names)}
        except TypeError:
            wrong = next(name for name in names if not _is_hashable(name))
            raise DataError(f"the name {wrong!r} is a {type(wrong).__name__}; name items by texts or numbers") from None
        integers = any(isinstance(name, (int, np.integer)) for name in names)
        #: Whether whole numbers became text somewhere, as in a table of the program: a number then means the name, not the row.
        self._digits = not integers and any(isinstance(name, str) and _DIGITS.fullmatch(name) for name in names)
        #: Whether a whole number is a name.
        self._numbered = integers or self._digits

    @classmethod
    def saved(cls, names: list[str], integers: bool) -> Labels:
        """The names that a model's file holds, with whether they were whole numbers."""
        return cls([int(name) for name in names] if integers else names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def are_rows(self) -> bool:
        """Whether items are called by their row numbers."""
        return self._plain

    def row_of(self, name: Any) -> int | None:
        """The row of an item, if there is one of this name."""
        return self._position(name) if name in self else None

    def __contains__(self, name: Any) -> bool:
        """Whether an item is called so."""
        if not _is_hashable(name):
            return False
        if not self._plain:
            return self._key(name) in self._rows
        try:
            return 0 <= _row(name) < len(self)
        except KeyError:
            return False

    def rows(self, names: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The row numbers of items called so; where items have no names of their own, whole numbers are rows already."""
        known = None if self._plain else distinct(names)
        if known is not None and not self._are_rows(known[1]):
            return self._rows_of(*known)
        array = _plain_array(names)
        if array.dtype.kind in "iu" and (self._plain or not self._numbered):
            _check_row(array.max(initial=0))
            return np.ascontiguousarray(array, dtype=np.int64)
        if array.dtype.kind == "f" and self._plain and np.all(np.abs(array) < _MOST):
            whole = array.astype(np.int64)
            if np.array_equal(whole, array):
                return whole
        try:
            return np.fromiter(map(self._position, array.tolist()), dtype=np.int64, count=len(array))
        except KeyError as unknown:
            raise _unknown(unknown.args[0]) from None
        except TypeError:
            wrong = next(name for name in array.tolist() if not _is_hashable(name))
            raise DataError(f"{wrong!r} is a {type(wrong).__name__}; name items by texts or numbers") from None

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
        _check_row(name)
        return name
    # Whole numbers beside an empty cell become floats.
    if isinstance(name, float) and name.is_integer():
        return int(name)
    raise KeyError(name)


def _check_row(row: Any) -> None:
    """Larger ones have no place in an array of row numbers."""
    if abs(int(row)) >= _MOST:
        raise _unknown(int(row))


def _is_hashable(name: Any) -> bool:
    try:
        hash(name)
    except TypeError:
        return False
    return True


def _unknown(name: Any) -> DataError:
    if missing(name):
        return UnknownItemError("a comparison names no item where one is needed: its name is missing; fill it in, or leave the comparison out")
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
        whole = whole and all(abs(int(v)) < _MOST for v in values)
        # Names may be sequences themselves, so each is placed by itself.
        array = np.array(values, dtype=np.int64) if whole else np.empty(len(values), dtype=object)
        if not whole:
            array[:] = values if not any(isinstance(v, (list, tuple, np.ndarray)) for v in values) else _each(values)
    return array.reshape(-1)


def _each(values: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        array[at] = value
    return array


def _rows(X: Any, columns: list[Column]) -> int:
    return len(columns[0][1]) if columns else len(X)


def _columns(X: Any) -> tuple[list[Column], list[Any] | None]:
    """Columns of any table, and the names of its rows if it has such."""
    # A sparse matrix of scikit-learn's may be a dict too; it has its sentence below.
    if isinstance(X, dict) and not hasattr(X, "shape"):
        columns = [_column(str(name), values) for name, values in X.items()]
        uneven = next((name for name, values in columns if len(values) != len(columns[0][1])), None)
        if uneven is not None:
            lengths = {name: len(values) for name, values in columns}
            raise DataError(f"the column {uneven!r} has {lengths[uneven]} rows and {columns[0][0]!r} has {len(columns[0][1])}; a column has one entry an item")
        return columns, None
    if is_series(X):
        index = X.index.tolist() if hasattr(X, "iloc") else None
        return [_column(str(getattr(X, "name", None) or "x0"), X)], index
    if is_pandas(X):
        check_once(X.columns)
        return [_column(str(name), X.iloc[:, at]) for at, name in enumerate(X.columns)], X.index.tolist()
    if hasattr(X, "__arrow_c_stream__"):
        table = arrow(X)
        return [_column(str(name), table[name]) for name in names_of(table)], None
    array = _numbers(X)
    return [(f"x{d}", np.ascontiguousarray(array[:, d])) for d in range(array.shape[1])], None


def _column(name: str, values: Any) -> Column:
    given = values.to_numpy() if hasattr(values, "to_numpy") else values
    # An array of numbers and text would be text throughout.
    mixed = not isinstance(given, np.ndarray) and any(isinstance(v, str) for v in given)
    array = np.array(given, dtype=object) if mixed else np.asarray(given)
    if array.ndim != 1:
        raise DataError(f"the column {name!r} has the shape {array.shape}; a column has one number or text an item")
    if array.dtype.kind in "biuf":
        return name, np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind in "Mm":
        raise FeatureError(f"the column {name!r} has dates or durations; make them numbers, such as days since the first one")
    texts = array.tolist()
    if all(isinstance(v, (bool, int, float, np.number, np.bool_)) for v in texts):
        return name, np.array(texts, dtype=np.float64)
    wrong = next((row for row, v in enumerate(texts) if not isinstance(v, str)), None)
    if wrong is None:
        return name, texts
    if missing(texts[wrong]):
        raise FeatureError(f"the column {name!r} has no value in row {wrong}; fill it in, for example with a category of its own")
    beside = "beside text" if any(isinstance(v, str) for v in texts) else f"of type {type(texts[wrong]).__name__}"
    raise FeatureError(f"the column {name!r} has {texts[wrong]!r} in row {wrong} {beside}; make it all text or all numbers")


def missing(value: Any) -> bool:
    """Whether a cell has no value: None, an empty text, NaN, or what a library has in its place."""
    if value is None or (isinstance(value, str) and value == ""):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA is neither equal nor unequal to anything; an array is no single value.
        return type(value).__name__ == "NAType"


def _numbers(X: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """An array of two dimensions, with the sentences that scikit-learn has for what is none."""
    if hasattr(X, "toarray"):
        raise DataError("Sparse data was passed, but dense data is required; use X.toarray() to make it dense")
    try:
        array = np.asarray(X)
        if array.dtype.kind == "c":
            raise DataError("Complex data not supported; X holds complex numbers")
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(str(error)) from error
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using array.reshape(-1, 1) if it has a single feature "
            "or array.reshape(1, -1) if it has a single item."
        )
    if not np.isfinite(array).all():
        raise DataError(f"Input X contains {'NaN' if np.isnan(array).any() else 'infinity'}; every feature of an array needs a finite number")
    return array


def _whole(column: np.ndarray[Any, np.dtype[np.float64]]) -> list[Any]:
    return [int(v) if v.is_integer() else v for v in column.tolist()]
