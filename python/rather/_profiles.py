"""Items that are told by their attributes: in a table of choices with a row an option, what has the same attributes is the same item."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._orders import listed, options_in

_Table = dict[str, Any]

#: The columns that are no attributes.
_ROLES = {"task", "chosen", "rank", "user", "count", "noise"}


class Profiles(NamedTuple):
    """The items that tables of tasks tell by their attributes."""

    #: The attributes of each item, and what it is called.
    columns: dict[str, list[Any]]
    names: list[str]
    #: The tables, each with a column `item`.
    tables: list[_Table]

    @classmethod
    def of(cls, tables: list[_Table]) -> Profiles | None:
        """Those of tables that name no items."""
        if not all(map(_names_no_items, tables)):
            return None
        attributes = _attributes(tables[0])
        if not attributes or any({*_attributes(table)} != {*attributes} for table in tables):
            return None
        found: dict[str, tuple[Any, ...]] = {}
        told = []
        for table in tables:
            rows = list(zip(*[listed(table[column]) for column in attributes]))
            keys = _numbered([", ".join(map(str, row)) for row in rows], table)
            found.update(zip(keys, rows))
            told.append({**{column: cells for column, cells in table.items() if column in _ROLES}, "item": keys})
        columns = {column: [row[at] for row in found.values()] for at, column in enumerate(attributes)}
        return cls(columns, list(found), told)


def _attributes(table: _Table) -> list[str]:
    """The columns without a role, and that are not one with a role under its other name."""
    roles = [cells for column, cells in table.items() if column in _ROLES]
    return [column for column, cells in table.items() if column not in _ROLES and not any(cells is other for other in roles)]


def _names_no_items(table: _Table) -> bool:
    says = "chosen" in table or "rank" in table
    return "task" in table and says and not {"item", "option"} & {*table} and not options_in(table)


def _numbered(keys: list[str], table: _Table) -> list[str]:
    """What is in a task twice are two items."""
    tasks = listed(table["task"])
    users = listed(table["user"]) if "user" in table else [None] * len(tasks)
    times: dict[tuple[Any, Any, str], int] = {}
    out = []
    for place in zip(users, tasks, keys):
        times[place] = times.get(place, 0) + 1
        out.append(place[2] if times[place] == 1 else f"{place[2]} ({times[place]})")
    return out
