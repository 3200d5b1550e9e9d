"""Answers of other kinds than plain comparisons: ties, grades, ratings, values, choices of several, rankings.

The columns of a table define its kind of answer, as those of the program do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lib
from ._columns import sides_of, table_of
from ._context import Placed
from ._distinct import distinct
from ._orders import Order, compared, ends, listed, orders
from ._outcomes import Outcomes
from ._pairs import _distinct_of_list
from ._pairs import named_in as named_in_pairs
from ._tables import Labels
from ._tables import missing as empty
from .errors import DataError, ParameterError

_Table = dict[str, Any]
_Rows = np.ndarray[Any, np.dtype[np.int64]]
#: What becomes of answers about several items.
_RANKINGS = ("pairs", "adjacent", "joint")


def are_several(given: Any) -> bool:
    """Whether it is a list of tables."""
    return isinstance(given, (list, tuple)) and bool(given) and all(table_of(part) is not None for part in given)


def all_tables(given: Any) -> list[_Table] | None:
    """The tables of answers, of which several come as a list; `None` of answers that are no table."""
    found = [table_of(part) for part in given] if are_several(given) else [table_of(given)]
    known = [table for table in found if table is not None]
    return known or None


def tables(given: Any, *, bias: bool, user_noise: bool) -> list[_Table] | None:
    """The tables of a fit, if they have more than who was preferred to whom. Sides matter for a `bias`, users for their noise."""
    known = all_tables(given)
    return None if known is None or (len(known) == 1 and _is_plain(known[0], bias, user_noise)) else known


def _is_plain(table: _Table, bias: bool, user_noise: bool) -> bool:
    columns = set(table)
    if "noise" in columns or (user_noise and "user" in columns):
        return False
    if "difference" in columns or ("count" in columns and not _are_whole(table["count"])):
        return False
    if {"winner", "loser"} <= columns:
        return True
    if bias or not {"left", "right", "outcome"} <= columns:
        return False
    codes, values = distinct(table["outcome"]) or _distinct_of_list(table["outcome"])
    return set(values) <= {"left", "right"} and (not len(codes) or int(codes.min()) >= 0)


#: The ratings that levels stand for, and the words of strength that grades stand for.
Scales = tuple[list[float], list[str]]


def answers(
    said: list[_Table], labels: Labels, *, ties: str, rankings: str, placed: Placed | None = None, scales: Scales | None = None
) -> _lib.Answers:
    """The answers of all tables about the items called `labels`; or of one, about sides. `scales` are those that they are part of."""
    if placed is not None:
        sides = placed.first, placed.second
        return _lib.settled([_between(said[0], len(placed.sides), sides, labels)], ties, scales)
    return _lib.settled(read(said, labels, rankings), ties, scales)


def read(said: list[_Table], labels: Labels, rankings: str) -> list[_lib.AnswerTable]:
    """The answers of each table."""
    if rankings not in _RANKINGS:
        raise ParameterError(f"rankings={rankings!r} is not known; take pairs, adjacent or joint")
    return [_compiled(table, labels, rankings) for table in said]


def named_in(said: list[_Table]) -> list[Any]:
    """Every item named, in the order of the answers."""
    seen: dict[Any, None] = {}
    for table in said:
        found = _orders(table)
        if found is not None:
            seen.update((item, None) for order in found for item, _ in order.ranked)
        else:
            of_item = [item for item in listed(table["item"]) if not empty(item)] if "item" in table else []
            seen.update((item, None) for item in (named_in_pairs(table) if sides_of(set(table)) else of_item))
    return list(seen)


def _orders(table: _Table) -> list[Order] | None:
    """The answers about several items, of a table that does not say which of two was better."""
    return None if sides_of(set(table)) else orders(table)


def _compiled(table: _Table, labels: Labels, rankings: str) -> _lib.AnswerTable:
    columns = set(table)
    pair = sides_of(columns)
    if pair is not None:
        return _between(table, len(labels), (labels.rows(table[pair[0]]), labels.rows(table[pair[1]])), labels)
    found = _orders(table)
    if found is not None:
        return _of_orders(found, table, labels, rankings)
    if {"item", "rating"} <= columns:
        return _lib.AnswerTable.rated(len(labels), labels.rows(table["item"]), _numbers(table["rating"], "rating"), _tellings(table))
    if {"item", "value"} <= columns:
        values, bounds = _bounded(table["value"])
        return _lib.AnswerTable.measured(len(labels), labels.rows(table["item"]), (values, bounds), _tellings(table))
    if {"item", "label"} <= columns:
        # Numbers that stand for no and yes may be floats.
        said = [str(int(label)) if isinstance(label, float) and label.is_integer() else str(label) for label in listed(table["label"])]
        return _lib.AnswerTable.labelled(len(labels), labels.rows(table["item"]), said, _tellings(table))
    own = next((column for column in _lib.answer_columns() if {"item", column} <= columns), None)
    if own is not None:
        cells = [str(cell) for cell in listed(table[own])]
        return _lib.AnswerTable.of_column(len(labels), labels.rows(table["item"]), own, cells, _tellings(table))
    raise DataError(
        "answers are tables with columns winner and loser (and difference); or left, right and outcome, probability or difference; or choice (or best, or "
        "worst), option_1, option_2 and so on; or task, item and chosen, or rank; or ranking; or item and rating; or item and value; or item and label "
        f"(and user, count and noise beside them); the columns are {', '.join(table)}"
    )


def _of_orders(found: list[Order], table: _Table, labels: Labels, rankings: str) -> _lib.AnswerTable:
    """Answers about several items, each as one or as comparisons."""
    if rankings == "joint":
        said = [order for order in found if len(order.ranked) > 1]
        known = [ends(order) for order in said]
        items = labels.rows([item for order in said for item, _ in order.ranked])
        return _lib.AnswerTable.ordered(len(labels), items, known, _tellings(table, [order.row for order in said]))
    told = list(compared(found, adjacent=rankings == "adjacent"))
    left, right = (labels.rows([answer[side] for answer in told]) for side in (0, 1))
    tellings = _tellings(table, [row for *_, row in told])
    return _lib.AnswerTable.compared(len(labels), (left, right), [outcome for _, _, outcome, _ in told], False, tellings)


def _between(table: _Table, many: int, sides: tuple[_Rows, _Rows], labels: Labels) -> _lib.AnswerTable:
    """Comparisons of the rows `sides`, of `many`; outcomes may name one of the items called `labels`."""
    columns = set(table)
    shown = sides_of(columns) == ("left", "right")
    tellings = _tellings(table)
    if shown and "outcome" in columns:
        outcomes = Outcomes.of(table, labels)
        if outcomes.probabilities is not None:
            return _lib.AnswerTable.compared_by(many, sides, "probability", outcomes.probabilities, True, tellings)
        return _lib.AnswerTable.compared(many, sides, outcomes.words, True, tellings)
    column = next((c for c in ("probability", *_lib.number_columns()) if c in columns and (shown or c == "difference")), None)
    if column is not None:
        return _lib.AnswerTable.compared_by(many, sides, column, _numbers(table[column], column), shown, tellings)
    return _lib.AnswerTable.compared(many, sides, ["left"] * len(sides[0]), False, tellings)


def _tellings(table: _Table, rows: list[int] | None = None) -> dict[str, Any]:
    """The user, count and noise of each answer; `rows` are those that answers come from, if not each once."""
    users: dict[str, int] = {}
    by = None
    if "user" in table:
        by = np.array([users.setdefault(str(user), len(users)) for user in listed(table["user"])], dtype=np.int64)
    counts = _numbers(table["count"], "count") if "count" in table else None
    noise = _numbers(table["noise"], "noise") if "noise" in table else None
    chosen = [column if column is None or rows is None else column[rows] for column in (by, counts, noise)]
    return {"users": list(users), "by": chosen[0], "counts": chosen[1], "noise": chosen[2]}


def _are_whole(counts: Any) -> bool:
    array = _numbers(counts, "count")
    return bool(np.all(array == np.floor(array)))


def _numbers(values: Any, column: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.ascontiguousarray(np.asarray(listed(values), dtype=np.float64))
    except (TypeError, ValueError):
        raise DataError(f"the column {column!r} must have numbers") from None


def _bounded(values: Any) -> tuple[np.ndarray[Any, np.dtype[np.float64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Numbers, and texts like ">10" and "<0" as numbers with a bound."""
    numbers, bounds = [], []
    for row, value in enumerate(listed(values)):
        text = value.strip() if isinstance(value, str) else ""
        bound = {">": 1, "<": -1}.get(text[:1], 0)
        try:
            numbers.append(float(text[1:] if bound else value))
        except (TypeError, ValueError):
            raise DataError(f"value {row} (counted from 0) is {value!r}; write a number, or a bound such as '>10'") from None
        bounds.append(bound)
    return np.array(numbers, dtype=np.float64), np.array(bounds, dtype=np.int64)
