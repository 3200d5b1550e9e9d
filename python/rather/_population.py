"""The estimator of many users: a utility for each, learned from the answers of all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from . import _answer_tables, _lib, _parameters, _progress
from ._available import about_pairs
from ._base import RandomState, check_is_fitted, count_of
from ._columns import read_as, table_of
from ._comparisons import Comparisons
from ._fitted import Fitted, loaded
from ._pairs import _winners, as_table, is_scores, sided_pairs
from ._problem import Problem
from ._questions import Questions
from ._results import Figure, Ranking, Segments
from ._sets import Sets
from ._summary import Summary
from ._tables import Labels, items, named, names_alone
from ._users import by_user, rows_by, said_by, user_rows, without_users
from .errors import DataError, ParameterError
from .metrics import Scores

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
    random_state : int, RandomState, Generator or None
        Seed of whatever is random.
    progress : bool or callable
        As that of :class:`rather.PreferenceGP`.

    Attributes
    ----------
    kernel_, hyperparameters_, log_evidence_, converged_, notices_, columns_
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
    >>> model.ranking(user="ann")[0].item, model.ranking(user="bob")[0].item
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
        random_state: RandomState = 0,
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
        users: Any = None,
        user_features: Any = None,
        names: Any = None,
        user_names: Any = None,
        columns: Mapping[str, str] | None = None,
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
        users : sequence or str, optional
            Who gave each answer, or the column of `y` that names them (of each of its tables); if not given, the column `user`, or one of its usual names (`judge`,
            `annotator`, `respondent`). One number an item without users is one user's, who is called `"user"`.
        user_features : table, optional
            The users, one a row, with features; for models that use them, users who never answered may be among them.
        names, user_names : sequence or str, optional
            What items and users are called, or the column that holds it.
        columns : dict of str to str, optional
            As in :meth:`rather.PreferenceGP.fit`.

        Returns
        -------
        PopulationGP
            This estimator.

        Raises
        ------
        RatherError
            As :meth:`rather.PreferenceGP.fit`.
        """
        parameters = self._parameters()
        answered = X if isinstance(X, Comparisons) else None
        of_users = {"user": users} if isinstance(users, str) else {}
        self._forget_features()
        self.columns_ = read_as(y, {**(columns or {}), **of_users}) if answered is None else answered._read_as
        if answered is not None:
            table, labels, reading, y = answered.table, answered.labels, answered._reading, answered.tables()
        else:
            if y is None:
                raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
            if isinstance(users, str):
                columns = {**(columns or {}), "user": users}
            table, labels, y = Problem.of(X, without_users(y, users), names, columns)
            reading = labels
            if X is not None:
                self._check_features(X, reset=True)
        # A column that was named is called `user` by now.
        said, given = by_user(y, None if isinstance(users, str) else users)
        if user_features is None:
            if user_names is not None:
                raise ParameterError("user_names goes with user_features, whose rows they name")
            people, self._people = named(list(dict.fromkeys(said)))
        else:
            people, self._people = items(user_features, user_names)
        by = user_rows(self._people, said)
        tables = _answer_tables.tables(given, bias=False, user_noise=False)
        if tables is None:
            winners, losers, counts = _winners(given, reading)
            by = by if len(by) == len(winners) else np.zeros(len(winners), dtype=np.int64)
            answers = _lib.Answers(winners, losers, len(reading), counts)
        else:
            scales = None if answered is None else answered._scales_of("learn", self.rankings)
            answers = _answer_tables.answers(tables, reading, ties="learn", rankings=self.rankings, scales=scales)
            by = rows_by(answers, said, by)
        with _progress.shown(self.progress) as progress:
            self.model_ = _lib.Model.fit_many(table, people, answers, by, parameters, progress, self._columns_given())
        self._labels, self._of_targets = labels, answered is None and is_scores(given)
        self._warn()
        return self

    def user(self, user: Any) -> Person:
        """The utilities of a user who is known.

        Parameters
        ----------
        user
            The user's name.

        Returns
        -------
        Person
            It answers what :class:`rather.PreferenceGP` answers: `predict`, `predict_proba`, `ranking`, `sample`, `suggest`.

        Raises
        ------
        UnknownUserError
            If there is no such user.
        """
        check_is_fitted(self)
        row = int(user_rows(self._people, [user])[0])
        return Person(self.model_.user(row), self._labels, self._seed(), self.progress)

    def newcomer(self, y: Any = None, *, features: Any = None) -> Person:
        """The utilities of somebody new.

        Parameters
        ----------
        y : answers, optional
            A few answers, of the kinds that the model was learned from. Rankings become what `rankings` says, which a loaded estimator has from `set_params`.
        features : table, optional
            One row, with the columns of `user_features`.

        Returns
        -------
        Person
            Without answers and features, of somebody of whom nothing is known.
        """
        check_is_fitted(self)
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

    def predict(
        self, X: Any = None, *, user: Any = None, return_std: bool = False, return_cov: bool = False, names: Any = None
    ) -> Any:
        """Mean utilities for a user, relative to the average over the items that anybody compared.

        Parameters
        ----------
        X, return_std, return_cov, names
            As in :meth:`PreferenceGP.predict`.
        user : name, optional
            Who is asked; if not given, somebody of whom nothing is known.

        Returns
        -------
        As :meth:`PreferenceGP.predict`.

        Raises
        ------
        UnknownUserError
            If there is no such user.
        """
        if X is not None and not isinstance(X, Comparisons):
            self._check_asked(X)
        return self._who(user).predict(X, return_std=return_std, return_cov=return_cov, names=names)

    @about_pairs
    def predict_proba(self, pairs: Any, *, users: Any = "user") -> _Numbers:
        """For each pair of items, the probabilities that its left and its right one is preferred by who is asked. An
        estimator that learned from one number an item does not have it, as :meth:`PreferenceGP.predict_proba`.

        Parameters
        ----------
        pairs : array, list of pairs or table
            As in :meth:`PreferenceGP.predict_proba`.
        users : name, sequence or str
            One user for all pairs, a sequence with one a pair, or the column of a table that names them.

        Returns
        -------
        array, shape (n_pairs, 2)
        """
        check_is_fitted(self)
        left, right, _ = sided_pairs(pairs, self._labels)
        p = self.model_.user_probabilities(self._askees(users, pairs, len(left)), left, right)
        return np.column_stack([p, 1.0 - p])

    def predict_best(self, sets: Any, *, users: Any = "user") -> tuple[_Numbers, _Numbers]:
        """The probabilities that each item of a set is the best of it, and the worst, for who is asked.

        Parameters
        ----------
        sets : list of lists, or table
            As in :meth:`PreferenceGP.predict_best`.
        users : name, sequence or str
            One user for all sets, a sequence with one a set, or the column of a table that names them.

        Returns
        -------
        best, worst : arrays, shape (n_sets, n_items)
        """
        check_is_fitted(self)
        asked = Sets.of(sets, self._labels)
        by = self._askees(users, sets, len(asked.rows))
        best, worst = np.full(asked.rows.shape, np.nan), np.full(asked.rows.shape, np.nan)
        for user in np.unique(by):
            of_user = by == user
            best[of_user], worst[of_user] = asked.part(of_user).extremes(self.model_.user(int(user)))
        return best, worst

    def scores(self, X: Any, y: Any = None, *, users: Any = None) -> Scores:
        """How well answers of users are predicted that were not learned from.

        Parameters
        ----------
        X : Comparisons, table or None
            The answers with their items; else `None`, or the items that were learned from, whose rows or names `y` has.
        y : answers
            Of any kind that :meth:`fit` takes.
        users : sequence or str, optional
            As in :meth:`fit`.

        Returns
        -------
        Scores
            Accuracy, log loss and others (:class:`rather.metrics.Scores`).

        Raises
        ------
        UnknownUserError
            For answers of users who are not known; ask :meth:`newcomer` of them.
        """
        check_is_fitted(self)
        if isinstance(X, Comparisons):
            y, reading = X.tables(), X._reading
            self._check_same(X.labels)
        else:
            reading = self._labels
            if X is not None:
                self._check_asked(X)
                self._check_same(items(X)[1])
            if y is None:
                raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
        said, given = by_user(y, users)
        tables = _answer_tables.all_tables(given)
        if tables is None:
            compared, reading = as_table(given, reading), Labels(range(len(reading)))
            # One number an item becomes as many comparisons as that takes.
            said = said if len(said) == len(compared["winner"]) else said[:1] * len(compared["winner"])
            tables = [{**compared, "user": said}]
        scales = self.model_.levels, self.model_.grades
        answers = _answer_tables.answers(tables, reading, ties="learn", rankings=self.rankings, scales=scales)
        by = rows_by(answers, said, user_rows(self._people, said))
        return Scores.of(json.loads(_lib.user_scores(self.model_, answers, by)))

    def score(self, X: Any, y: Any = None, *, users: Any = None) -> float:
        """The share of answers that had the largest probability of all that could be given; of two equally probable ones each counts half.

        Parameters
        ----------
        X, y, users
            As in :meth:`scores`.

        Returns
        -------
        float
        """
        return self.scores(X, y, users=users).accuracy

    def log_score(self, X: Any, y: Any = None, *, users: Any = None) -> float:
        """The mean log probability of the answers `y`, in nats.

        Parameters
        ----------
        X, y, users
            As in :meth:`scores`.

        Returns
        -------
        float
        """
        return -self.scores(X, y, users=users).log_loss

    def ranking(self, X: Any = None, *, user: Any = None, top: int | None = None, standings: bool = False, names: Any = None) -> Ranking:
        """Items by decreasing utility for a user, with standard deviations.

        Parameters
        ----------
        user : name, optional
            Who is asked; if not given, somebody of whom nothing is known.
        X, top, standings, names
            As in :meth:`PreferenceGP.ranking`.

        Returns
        -------
        Ranking
        """
        return self._who(user).ranking(X, top=top, standings=standings, names=names)

    def sample(self, X: Any = None, n_samples: int = 1, *, user: Any = None, random_state: RandomState = None, names: Any = None) -> _Numbers:
        """Joint draws of a user's utilities.

        Parameters
        ----------
        user : name, optional
            Who is asked; if not given, somebody of whom nothing is known.
        X, n_samples, random_state, names
            As in :meth:`PreferenceGP.sample`.

        Returns
        -------
        array, shape (n_samples, n_items)
        """
        return self._who(user).sample(X, n_samples, random_state=random_state, names=names)

    def covariance(self, X: Any = None, *, user: Any = None, names: Any = None) -> _Numbers:
        """The posterior covariance of a user's utilities, not relative to an average.

        Parameters
        ----------
        user : name, optional
            Who is asked; if not given, somebody of whom nothing is known.
        X, names
            As in :meth:`PreferenceGP.covariance`.

        Returns
        -------
        array, shape (n_items, n_items)
        """
        return self._who(user).covariance(X, names=names)

    def plot(self, *, user: Any = None, top: int | None = None, title: str | None = None, ax: Any = None) -> Figure | Any:
        """The ranking of a user as a figure.

        Parameters
        ----------
        user : name, optional
            Who is asked; if not given, somebody of whom nothing is known.
        top, title, ax
            As in :meth:`PreferenceGP.plot`.

        Returns
        -------
        Figure, or `ax`
        """
        return self._who(user).plot(top=top, title=title, ax=ax)

    def summary(self) -> Summary:
        """What was learned, on one page, as :meth:`PreferenceGP.summary`.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        return Summary.of(self)

    def segments(self, n_segments: int | None = None) -> Segments:
        """Groups of users whose utilities are alike: clusters (k-means) of their posterior mean utilities.

        Parameters
        ----------
        n_segments : int, optional
            So many; else as many, 2 to 6, as stand apart most clearly.

        Returns
        -------
        Segments

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
        number = None if n_segments is None else count_of("n_segments", n_segments)
        users, segment, probability, shares, means, silhouette = self._model().segments(number, self._seed())
        labels, probabilities = np.full(len(self._people), -1), np.full(len(self._people), np.nan)
        labels[users], probabilities[users] = segment, probability
        return Segments(labels, probabilities, shares, np.array(means), list(self._labels.names), silhouette)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted estimator from a model file, safe to read from a stranger.

        Parameters
        ----------
        path : str or Path
            The file, of this package or of the program.

        Returns
        -------
        PopulationGP
            Its parameters are the defaults, but for `model`.

        Raises
        ------
        ModelFileError
            If there is no such file, or no model of many users in it.
        """
        estimator = cls()
        estimator.model_ = loaded(path, many=True)
        estimator.model = str(estimator.model_.kind)
        estimator._labels = Labels.saved(estimator.model_.names, estimator.model_.integers)
        estimator._people = Labels.saved(*estimator.model_.users)
        estimator._take_features()
        return estimator

    @property
    def compared_(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Row numbers of the items that anybody compared."""
        return np.array(self._model().compared, dtype=np.int64)

    @property
    def users_(self) -> list[Any]:
        """The users' names."""
        self._model()
        return list(self._people.names)

    def _who(self, user: Any) -> Person:
        check_is_fitted(self)
        return self.newcomer() if user is None else self.user(user)

    def _check_same(self, labels: Labels) -> None:
        if list(labels.names) != list(self._labels.names):
            raise DataError("scores are of the items that were learned from; give these, in their order, or X=None")

    def _check_asked(self, X: Any) -> None:
        if isinstance(X, (str, int, np.integer)):
            raise ParameterError(f"X={X!r} must be items; who is asked is named by user={X!r}")
        if names_alone(X) is None:
            self._check_features(X, reset=False)

    def _parameters(self) -> tuple[str, int, dict[str, Any]]:
        given = _parameters.checked(self.get_params(deep=False))
        kernel = {name: given[name] for name in ("kernel", "ard", "fixed", "priors", "raw_features")}
        return given["model"], given["n_functions"], {**kernel, "seed": self._seed()}

    def _askees(self, users: Any, given: Any, count: int) -> _Rows:
        table = table_of(given)
        one = isinstance(users, (str, int)) and not (table is not None and isinstance(users, str) and users.lower() in table)
        who = [users] * count if one else said_by(users, given)
        return user_rows(self._people, who)


class Person(Questions):
    """The utilities of one of many users, or of somebody new: it answers what a fitted :class:`rather.PreferenceGP` answers."""

    def __init__(self, model: _lib.Model, labels: Labels, seed: int, progress: bool | _progress.Callback) -> None:
        self._person, self._labels, self._own_seed, self.progress = model, labels, seed, progress

    def _model(self) -> _lib.Model:
        return self._person

    def _seed(self) -> int:
        return self._own_seed
