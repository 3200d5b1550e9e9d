"""The estimator of many users: a utility for each, learned from what all said."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _answer_tables, _lib, _progress
from ._fitted import Fitted, loaded
from ._pairs import _table, _winners, pairs
from ._profiles import Profiles
from ._questions import Questions
from ._results import Ranking, Segments
from ._sets import Sets
from ._tables import Labels, _plain_array, items, named
from .errors import DataError, ParameterError, UnknownItemError, UnknownUserError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
_Rows = np.ndarray[Any, np.dtype[np.int64]]


class PopulationGP(Fitted):
    """Gaussian processes over the utilities of many users, learned together from their answers.

    Parameters
    ----------
    model : {"collaborative", "hierarchical", "kronecker", "per-user", "pooled"}
        Weighted sums of a few latent functions (Houlsby et al. 2012); one prior learned from all (Birlutiu et al. 2009); one function of user and
        item (Abbasnejad et al. 2013); every user alone; all users pooled.
    kernel : str
        The kernel over items: `"auto"`, by evidence, or an expression such as `"se[price] + linear"`.
    ard : bool
        A lengthscale for every feature.
    n_functions : int
        The largest number of latent functions of a collaborative model; those that the answers do not support are pruned.
    fixed : dict of str to float, optional
        Hyperparameters of the item kernel that are not learned, in the units of the table.
    priors : bool
        Weak priors on hyperparameters.
    raw_features : bool
        Features as they are, not standardised.
    rankings : {"pairs", "adjacent", "joint"}
        As that of :class:`rather.PreferenceGP`.
    random_state : int, optional
        Seed of whatever is random.
    progress : bool or callable
        As that of :class:`rather.PreferenceGP`.

    Attributes
    ----------
    kernel_, hyperparameters_, log_evidence_, converged_, notices_
        As those of :class:`rather.PreferenceGP`.
    items_, users_ : list
        Names.

    Examples
    --------
    >>> votes = {
    ...     "user": ["ann", "ann", "ann", "bob", "bob", "cem"],
    ...     "winner": ["tea", "tea", "coffee", "wine", "wine", "wine"],
    ...     "loser": ["coffee", "wine", "wine", "tea", "coffee", "tea"],
    ... }
    >>> model = PopulationGP("per-user", "white").fit(None, votes)
    >>> model.ranking("ann")[0].item, model.ranking("bob")[0].item
    ('tea', 'wine')
    >>> model.newcomer([("coffee", "tea")]).ranking()[0].item
    'coffee'
    """

    def __init__(
        self,
        model: str = "collaborative",
        kernel: str = "auto",
        *,
        ard: bool = False,
        n_functions: int = 20,
        fixed: dict[str, float] | None = None,
        priors: bool = True,
        raw_features: bool = False,
        rankings: str = "pairs",
        random_state: int | None = 0,
        progress: bool | _progress.Callback = False,
    ) -> None:
        self.model = model
        self.kernel = kernel
        self.ard = ard
        self.n_functions = n_functions
        self.fixed = fixed
        self.priors = priors
        self.raw_features = raw_features
        self.rankings = rankings
        self.random_state = random_state
        self.progress = progress

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        users: Any = "user",
        user_features: Any = None,
        names: Any = None,
        user_names: Any = None,
    ) -> Self:
        """Learns from comparisons, or from answers of other kinds.

        Parameters
        ----------
        X : table or None
            The items, as :meth:`rather.PreferenceGP.fit` takes them. Without it, of tasks with a row an option that names no item, what has the same
            attributes (the other columns) is one item.
        y : array, list of pairs, or table
            The comparisons: winner and loser, or `left`, `right` and `outcome`; or tables of any kind of answer, of which there may be a list, as
            :meth:`rather.PreferenceGP.fit` takes them: ties, grades, ratings, values, class labels, choices of several, rankings.
        users : sequence or str
            Who said each comparison, or the column of `y` that tells (of each of its tables).
        user_features : table, optional
            The users, one a row, with features; for models that use them, users who never answered may be among them.
        names, user_names : sequence or str, optional
            What items and users are called, or the column that holds it.

        Raises
        ------
        RatherError
            As :meth:`rather.PreferenceGP.fit`.
        """
        if y is None:
            raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
        tables = _by_user(users, y)
        said = _said_by(users, y) if tables is None else [user for table in tables for user in table["user"]]
        profiles = Profiles.of(tables) if X is None and names is None and tables is not None else None
        if profiles is not None:
            table, labels = items(profiles.columns, profiles.names)
            tables = profiles.tables
        elif X is None:
            from ._estimator import _named_in

            found = _named_in(_without(y, users)) if tables is None else _answer_tables.named_in(tables)
            table, labels = named(found if names is None else list(names))
        else:
            table, labels = items(X, names)
        if user_features is None:
            everyone = list(dict.fromkeys(said))
            if user_names is not None:
                raise ParameterError("user_names goes with user_features, whose rows they name")
            people, self._people = named(everyone)
        else:
            people, self._people = items(user_features, user_names)
        by = _user_rows(self._people, said)
        if tables is None:
            winners, losers, counts = _winners(y, labels)
            answers = _lib.Answers(winners, losers, len(labels), counts)
        else:
            answers = _answer_tables.answers(tables, labels, ties="learn", rankings=self.rankings)
            row_of = dict(zip(map(str, said), by.tolist()))
            by = np.array([row_of[answers.users[at]] for at in answers.by], dtype=np.int64)
        fixed = [(str(name), float(value)) for name, value in (self.fixed or {}).items()]
        kernel = {
            "kernel": self.kernel,
            "ard": self.ard,
            "fixed": fixed,
            "priors": self.priors,
            "raw_features": self.raw_features,
            "seed": self._seed(),
        }
        parameters = (self.model, self.n_functions, kernel)
        with _progress.shown(self.progress) as progress:
            self.model_ = _lib.Model.fit_many(table, people, answers, by, parameters, progress)
        self._labels = labels
        if not self.model_.converged:
            warnings.warn("; ".join(self.model_.notices) or "inference did not converge", ConvergenceWarning, stacklevel=2)
        return self

    def user(self, user: Any) -> Person:
        """What is believed of a user who is known."""
        check_is_fitted(self, "model_")
        row = int(_user_rows(self._people, [user])[0])
        return Person(self.model_.user(row), self._labels, self._seed(), self.progress)

    def newcomer(self, y: Any = None, *, features: Any = None) -> Person:
        """What is believed of somebody new, from a few answers, of the kinds that the model was learned from, from features (a table of one row, with
        the columns of `user_features`), from both or from neither. Rankings become what `rankings` says, which a loaded estimator has from `set_params`."""
        check_is_fitted(self, "model_")
        answers = None
        tables = None if y is None else _answer_tables.tables(y, bias=False, user_noise=False)
        if tables is not None:
            answers = self.model_.settled(_answer_tables.read(tables, self._labels, self.rankings))
        elif y is not None and len(y):
            winners, losers, counts = _winners(y, self._labels)
            answers = _lib.Answers(winners, losers, len(self._labels), counts)
        table = None if features is None else items(features)[0]
        if table is not None and len(table) != 1:
            raise DataError(f"somebody new has one row of features, not {len(table)}")
        person = self.model_.newcomer(table, answers)
        return Person(person, self._labels, self._seed(), self.progress)

    def predict(self, user: Any, X: Any = None, *, return_std: bool = False, names: Any = None) -> _Numbers | tuple[_Numbers, _Numbers]:
        """Mean utilities for a user, relative to the average over the items that anybody compared; with `return_std`, standard deviations too."""
        return self.user(user).predict(X, return_std=return_std, names=names)

    def predict_proba(self, pairs_: Any, *, users: Any = "user") -> _Numbers:
        """For each pair of items, the probabilities that its left and its right one is preferred by who is asked: one user for all pairs, a sequence
        with one a pair, or the column of a table that tells."""
        check_is_fitted(self, "model_")
        left, right = pairs(pairs_, self._labels)
        p = self.model_.user_probabilities(self._askees(users, pairs_, len(left)), left, right)
        return np.column_stack([p, 1.0 - p])

    def predict_best(self, sets: Any, *, users: Any = "user") -> tuple[_Numbers, _Numbers]:
        """The probabilities that each item of a set is the best of it, and the worst, as :meth:`PreferenceGP.predict_best` has them, for who is asked:
        one user for all sets, a sequence with one a set, or the column of a table that tells."""
        check_is_fitted(self, "model_")
        asked = Sets.of(sets, self._labels)
        by = self._askees(users, sets, len(asked.rows))
        best, worst = np.full(asked.rows.shape, np.nan), np.full(asked.rows.shape, np.nan)
        for user in np.unique(by):
            of_user = by == user
            best[of_user], worst[of_user] = asked.part(of_user).extremes(self.model_.user(int(user)))
        return best, worst

    def score(self, y: Any, *, users: Any = "user") -> float:
        """The share of comparisons whose winner has the larger probability; one half counts half."""
        check_is_fitted(self, "model_")
        winners, losers, counts = _winners(y, self._labels)
        p = self.model_.user_probabilities(self._askees(users, y, len(winners)), winners, losers)
        return float(np.average(np.where(np.abs(p - 0.5) <= 1e-12, 0.5, p > 0.5), weights=counts))

    def ranking(self, user: Any, X: Any = None, *, top: int | None = None, names: Any = None) -> Ranking:
        """Items by decreasing utility for a user, with standard deviations."""
        return self.user(user).ranking(X, top=top, names=names)

    def segments(self, n_segments: int | None = None) -> Segments:
        """Groups of users whose utilities are alike: clusters (k-means) of their posterior mean utilities.

        Parameters
        ----------
        n_segments : int, optional
            So many; else as many, 2 to 6, as stand apart most clearly.

        Examples
        --------
        >>> winners = ["tea", "coffee", "tea", "tea", "coffee", "coffee"] * 2
        >>> votes = {
        ...     "user": [f"p{k}" for k in range(6)] * 2,
        ...     "winner": winners,
        ...     "loser": ["coffee" if winner == "tea" else "tea" for winner in winners],
        ... }
        >>> segments = PopulationGP("hierarchical", "white").fit(None, votes).segments(2)
        >>> bool(segments.labels[0] == segments.labels[2] != segments.labels[1])
        True
        >>> segments.items[segments.means[segments.labels[0]].argmax()]
        'tea'
        """
        users, segment, probability, shares, means, silhouette = self._model().segments(n_segments, self._seed())
        labels, probabilities = np.full(len(self._people), -1), np.full(len(self._people), np.nan)
        labels[users], probabilities[users] = segment, probability
        return Segments(labels, probabilities, shares, np.array(means), list(self._labels.names), silhouette)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted estimator from a model file, safe to read from a stranger."""
        estimator = cls()
        estimator.model_ = loaded(path, many=True)
        estimator.model = str(estimator.model_.kind)
        estimator._labels = Labels.saved(estimator.model_.names, estimator.model_.integers)
        estimator._people = Labels.saved(*estimator.model_.users)
        return estimator

    @property
    def users_(self) -> list[Any]:
        self._model()
        return list(self._people.names)

    def _askees(self, users: Any, given: Any, count: int) -> _Rows:
        table = _table(given)
        one = isinstance(users, (str, int)) and not (table is not None and isinstance(users, str) and users.lower() in table)
        who = [users] * count if one else _said_by(users, given)
        return _user_rows(self._people, who)


