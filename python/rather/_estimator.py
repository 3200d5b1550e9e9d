"""The estimator: utilities of items from comparisons, by the rules of scikit-learn."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _answer_tables, _context, _lib, _pairs, _progress
from ._distinct import distinct, first_rows
from ._comparisons import Comparisons
from ._fitted import Fitted, loaded
from ._pairs import _winners, answers, outcomes_of
from ._profiles import Profiles
from ._questions import Questions, asked
from ._results import Figure
from ._tables import Labels, items, named
from .errors import DataError, ParameterError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]


class PreferenceGP(Fitted, Questions):
    """A Gaussian process over the utility of items, learned from comparisons ("A rather than B").

    A comparison is a probit factor on a difference of utilities, `P(a over b) = Phi((f(a) - f(b)) / (sqrt(2) noise))`; the posterior is
    found by expectation propagation, kernel and hyperparameters by its evidence.

    Parameters
    ----------
    kernel : str
        `"auto"`, by evidence among names, functions of the features and their sums, or an expression such as `"se[price] + linear"`; `"white"`
        for items that are only names.
    ard : bool
        A lengthscale for every feature.
    inference : {"auto", "ep", "laplace", "exact", "streaming"}
        How the posterior is found; `"auto"` is expectation propagation.
    representation : {"auto", "full", "low-rank", "sparse-precision"}
        How the prior covariance of the items is represented; `"auto"` is exact where that is quick and fits into `memory`.
    n_inducing : int, optional
        Maximum number of inducing points, for a low-rank covariance.
    memory : int, optional
        Bytes that a fit may take (2 GiB if not given), where `representation` is chosen.
    units : {"item-noise", "comparison-noise"}
        What utilities are measured in: the noise of an item, or of a difference.
    fixed : dict of str to float, optional
        Hyperparameters that are not learned, in the units of the table: `{"lengthscale": 2.0, "noise": 1.0}`.
    priors : bool
        Weak priors on hyperparameters.
    raw_features : bool
        Features as they are, not standardised.
    tolerance : float
        The largest mismatch of moments at which inference has converged.
    samples : int, optional
        Draws of exact inference.
    half_life : float, optional
        Exponential forgetting: the number of answers after which an answer counts half. Its likelihood is raised to the power
        `2 ** (-age / half_life)`, where `age` answers were given after it; the last row is the newest answer.
    drift : float, optional
        Of streaming inference, for preferences that drift as a random walk: in so many answers a utility's correlation with what it was halves.
    ties : {"learn", "drop", "both"}
        What a tie becomes: a tie, with a threshold that is learned; nothing; one comparison each way.
    rankings : {"pairs", "adjacent", "joint"}
        A ranking, a choice of several, or the best and the worst of some options is a comparison of every two items in it, or of every two neighbours, or
        one answer about all of its items (at most twelve, of which those of equal rank are in one place). As pairs, the noise of one look at an item is
        counted as often as there are others, so that intervals come out too narrow.
    link : {"probit", "logistic"}
        The noise of comparisons (Thurstone; Bradley and Terry).
    lapse : float, "learn" or "by_user", optional
        The share of answers that are given at random; "by_user" learns one for every user around that of all (needs a column `user`).
    bias : bool
        Learn a position bias of the left side (needs `left`, `right` and `outcome`).
    user_noise : bool
        Learn a noise for every user (needs a column `user`).
    robust : bool
        Values may be outliers: Student's noise instead of normal noise.
    pair_effect : {"auto", "learn", "off"}
        A random effect of every pair that all answers about it share (over-dispersion): by evidence where pairs are compared repeatedly,
        learned, or none.
    hyperparameters : {"auto", "integrate", "maximise"}
        Average predictions over the posterior of the hyperparameters, or take those of maximal evidence; "auto" averages up to 700 items.
    random_state : int
        Seed of whatever is random (exact inference): the same seed gives the same result.
    progress : bool or callable
        Show progress of fits and of other long calls (`check`, `suggest`, `sample`, `covariance`, `predict_proba(sharp=True)`; needs tqdm), or call
        `progress(done, expected, news)`: steps done and expected, `None` if unchanged, and what is new in words, such as a kernel that was
        learned. An exception in it ends the call, as Ctrl-C does.

    Attributes
    ----------
    kernel_ : str
        The kernel that was chosen.
    hyperparameters_ : dict of str to float
        Its parameters and the noise, in the units of the table.
    log_evidence_ : float
        In nats.
    converged_ : bool
        Whether inference converged.
    items_ : list
        The items' names.
    compared_ : ndarray of int
        Row numbers of the items that were compared.
    sampling_ : dict or None
        Of exact inference: `sampling` (the sampler, draws, effective draws, split R-hat) and `log_evidence` (`value` and `error`; `None`
        where it is out of reach).
    weights_ : dict of str to (float, float)
        What one unit of a column of `linear` is worth, in utility: mean and standard deviation.
    notices_ : list of str
        What is worth knowing about the fit.
    model_ : object
        The model of the compiled part.

    Examples
    --------
    >>> price = [[1.0], [2.0], [3.0], [4.0]]
    >>> model = PreferenceGP("se").fit(price, [(0, 1), (1, 2), (2, 3), (0, 2)])
    >>> model.predict().argmax()
    np.int64(0)
    >>> bool(model.predict_proba([(0, 3)])[0, 0] > 0.75)
    True

    Names, with a data frame or without:

    >>> votes = [("tea", "coffee"), ("tea", "wine"), ("coffee", "wine")]
    >>> PreferenceGP("white").fit(None, votes).ranking()[0].item
    'tea'

    The best and the worst of four, as one answer each:

    >>> said = {"best": ["tea", "tea"], "worst": ["beer", "wine"], "option_1": ["tea", "wine"], "option_2": ["wine", "tea"]}
    >>> said |= {"option_3": ["coffee", "beer"], "option_4": ["beer", "coffee"]}
    >>> model = PreferenceGP("white", rankings="joint").fit(None, said)
    >>> best, worst = model.predict_best([["coffee", "tea", "wine"]])
    >>> int(best[0].argmax()), int(worst[0].argmax())
    (1, 2)
    """

    def __init__(
        self,
        kernel: str = "auto",
        *,
        ard: bool = False,
        inference: str = "auto",
        representation: str = "auto",
        n_inducing: int | None = None,
        memory: int | None = None,
        units: str = "item-noise",
        fixed: dict[str, float] | None = None,
        priors: bool = True,
        raw_features: bool = False,
        tolerance: float = 1e-8,
        samples: int | None = None,
        half_life: float | None = None,
        drift: float | None = None,
        ties: str = "learn",
        rankings: str = "pairs",
        link: str = "probit",
        lapse: float | str | None = None,
        bias: bool = False,
        user_noise: bool = False,
        robust: bool = False,
        pair_effect: str = "auto",
        hyperparameters: str = "auto",
        random_state: int | None = 0,
        progress: bool | _progress.Callback = False,
    ) -> None:
        self.kernel = kernel
        self.ard = ard
        self.inference = inference
        self.representation = representation
        self.n_inducing = n_inducing
        self.memory = memory
        self.units = units
        self.fixed = fixed
        self.priors = priors
        self.raw_features = raw_features
        self.tolerance = tolerance
        self.samples = samples
        self.half_life = half_life
        self.drift = drift
        self.ties = ties
        self.rankings = rankings
        self.link = link
        self.lapse = lapse
        self.bias = bias
        self.user_noise = user_noise
        self.robust = robust
        self.pair_effect = pair_effect
        self.hyperparameters = hyperparameters
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any = None, *, names: Any = None) -> Self:
        """Learns from comparisons.

        Parameters
        ----------
        X : array, data frame, dict of columns, `Comparisons` or None
            The items, one a row, with their features: an array, a data frame of pandas (its index names the items), of polars or anything with
            an Arrow stream. `None` if the items are only names, which `y` then names.
        y : array, list of pairs, or table
            The comparisons: the winner and the loser of each comparison, by name or row number: two columns, or a table with columns `winner` and
            `loser` (and `count`) or `left`, `right` and `outcome`. One number an item means: the larger is better. Answers of other kinds
            are tables, too: an `outcome` may be `tie`, or say how much (`much left`, `a little right`), or `both good`, `both bad`; `left`,
            `right` and `probability` (a judge's) or `difference` (goals, points, seconds); `item` and `rating`; `item` and `value` (or a
            bound: `">10"`); `item` and `label` (yes or no); `choice`, `option_1`, `option_2`, ...; `best`
            and `worst`, or one of them, of such options; `ranking` (`"a > b = c"`); a row an option with `task`, `item` (or `option`) and `chosen` (1, 0, or -1
            for the worst) or `rank`; beside them `user`, `count` and `noise`. Several tables come as a list. Columns that the kernel names and `X` does not have are columns of comparisons: of each side (`home_left` and
            `home_right`, `home_winner` and `home_loser`) or of the comparison (`date`).
        names : sequence or str, optional
            The items' names, or the column of `X` that has them.

        Returns
        -------
        PreferenceGP
            This estimator.

        Raises
        ------
        RatherError
            For items, comparisons or parameters that cannot be learned from; all that are of input are `ValueError` too.
        """
        table, labels, told, sides = self._comparisons(X, y, names)
        with _progress.shown(self.progress) as progress:
            self.model_ = _lib.Model.fit(table, told, self._parameters(), progress, sides)
        self._labels = labels
        if not self.model_.converged:
            warnings.warn("; ".join(self.model_.notices) or "inference did not converge", ConvergenceWarning, stacklevel=2)
        return self

    def at(self, **columns: Any) -> Self:
        """This estimator, looking at items where columns of comparisons have these values: `model.at(date="2026-01-31", surface="clay").ranking()`.

        Without it, a number is the mean of its column, a time the latest one, and a category none of its levels. Dates are texts, `datetime.date` or
        `numpy.datetime64`.
        """
        found = copy.copy(self)
        for name, given in columns.items():
            is_date = dict(self._model().context).get(name, False)
            found.model_ = found.model_.looked_at(name, _context.value(name, given, is_date))
        return found

    @property
    def weights_(self) -> dict[str, tuple[float, float]]:
        """What one unit of a column of `linear` is worth, in utility: mean and standard deviation."""
        return {name: (mean, sd) for name, mean, sd in self._model().weights}

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the comparisons `y` whose winner has the larger probability; one half counts half. `X` as in :meth:`predict`. Where `y`
        tells sides (`left`, `right`, `outcome`), a learned position bias counts."""
        p, counts = self._won(X, y)
        return float(np.average(np.where(np.abs(p - 0.5) <= 1e-12, 0.5, p > 0.5), weights=counts))

    def log_score(self, X: Any, y: Any = None) -> float:
        """The mean log probability of the comparisons `y`, in nats: the negative log loss. `y` as in :meth:`score`."""
        p, counts = self._won(X, y)
        return float(np.average(np.log(np.maximum(p, np.finfo(float).tiny)), weights=counts))

    def sample(self, X: Any = None, n_samples: int = 1, *, random_state: int | None = None, names: Any = None) -> _Numbers:
        """Draws from the posterior over utilities, jointly over items, relative to the average over the compared items: `n_samples` x items.

        From the Gaussian approximation; with `inference="exact"` from the exact posterior, whose draws are those of the fit,
        whatever `random_state`.
        """
        table, _ = self._asked(X, names)
        seed = self._seed() if random_state is None else random_state
        with _progress.shown(self.progress) as progress:
            return self.model_.sample(n_samples, seed, table, progress)

    def covariance(self, X: Any = None, *, names: Any = None) -> _Numbers:
        """The posterior covariance of the utilities themselves (not relative to an average): items x items."""
        table, _ = self._asked(X, names)
        with _progress.shown(self.progress) as progress:
            return self.model_.covariance(table, progress)

    def plot(
        self,
        kind: str = "ranking",
        *features: str,
        top: int | None = None,
        width: float | None = None,
        height: float | None = None,
        title: str | None = None,
    ) -> Figure:
        """A figure: `"ranking"`, `"choices"`, `"utility"` or `"choice-map"` along a feature, `"map"` over two."""
        check_is_fitted(self, "model_")
        needed = {"ranking": 0, "choices": 0, "utility": 1, "choice-map": 1, "map": 2}
        if kind not in needed:
            raise ParameterError(f"there is no figure {kind!r}; there are {', '.join(needed)}")
        if len(features) != needed[kind]:
            raise ParameterError(f"the figure {kind!r} needs {needed[kind]} features, not {len(features)}")
        return Figure(self.model_.figure(kind, list(features), top, (width, height, title)))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted estimator from a model file, safe to read from a stranger. Its parameters are the defaults: a file has what was learned."""
        estimator = cls()
        estimator.model_ = loaded(path, many=False)
        estimator._labels = Labels.saved(estimator.model_.names, estimator.model_.integers)
        return estimator

    @property
    def compared_(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(self._model().compared, dtype=np.int64)

    @property
    def sampling_(self) -> dict[str, Any] | None:
        told = self._model().sampling
        return None if told is None else json.loads(told)

    def _comparisons(self, X: Any, comparisons: Any, names: Any) -> tuple[_lib.Table, Labels, _lib.Answers, _lib.Sides | None]:
        if isinstance(X, Comparisons):
            self._check_sides(None)
            return X.table, X.labels, X.answers(), None
        if comparisons is None:
            raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
        of_users = self.user_noise or self.lapse == "by_user"
        said = _answer_tables.tables(comparisons, bias=self.bias, user_noise=of_users)
        self._check_sides(said)
        profiles = Profiles.of(said) if X is None and names is None and said is not None else None
        if profiles is not None:
            table, labels = items(profiles.columns, profiles.names)
            said = profiles.tables
        elif X is None:
            if names is None:
                names = _answer_tables.named_in(said) if said else _named_in(comparisons)
            names = list(names)
            table, labels = named(names)
        else:
            table, labels = items(X, names)
            _check_features(self, X, reset=True)
        placed = self._placed(comparisons, said, table, labels)
        if said is None and placed is None:
            return table, labels, answers(comparisons, labels), None
        said = said or [_pairs._table(comparisons) or {}]
        told = _answer_tables.answers(said, labels, ties=self.ties, rankings=self.rankings, placed=placed)
        return table, labels, told, placed.sides if placed is not None else None

    def _placed(self, comparisons: Any, said: list[dict[str, Any]] | None, table: _lib.Table, labels: Labels) -> _context.Placed | None:
        """The sides of comparisons whose columns the kernel names, if their table has such."""
        wanted = _context.named_in(self.kernel, table.features)
        tables = said or [_pairs._table(comparisons) or {}]
        found = [_context.placed(one, labels, wanted, _answer_tables.sides_of(set(one))) for one in tables] if wanted else [None]
        if len(found) > 1 and any(one is not None for one in found):
            raise DataError("columns of comparisons are read from one table; join the tables")
        return found[0]

    def _check_sides(self, said: list[dict[str, Any]] | None) -> None:
        if self.bias and not any({"left", "right", "outcome"} <= set(table) for table in said or ()):
            raise ParameterError("bias=True needs to know which item was on the left: give a table with columns left, right and outcome")

    def _asked(self, X: Any, names: Any) -> tuple[_lib.Table | None, Labels]:
        check_is_fitted(self, "model_")
        if X is None:
            return None, self._labels
        if isinstance(X, Comparisons):
            return X.table, X.labels
        table, labels = items(X, names)
        _check_features(self, X, reset=False)
        return asked(table, labels, X, names), labels

    def _won(self, X: Any, comparisons: Any) -> tuple[_Numbers, np.ndarray[Any, Any] | None]:
        check_is_fitted(self, "model_")
        if isinstance(X, Comparisons):
            winners, losers = (np.ascontiguousarray(column) for column in X.pairs.T)
            return self.model_.probabilities(winners, losers, X.table, False), X.counts
        if comparisons is None:
            raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
        table, labels = self._asked(X, None)
        placed = _context.asked(_pairs._table(comparisons), labels, self.model_)
        if placed is not None:
            return self._won_in_context(comparisons, labels, placed)
        sided = outcomes_of(comparisons, labels) if "bias" in dict(self.model_.hyperparameters) else None
        if sided is not None:
            left, right, won, counts = sided
            p = self.model_.probabilities(left, right, table, False, True)
            return np.where(won, p, 1.0 - p), counts
        winners, losers, counts = _winners(comparisons, labels)
        return self.model_.probabilities(winners, losers, table, False), counts

    def _won_in_context(
        self, comparisons: Any, labels: Labels, placed: _context.Placed
    ) -> tuple[_Numbers, np.ndarray[Any, Any] | None]:
        p = self.model_.probabilities(placed.first, placed.second, placed.sides, False, "bias" in dict(self.model_.hyperparameters))
        sided = outcomes_of(comparisons, labels)
        if sided is None:
            return p, _winners(comparisons, labels)[2]
        return np.where(sided[2], p, 1.0 - p), sided[3]

    def _parameters(self) -> dict[str, Any]:
        given = self.get_params(deep=False)
        del given["progress"], given["random_state"], given["ties"], given["rankings"]
        fixed = [(str(name), float(value)) for name, value in (self.fixed or {}).items()]
        return {**given, "fixed": fixed, "seed": self._seed()}


def _check_features(estimator: PreferenceGP, X: Any, *, reset: bool) -> None:
    """Number and names of the features, as scikit-learn keeps and compares them."""
    if isinstance(X, (np.ndarray, list)) or hasattr(X, "iloc"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)


def _named_in(comparisons: Any) -> list[Any]:
    """Every name in the comparisons, in the order of appearance."""
    from ._pairs import _table, _two_columns

    table = _table(comparisons)
    if table is None:
        columns = [*_two_columns(comparisons).T]
    else:
        columns = [table[name] for name in ("winner", "loser", "left", "right") if name in table]
    known = [found for column in columns if (found := distinct(column)) is not None]
    if len(known) == len(columns):
        places = [
            (row, column, value)
            for column, (codes, values) in enumerate(known)
            for row, value in zip(first_rows(codes, values).tolist(), values)
        ]
        return list(dict.fromkeys(value for *_, value in sorted(places, key=lambda place: place[:2])))
    listed = [column.tolist() if hasattr(column, "tolist") else list(column) for column in columns]
    return list(dict.fromkeys(name for row in zip(*listed) for name in row))

