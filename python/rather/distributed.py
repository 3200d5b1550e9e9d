"""The same models over a cluster of machines, by Ray (`pip install 'rather[distributed]'`): comparisons in Parquet, each worker with a part.

Nothing that grows with the number of comparisons leaves a worker: of a part go only sums, `R² + R` numbers for `R` inducing points, and the
driver adds them up. A worker that is lost is started again, reads its part again and begins from nothing; the answer is the same.

>>> import rather.distributed
>>> rather.distributed.fit.__name__
'fit'
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from . import _lib
from ._cluster import Crew, Sums, Task, added, home
from ._pairs import _winners, pairs
from ._questions import asked
from ._results import Ranking
from ._tables import Labels, items
from .errors import InferenceError, ModelFileError, ParameterError, RatherError

__all__ = ["BlocksGP", "UsersGP", "fit", "fit_users"]

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
_Rows = np.ndarray[Any, np.dtype[np.int64]]

#: The smallest step of a sweep before inference is given up.
_SMALLEST_STEP = 1 / 32
#: Growth of the largest mismatch over its best at which the step is halved.
_GROWTH = 3.0
#: Inducing points that hyperparameters are first learned with.
_COARSE = 128
#: How far inference goes while hyperparameters are learned.
_ROUGH = 1e-4
#: What the header of a file tells of how learning went.
_OUTCOMES = ("maximised_", "converged_", "sweeps_")


def fit(
    X: Any,
    comparisons: str | Path | Sequence[str | Path],
    *,
    names: Any = None,
    kernel: str = "matern52",
    n_inducing: int = 256,
    workers: int | None = None,
    address: str | None = None,
    tolerance: float = 1e-8,
    max_sweeps: int = 500,
    **parameters: Any,
) -> BlocksGP:
    """Learns one utility from comparisons in Parquet, by expectation propagation with inducing points over all machines of a cluster.

    The result is that of `PreferenceGP(kernel, representation="low-rank", n_inducing=...)` on all comparisons at once, with a site for every
    answer: where a pair is compared more than once, a single machine has one site for the pair, and intervals nearer to the exact ones.

    Parameters
    ----------
    X : table
        The items, as :meth:`rather.PreferenceGP.fit` takes them. They go to every worker.
    comparisons : path, or list of paths
        Parquet files or folders, with columns as :meth:`rather.PreferenceGP.fit` takes them (`winner` and `loser`, or `left`, `right` and `outcome`).
        Workers read them: every machine must reach them by these names. They are divided by row groups.
    names : sequence or str, optional
        The items' names, or the column of `X` that has them.
    kernel : str
        A kernel expression.
    n_inducing : int
        The largest number of inducing points.
    workers : int, optional
        Number of parts; as many as the cluster has processors if not given.
    address : str, optional
        The address of a cluster ("auto", or "ray://head:10001"), if `ray.init` was not called before; without one, this machine.
    tolerance : float
        The largest mismatch of moments at which inference has converged.
    max_sweeps : int
        Sweeps after which inference is given up, at each setting of the hyperparameters.
    **parameters
        Other parameters of :class:`rather.PreferenceGP`: `ard`, `units`, `fixed`, `priors`, `raw_features`.

    Raises
    ------
    RatherError
        As :meth:`rather.PreferenceGP.fit`.
    """
    crew = Crew.of(X, names, comparisons, None, {"kernel": kernel, **parameters}, workers, address)
    try:
        return BlocksGP(crew, n_inducing, tolerance, max_sweeps)
    finally:
        crew.dismiss()


class BlocksGP:
    """A utility learned over a cluster; see :func:`fit`. Predictions need no worker; it may be saved and pickled."""

    def __init__(self, crew: Crew, n_inducing: int, tolerance: float, max_sweeps: int) -> None:
        self._table, self._labels, self._parameters = crew.table, crew.labels, crew.parameters
        self._compared = crew.compared
        climb = _Climb(crew, max_sweeps)
        self._values = crew.frame.start
        #: Whether the hyperparameters are those of a maximum of the evidence.
        self.maximised_ = True
        if crew.frame.free:
            # With a few inducing points first: where they are best depends on the kernel.
            for most in (min(n_inducing, _COARSE), n_inducing):
                climb.choose(self._values, most)
                found = crew.frame.learn(self._values, lambda here: climb.evidence(here, max(tolerance, _ROUGH)))
                self._values, self.maximised_ = found
        else:
            climb.choose(self._values, n_inducing)
        self.log_evidence_, _ = climb.evidence(self._values, tolerance)
        self._inducing = climb.inducing
        self.residual_, self.sweeps_ = climb.residual, climb.sweeps
        #: Whether inference converged.
        self.converged_ = self.residual_ <= tolerance
        self._sums = climb.sums
        self._restore()

    def _restore(self) -> None:
        self._frame = _lib.Frame(self._table, self._compared, self._parameters)
        self._model = _lib.BlocksModel(self._frame, self._values, self._inducing, self._sums)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_frame", "_model")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._restore()

    def save(self, path: str | Path) -> None:
        """Writes the model to a file.

        Parameters
        ----------
        path : str or Path
            The file. It has the items and what was learned, no comparisons; it is a model file of this package, which the program `rather` does not open.

        Raises
        ------
        ModelFileError
            If it cannot be written.
        """
        columns = [(name, list(values) if isinstance(values, list) else None) for name, values in self._table.columns]
        header = {
            "names": self._table.names,
            "integers": self._table.integers,
            "columns": columns,
            "parameters": self._parameters,
            **{name: getattr(self, name) for name in _OUTCOMES},
        }
        floats = {
            "values": np.array(self._values, dtype=np.float64),
            # Where nothing was swept, there is no mismatch to tell.
            "found": np.array([self.log_evidence_, min(self.residual_, np.finfo(np.float64).max)]),
            "precision": np.ascontiguousarray(self._sums.precision).ravel(),
            "shift": np.ascontiguousarray(self._sums.shift),
            **{f"column {at}": values for at, (_, values) in enumerate(self._table.columns) if not isinstance(values, list)},
        }
        whole = {"inducing": self._inducing.astype(np.uint64), "compared": self._compared.astype(np.uint64)}
        _lib.save_of_cluster(Path(path), json.dumps(header), floats, whole)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """A model from a file that :meth:`save` wrote, safe to read from a stranger. It needs no cluster.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        BlocksGP

        Raises
        ------
        ModelFileError
            If there is no such file, or no model of a cluster in it.
        """
        told, floats, whole = _lib.load_of_cluster(Path(path))
        model = cls.__new__(cls)
        try:
            model._read(json.loads(told), floats, whole)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RatherError) as error:
            raise ModelFileError(f"{path} is damaged: {error}; save the model again") from None
        return model

    def _read(self, header: dict[str, Any], floats: dict[str, _Numbers], whole: dict[str, np.ndarray[Any, np.dtype[np.uint64]]]) -> None:
        """From the parts of a file."""
        columns = [(str(name), floats[f"column {at}"] if texts is None else list(texts)) for at, (name, texts) in enumerate(header["columns"])]
        self._table = _lib.Table(list(header["names"]), columns, bool(header["integers"]))
        self._labels = Labels.saved(list(header["names"]), bool(header["integers"]))
        self._parameters = {**header["parameters"], "fixed": [(name, value) for name, value in header["parameters"]["fixed"]]}
        self._compared, self._inducing = whole["compared"].astype(np.int64), whole["inducing"].astype(np.int64)
        self._values = floats["values"].tolist()
        shift = floats["shift"]
        self._sums = Sums(floats["precision"].reshape(len(shift), len(shift)), shift)
        self.maximised_, self.converged_ = (bool(header[name]) for name in ("maximised_", "converged_"))
        self.sweeps_ = int(header["sweeps_"])
        self.log_evidence_, self.residual_ = floats["found"].tolist()
        self._restore()

    def __repr__(self) -> str:
        return f"<BlocksGP: {self.kernel_}, {len(self._labels)} items>"

    @property
    def items_(self) -> list[Any]:
        """The items' names."""
        return list(self._labels.names)

    @property
    def kernel_(self) -> str:
        """The kernel as an expression."""
        return self._frame.kernel(self._values)

    @property
    def hyperparameters_(self) -> dict[str, float]:
        """The kernel's parameters and the noise, in the units of the table."""
        return dict(self._frame.hyperparameters(self._values))

    @property
    def inducing_(self) -> _Rows:
        """Row numbers of the inducing points."""
        return self._inducing

    def predict(self, X: Any = None, *, return_std: bool = False, names: Any = None) -> _Numbers | tuple[_Numbers, _Numbers]:
        """Mean utilities, relative to the average over the items compared.

        Parameters
        ----------
        X, return_std, names
            As in :meth:`rather.PreferenceGP.predict`.

        Returns
        -------
        As :meth:`rather.PreferenceGP.predict`.
        """
        table, _ = self._asked(X, names)
        mean, sd = self._model.utilities(self._frame, table, self._table)
        return (mean, sd) if return_std else mean

    def predict_proba(self, given: Any, X: Any = None, *, names: Any = None) -> _Numbers:
        """For each pair, the probabilities that its left and its right item is preferred.

        Parameters
        ----------
        given : array, list of pairs or table
            Pairs of names or row numbers, as in :meth:`rather.PreferenceGP.predict_proba`.
        X, names
            The items that pairs are of, as in :meth:`predict`.

        Returns
        -------
        array, shape (n_pairs, 2)
        """
        table, labels = self._asked(X, names)
        left = self._model.probabilities(self._frame, pairs(given, labels), table, self._table)
        return np.column_stack([left, 1 - left])

    def score(self, X: Any, y: Any) -> float:
        """The share of comparisons whose winner was the more probable one; of two equally probable ones each counts half.

        Parameters
        ----------
        X : table or None
            The items, as in :meth:`rather.PreferenceGP.predict`.
        y : array, list of pairs, or table
            Comparisons with a winner each, as :meth:`rather.PreferenceGP.fit` takes them.

        Returns
        -------
        float
        """
        p, counts = self._of_winners(X, y)
        return float(np.average((p > 0.5) + 0.5 * (p == 0.5), weights=counts))

    def log_score(self, X: Any, y: Any) -> float:
        """The mean log probability of what was preferred, in nats.

        Parameters
        ----------
        X, y
            As in :meth:`score`.

        Returns
        -------
        float
        """
        p, counts = self._of_winners(X, y)
        return float(np.average(np.log(p), weights=counts))

    def _of_winners(self, X: Any, y: Any) -> tuple[_Numbers, _Rows | None]:
        """The probabilities that the winners of comparisons were predicted to be preferred with, and how often each was."""
        table, labels = self._asked(X, None)
        winners, losers, counts = _winners(y, labels)
        return self._model.probabilities(self._frame, (winners, losers), table, self._table), counts

    def covariance(self, X: Any = None, *, names: Any = None) -> _Numbers:
        """The posterior covariance of the utilities, not relative to an average.

        Parameters
        ----------
        X, names
            As in :meth:`predict`.

        Returns
        -------
        array, shape (n_items, n_items)
        """
        return self._model.covariance(self._frame, self._asked(X, names)[0], self._table)

    def ranking(self, X: Any = None, *, top: int | None = None, names: Any = None) -> Ranking:
        """Items by decreasing utility, with standard deviations and 95 % intervals.

        Parameters
        ----------
        X, names
            As in :meth:`predict`.
        top : int, optional
            So many of them.

        Returns
        -------
        Ranking
        """
        table, labels = self._asked(X, names)
        return Ranking.of(labels.names, *self._model.utilities(self._frame, table, self._table), top=top)

    def _asked(self, X: Any, names: Any) -> tuple[_lib.Table | None, Labels]:
        if X is None:
            return None, self._labels
        table, labels = items(X, names)
        return asked(table, labels, X, names), labels


