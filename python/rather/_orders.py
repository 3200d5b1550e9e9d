"""What is said of the order of several items: rankings, choices, the best and the worst of some options, in a row, or with a row an option."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from . import _lib
from ._tables import _plain_array
from ._tables import missing as empty
from .errors import DataError

_Table = dict[str, Any]

#: The most items of an answer that is taken jointly, and of a set that is predicted.
MOST = 12
#: The tier of items of which only is known that others were chosen as the best or the worst, and that of the worst.
_OPEN, _WORST = 10**9, 10**9 + 1


class Order(NamedTuple):
    """One answer: the items and their tiers, the best first; those of one tier are equally good, unless it is the open one."""

    ranked: list[tuple[Any, int]]
    #: What it is called in a sentence, with the number of its first row.
    kind: str
    row: int

    @property
    def name(self) -> str:
        return f"{self.kind} {self.row} (counted from 0)"


def orders(table: _Table) -> list[Order] | None:
    """The answers of a table; `None` of one that says nothing of the order of several items."""
    if _is_long(table):
        return _of_tasks(table)
    if "ranking" in table:
        return [_of_ranking(ranking, row) for row, ranking in enumerate(_rankings(table))]
    return _of_options(table) if _ends(table) and options_in(table) else None


def options_in(table: _Table) -> list[str]:
    """The columns of options."""
    return [column for column in table if column.startswith("option_")]


def compared(found: list[Order], *, adjacent: bool) -> Iterator[tuple[Any, Any, str, int]]:
    """Every two items of an answer of which something is known, or every two neighbours: left, right, the outcome, and the row."""
    for order in found:
        ranked = order.ranked
        opened = [at for at, (_, tier) in enumerate(ranked) if tier == _OPEN]
        start, stop = (opened[0], opened[-1] + 1) if opened else (len(ranked), len(ranked))
        for at, (item, tier) in enumerate(ranked):
            if start <= at < stop:
                after = ranked[stop:]
            elif adjacent:
                # All that a choice leaves is next to the chosen.
                after = ranked[at + 1 : stop if at + 1 == start else at + 2]
            else:
                after = ranked[at + 1 :]
            for other, lower in after:
                yield item, other, "tie" if tier == lower else "left", order.row


def ends(order: Order) -> tuple[int, int, int]:
    """Of an answer taken jointly: the number of its items, of those that are in order from the best, and from the worst."""
    many = len(order.ranked)
    sizes = [len(list(tier)) for _, tier in groupby(tier for _, tier in order.ranked)]
    level = [at for at, size in enumerate(sizes) if size > 1]
    problem = None
    if many > MOST:
        problem = f"is about more than {MOST} items"
    elif many > 2 and len(level) > 1:
        problem = "has items of equal rank in two places"
    elif many > 2 and len(sizes) == 1:
        problem = "says of no item that it is better than another"
    if problem is not None:
        raise DataError(f"{order.name} {problem}, so it cannot be taken jointly; take rankings='pairs', or leave it out")
    return (many, level[0], len(sizes) - 1 - level[0]) if level else (many, len(sizes) - 1, 0)


def _of_ranking(ranking: Any, row: int) -> Order:
    """A text like "a > b = c", or a list of items, the best first, in which a list stands for those that tie."""
    if isinstance(ranking, str):
        tiers: list[list[Any]] = [[name.strip() for name in tier.split("=")] for tier in ranking.split(">")]
    else:
        tiers = [list(tier) if isinstance(tier, (list, tuple)) else [tier] for tier in ranking]
    order = Order([(item, at) for at, tier in enumerate(tiers) for item in tier], "ranking", row)
    if any(empty(item) for item, _ in order.ranked):
        raise DataError(f"{order.name} is {ranking!r}; write items like 'a > b = c', the best first")
    check_distinct(order.name, [item for item, _ in order.ranked])
    return order


def _rankings(table: _Table) -> list[Any]:
    """One ranking an entry: an array would make lists of equal length one."""
    values = table["ranking"]
    return list(values.to_list() if hasattr(values, "to_list") else values)


def _ends(table: _Table) -> list[str]:
    """The columns of the best and of the worst option, of which one may be missing."""
    return [column for column in ("choice" if "choice" in table else "best", "worst") if column in table]


def _of_options(table: _Table) -> list[Order]:
    columns = _ends(table)
    chosen = [dict(zip(columns, ends)) for ends in zip(*[listed(table[column]) for column in columns])]
    offered = [[cell for cell in cells if not empty(cell)] for cells in zip(*[listed(table[column]) for column in options_in(table)])]
    none = None if columns == ["worst"] else _none_of(columns[0], chosen, offered)
    for options in offered:
        if none is not None and none not in options:
            options.append(none)
    return [_of_row(ends, options, row) for row, (ends, options) in enumerate(zip(chosen, offered))]


def _none_of(column: str, chosen: list[dict[str, Any]], offered: list[list[Any]]) -> Any:
    """What stands for none of the options where it was chosen first, without being one of them: then it was an option of every row."""
    best = ((ends[column], options) for ends, options in zip(chosen, offered))
    return next((item for item, options in best if isinstance(item, str) and _lib.is_none(item) and item not in options), None)


def _of_row(chosen: dict[str, Any], options: list[Any], row: int) -> Order:
    """The best, the worst, or both of these options."""
    for column, item in chosen.items():
        if item not in options:
            raise DataError(f"{column} {row} (counted from 0) is {item!r}, which is none of its options; correct it")
    order = Order([], next(iter(chosen)), row)
    check_distinct(order.name, options)
    tiers = {item: _WORST if column == "worst" else 0 for column, item in chosen.items()}
    if len(tiers) < len(chosen):
        raise DataError(f"{order.name} is {chosen['worst']!r}, and so is the worst option; correct one of them")
    order.ranked.extend(sorted(((item, tiers.get(item, _OPEN)) for item in options), key=_tier))
    return order


def _is_long(table: _Table) -> bool:
    has_options = "item" in table or "option" in table
    return "task" in table and has_options and ("chosen" in table or "rank" in table) and not options_in(table)


def _option(table: _Table) -> str:
    return "option" if "option" in table else "item"


def _of_tasks(table: _Table) -> list[Order]:
    """The rows of a task, which is one user's, may stand anywhere."""
    column, tier_of = ("chosen", _chosen) if "chosen" in table else ("rank", _rank)
    tasks, items, cells = (listed(table[name]) for name in ("task", _option(table), column))
    users = listed(table["user"]) if "user" in table else [None] * len(tasks)
    found: dict[tuple[Any, Any], Order] = {}
    for row, (user, task, item, cell) in enumerate(zip(users, tasks, items, cells)):
        if empty(task):
            raise DataError(f"row {row} (counted from 0) names no task; write which one its option is of")
        order = found.setdefault((user, task), Order([], "the task of row", row))
        if any(item == other for other, _ in order.ranked):
            raise DataError(f"{order.name} names {item!r} again in row {row}; name every item once")
        order.ranked.append((item, tier_of(cell, row)))
    for order in found.values():
        order.ranked.sort(key=_tier)
        if order.ranked[0][1] == _OPEN and order.ranked[-1][1] == _OPEN:
            raise DataError(f"{order.name} has no option that is chosen; mark one with 1, or leave the task out")
    return list(found.values())


