"""Answers of other kinds than plain comparisons: ties, grades, ratings, values, choices of several, rankings.

The columns of a table define its kind of answer, as those of the program do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _lib
from ._context import Placed
from ._distinct import distinct
from ._pairs import _distinct_of_list, _table
from ._tables import Labels, _plain_array
from .errors import DataError, ParameterError

_Table = dict[str, Any]
_Rows = np.ndarray[Any, np.dtype[np.int64]]
#: Left and right items, and what came of each comparison; and the row of the table that says so.
_Compared = tuple[list[Any], list[Any], list[str], list[int]]


def tables(given: Any, *, bias: bool, user_noise: bool) -> list[_Table] | None:
    """The tables of a fit, if they have more than who was preferred to whom; several come as a list. Sides matter for a `bias`, users for their
    noise."""
    several = isinstance(given, (list, tuple)) and bool(given) and all(_table(part) is not None for part in given)
    found = [_table(part) for part in given] if several else [_table(given)]
    if found == [None]:
        return None
    known = [table for table in found if table is not None]
    return None if len(known) == 1 and _is_plain(known[0], bias, user_noise) else known


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


def answers(said: list[_Table], labels: Labels, *, ties: str, rankings: str, placed: Placed | None = None) -> _lib.Answers:
    """The answers of all tables about the items called `labels`; or of one, about sides."""
    if rankings not in ("pairs", "adjacent"):
        raise ParameterError(f"rankings={rankings!r} is not known; take pairs or adjacent")
    if placed is not None:
        sides = placed.first, placed.second
        return _lib.settled([_between(said[0], len(placed.sides), sides)], ties)
    return _lib.settled(read(said, labels, rankings == "adjacent"), ties)


def read(said: list[_Table], labels: Labels, adjacent: bool = False) -> list[_lib.AnswerTable]:
    """The answers of each table."""
    return [_compiled(table, labels, adjacent) for table in said]


def named_in(said: list[_Table]) -> list[Any]:
    """Every item named, in the order of appearance."""
    seen: dict[Any, None] = {}
    for table in said:
        columns: list[str] = [column for column in ("winner", "loser", "left", "right", "item", "choice") if column in table]
        columns += [column for column in table if column.startswith("option_")]
        listed = [_plain_array(table[column]).tolist() for column in columns]
        if "ranking" in table:
            listed += [[item for tier in tiers for item in tier] for tiers in [_tiers(text, row) for row, text in enumerate(_rankings(table))]]
            seen.update(dict.fromkeys(item for row in listed for item in row))
        else:
            seen.update(dict.fromkeys(item for row in zip(*listed) for item in row if not _empty(item)))
    return list(seen)


def _compiled(table: _Table, labels: Labels, adjacent: bool) -> _lib.AnswerTable:
    columns = set(table)
    if {"item", "rating"} <= columns:
        return _lib.AnswerTable.rated(len(labels), labels.rows(table["item"]), _numbers(table["rating"], "rating"), _tellings(table))
    if {"item", "value"} <= columns:
        values, bounds = _bounded(table["value"])
        return _lib.AnswerTable.measured(len(labels), labels.rows(table["item"]), (values, bounds), _tellings(table))
    if {"item", "label"} <= columns:
        # Numbers that stand for no and yes may be floats.
        said = [str(int(label)) if isinstance(label, float) and label.is_integer() else str(label) for label in _list(table["label"])]
        return _lib.AnswerTable.labelled(len(labels), labels.rows(table["item"]), said, _tellings(table))
    pair = sides_of(columns)
    if pair is not None:
        return _between(table, len(labels), (labels.rows(table[pair[0]]), labels.rows(table[pair[1]])))
    own = next((column for column in _lib.answer_columns() if {"item", column} <= columns), None)
    if own is not None:
        cells = [str(cell) for cell in _list(table[own])]
        return _lib.AnswerTable.of_column(len(labels), labels.rows(table["item"]), own, cells, _tellings(table))
    if "ranking" in columns:
        found = _of_tiers([_tiers(text, row) for row, text in enumerate(_rankings(table))], adjacent)
    elif "choice" in columns and any(column.startswith("option_") for column in columns):
        found = _of_choices(table)
    else:
        raise DataError(
            "answers are tables with columns winner and loser (and difference); or left, right and outcome, probability or difference; or choice, option_1, option_2 and so on; or "
            f"ranking; or item and rating; or item and value; or item and label (and user, count and noise beside them); the columns are {', '.join(table)}"
        )
    left, right, outcomes, rows = found
    sides = labels.rows(np.array(left, dtype=object)), labels.rows(np.array(right, dtype=object))
    return _lib.AnswerTable.compared(len(labels), sides, outcomes, False, _tellings(table, rows))


def sides_of(columns: set[str]) -> tuple[str, str] | None:
    """The columns of the two sides of comparisons, if it is known what came of these."""
    if {"left", "right"} <= columns and columns & {"outcome", "probability", "difference"}:
        return "left", "right"
    return ("winner", "loser") if {"winner", "loser"} <= columns else None


def _between(table: _Table, many: int, sides: tuple[_Rows, _Rows]) -> _lib.AnswerTable:
    """Comparisons of the rows `sides`, of `many`."""
    columns = set(table)
    shown = sides_of(columns) == ("left", "right")
    if shown and "outcome" in columns:
        outcomes = [_word(*row) for row in zip(_list(table["outcome"]), _list(table["left"]), _list(table["right"]))]
        missing = next((row for row, outcome in enumerate(_list(table["outcome"])) if _empty(outcome)), None)
        if missing is not None:
            raise DataError(f"the outcome of comparison {missing} (counted from 0) is missing; write left, right or tie, or leave it out")
        return _lib.AnswerTable.compared(many, sides, outcomes, True, _tellings(table))
    column = next((c for c in ("probability", "difference") if c in columns and (shown or c == "difference")), None)
    if column is not None:
        return _lib.AnswerTable.compared_by(many, sides, column, _numbers(table[column], column), shown, _tellings(table))
    return _lib.AnswerTable.compared(many, sides, ["left"] * len(sides[0]), False, _tellings(table))


def _tellings(table: _Table, rows: list[int] | None = None) -> dict[str, Any]:
    """The user, count and noise of each answer; `rows` are those that answers come from, if not each once."""
    users: dict[str, int] = {}
    by = None
    if "user" in table:
        by = np.array([users.setdefault(str(user), len(users)) for user in _list(table["user"])], dtype=np.int64)
    counts = _numbers(table["count"], "count") if "count" in table else None
    noise = _numbers(table["noise"], "noise") if "noise" in table else None
    chosen = [column if column is None or rows is None else column[rows] for column in (by, counts, noise)]
    return {"users": list(users), "by": chosen[0], "counts": chosen[1], "noise": chosen[2]}


def _are_whole(counts: Any) -> bool:
    array = _numbers(counts, "count")
    return bool(np.all(array == np.floor(array)))


def _list(values: Any) -> list[Any]:
    return list(_plain_array(values).tolist())


def _rankings(table: _Table) -> list[Any]:
    """One ranking an entry: an array would make lists of equal length one."""
    values = table["ranking"]
    return list(values.to_list() if hasattr(values, "to_list") else values)


def _numbers(values: Any, column: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.ascontiguousarray(np.asarray(_list(values), dtype=np.float64))
    except (TypeError, ValueError):
        raise DataError(f"the column {column!r} must have numbers") from None


def _word(outcome: Any, left: Any, right: Any) -> str:
    """An outcome in words; the item's name stands for its side. The words come first, for an item may be called "left"."""
    words = ("left", "right", "tie", "draw")
    if outcome not in words and outcome == left:
        return "left"
    return "right" if outcome not in words and outcome == right else str(outcome)


