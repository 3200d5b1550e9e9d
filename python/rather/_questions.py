"""Questions about one person's utilities: the person of a model, or one of many users."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _context, _lib, _progress
from ._pairs import _table, pairs, sided_pairs
from ._results import Check, Ranking, Suggestion
from ._sets import Sets
from ._tables import Labels, items
from .errors import DataError, UnknownItemError

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

    def predict(self, X: Any = None, *, return_std: bool = False, names: Any = None) -> _Numbers | tuple[_Numbers, _Numbers]:
        """Mean utilities, relative to the average over the items compared in the fit; with `return_std`, standard deviations too.

        `X` are items as in :meth:`fit`, known ones by their names or new; `None` stands for those learned from. The rows of
        an array are new items.
        """
        table, _ = self._asked(X, names)
        mean, sd = self._model().utilities(table)
        return (mean, sd) if return_std else mean

    def predict_proba(self, pairs_: Any, X: Any = None, *, sharp: bool = False, names: Any = None) -> _Numbers:
        """Probabilities of choices: in each row those of the left and of the right item of a pair.

        Pairs are of names or row numbers: two columns, or a table with columns `left` and `right`; of the items learned from, or
        of those in `X`. A table shows which item is shown on the left: a learned position bias (`bias=True`) counts. `sharp` asks for
        more exact probabilities, by ratios of evidences: slow. Where the kernel names columns of comparisons, a table of pairs may have them; each pair
        is then predicted in its own context.
        """
        of, left, right, sided = self._pairs(pairs_, X, names)
        with _progress.shown(self.progress if sharp else False) as progress:
            p = self._model().probabilities(left, right, of, sharp, sided, progress)
        return np.column_stack([p, 1.0 - p])

    def predict_outcomes(self, pairs_: Any, X: Any = None, *, names: Any = None) -> dict[str, _Numbers]:
        """The possible outcomes of each pair, the first item shown on the left: for each name, from `"much left"` over `"tie"` to `"much right"`, its
        probabilities. Empty for a model of plain choices, whose :meth:`predict_proba` says all."""
        of, left, right, _ = self._pairs(pairs_, X, names)
        found = self._model().outcomes(left, right, of)
        return {name: np.array([dict(one)[name] for one in found]) for name, _ in (found[0] if found else ())}

    def predict_best(self, sets: Any, X: Any = None, *, names: Any = None) -> tuple[_Numbers, _Numbers]:
        """The probabilities that each item of a set is the best of it, and that it is the worst: of the greatest and the smallest of utilities with one
        noise an item. Two arrays, sets x items; NaN where a set has fewer items than another.

        Sets of 2 to 12 items are lists of names or row numbers, or a table with columns `option_1`, `option_2` and so on; of the items learned from, or
        of those in `X`.

        >>> model = PreferenceGP("white").fit(None, [("tea", "coffee"), ("tea", "wine"), ("coffee", "wine")])
        >>> best, worst = model.predict_best([["coffee", "tea", "wine"], ["wine", "tea"]])
        >>> np.nanargmax(best, axis=1), np.nanargmax(worst, axis=1)
        (array([1, 1]), array([2, 0]))
        """
        table, labels = self._asked(X, names)
        return Sets.of(sets, labels).extremes(self._model(), table)

    def predict_ratings(self, X: Any = None, *, names: Any = None) -> dict[float, _Numbers]:
        """For each rating that was given, the probability that an item is rated so by somebody without an offset of their own. Empty for a model
        without ratings. `X` as in :meth:`predict`."""
        table, _ = self._asked(X, names)
        found = self._model().ratings(table)
        levels = self._model().levels or list(range(found.shape[1]))
        return {float(level): found[:, at] for at, level in enumerate(levels)}

    def ranking(self, X: Any = None, *, top: int | None = None, names: Any = None) -> Ranking:
        """Items by decreasing utility, with standard deviations."""
        table, labels = self._asked(X, names)
        return Ranking.of(labels.names, *self._model().utilities(table), top=top)

    def suggest(
        self,
        X: Any = None,
        n: int = 1,
        *,
        acquisition: str = "bald",
        opponent: Any = None,
        random_state: int | None = None,
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
            One of :func:`rather.acquisitions`, which tells the names, what their scores mean, and whether they need an opponent: to learn
            all utilities `"bald"`, to find the best item `"eubo"`.
        opponent : item, optional
            The item on the left of every comparison; `"best"` for the one with the largest mean utility.
        """
        table, labels = self._asked(X, names)
        if len(labels) < 2:
            raise DataError(f"the pool has {len(labels)} items, and a comparison needs two; add items")
        seed = self._seed() if random_state is None else random_state
        row = self._opponent(opponent, table, labels)
        with _progress.shown(self.progress) as progress:
            found = self._model().suggest(n, acquisition, row, seed, table, progress)
        return [Suggestion(labels.names[left], labels.names[right], score) for left, right, score in found]

    def acquisition(
        self,
        pairs_: Any,
        acquisition: str = "bald",
        X: Any = None,
        *,
        random_state: int | None = None,
        names: Any = None,
    ) -> _Numbers:
        """The value of asking each of some pairs, by an acquisition function as in :meth:`suggest`.

        Pairs are as in :meth:`predict_proba`. The left item of a pair is the opponent, for functions that need one. Functions that look
        for the best of a pool (`"best"`, `"thompson"`) take `X`, or the items learned from, as the pool.

        >>> model = PreferenceGP("white").fit(None, [("a", "b")] * 5 + [("a", "c")])
        >>> known, unknown = model.acquisition([("a", "b"), ("b", "c")], "bald")
        >>> bool(known < unknown)
        True
        """
        table, labels = self._asked(X, names)
        left, right = pairs(pairs_, labels)
        seed = self._seed() if random_state is None else random_state
        return self._model().acquisition(left, right, acquisition, seed, table)

    def check(self, *, samples: int | None = None, random_state: int | None = None) -> Check:
        """How near the approximation is to the exact posterior at the same hyperparameters, on the comparisons that were learned from.

        Of one of many users, given all that users share: for per-user, pooled and hierarchical models. `samples` draws of the exact
        posterior are taken (4,000 if not given). Of more than 5,000 comparisons, a part is checked.

        >>> model = PreferenceGP("white").fit(None, [("a", "b"), ("b", "c"), ("a", "c")])
        >>> model.check().verdict
        'good'
        """
        self._asked(None, None)
        seed = self._seed() if random_state is None else random_state
        with _progress.shown(self.progress) as progress:
            return Check.of(json.loads(self._model().check(samples, seed, progress)))

    def _pairs(self, pairs_: Any, X: Any, names: Any) -> tuple[_lib.Table | _lib.Sides | None, _Rows, _Rows, bool]:
        """What pairs are of, items or sides, the rows of both, and whether the left one is shown on the left."""
        table, labels = self._asked(X, names)
        left, right, sided = sided_pairs(pairs_, labels)
        placed = _context.asked(_table(pairs_), labels, self._model())
        if placed is None:
            return table, left, right, sided
        if X is not None:
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
        table, labels = items(X, names)
        return asked(table, labels, X, names), labels


def asked(table: _lib.Table, labels: Labels, given: Any, names: Any) -> _lib.Table:
    """The table of items to be asked about: rows without names are nobody that the model has met."""
    if names is None and not hasattr(given, "iloc"):
        return table.renamed([f"new {row}" for row in range(len(labels))])
    return table
