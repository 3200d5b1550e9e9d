"""A sampler for the preferential studies of optuna-dashboard.

Needs the packages of the extra: `pip install 'rather[optuna]'`.
"""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np

from ._estimator import PreferenceGP
from .errors import FitWarning, ParameterError, RatherError

try:
    import optuna
    from optuna.search_space import intersection_search_space
    from optuna.trial import FrozenTrial, TrialState
    from optuna_dashboard.preferential import PreferentialStudy

    from ._optuna_space import Space
except ImportError as missing:
    raise ImportError(
        f"rather.optuna needs Optuna and its dashboard ({missing}); install them with: pip install 'rather[optuna]'"
    ) from missing

__all__ = ["RatherSampler"]

_log = logging.getLogger(__name__)

_Rows = np.ndarray[Any, np.dtype[np.float64]]

#: From so many preferences on the hyperparameters are learned; before, they would be made of a few answers.
_FIRST_LEARNING = 10
#: Until then the lengthscale is this share of each range; with more than a few numbers it grows as the distances do.
_LENGTHSCALE = 0.3
_FEW = 4
#: The prior standard deviation of a utility, in units of a comparison's noise.
_SD = 2.0
#: How many settings are drawn over the space, and how many around the best.
_CANDIDATES = 500


class RatherSampler(optuna.samplers.BaseSampler):  # type: ignore[misc]  # without the types of Optuna, which may not be installed
    """Chooses the next trial of a preferential study by a Gaussian process over preferences.

    Stands where `optuna_dashboard.preferential.samplers.gp.PreferentialGPSampler` stands, and needs neither PyTorch nor BoTorch. The preferences
    reported so far make a `PreferenceGP` over the search space; the next trial is that of its candidates of which an acquisition function
    thinks most.

    Parameters
    ----------
    acquisition : str
        What is asked of a setting against the best trial that is not yet beaten, a name of `PreferenceGP.suggest`: `"eubo"` the expected utility of
        the better one, `"ucb:2"` a confidence bound, `"bald"` the information in the answer; or `"thompson"`, the best setting of a draw from the
        posterior.
    kernel : str
        The kernel on numbers: `"se"`, `"matern52"`, `"matern32"`, `"matern12"` or `"rq"`.
    independent_sampler : BaseSampler, optional
        For the first trials, and for parameters that not every completed trial has; `RandomSampler` if not given.
    seed : int, optional
        The same seed and the same preferences give the same trials.

    Notes
    -----
    A trial that is running and was not compared yet counts as beaten by the best one while the next is chosen, so that trials asked for at once
    differ (the constant liar). Whatever the preferences are, contradictory or few, a trial is never failed by this sampler: if there is nothing to
    learn from, parameters are sampled independently, and the reason is logged.

    Examples
    --------
    >>> from optuna_dashboard.preferential import create_study
    >>> study = create_study(n_generate=2, sampler=RatherSampler(seed=0))
    >>> for _ in range(12):
    ...     while study.should_generate():
    ...         roast = study.ask().suggest_float("roast", 0.0, 1.0)
    ...     beaten = {worse.number for _, worse in study.preferences}
    ...     a, b = (trial for trial in study.trials if trial.number not in beaten)
    ...     far = lambda trial: abs(trial.params["roast"] - 0.7)
    ...     study.report_preference(min(a, b, key=far), max(a, b, key=far))
    >>> bool(far(study.best_trials[0]) < 0.1)
    True
    """

    def __init__(
        self,
        *,
        acquisition: str = "eubo",
        kernel: str = "se",
        independent_sampler: optuna.samplers.BaseSampler | None = None,
        seed: int | None = None,
    ) -> None:
        if kernel not in ("se", "matern52", "matern32", "matern12", "rq"):
            raise ParameterError(f"kernel={kernel!r} is not known; take se, matern52, matern32, matern12 or rq")
        # Asked once of two items, so that a name that is none is said here and not in the first trial.
        PreferenceGP("white").fit(None, [("a", "b")]).suggest(acquisition=acquisition, opponent="a")
        self.acquisition = acquisition
        self.kernel = kernel
        self._rng = np.random.default_rng(seed)
        self._warned = False
        self._independent = independent_sampler or optuna.samplers.RandomSampler(seed=self._seed())

    def __repr__(self) -> str:
        return f"RatherSampler(acquisition={self.acquisition!r}, kernel={self.kernel!r})"

    def _seed(self) -> int:
        return int(self._rng.integers(2**31))

    def reseed_rng(self) -> None:
        """Another seed, for a process of its own."""
        self._rng = np.random.default_rng()
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, Any]:
        """The parameters that all completed trials have, and that have more than one value."""
        space = intersection_search_space(study.get_trials(deepcopy=False))
        return {name: distribution for name, distribution in space.items() if not distribution.single()}

    def sample_relative(self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, Any]) -> dict[str, Any]:
        """The next setting."""
        if not search_space:
            return {}
        compared = _Compared(study, search_space)
        if not compared.preferences:
            if not self._warned and not _is_preferential(study):
                self._warned = True
                warnings.warn(
                    "RatherSampler learns from preferences, and this is no preferential study: its trials are sampled at random; make one with "
                    "optuna_dashboard.preferential.create_study",
                    UserWarning,
                    stacklevel=2,
                )
            return {}
        try:
            return self._next(compared)
        except RatherError as error:
            _log.warning("the preferences could not be learned from, so trial %d is sampled independently: %s", trial.number, error)
            return {}

    def sample_independent(self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: Any) -> Any:
        """A parameter by itself."""
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def _next(self, compared: _Compared) -> dict[str, Any]:
        space, trials = compared.space, compared.rows
        pool = space.candidates(_CANDIDATES, trials[compared.standing], self._rng)
        fresh = pool[~_among(pool, trials)]
        pool = fresh if len(fresh) else pool
        table = space.columns(np.concatenate([trials, pool]))
        model = self._learn(space, table, compared.preferences)
        utility = np.asarray(model.predict())
        best = max(compared.standing, key=lambda row: float(utility[row]))
        lies = [(best, running) for running in compared.running]
        if lies:
            model = self._learn(space, table, compared.preferences + lies)
        return space.params(pool[self._choose(model, space, trials[best], pool)])

    def _learn(self, space: Space, table: dict[str, Any], preferences: list[tuple[int, int]]) -> PreferenceGP:
        model = PreferenceGP(
            space.kernel(self.kernel), units="comparison-noise", raw_features=True, fixed=self._fixed(space, len(preferences))
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)
            return model.fit(table, preferences)

    def _fixed(self, space: Space, preferences: int) -> dict[str, float]:
        """The hyperparameters that are not learned: those of choices never, for few of them are ever compared; no others after a few preferences."""
        numbers = sum(not dimension.choices for dimension in space.dimensions.values())
        mixed = 0 < numbers < len(space.dimensions)
        fixed = {}
        if numbers < len(space.dimensions):
            fixed["categorical.lengthscale" if mixed else "lengthscale"] = 1.0
        if preferences < _FIRST_LEARNING:
            fixed["variance"] = _SD**2
            if numbers:
                lengthscale = _LENGTHSCALE * max(1.0, (numbers / _FEW) ** 0.5)
                fixed[f"{self.kernel}.lengthscale" if mixed else "lengthscale"] = lengthscale
        return fixed

    def _choose(self, model: PreferenceGP, space: Space, best: _Rows, pool: _Rows) -> int:
        """The row of the pool that the acquisition function values most, against `best` if it takes an opponent."""
        if self.acquisition == "thompson":
            return int(np.argmax(model.sample(space.columns(pool), random_state=self._seed())))
        table = space.columns(np.concatenate([best[None], pool]))
        asked = model.suggest(table, acquisition=self.acquisition, opponent=0, random_state=self._seed())[0]
        return int(max(asked.left, asked.right)) - 1