def _bounded(values: Any) -> tuple[np.ndarray[Any, np.dtype[np.float64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Numbers, and texts like ">10" and "<0" as numbers with a bound."""
    numbers, bounds = [], []
    for row, value in enumerate(_list(values)):
        text = value.strip() if isinstance(value, str) else ""
        bound = {">": 1, "<": -1}.get(text[:1], 0)
        try:
            numbers.append(float(text[1:] if bound else value))
        except (TypeError, ValueError):
            raise DataError(f"value {row} (counted from 0) is {value!r}; write a number, or a bound such as '>10'") from None
        bounds.append(bound)
    return np.array(numbers, dtype=np.float64), np.array(bounds, dtype=np.int64)


def _empty(value: Any) -> bool:
    return value is None or value == "" or value != value


def _tiers(ranking: Any, row: int) -> list[list[Any]]:
    """A ranking, best first: a text like "a > b = c", or a list of items, in which a list stands for those that tie."""
    if isinstance(ranking, str):
        tiers: list[list[Any]] = [[name.strip() for name in tier.split("=")] for tier in ranking.split(">")]
    else:
        tiers = [list(tier) if isinstance(tier, (list, tuple)) else [tier] for tier in ranking]
    flat = [item for tier in tiers for item in tier]
    if any(_empty(item) for item in flat):
        raise DataError(f"ranking {row} (counted from 0) is {ranking!r}; write items like 'a > b = c', the best first")
    repeated = next((item for at, item in enumerate(flat) if item in flat[:at]), None)
    if repeated is not None:
        raise DataError(f"ranking {row} (counted from 0) names {repeated!r} twice; name every item once")
    return tiers


def _of_tiers(rankings: list[list[list[Any]]], adjacent: bool) -> _Compared:
    """Comparisons of every two items of a ranking, or of every two neighbours."""

    def every(tiers: list[list[Any]]) -> Iterator[tuple[Any, Any, str]]:
        flat = [(item, tier) for tier, items in enumerate(tiers) for item in items]
        for at, (better, tier) in enumerate(flat):
            for worse, lower in flat[at + 1 : at + 2 if adjacent else None]:
                yield better, worse, "tie" if tier == lower else "left"

    found = [(*compared, row) for row, tiers in enumerate(rankings) for compared in every(tiers)]
    return tuple(map(list, zip(*found))) if found else ([], [], [], [])  # type: ignore[return-value]


def _of_choices(table: _Table) -> _Compared:
    """The chosen item against every other option."""
    options = [_list(table[column]) for column in table if column.startswith("option_")]
    found = []
    for row, (choice, *offered) in enumerate(zip(_list(table["choice"]), *options)):
        offered = [option for option in offered if not _empty(option)]
        if choice not in offered:
            raise DataError(f"choice {row} (counted from 0) is {choice!r}, which is none of its options; correct it")
        found += [(choice, option, "left", row) for option in offered if option != choice]
    return tuple(map(list, zip(*found))) if found else ([], [], [], [])  # type: ignore[return-value]