class _Climb:
    """Inference over all blocks, at one setting of the hyperparameters after the other; sites stay from one to the next."""

    def __init__(self, crew: Crew, max_sweeps: int) -> None:
        self._crew, self._max_sweeps = crew, max_sweeps
        self._task: Any = None
        self.sweeps = 0
        self.residual = np.inf
        self.sums: Sums
        self.inducing: _Rows

    def choose(self, values: list[float], most: int) -> None:
        """Takes the inducing points that are best at these hyperparameters, and begins again."""
        self.inducing = np.array(self._crew.frame.inducing(values, most), dtype=np.int64)
        self._task = self._crew.ray.put(Task(self._crew.compared, self.inducing))

    def evidence(self, values: list[float], tolerance: float) -> tuple[float, list[float]]:
        """The log evidence, and its gradient in the logarithms of the hyperparameters."""
        while True:
            self._settle(values, tolerance)
            found = self._crew.ask("evidence", self._task, values, self._crew.ray.put(self.sums), self.sweeps)
            # A worker that was lost just now has other sites than those in the sums.
            if None not in found:
                break
        shared = _lib.BlocksModel(self._crew.frame, values, self.inducing, self.sums).log_evidence
        return shared + sum(part for part, _ in found), np.sum([slope for _, slope in found], axis=0).tolist()

    def _settle(self, values: list[float], tolerance: float) -> None:
        """Sweeps until the moments match."""
        crew = self._crew
        self.sums = Sums.of(crew.ask("sums", self._task, values))
        step, best = 1.0, np.inf
        for _ in range(self._max_sweeps):
            self.sweeps += 1
            told = crew.ask("sweep", self._task, values, crew.ray.put(self.sums), step, self.sweeps)
            self.sums = Sums.of(sums for sums, _, _ in told)
            self.residual = max(mismatch for _, mismatch, _ in told)
            if self.residual <= tolerance or step < _SMALLEST_STEP:
                break
            if self.residual > _GROWTH * best:
                step, best = step / 2, self.residual
            best = min(best, self.residual)
        if not np.isfinite(self.residual):
            raise InferenceError("inference broke down: a number that is none")