class _Compared:
    """What a study says: its trials as rows, who was preferred to whom, who is still standing, who is running."""

    def __init__(self, study: optuna.Study, search_space: dict[str, Any]) -> None:
        self.space = Space(search_space)
        told = PreferentialStudy(study).get_preferences(deepcopy=False)
        trials = study.get_trials(deepcopy=False)
        # The same names may have stood for other ranges once.
        known = [trial for trial in trials if search_space.items() <= trial.distributions.items()]
        place = {trial.number: row for row, trial in enumerate(known)}
        self.rows = np.array([self.space.row(trial.params) for trial in known]).reshape(-1, len(search_space))
        self.preferences = [
            (place[better.number], place[worse.number])
            for better, worse in told
            if better.number in place and worse.number in place and better.number != worse.number
        ]
        beaten = {worse for _, worse in self.preferences}
        said = {row for pair in self.preferences for row in pair}
        #: Compared, and not beaten yet; all that were compared, if each was beaten by some other.
        self.standing = sorted(said - beaten) or sorted(said)
        self.running = [place[t.number] for t in known if t.state == TrialState.RUNNING and place[t.number] not in said]


def _among(rows: _Rows, others: _Rows) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which of `rows` are among `others`."""
    seen = {row.tobytes() for row in others}
    return np.array([row.tobytes() in seen for row in rows], dtype=bool)


def _is_preferential(study: optuna.Study) -> bool:
    """Whether the dashboard made it: it marks its studies."""
    return any("preference" in name for name in study._storage.get_study_system_attrs(study._study_id))
