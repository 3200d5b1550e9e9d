"""Answers as the samples of scikit-learn's cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _answer_tables
from ._columns import Table, read_as, sides_of, taken
from ._orders import _is_long, listed, orders
from ._outcomes import Outcomes
from ._pairs import _winners
from ._problem import Problem
from ._tables import Labels, items
from .errors import DataError

_Rows = np.ndarray[Any, np.dtype[np.int64]]


class Comparisons:
    """Answers with the items that they are about: one sample an answer.

    An estimator of scikit-learn takes as many targets as samples, but there are as many items as there are and as many
    answers as were given. Where answers are to be split (cross-validation, a grid search), they come as `Comparisons`, which are
    sliced like an array and stand for items and answers at once.

    Parameters
    ----------
    X : table or None
        The items, as :meth:`PreferenceGP.fit` takes them; `None` if they are only names.
    y : array, list of pairs, table, or list of tables
        The answers, of any kind that :meth:`PreferenceGP.fit` takes. In a table with a row an option, all rows of a task are one sample.
    names : sequence or str, optional
        The items' names, or the column of `X` that has them.
    users : sequence or str, optional
        Who gave each answer, or the column that names them; for :class:`PopulationGP` and models with a noise of every user.
    columns : dict of str to str, optional
        What the columns of `y` are called, by their roles: `{"left": "model_a", "right": "model_b", "outcome": "winner"}`. Usual names are known without it.

    Attributes
    ----------
    X
        The items, as they were given.
    labels
        The items' names.

    Examples
    --------
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> from rather import PreferenceGP
    >>> comparisons = Comparisons([[0.0], [1.0], [2.0]], [(2, 0), (2, 1), (1, 0), (2, 0), (1, 0), (2, 1)])
    >>> cross_val_score(PreferenceGP("se"), comparisons, cv=GroupKFold(3), groups=comparisons.groups).mean()
    np.float64(1.0)

    Ties count, by their own probability:

    >>> votes = {"model_a": ["x", "y", "x", "z"] * 3, "model_b": ["y", "z", "z", "y"] * 3, "winner": ["model_a", "tie", "model_a", "tie"] * 3}
    >>> bool(cross_val_score(PreferenceGP("white"), Comparisons(None, votes), cv=3).mean() > 0.5)
    True
    """

    def __init__(self, X: Any, y: Any, *, names: Any = None, users: Any = None, columns: Mapping[str, str] | None = None) -> None:
        if isinstance(users, str):
            columns = {**(columns or {}), "user": users}
        #: Which columns were read in which role, by their usual names.
        self._read_as = read_as(y, columns)
        problem = Problem.of(X, y, names, columns)
        self.X, self.table, self.labels = X, problem.table, problem.labels
        #: What the answers call the items: their rows, where they were not in a table.
        self._reading = self.labels
        tables = _answer_tables.all_tables(problem.answers)
        if tables is None:
            winners, losers, _ = _winners(problem.answers, self.labels)
            self._reading = Labels(range(len(self.labels)))
            tables = [{"winner": winners, "loser": losers}]
        if users is not None and not isinstance(users, str):
            tables = [_with_users(tables, users)]
        self._tables = tables
        #: The rows of each answer, where it has several.
        self._of_tasks = [_rows_of_tasks(table) for table in tables]
        sizes = [_length(table) if tasks is None else len(tasks) for table, tasks in zip(tables, self._of_tasks)]
        self._samples: _Rows = np.concatenate([np.column_stack([np.full(n, at), np.arange(n)]) for at, n in enumerate(sizes)])
        self._whole = self
        self._scales: dict[tuple[str, str], _answer_tables.Scales] = {}

    @property
    def shape(self) -> tuple[int]:
        """The number of answers."""
        return (len(self._samples),)

    @property
    def pairs(self) -> _Rows:
        """Row numbers of the two items of each answer: winner and loser, or left and right, as the table has them."""
        found = []
        for table in self.tables():
            sides = sides_of(set(table))
            if sides is None:
                raise DataError("these answers are not about two items each; only comparisons have pairs")
            found.append(np.column_stack([self._reading.rows(table[side]) for side in sides]))
        return np.concatenate(found)

    @property
    def outcomes(self) -> np.ndarray[Any, Any]:
        """What came of each comparison, in words: `"left"`, `"right"`, `"tie"`, `"much left"`. The target of scikit-learn's own scores, as in
        `cross_val_score(model, comparisons, comparisons.outcomes, scoring="neg_log_loss")`, which needs comparisons without ties and grades;
        :mod:`rather.metrics` needs no target and takes all."""
        found: list[str] = []
        for table in self.tables():
            sides = sides_of(set(table))
            told = Outcomes.of(table, self.labels) if sides == ("left", "right") and "outcome" in table else None
            if sides is None or (sides == ("left", "right") and (told is None or told.probabilities is not None)):
                raise DataError("these answers are no outcomes in words of two items each; take a score of rather.metrics, which needs no target")
            found += ["left"] * _length(table) if told is None else told.words
        return np.array(found)

    @property
    def groups(self) -> _Rows:
        """A number for what each answer is about, whoever gave it: for splitters that keep the answers about one pair of items in one part
        (`GroupKFold`), so that none leaks from training to test."""
        about = [frozenset(named) for table in self.tables() for named in _about(table)]
        known: dict[frozenset[Any], int] = {}
        return np.array([known.setdefault(named, len(known)) for named in about], dtype=np.int64)

    @property
    def users(self) -> list[Any]:
        """Who gave each answer, for splitters that keep those of one user in one part; `None` where it is not known."""
        found: list[Any] = []
        for table, tasks in zip(self.tables(), map(_rows_of_tasks, self.tables())):
            cells = listed(table["user"]) if "user" in table else [None] * _length(table)
            found += cells if tasks is None else [cells[rows[0]] for rows in tasks]
        return found

    def __len__(self) -> int:
        return len(self._samples)

    def __repr__(self) -> str:
        return f"<Comparisons: {len(self)} answers about {len(self.labels)} items>"

    def __getitem__(self, key: Any) -> Comparisons:
        rows = key[0] if isinstance(key, tuple) else key
        part = object.__new__(Comparisons)
        part.__dict__.update(self.__dict__)
        part._samples = np.atleast_2d(self._samples[rows])
        return part

    def with_items(self, X: Any) -> Comparisons:
        """The same answers about items with other features, one row an item in the same order.

        Parameters
        ----------
        X : table
            One row an item, in the same order.

        Returns
        -------
        Comparisons
        """
        part = self[:]
        part.X, part.table = X, items(X, list(self.labels.names))[0]
        return part

    def tables(self) -> list[Table]:
        """The answers as tables of columns."""
        out = []
        for at, (table, tasks) in enumerate(zip(self._tables, self._of_tasks)):
            rows = self._samples[self._samples[:, 0] == at, 1]
            if tasks is not None:
                rows = np.concatenate([tasks[row] for row in rows]) if len(rows) else rows
            out.append({name: taken(column, rows) for name, column in table.items()})
        return out

    def _scales_of(self, ties: str, rankings: str) -> _answer_tables.Scales:
        """The ratings and words of strength of all answers, of which these may be a part."""
        known = self._whole._scales
        if (ties, rankings) not in known:
            found = _answer_tables.answers(self._whole._tables, self._reading, ties=ties, rankings=rankings)
            known[ties, rankings] = found.levels, found.grades
        return known[ties, rankings]


def _with_users(tables: list[Table], users: Any) -> Table:
    users = list(users)
    if len(tables) > 1:
        raise DataError("several tables name their users in a column each; give its name by users=")
    if len(users) != _length(tables[0]):
        raise DataError(f"there are {len(users)} users for {_length(tables[0])} comparisons")
    return {**tables[0], "user": users}


def _length(table: Table) -> int:
    return len(next(iter(table.values())))


def _rows_of_tasks(table: Table) -> list[_Rows] | None:
    """The rows of each task, of a table with a row an option."""
    if not _is_long(table):
        return None
    users = listed(table["user"]) if "user" in table else [None] * _length(table)
    found: dict[tuple[Any, Any], list[int]] = {}
    for row, task in enumerate(zip(users, listed(table["task"]))):
        found.setdefault(task, []).append(row)
    return [np.array(rows, dtype=np.int64) for rows in found.values()]


def _about(table: Table) -> list[tuple[Any, ...]]:
    """The items of each answer."""
    sides = sides_of(set(table))
    if sides is not None:
        return list(zip(*[listed(table[side]) for side in sides]))
    found = orders(table)
    return [tuple(item for item, _ in order.ranked) for order in found] if found is not None else [(item,) for item in listed(table["item"])]