def fit_users(
    X: Any,
    comparisons: str | Path | Sequence[str | Path],
    *,
    model: str = "hierarchical",
    user: str = "user",
    names: Any = None,
    kernel: str = "matern52",
    iterations: int = 20,
    strength: float = 20.0,
    common: float = 0.5,
    workers: int | None = None,
    address: str | None = None,
    **parameters: Any,
) -> UsersGP:
    """Learns a utility for each of many users, whose comparisons are in Parquet, over all machines of a cluster.

    Parameters
    ----------
    X, comparisons, names, kernel, workers, address, **parameters
        As in :func:`fit`.
    model : {"hierarchical", "per-user"}
        One prior for everyone, learned from all by expectation maximisation, or everyone alone under the kernel.
    user : str
        The column of users.
    iterations : int
        Of expectation maximisation.
    strength, common : float
        The prior of what users have in common: the part `common` of the kernel's variance, with the weight of `strength` users.
    """
    if model not in ("hierarchical", "per-user"):
        raise ParameterError(f"model={model!r} is not known; take hierarchical or per-user")
    crew = Crew.of(X, names, comparisons, user, {"kernel": kernel, **parameters}, workers, address)
    return UsersGP(crew, iterations if model == "hierarchical" else 0, strength, common)


class UsersGP:
    """Utilities of many users learned over a cluster; see :func:`fit_users`. What is known of a user stays with their worker."""

    def __init__(self, crew: Crew, iterations: int, strength: float, common: float) -> None:
        self._crew = crew
        self._task = crew.ray.put(Task(crew.compared, crew.compared[:0]))
        #: What everyone is expected to be like, after how many rounds of expectation maximisation.
        self._expected: list[tuple[_Numbers, _Numbers]] = []
        self._round = 0
        self._values = crew.frame.start
        if crew.frame.free:
            self._values, _ = crew.frame.learn(self._values, self._alone)
        for _ in range(iterations):
            users, mean, second, _, _ = self._summary()
            self._expected = [_lib.expected_user(users, mean, second, strength, common)]
            self._round += 1
        users, _, _, self.log_evidence_, self.converged_ = self._summary()
        #: How many users answered.
        self.users_ = int(users)

    def _alone(self, values: list[float]) -> tuple[float, list[float]]:
        found = self._crew.ask("alone", self._task, values)
        return sum(value for value, _ in found), np.sum([slope for _, slope in found], axis=0).tolist()

    def _summary(self) -> tuple[Any, ...]:
        parts = self._crew.ask("summary", self._task, self._values, self._expected, self._round)
        users, means, seconds, evidences, converged = zip(*parts)
        return sum(users), added(means), added(seconds), sum(evidences), all(converged)

    @property
    def hyperparameters_(self) -> dict[str, float]:
        """The kernel's parameters and the noise, in the units of the table."""
        return dict(self._crew.frame.hyperparameters(self._values))

    def predict(self, user: Any, *, return_std: bool = False) -> _Numbers | tuple[_Numbers, _Numbers]:
        """Mean utilities of all items for a user, relative to their average.

        Parameters
        ----------
        user
            The user's name.
        return_std : bool
            Standard deviations too.

        Returns
        -------
        mean, or mean and sd : arrays, shape (n_items,)
        """
        mean, sd = self._of(user)
        return (mean, sd) if return_std else mean

    def predict_proba(self, user: Any, given: Any) -> _Numbers:
        """For each pair, the probabilities that the user prefers its left and its right item.

        Parameters
        ----------
        user
            The user's name.
        given : array, list of pairs or table
            Pairs of names or row numbers.

        Returns
        -------
        array, shape (n_pairs, 2)
        """
        left = self._of(user, pairs(given, self._crew.labels))
        return np.column_stack([left, 1 - left])

    def ranking(self, user: Any, *, top: int | None = None) -> Ranking:
        """Items by decreasing utility for a user, with standard deviations.

        Parameters
        ----------
        user
            The user's name.
        top : int, optional
            So many of them.

        Returns
        -------
        Ranking
        """
        mean, sd = self._of(user)
        return Ranking.of(self._crew.labels.names, mean, sd, top=top)

    def __reduce__(self) -> Any:
        raise RatherError("a UsersGP is bound to its workers and cannot be pickled; keep what it predicts, or fit it again there")

    def close(self) -> None:
        """Sends the workers home; nothing can be asked any more."""
        self._crew.dismiss()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _of(self, user: Any, given: Any = None) -> Any:
        worker = self._crew.workers[home(str(user), len(self._crew.workers))]
        asked = worker.of_user.remote(self._task, self._values, self._expected, self._round, str(user), given)
        return self._crew.get(asked)
