"""Comparisons and pairs as people have them, as row numbers of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib
from ._columns import is_series, sides_of, table_of
from ._distinct import distinct, first_rows
from ._tables import Labels, _is_hashable, _plain_array, missing
from .errors import DataError, UnknownItemError

_Rows = np.ndarray[Any, np.dtype[np.int64]]

_FORMS = (
    "comparisons are winner and loser: an array of two columns, a table with columns winner and loser (and count, if you "
    "like) or left, right and outcome, or one number an item where larger is better"
)


def answers(comparisons: Any, labels: Labels) -> _lib.Answers:
    """Comparisons of the items called `labels`."""
    winners, losers, counts = _winners(comparisons, labels)
    return _lib.Answers(winners, losers, len(labels), counts)


def pairs(given: Any, labels: Labels) -> tuple[_Rows, _Rows]:
    """Pairs to ask about, as rows: an array of two columns, or a table with columns left and right (or winner and loser)."""
    left, right, _ = sided_pairs(given, labels)
    return left, right


def sided_pairs(given: Any, labels: Labels) -> tuple[_Rows, _Rows, bool]:
    """As :func:`pairs`, and whether they tell which item is shown on the left, as a table with columns left and right does."""
    table = table_of(given)
    if table is not None:
        for left, right in (("left", "right"), ("winner", "loser")):
            if left in table and right in table:
                return labels.rows(table[left]), labels.rows(table[right]), left == "left"
        raise DataError(f"pairs need columns left and right; the columns are {', '.join(table)}")
    array = _two_columns(given)
    return labels.rows(array[:, 0]), labels.rows(array[:, 1]), False


def is_scores(comparisons: Any) -> bool:
    """Whether it is one number an item."""
    if isinstance(comparisons, (list, tuple)) and comparisons and isinstance(comparisons[0], (list, tuple, dict, str)):
        return False
    return table_of(comparisons) is None and _scores(comparisons) is not None


def as_table(comparisons: Any, labels: Labels) -> dict[str, Any]:
    """Comparisons that are no table as one, of row numbers."""
    winners, losers, _ = _winners(comparisons, labels)
    return {"winner": winners, "loser": losers}


def outcomes_of(comparisons: Any, labels: Labels) -> tuple[_Rows, _Rows, np.ndarray[Any, np.dtype[np.bool_]], _Rows | None] | None:
    """Left, right, whether the left won, and counts; `None` of comparisons that do not tell which item was on the left."""
    table = table_of(comparisons)
    if table is None or not {"left", "right", "outcome"} <= set(table) or {"winner", "loser"} <= set(table):
        return None
    counts = _counts(table["count"]) if "count" in table else None
    return labels.rows(table["left"]), labels.rows(table["right"]), _left_wins(table["outcome"]), counts


def _winners(comparisons: Any, labels: Labels) -> tuple[_Rows, _Rows, _Rows | None]:
    table = table_of(comparisons)
    if table is None:
        scores = _scores(comparisons)
        if scores is not None:
            return (*_neighbours(scores, len(labels)), None)
        array = _two_columns(comparisons)
        return labels.rows(array[:, 0]), labels.rows(array[:, 1]), None
    counts = _counts(table["count"]) if "count" in table else None
    if "winner" in table and "loser" in table:
        return labels.rows(table["winner"]), labels.rows(table["loser"]), counts
    sided = outcomes_of(table, labels)
    if sided is not None:
        left, right, won, counts = sided
        return np.where(won, left, right), np.where(won, right, left), counts
    raise DataError(f"{_FORMS}; the columns are {', '.join(table)}")


def _two_columns(given: Any) -> np.ndarray[Any, Any]:
    # A tensor of another library is an array; a generator can be read once.
    array = given if isinstance(given, np.ndarray) else np.asarray(given) if hasattr(given, "__array__") else _pairs_of_lists(given)
    if array.ndim == 2 and array.shape[1] == 2:
        return array
    raise DataError(f"{_FORMS}; this has the shape {array.shape}")


def _pairs_of_lists(given: Any) -> np.ndarray[Any, Any]:
    try:
        rows = [pair if isinstance(pair, str) else tuple(pair) for pair in given]
    except TypeError:
        raise DataError(f"{_FORMS}; this is {type(given).__name__}") from None
    wrong = next((at for at, pair in enumerate(rows) if isinstance(pair, str)), None)
    if wrong is not None:
        raise DataError(f"comparison {wrong} (counted from 0) is the text {rows[wrong]!r}; name the winner and the loser, such as ('tea', 'coffee')")
    wrong = next((at for at, pair in enumerate(rows) if len(pair) != 2), None)
    if wrong is not None:
        raise DataError(f"comparison {wrong} (counted from 0) names {len(rows[wrong])} items; name the winner and the loser")
    # Of truth values and of numbers beyond the machine's, the sentences are those of names.
    whole = all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) and abs(int(name)) < 2**62 for pair in rows for name in pair)
    array = np.empty((len(rows), 2), dtype=np.int64 if whole else object)
    for at, pair in enumerate(rows):
        array[at, 0], array[at, 1] = pair[0], pair[1]
    return array


def named_in(comparisons: Any) -> list[Any]:
    """Every name in the comparisons, in the order of appearance."""
    table = table_of(comparisons)
    columns = [*_two_columns(comparisons).T] if table is None else [table[name] for name in sides_of(set(table)) or ()]
    known = [found for column in columns if (found := distinct(column)) is not None]
    if known and len(known) == len(columns):
        if any(len(codes) and codes.min() < 0 for codes, _ in known):
            raise _nameless(columns)
        places = [
            (row, column, value)
            for column, (codes, values) in enumerate(known)
            for row, value in zip(first_rows(codes, values).tolist(), values)
        ]
        return list(dict.fromkeys(value for *_, value in sorted(places, key=lambda place: place[:2])))
    listed = [_plain_array(column).tolist() for column in columns]
    if any(missing(name) for column in listed for name in column):
        raise _nameless(columns)
    wrong = next((name for column in listed for name in column if not _is_hashable(name)), None)
    if wrong is not None:
        raise DataError(f"{wrong!r} is a {type(wrong).__name__}; name items by texts or numbers")
    return list(dict.fromkeys(name for row in zip(*listed) for name in row))


def _nameless(columns: list[Any]) -> UnknownItemError:
    """Of comparisons that do not name both items."""
    cells = zip(*[_plain_array(column).tolist() for column in columns])
    row = next(at for at, names in enumerate(cells) if any(map(missing, names)))
    return UnknownItemError(f"the name of an item is missing in comparison {row} (counted from 0); fill it in, or leave the comparison out")


def _scores(given: Any) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """One number an item, if it is that."""
    array = given if isinstance(given, np.ndarray) else _or_none(given)
    if array is not None and is_series(given) and array.ndim == 1 and array.dtype.kind == "O":
        array = _or_none(array.tolist())
    if array is None or array.ndim != 1 or array.size == 0 or array.dtype.kind not in "biuf":
        return None
    return array.astype(np.float64)


def _or_none(given: Any) -> np.ndarray[Any, Any] | None:
    try:
        return np.asarray(given)
    except (ValueError, OverflowError):
        return None


def _neighbours(scores: np.ndarray[Any, np.dtype[np.float64]], items: int) -> tuple[_Rows, _Rows]:
    """Every item against those of the next better score."""
    if len(scores) != items:
        raise DataError(f"there are {len(scores)} scores for {items} items")
    if not np.all(np.isfinite(scores)):
        raise DataError("a score is NaN or infinite; every item needs a number")
    levels, of_item = np.unique(scores, return_inverse=True)
    groups = [np.flatnonzero(of_item == level) for level in range(len(levels))]
    winners, losers = [], []
    for better, worse in zip(groups[1:], groups):
        # Each member of the larger group once, so that equal scores do not multiply.
        size = max(len(better), len(worse))
        winners.append(np.resize(better, size))
        losers.append(np.resize(worse, size))
    nothing = [np.empty(0, dtype=np.int64)]
    return np.concatenate(winners or nothing).astype(np.int64), np.concatenate(losers or nothing).astype(np.int64)


def _counts(values: Any) -> _Rows:
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.dtype.kind not in "iu" and not np.array_equal(array, array.astype(np.int64)):
        raise DataError("the column count must hold whole numbers")
    return np.ascontiguousarray(array, dtype=np.int64)


def _left_wins(outcomes: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    codes, values = distinct(outcomes) or _distinct_of_list(outcomes)
    wrong = next((code for code, value in enumerate(values) if value not in ("left", "right")), None)
    if wrong is None and len(codes) and codes.min() < 0:
        wrong = -1
    if wrong is not None:
        row, outcome = int(np.argmax(codes == wrong)), values[wrong] if wrong >= 0 else None
        raise DataError(f"the outcome of comparison {row} (counted from 0) is {outcome!r}, and only left and right count here; leave out the others")
    return np.array([value == "left" for value in values], dtype=bool)[codes]


def _distinct_of_list(values: Any) -> tuple[_Rows, list[Any]]:
    places: dict[Any, int] = {}
    codes = [places.setdefault(value, len(places)) for value in (values.tolist() if hasattr(values, "tolist") else values)]
    return np.array(codes, dtype=np.int64), list(places)
