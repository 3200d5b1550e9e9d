"""Questions about one person's utilities: the person of a model, or one of many users."""

from __future__ import annotations

import json
import warnings
from typing import Any, Literal, overload

import numpy as np

from . import _context, _lib, _plotting, _progress
from ._arviz import inference_data
from ._available import about_pairs
from ._base import RandomState, count_of, seed_of
from ._columns import sides_of, table_of
from ._comparisons import Comparisons
from ._pairs import sided_pairs
from ._results import Check, Figure, Ranking, Suggestion
from ._sets import Sets
from ._tables import Labels, items, known, names_alone
from .errors import DataError, ParameterError, UnknownItemError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
_Rows = np.ndarray[Any, np.dtype[np.int64]]


class Questions:
    """What is asked of the utilities of one person; whose they are is `_model()`, a model of the compiled part about the items called `_labels`."""

    progress: bool | _progress.Callback
    _labels: Labels

    def _model(self) -> _lib.Model:
        raise NotImplementedError

    def _seed(self) -> int:
        raise NotImplementedError

    @overload
    def predict(
        self, X: Any = None, *, return_std: Literal[False] = False, return_cov: Literal[False] = False, names: Any = None
    ) -> _Numbers: ...

    @overload
    def predict(self, X: Any = None, *, return_std: bool = False, return_cov: bool = False, names: Any = None) -> Any: ...

    def predict(self, X: Any = None, *, return_std: bool = False, return_cov: bool = False, names: Any = None) -> Any:
        """Mean utilities, relative to the average over the items compared in the fit, in standard deviations of the noise of an item (see `units`).

        Parameters
        ----------
        X : table, list of names, Comparisons or None
            Items as in :meth:`fit`, known ones by their names or new; `None` stands for those learned from. The rows of an array are new items, and so
            are those of a data frame with the index 0, 1, ... unless they have the features of the items learned from. Of
            :class:`Comparisons` the differences of the two items of each.
        return_std : bool
            Standard deviations too.
        return_cov : bool
            Covariances too, relative to the same average: the square roots of the diagonal are the standard deviations.
        names : sequence or str, optional
            The names of the items of `X`, or the column that has them.

        Returns
        -------
        mean : array, shape (n_items,)
        sd : array, shape (n_items,)
            With `return_std`.
        covariance : array, shape (n_items, n_items)
            With `return_cov`.

        Raises
        ------
        RatherError
            For items that do not have the features that were learned from, and before a fit.

        Examples
        --------
        >>> model = PreferenceGP("se").fit([[1.0], [2.0], [3.0]], [(0, 1), (1, 2)])
        >>> mean, covariance = model.predict(return_cov=True)
        >>> bool(np.allclose(np.sqrt(np.diag(covariance)), model.predict(return_std=True)[1]))
        True
        """
        if return_std and return_cov:
            raise ParameterError("return_std=True and return_cov=True exclude each other; the covariance has the variances on its diagonal")
        if isinstance(X, Comparisons):
            return self._differences(X)
        table, _ = self._asked(X, names)
        mean, sd = self._model().utilities(table)
        if return_cov:
            with _progress.shown(self.progress) as progress:
                return mean, self._model().covariance(table, progress, True)
        return (mean, sd) if return_std else mean

    @about_pairs
    def predict_proba(self, pairs: Any, X: Any = None, *, sharp: bool = False, names: Any = None) -> _Numbers:
        """Probabilities of choices. An estimator that learned from one number an item is asked about items and does not have it; fitted to
        `Comparisons(X, y)`, which are the same comparisons, it has.

        Parameters
        ----------
        pairs : array, list of pairs, table or Comparisons
            Pairs of names or row numbers: two columns, or a table with columns `left` and `right`; of the items learned from, or of those in `X`. A table shows
            which item is shown on the left: a learned position bias (`bias=True`) counts. Where the kernel names columns of comparisons, a table of pairs may
            have them; each pair is then predicted in its own context.
        X, names
            The items that pairs are of, as in :meth:`predict`.
        sharp : bool
            More exact probabilities, by ratios of evidences: slow.

        Returns
        -------
        array, shape (n_pairs, 2)
            In each row the probability that the left item of the pair is preferred, and that the right one is.

        Raises
        ------
        RatherError
            For items that are not there.
        """
        if isinstance(pairs, Comparisons):
            X, pairs = pairs, _tabled(pairs)
        of, left, right, sided = self._pairs(pairs, X, names)
        with _progress.shown(self.progress if sharp else False) as progress:
            p = self._model().probabilities(left, right, of, sharp, sided, progress)
        return np.column_stack([p, 1.0 - p])

    def predict_outcomes(self, pairs: Any, X: Any = None, *, names: Any = None) -> dict[str, _Numbers]:
        """The possible outcomes of each pair, the first item shown on the left.

        Parameters
        ----------
        pairs, X, names
            As in :meth:`predict_proba`.

        Returns
        -------
        dict of str to array
            For each name, from `"much left"` over `"tie"` to `"much right"`, its probabilities. Empty for a model of plain choices, whose
            :meth:`predict_proba` has all.
        """
        of, left, right, _ = self._pairs(pairs, X, names)
        found = self._model().outcomes(left, right, of)
        return {name: np.array([dict(one)[name] for one in found]) for name, _ in (found[0] if found else ())}

    def predict_best(self, sets: Any, X: Any = None, *, names: Any = None) -> tuple[_Numbers, _Numbers]:
        """The probabilities that each item of a set is the best of it, and that it is the worst: of the greatest and the smallest of utilities with one
        noise an item.

        Parameters
        ----------
        sets : list of lists, or table
            Sets of 2 to 12 items: names or row numbers, or a table with columns `option_1`, `option_2` and so on; of the items learned from, or of those in `X`.
        X, names
            As in :meth:`predict`.

        Returns
        -------
        best, worst : arrays, shape (n_sets, n_items)
            NaN where a set has fewer items than another.

        Examples
        --------
        >>> model = PreferenceGP("white").fit(None, [("tea", "coffee"), ("tea", "wine"), ("coffee", "wine")])
        >>> best, worst = model.predict_best([["coffee", "tea", "wine"], ["wine", "tea"]])
        >>> np.nanargmax(best, axis=1), np.nanargmax(worst, axis=1)
        (array([1, 1]), array([2, 0]))
        """
        table, labels = self._asked(X, names)
        return Sets.of(sets, labels).extremes(self._model(), table)

    def predict_ratings(self, X: Any = None, *, names: Any = None) -> dict[float, _Numbers]:
        """For each rating that was given, the probability that an item is rated so by somebody without an offset of their own.

        Parameters
        ----------
        X, names
            As in :meth:`predict`.

        Returns
        -------
        dict of float to array
            Empty for a model without ratings.
        """
        table, _ = self._asked(X, names)
        found = self._model().ratings(table)
        levels = self._model().levels or list(range(found.shape[1]))
        return {float(level): found[:, at] for at, level in enumerate(levels)}

    def ranking(
        self, X: Any = None, *, top: int | None = None, standings: bool = False, random_state: RandomState = 0, names: Any = None
    ) -> Ranking:
        """Items by decreasing utility, with standard deviations and 95 % intervals.

        Parameters
        ----------
        X, names
            As in :meth:`predict`.
        top : int, optional
            So many of them.
        standings : bool
            Also how surely items stand where they do: the probability of being the best, the 95 % interval of the rank, and groups of items that cannot be
            distinguished. From thousands of joint draws: seconds for thousands of items.
        random_state : int, RandomState, Generator or None
            Of the draws.

        Returns
        -------
        Ranking

        Examples
        --------
        >>> model = PreferenceGP("white").fit(None, [("tea", "coffee")] * 9 + [("coffee", "wine")] * 9)
        >>> first = model.ranking(standings=True)[0]
        >>> first.item, first.rank_low, bool(first.probability_best > 0.8)
        ('tea', 1, True)
        """
        table, labels = self._asked(X, names)
        surely = None
        if standings:

            def surely(order: _Rows) -> Any:
                return _lib.standings(self._model(), order, 1, seed_of(random_state), table)

        return Ranking.of(labels.names, *self._model().utilities(table), top=top, standings=surely)

    def sample(self, X: Any = None, n_samples: int = 1, *, random_state: RandomState = None, names: Any = None) -> _Numbers:
        """Draws from the posterior over utilities, jointly over items, relative to the average over the compared items.

        From the Gaussian approximation; with `inference="exact"` from the exact posterior, whose draws are those of the fit,
        whatever `random_state`.

        Parameters
        ----------
        X, names
            As in :meth:`predict`.
        n_samples : int
            Number of draws.
        random_state : int, RandomState, Generator or None
            The same number gives the same draws; `None` gives others each time.

        Returns
        -------
        array, shape (n_samples, n_items)
        """
        table, _ = self._asked(X, names)
        number = count_of("n_samples", n_samples)
        with _progress.shown(self.progress) as progress:
            return self._model().sample(number, seed_of(random_state), table, progress)

    def to_arviz(self, X: Any = None, n_samples: int = 1000, *, random_state: RandomState = None, names: Any = None) -> Any:
        """Draws from the posterior over utilities (:meth:`sample`) for ArviZ, which must be installed.

        Parameters
        ----------
        X, n_samples, random_state, names
            As in :meth:`sample`. With `inference="exact"` the draws are those of the exact posterior.

        Returns
        -------
        arviz.InferenceData
            With a variable `utility` of the dimensions `chain` (one), `draw` and `item`.
        """
        _, labels = self._asked(X, names)
        return inference_data(self.sample(X, n_samples, random_state=random_state, names=names), list(labels.names))

    def covariance(self, X: Any = None, *, names: Any = None) -> _Numbers:
        """The posterior covariance of the utilities themselves, not relative to an average; that is `predict(return_cov=True)`.

        Parameters
        ----------
        X, names
            As in :meth:`predict`.

        Returns
        -------
        array, shape (n_items, n_items)
        """
        table, _ = self._asked(X, names)
        with _progress.shown(self.progress) as progress:
            return self._model().covariance(table, progress)

    @overload
    def plot(
        self, kind: str = "ranking", *features: str, top: int | None = None, width: float | None = None, height: float | None = None,
        title: str | None = None, ax: None = None,
    ) -> Figure: ...  # fmt: skip

    @overload
    def plot(
        self, kind: str = "ranking", *features: str, top: int | None = None, width: float | None = None, height: float | None = None,
        title: str | None = None, ax: Any,
    ) -> Any: ...  # fmt: skip

    def plot(
        self, kind: str = "ranking", *features: str, top: int | None = None, width: float | None = None, height: float | None = None,
        title: str | None = None, ax: Any = None,
    ) -> Any:  # fmt: skip
        """A figure.

        Parameters
        ----------
        kind : {"ranking", "choices", "utility", "choice-map", "map"}
            Items with 95 % intervals; the probabilities between all pairs of items; the utility along a feature with its 95 % band, the others at
            their averages; the probabilities between two values of a feature; the utility over two features. Of one of many users the ranking alone.
        *features : str
            The features, one for `"utility"` and `"choice-map"`, two for `"map"`.
        top : int, optional
            The number of items of a ranking (60) or of choices (40).
        width, height : float, optional
            In pixels.
        title : str, optional
            In the place of the figure's own.
        ax : matplotlib Axes, optional
            Draws there instead.

        Returns
        -------
        Figure, or `ax`

        Raises
        ------
        ParameterError
            For another kind, or another number of features.
        FigureError
            If there is no such feature.
        """
        model = self._model()
        needed = {"ranking": 0, "choices": 0, "utility": 1, "choice-map": 1, "map": 2}
        if kind not in needed:
            raise ParameterError(f"there is no figure {kind!r}; there are {', '.join(needed)}")
        if len(features) != needed[kind]:
            raise ParameterError(f"the figure {kind!r} needs {needed[kind]} features, not {len(features)}")
        if kind != "ranking" and model.kind is not None:
            raise ParameterError(f"the figure {kind!r} is of a single user's model; of one of many users there is the ranking")
        most = None if top is None else count_of("top", top)
        if ax is None:
            return Figure(model.figure(kind, list(features), most, (width, height, title)))
        if title is not None:
            ax.set_title(title)
        return _plotting.draw(ax, kind, _lib.figure_data(model, kind, list(features), most))

    def suggest(
        self,
        X: Any = None,
        n: int = 1,
        *,
        acquisition: str = "bald",
        opponent: Any = None,
        random_state: RandomState = None,
        names: Any = None,
    ) -> list[Suggestion]:
        """The comparisons of a pool whose answers are most informative, the best first, each as if the earlier ones had been answered.

        Parameters
        ----------
        X : table, optional
            The pool, as in :meth:`predict`; the items learned from if `None`.
        n : int
            Number of comparisons.
        acquisition : str
            One of :func:`rather.acquisitions`, which lists the names, what their scores mean, and whether they need an opponent: to learn
            all utilities `"bald"`, to find the best item `"eubo"`.
        opponent : item, optional
            The item on the left of every comparison; `"best"` for the one with the largest mean utility.
        random_state : int, RandomState, Generator or None
            Of functions that draw; that of the estimator if `None`.
        names : sequence or str, optional
            The names of the items of the pool, or the column that has them.

        Returns
        -------
        list of Suggestion

        Raises
        ------
        AcquisitionError
            If there is no such acquisition function, or it needs an opponent.
        """
        table, labels = self._asked(X, names)
        if len(labels) < 2:
            raise DataError(f"the pool has {len(labels)} items, and a comparison needs two; add items")
        row = self._opponent(opponent, table, labels)
        with _progress.shown(self.progress) as progress:
            found = self._model().suggest(count_of("n", n), acquisition, row, self._seed_or(random_state), table, progress)
        return [Suggestion(labels.names[left], labels.names[right], score) for left, right, score in found]

    def acquisition(
        self,
        pairs: Any,
        acquisition: str = "bald",
        X: Any = None,
        *,
        random_state: RandomState = None,
        names: Any = None,
    ) -> _Numbers:
        """The value of asking each of some pairs, by an acquisition function as in :meth:`suggest`.

        Parameters
        ----------
        pairs : array, list of pairs or table
            As in :meth:`predict_proba`. The left item of a pair is the opponent, for functions that need one.
        acquisition : str
            As in :meth:`suggest`.
        X, names
            The items that pairs are of. Functions that look for the best of a pool (`"best"`, `"thompson"`) take `X`, or the items learned from, as the pool.
        random_state : int, RandomState, Generator or None
            As in :meth:`suggest`.

        Returns
        -------
        array, shape (n_pairs,)
            In the unit of the function (:func:`rather.acquisitions`).

        Examples
        --------
        >>> model = PreferenceGP("white").fit(None, [("a", "b")] * 5 + [("a", "c")])
        >>> known, unknown = model.acquisition([("a", "b"), ("b", "c")], "bald")
        >>> bool(known < unknown)
        True
        """
        table, labels = self._asked(X, names)
        left, right, _ = sided_pairs(pairs, labels)
        return self._model().acquisition(left, right, acquisition, self._seed_or(random_state), table)

    def check(self, *, samples: int | None = None, random_state: RandomState = None) -> Check:
        """How near the approximation is to the exact posterior at the same hyperparameters, on the comparisons that were learned from.

        Of one of many users, given all that users share: for per-user, pooled and hierarchical models. Of more than 5,000 comparisons, a part is checked.

        Parameters
        ----------
        samples : int, optional
            Draws of the exact posterior; 4,000 if not given.
        random_state : int, RandomState, Generator or None
            Of the draws; that of the estimator if `None`.

        Returns
        -------
        Check

        Examples
        --------
        >>> model = PreferenceGP("white").fit(None, [("a", "b"), ("b", "c"), ("a", "c")])
        >>> model.check().verdict
        'good'
        """
        self._asked(None, None)
        most = None if samples is None else count_of("samples", samples)
        with _progress.shown(self.progress) as progress:
            return Check.of(json.loads(self._model().check(most, self._seed_or(random_state), progress)))

    def _seed_or(self, random_state: RandomState) -> int:
        return self._seed() if random_state is None else seed_of(random_state)

    def _differences(self, comparisons: Comparisons) -> _Numbers:
        """Of the mean utilities of the two items of each comparison."""
        mean, _ = self._model().utilities(comparisons.table)
        first, second = comparisons.pairs.T
        return np.asarray(mean[first] - mean[second])

    def _pairs(self, pairs: Any, X: Any, names: Any) -> tuple[_lib.Table | _lib.Sides | None, _Rows, _Rows, bool]:
        """What pairs are of, items or sides, the rows of both, and whether the left one is shown on the left."""
        table, labels = self._asked(X, names)
        left, right, sided = sided_pairs(pairs, labels)
        placed = _context.asked(table_of(pairs), labels, self._model())
        if placed is None:
            return table, left, right, sided
        if X is not None and not isinstance(X, Comparisons):
            raise DataError("columns of comparisons are for items of the model; leave out X, or the columns and use at()")
        return placed.sides, placed.first, placed.second, sided

    def _opponent(self, opponent: Any, table: _lib.Table | None, labels: Labels) -> int | None:
        if opponent is None:
            return None
        if isinstance(opponent, str) and opponent == "best" and "best" not in labels.names:
            return int(np.argmax(self._model().utilities(table)[0]))
        row = int(labels.rows([opponent])[0])
        if not 0 <= row < len(labels):
            raise UnknownItemError(f"there is no item {opponent!r} in the pool of {len(labels)} items")
        return row

    def _asked(self, X: Any, names: Any) -> tuple[_lib.Table | None, Labels]:
        if X is None:
            return None, self._labels
        if isinstance(X, Comparisons):
            return X.table, X.labels
        alone = names_alone(X) if names is None else None
        if alone is not None and all(name in self._labels for name in alone):
            return known(alone, self._labels)
        table, labels = items(X, names)
        self._warn_of_levels(table)
        if names is None and hasattr(X, "iloc") and labels.are_rows and not self._are_as_learned(table):
            # The index that pandas counts by itself names nobody.
            return renamed(table), labels
        # Rows without names are nobody that the model has met.
        if names is not None or hasattr(X, "iloc"):
            self._warn_of_other_features(table, labels)
        return asked(table, labels, X, names), labels

    def _learned(self) -> _lib.Table | None:
        """The items that were learned from, where they are at hand."""
        return None

    def _are_as_learned(self, table: _lib.Table) -> bool:
        """Whether the rows are the first of those that were learned from, by their features; also where these are not at hand."""
        learned = self._learned()
        if learned is None:
            return True
        columns = dict(learned.columns)
        return len(table) <= len(learned) and all(
            name not in columns or _same(values, columns[name][: len(table)]).all() for name, values in table.columns
        )

    def _warn_of_other_features(self, table: _lib.Table, labels: Labels) -> None:
        """Of items with the name of another one, where the name counts beside the features."""
        learned = self._learned()
        if learned is None or not labels.names or "white" not in self._model().kernel:
            return
        rows = [(at, row) for at, row in enumerate(map(self._labels.row_of, labels.names)) if row is not None]
        columns = dict(learned.columns)
        for name, values in table.columns if rows else ():
            if name not in columns:
                continue
            here, there = np.array(rows).T
            known = columns[name]
            found = np.flatnonzero(~_same(_taken(values, here), _taken(known, there)))
            if len(found):
                at, row = rows[found[0]]
                sentence = (
                    f"the item {labels.names[at]!r} has {name} = {_shown(values[at])} and was learned from with {_shown(known[row])}; it is predicted with the effect of "
                    f"its name; give it another name if it is another item"
                )
                warnings.warn(sentence, UserWarning, stacklevel=4)
                return

    def _warn_of_levels(self, table: _lib.Table) -> None:
        """Of categories that were not learned from."""
        model = self._model()
        levels = {} if model.kind is not None else {name: known for name, _, _, known in _lib.encoding(model) if known is not None}
        for name, values in table.columns if levels else ():
            new = next((value for value in values if value not in levels[name]), None) if name in levels else None
            if new is not None:
                sentence = f"the category {new!r} of {name!r} was not among those learned from; its items are predicted as if they had nothing in common by it"
                warnings.warn(sentence, UserWarning, stacklevel=4)


