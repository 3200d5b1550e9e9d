"""Who gave which answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _answer_tables, _lib
from ._columns import table_of
from ._pairs import is_scores
from ._tables import Labels, _plain_array
from .errors import DataError, UnknownItemError, UnknownUserError

_Rows = np.ndarray[Any, np.dtype[np.int64]]


def said_by(users: Any, comparisons: Any) -> list[Any]:
    """Who gave each answer: of a sequence, or of a column."""
    table = table_of(comparisons)
    if isinstance(users, str):
        if table is None or users.lower() not in table:
            raise DataError(f"there is no column {users!r} that names who gave each answer; name the column, or give one user an answer by users=")
        users = table[users.lower()]
    given = _plain_array(users).tolist()
    count = len(comparisons) if table is None else len(next(iter(table.values())))
    if len(given) != count:
        raise DataError(f"there are {len(given)} users for {count} comparisons")
    return list(given)


def without_users(answers: Any, users: Any) -> Any:
    """Tables without a column that is called `user`, where another one names who gave the answers."""
    tables = _answer_tables.all_tables(answers)
    if tables is None or users is None or (isinstance(users, str) and users.lower() == "user"):
        return answers
    other = [{name: cells for name, cells in table.items() if name != "user"} for table in tables]
    return other if len(other) > 1 else other[0]


def by_user(answers: Any, users: Any) -> tuple[list[Any], Any]:
    """Who gave each answer, and the answers: tables have a column `user`."""
    tables = _answer_tables.all_tables(answers)
    if tables is None:
        if users is None and is_scores(answers):
            return ["user"] * len(answers), answers
        return said_by("user" if users is None else users, answers), answers
    if users is not None and not isinstance(users, str):
        if len(tables) > 1:
            raise DataError("several tables name their users in a column each; give its name by users=")
        tables = [{**tables[0], "user": said_by(users, tables[0])}]
    if isinstance(users, str):
        tables = [table_of(table, {"user": users}) or {} for table in tables]
    given = [{**table, "user": said_by("user", table)} for table in tables]
    return [user for table in given for user in table["user"]], given if len(given) > 1 else given[0]


def rows_by(answers: _lib.Answers, said: list[Any], by: _Rows) -> _Rows:
    """The row of the user of each answer."""
    row_of = dict(zip(map(str, said), by.tolist()))
    return np.array([row_of[answers.users[at]] for at in answers.by], dtype=np.int64)


def user_rows(people: Labels, users: list[Any]) -> _Rows:
    try:
        rows = people.rows(users)
    except UnknownItemError as error:
        raise UnknownUserError(str(error).replace("item", "user", 1).replace("items", "users").replace("comparison", "answer")) from None
    wrong = next((user for user, row in zip(users, rows.tolist()) if not 0 <= row < len(people)), None)
    if wrong is not None:
        raise UnknownUserError(f"there is no user {wrong!r} among the {len(people)} users")
    return rows