class Person(Questions):
    """What a model of many users believes of one of them, or of somebody new."""

    def __init__(self, model: _lib.Model, labels: Labels, seed: int, progress: bool | _progress.Callback) -> None:
        self._person, self._labels, self._own_seed, self.progress = model, labels, seed, progress

    def _model(self) -> _lib.Model:
        return self._person

    def _seed(self) -> int:
        return self._own_seed


def _said_by(users: Any, comparisons: Any) -> list[Any]:
    """Who said each comparison."""
    table = _table(comparisons)
    if isinstance(users, str):
        if table is None or users.lower() not in table:
            raise DataError(
                f"there is no column {users!r} that tells who said what; name the column, or give one user a comparison by users="
            )
        users = table[users.lower()]
    given = _plain_array(users).tolist()
    count = len(comparisons) if table is None else len(next(iter(table.values())))
    if len(given) != count:
        raise DataError(f"there are {len(given)} users for {count} comparisons")
    return list(given)


def _by_user(users: Any, answers: Any) -> list[dict[str, Any]] | None:
    """The tables of answers, each with a column `user`, if they have more than who was preferred to whom."""
    tables = _answer_tables.tables(answers, bias=False, user_noise=False)
    if tables is None:
        return None
    if not isinstance(users, str) and len(tables) > 1:
        raise DataError("several tables name their users in a column each; give its name by users=")
    return [{**_without(table, users), "user": _said_by(users, table)} for table in tables]


def _without(comparisons: Any, users: Any) -> Any:
    """The comparisons as a table without the users' column, which may be called like anything."""
    table = _table(comparisons)
    if table is None or not isinstance(users, str):
        return comparisons
    return {name: values for name, values in table.items() if name != users.lower()}


def _user_rows(people: Labels, users: list[Any]) -> _Rows:
    try:
        rows = people.rows(users)
    except UnknownItemError as error:
        raise UnknownUserError(str(error).replace("item", "user", 1).replace("items", "users").replace("comparison", "answer")) from None
    wrong = next((user for user, row in zip(users, rows.tolist()) if not 0 <= row < len(people)), None)
    if wrong is not None:
        raise UnknownUserError(f"there is no user {wrong!r} among the {len(people)} users")
    return rows