def _chosen(cell: Any, row: int) -> int:
    text = "" if empty(cell) else str(cell).strip().lower().removesuffix(".0")
    if text in ("1", "true", "yes", "best"):
        return 0
    if text in ("0", "false", "no", ""):
        return _OPEN
    if text in ("-1", "worst"):
        return _WORST
    raise DataError(f"chosen {row} (counted from 0) is {cell!r}; write 1 for the chosen option, 0 for the others and -1 for the worst")


def _rank(cell: Any, row: int) -> int:
    if empty(cell):
        return _OPEN
    try:
        rank = float(cell)
    except (TypeError, ValueError):
        rank = 0.0
    if not (rank.is_integer() and 1 <= rank < _OPEN):
        raise DataError(f"rank {row} (counted from 0) is {cell!r}; write 1 for the best option, 2 for the next one and so on")
    return int(rank)


def _tier(ranked: tuple[Any, int]) -> int:
    return ranked[1]


def check_distinct(name: str, items: list[Any]) -> None:
    """That `name`, as a sentence begins, names no item twice."""
    seen: set[Any] = set()
    for item in items:
        if item in seen:
            raise DataError(f"{name} names {item!r} twice; name every item once")
        seen.add(item)


def listed(values: Any) -> list[Any]:
    """The cells of a column."""
    return list(_plain_array(values).tolist())