def _tabled(comparisons: Comparisons) -> dict[str, Any]:
    """Comparisons as one table of their items' names, with the columns of their own."""
    tables = comparisons.tables()
    if len(tables) > 1 or sides_of(set(tables[0])) is None:
        raise DataError("only comparisons of two items, of one table, have probabilities of the left and of the right item")
    names = np.array([*comparisons.labels.names, None], dtype=object)[:-1]
    return {**tables[0], **dict(zip(sides_of(set(tables[0])) or (), (names[side] for side in comparisons.pairs.T)))}


def _same(values: Any, others: Any) -> Any:
    """Which entries of two columns are equal; numbers that are missing are alike."""
    if isinstance(values, list) or isinstance(others, list):
        return np.array([one == other for one, other in zip(values, others)], dtype=bool)
    return (values == others) | (np.isnan(values) & np.isnan(others))


def _taken(values: Any, rows: _Rows) -> Any:
    return [values[row] for row in rows] if isinstance(values, list) else values[rows]


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else f"{value:g}"


def renamed(table: _lib.Table) -> _lib.Table:
    """The same rows as new items."""
    return table.renamed([f"new {row}" for row in range(len(table))])


def asked(table: _lib.Table, labels: Labels, given: Any, names: Any) -> _lib.Table:
    """The table of items to be asked about: rows without names are nobody that the model has met."""
    if names is None and not hasattr(given, "iloc"):
        return renamed(table)
    return table
