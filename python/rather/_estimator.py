"""The estimator: utilities of items from comparisons, by the rules of scikit-learn."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from . import _answer_tables, _context, _lib, _parameters, _progress
from ._base import RandomState, check_is_fitted
from ._columns import read_as, sides_of
from ._comparisons import Comparisons
from ._fitted import Fitted, loaded
from ._pairs import answers, as_table, is_scores
from ._problem import Problem, joined, named_tables, with_roles
from ._questions import Questions
from ._summary import Summary
from ._tables import Labels, names_alone
from .errors import DataError, ParameterError
from .metrics import Scores

_Numbers = np.ndarray[Any, np.dtype[np.float64]]


class _Given(NamedTuple):
    """What a fit learns from."""

    table: _lib.Table
    labels: Labels
    #: What the answers call the items.
    reading: Labels
    answers: Any
    #: The comparisons whose ratings and words of strength these share, if they are a part of some.
    whole: Comparisons | None


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
        A random effect of every pair that all answers about it share (over-dispersion): by evidence where pairs are compared repeatedly and
        intervals are noticeably wider with it, learned, or none.
    hyperparameters : {"auto", "integrate", "maximise"}
        Average predictions over the posterior of the hyperparameters, or take those of maximal evidence; "auto" averages up to 700 items.
    random_state : int, RandomState, Generator or None
        Seed of whatever is random in a fit (exact inference) and in the choice of comparisons: the same number gives the same result.
    progress : bool or callable
        Show progress of fits and of other long calls (`check`, `suggest`, `sample`, `covariance`, `predict_proba(sharp=True)`; needs tqdm), or call
        `progress(done, expected, news)`: steps done and expected, `None` if unchanged, and what is new in words, such as a kernel that was
        learned. An exception in it ends the call, as Ctrl-C does.

    Attributes
    ----------
    kernel_ : str
        The kernel that was chosen.
    ard_ : bool
        Whether it has a lengthscale for every feature: `PreferenceGP(model.kernel_, ard=model.ard_)` is the same kernel.
    kernels_ : list of dict
        The kernels tried: `kernel`, `ard`, `log_evidence` in nats, and `score`, by which they were chosen.
    hyperparameters_ : dict of str to float
        Its parameters and the noise, in the units of the table.
    log_evidence_ : float
        In nats.
    converged_ : bool
        Whether inference converged.
    items_ : list
        The items' names.
    columns_ : dict of str to str
        Which columns of the answers were read in which role because they are called as is usual for it: `{"left": "model_a", "user": "judge"}`.
    compared_ : ndarray of int
        Row numbers of the items that were compared.
    sampling_ : dict or None
        Of exact inference: `sampling` (the sampler, draws, effective draws, split R-hat) and `log_evidence` (`value` and `error`; `None`
        where it is out of reach).
    weights_ : dict of str to (float, float)
        What one unit of a column of `linear` is worth, in utility: mean and standard deviation.
    notices_ : list of str
        What is worth knowing about the fit. What matters for the numbers is a `FitWarning`, too.
    seconds_ : float or None
        Wall time of learning in seconds; `None` of a model from a file.
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
        random_state: RandomState = 0,
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

    def fit(self, X: Any, y: Any = None, *, names: Any = None, columns: Mapping[str, str] | None = None) -> Self:
        """Learns from comparisons.

        Parameters
        ----------
        X : array, data frame, dict of columns, `Comparisons` or None
            The items, one a row, with their features: an array, a data frame of pandas (its index names the items), of polars or anything with
            an Arrow stream. `None` if the items are only names, which `y` then names.
        y : array, list of pairs, or table
            The comparisons: the winner and the loser of each comparison, by name or row number: two columns, or a table with columns `winner` and
            `loser` (and `count`) or `left`, `right` and `outcome`. One number an item means: the larger is better. Answers of other kinds
            are tables, too: an `outcome` may be `tie`, or say how much (`much left`, `a little right`), or `both good`, `both bad`, or be a number (1, 0 and
            0.5; 1, -1 and 0; 1 and 2); `left`,
            `right` and `probability` (a judge's) or `difference` (goals, points, seconds); `item` and `rating`; `item` and `value` (or a
            bound: `">10"`); `item` and `label` (yes or no); `choice`, `option_1`, `option_2`, ...; `best`
            and `worst`, or one of them, of such options; `ranking` (`"a > b = c"`); a row an option with `task`, `item` (or `option`) and `chosen` (1, 0, or -1
            for the worst) or `rank`; beside them `user`, `count` (or `weight`, which may be a fraction) and `noise`. Several tables come as a list. Columns that the kernel names and `X` does not have are columns of comparisons: of each side (`home_left` and
            `home_right`, `home_winner` and `home_loser`) or of the comparison (`date`).
        names : sequence or str, optional
            The items' names, or the column of `X` that has them.
        columns : dict of str to str, optional
            What the columns of `y` are called, by their roles: `{"left": "First", "right": "Second", "outcome": "Vote"}`. The usual names of the field need none:
            `model_a`, `model_b` and `winner` of an arena, `chosen` and `rejected`, `judge`, `weight`.

        Returns
        -------
        PreferenceGP
            This estimator.

        Raises
        ------
        RatherError
            For items, comparisons or parameters that cannot be learned from; all that are of input are `ValueError` too.

        Examples
        --------
        >>> votes = {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie (bothbad)"]}
        >>> PreferenceGP("white").fit(None, votes).ranking()[0].item
        'x'
        """
        self._learn(self._given(X, y, names, columns))
        self.columns_ = X._read_as if isinstance(X, Comparisons) else read_as(y, columns)
        self._warn()
        return self

    def update(self, y: Any, *, columns: Mapping[str, str] | None = None) -> Self:
        """Learns from more answers about the same items, beside those that were learned from: the result is that of one fit to all of them.

        Parameters
        ----------
        y : answers
            As in :meth:`fit`; of any kind, also of another one.
        columns : dict of str to str, optional
            As in :meth:`fit`.

        Returns
        -------
        PreferenceGP
            This estimator.

        Raises
        ------
        UnknownItemError
            For items that were not among those of the fit.
        ParameterError
            Of an estimator from a file, which does not have the answers.

        Examples
        --------
        >>> model = PreferenceGP("white").fit(None, [("tea", "coffee"), ("coffee", "wine")])
        >>> model.update([("wine", "tea")] * 5).ranking()[0].item
        'wine'
        """
        check_is_fitted(self)
        before = self.__dict__.get("_learned_from")
        if before is None:
            raise ParameterError("a model from a file does not have the answers that it was learned from; fit it again to all answers")
        tables = [*named_tables(before.answers, before.reading, before.labels), *named_tables(with_roles(y, columns), before.labels, before.labels)]
        self._learn(before._replace(reading=before.labels, answers=joined(tables), whole=None))
        self._warn()
        return self

    def at(self, **columns: Any) -> Self:
        """This estimator, looking at items where columns of comparisons have these values: `model.at(date="2026-01-31", surface="clay").ranking()`.

        Without it, a number is the mean of its column, a time the latest one, and a category none of its levels.

        Parameters
        ----------
        **columns
            A value for each column. Dates are texts, `datetime.date` or `numpy.datetime64`.

        Returns
        -------
        PreferenceGP
            A copy; this estimator stays as it is.

        Raises
        ------
        RatherError
            If the kernel names no such column, or the value is of another kind.
        """
        found = copy.copy(self)
        for name, given in columns.items():
            is_date = dict(self._model().context).get(name, False)
            found.model_ = found.model_.looked_at(name, _context.value(name, given, is_date))
        return found

    @property
    def classes_(self) -> np.ndarray[Any, Any]:
        """Of an estimator that learned from `Comparisons`, what the columns of :meth:`predict_proba` are: `"left"` and `"right"`."""
        if not self._classifies():
            raise AttributeError(f"this {type(self).__name__} has classes after a fit to Comparisons, of which each has an outcome")
        return np.array(["left", "right"])

    def __sklearn_tags__(self) -> Any:
        """A classifier or a regressor, by what it learned from: samples of comparisons have classes, items have utilities."""
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        if self._classifies():
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(multi_class=False)
        elif self.__sklearn_is_fitted__():
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def _classifies(self) -> bool:
        given = self.__dict__.get("_learned_from")
        return given is not None and given.whole is not None

    @property
    def weights_(self) -> dict[str, tuple[float, float]]:
        """What one unit of a column of `linear` is worth, in utility: mean and standard deviation."""
        return {name: (mean, sd) for name, mean, sd in self._model().weights}

    @property
    def ard_(self) -> bool:
        """Whether the kernel has a lengthscale for every feature."""
        return self._model().ard

    @property
    def kernels_(self) -> list[dict[str, Any]]:
        """The kernels tried: `kernel`, `ard`, `log_evidence` in nats, and `score`, by which they were chosen."""
        return [dict(zip(("kernel", "ard", "log_evidence", "score"), tried)) for tried in self._model().tried]

    @property
    def seconds_(self) -> float | None:
        """Wall time of learning in seconds; `None` of a model from a file."""
        return self._model().seconds

    def scores(self, X: Any, y: Any = None) -> Scores:
        """How well answers are predicted that were not learned from, by the definitions of `rather evaluate`.

        Parameters
        ----------
        X : table, Comparisons or None
            The items, as in :meth:`predict`; or the answers with their items.
        y : answers
            Of any kind that :meth:`fit` takes. Where they tell sides (`left`, `right`), a learned position bias counts.

        Returns
        -------
        Scores
            Accuracy, log loss and others (:class:`rather.metrics.Scores`).

        Examples
        --------
        >>> model = PreferenceGP("white").fit(None, [("tea", "coffee")] * 3 + [("coffee", "wine")])
        >>> model.scores(None, [("tea", "wine"), ("tea", "coffee")]).accuracy
        1.0
        """
        table, labels = self._asked(X, None)
        if isinstance(X, Comparisons):
            labels, y = X._reading, X.tables()
        if y is None:
            raise ParameterError("requires y to be passed, but the target y is None: the comparisons are missing")
        said = _answer_tables.all_tables(y)
        reading = labels if said is not None else Labels(range(len(labels)))
        said = said if said is not None else [as_table(y, labels)]
        placed = _context.asked(said[0], reading, self.model_) if len(said) == 1 else None
        scales = self.model_.levels, self.model_.grades
        told = _answer_tables.answers(said, reading, ties=self.ties, rankings=self.rankings, placed=placed, scales=scales)
        return Scores.of(json.loads(_lib.scores(self.model_, told, placed.sides if placed is not None else table)))

    def score(self, X: Any, y: Any = None) -> float:
        """The share of answers that had the largest probability of all that could be given; of two equally probable ones each counts half.

        Parameters
        ----------
        X, y
            As in :meth:`scores`, which has more of them.

        Returns
        -------
        float

        Raises
        ------
        DataError
            If `y` has measured values alone, of which none is the most probable one; take :meth:`log_score`.
        """
        found = self.scores(X, y).accuracy
        if np.isnan(found):
            raise DataError("no answer is the most probable one where all are measured values; take log_score, or rather.metrics.neg_crps")
        return found

    def log_score(self, X: Any, y: Any = None) -> float:
        """The mean log probability of the answers `y`, in nats: the negative log loss.

        Parameters
        ----------
        X, y
            As in :meth:`scores`.

        Returns
        -------
        float
        """
        return -self.scores(X, y).log_loss

    def summary(self) -> Summary:
        """What was learned, on one page: the items and answers, the kernel, the evidence, the hyperparameters, the notices.

        Returns
        -------
        Summary
            It prints itself.

        Examples
        --------
        >>> print(PreferenceGP("white").fit(None, [("tea", "coffee")] * 3 + [("coffee", "tea")]).summary())  # doctest: +ELLIPSIS
        PreferenceGP
          items               2, compared 2
          kernel              white
        ...
        """
        return Summary.of(self)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A fitted estimator from a model file, safe to read from a stranger.

        Parameters
        ----------
        path : str or Path
            The file, of this package or of the program.

        Returns
        -------
        PreferenceGP
            Its parameters are the defaults: a file has what was learned.

        Raises
        ------
        ModelFileError
            If there is no such file, or no model of a single user in it.
        """
        estimator = cls()
        estimator.model_ = loaded(path, many=False)
        estimator._labels = Labels.saved(estimator.model_.names, estimator.model_.integers)
        estimator._take_features()
        return estimator

    @property
    def compared_(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Row numbers of the items that were compared."""
        return np.array(self._model().compared, dtype=np.int64)

    @property
    def sampling_(self) -> dict[str, Any] | None:
        """Of exact inference, how it sampled."""
        told = self._model().sampling
        return None if told is None else json.loads(told)

    def _given(self, X: Any, y: Any, names: Any, columns: Mapping[str, str] | None) -> _Given:
        """The items and the answers of a fit."""
        self._forget_features()
        if isinstance(X, Comparisons):
            return _Given(X.table, X.labels, X._reading, X.tables(), X)
        table, labels, answers = Problem.of(X, y, names, columns)
        if X is not None:
            self._check_features(X, reset=True)
        return _Given(table, labels, labels, answers, None)

    def _learned(self) -> _lib.Table | None:
        given = self.__dict__.get("_learned_from")
        return None if given is None else given.table

    def _learn(self, given: _Given) -> None:
        parameters = self._parameters()
        told, sides = self._answers(given)
        with _progress.shown(self.progress) as progress:
            self.model_ = _lib.Model.fit(given.table, told, parameters, progress, sides, self._columns_given())
        self._labels, self._learned_from = given.labels, given
        #: Whether it is asked about items alone, as a regressor is.
        self._of_targets = given.whole is None and is_scores(given.answers)

    def _answers(self, given: _Given) -> tuple[_lib.Answers, _lib.Sides | None]:
        """As the compiled part takes them."""
        of_users = self.user_noise or self.lapse == "by_user"
        said = _answer_tables.tables(given.answers, bias=self.bias, user_noise=of_users)
        self._check_roles(_answer_tables.all_tables(given.answers), of_users)
        placed = self._placed(given.answers, said, given.table, given.reading)
        if said is None and placed is None:
            (plain,) = _answer_tables.all_tables(given.answers) or [given.answers]
            return answers(plain, given.reading), None
        said = said or _answer_tables.all_tables(given.answers) or []
        scales = given.whole._scales_of(self.ties, self.rankings) if given.whole is not None else None
        told = _answer_tables.answers(said, given.reading, ties=self.ties, rankings=self.rankings, placed=placed, scales=scales)
        return told, placed.sides if placed is not None else None

    def _placed(self, given: Any, said: list[dict[str, Any]] | None, table: _lib.Table, labels: Labels) -> _context.Placed | None:
        """The sides of comparisons whose columns the kernel names, if their table has such."""
        wanted = _context.named_in(self.kernel, table.features)
        tables = (said or _answer_tables.all_tables(given) or [{}]) if wanted else []
        found = [_context.placed(one, labels, wanted, sides_of(set(one))) for one in tables]
        if len(found) > 1 and any(one is not None for one in found):
            raise DataError("columns of comparisons are read from one table; join the tables")
        return found[0] if found else None

    def _check_roles(self, said: list[dict[str, Any]] | None, of_users: bool) -> None:
        """That what the parameters ask for is told by the answers."""
        if self.bias and not any({"left", "right"} <= set(table) for table in said or ()):
            raise ParameterError("bias=True needs to know which item was on the left: give a table with columns left, right and outcome")
        if of_users and not any("user" in table for table in said or ()):
            asked_for = "user_noise=True" if self.user_noise else 'lapse="by_user"'
            raise ParameterError(f"{asked_for} needs to know who gave each answer: give a table with a column user")

    def _asked(self, X: Any, names: Any) -> tuple[_lib.Table | None, Labels]:
        check_is_fitted(self)
        if X is not None and not isinstance(X, Comparisons) and (names is not None or names_alone(X) is None):
            self._check_features(X, reset=False)
        return super()._asked(X, names)

    def _parameters(self) -> dict[str, Any]:
        given = _parameters.checked(self.get_params(deep=False))
        del given["progress"], given["random_state"], given["ties"], given["rankings"]
        return {**given, "seed": self._seed()}
