"""The same models over a cluster of machines, by Ray (`pip install 'rather[distributed]'`): comparisons in Parquet, each worker with a part.

Nothing that grows with the number of comparisons leaves a worker: of a part go only sums, `R² + R` numbers for `R` inducing points, and the
driver adds them up. A worker that is lost is started again, reads its part again and begins from nothing; the answer is the same.

>>> import rather.distributed
>>> rather.distributed.fit.__name__
'fit'
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from . import _lib
from ._estimator import PreferenceGP
from ._pairs import _winners, pairs
from ._questions import asked
from ._results import Ranking
from ._tables import Labels, items
from .errors import DataError, InferenceError, ParameterError, RatherError, UnknownUserError

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
#: The parameters of `PreferenceGP` that models over a cluster take.
_TAKEN = ("kernel", "ard", "units", "fixed", "priors", "raw_features")


class _Sums(NamedTuple):
    """What sites say about the features: precision and shift, or sums of such."""

    precision: _Numbers
    shift: _Numbers

    @classmethod
    def of(cls, parts: Iterable[tuple[_Numbers, _Numbers]]) -> Self:
        precisions, shifts = zip(*parts)
        # In the order of the parts, so that the same parts give the same bits.
        return cls(_added(precisions), _added(shifts))


def _added(arrays: Sequence[_Numbers]) -> _Numbers:
    total = arrays[0].copy()
    for array in arrays[1:]:
        total += array
    return total


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
    crew = _Crew.of(X, names, comparisons, None, {"kernel": kernel, **parameters}, workers, address)
    try:
        return BlocksGP(crew, n_inducing, tolerance, max_sweeps)
    finally:
        crew.dismiss()


class BlocksGP:
    """A utility learned over a cluster; see :func:`fit`. Predictions need no worker, and it may be pickled."""

    def __init__(self, crew: _Crew, n_inducing: int, tolerance: float, max_sweeps: int) -> None:
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
        """Mean utilities, relative to the average over the items compared; with `return_std`, standard deviations too. `X` as in
        :meth:`rather.PreferenceGP.predict`."""
        table, _ = self._asked(X, names)
        mean, sd = self._model.utilities(self._frame, table, self._table)
        return (mean, sd) if return_std else mean

    def predict_proba(self, given: Any, X: Any = None, *, names: Any = None) -> _Numbers:
        """For each pair, the probabilities that its left and its right item is preferred."""
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
        """The posterior covariance of the utilities (not relative to an average): items x items."""
        return self._model.covariance(self._frame, self._asked(X, names)[0], self._table)

    def ranking(self, X: Any = None, *, top: int | None = None, names: Any = None) -> Ranking:
        """Items by decreasing utility, with standard deviations."""
        table, labels = self._asked(X, names)
        return Ranking.of(labels.names, *self._model.utilities(self._frame, table, self._table), top=top)

    def _asked(self, X: Any, names: Any) -> tuple[_lib.Table | None, Labels]:
        if X is None:
            return None, self._labels
        table, labels = items(X, names)
        return asked(table, labels, X, names), labels


class _Climb:
    """Inference over all blocks, at one setting of the hyperparameters after the other; sites stay from one to the next."""

    def __init__(self, crew: _Crew, max_sweeps: int) -> None:
        self._crew, self._max_sweeps = crew, max_sweeps
        self._task: Any = None
        self.sweeps = 0
        self.residual = np.inf
        self.sums: _Sums
        self.inducing: _Rows

    def choose(self, values: list[float], most: int) -> None:
        """Takes the inducing points that are best at these hyperparameters, and begins again."""
        self.inducing = np.array(self._crew.frame.inducing(values, most), dtype=np.int64)
        self._task = self._crew.ray.put(_Task(self._crew.compared, self.inducing))

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
        self.sums = _Sums.of(crew.ask("sums", self._task, values))
        step, best = 1.0, np.inf
        for _ in range(self._max_sweeps):
            self.sweeps += 1
            told = crew.ask("sweep", self._task, values, crew.ray.put(self.sums), step, self.sweeps)
            self.sums = _Sums.of(sums for sums, _, _ in told)
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

    Parameters are those of :func:`fit`, and

    Parameters
    ----------
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
    crew = _Crew.of(X, names, comparisons, user, {"kernel": kernel, **parameters}, workers, address)
    return UsersGP(crew, iterations if model == "hierarchical" else 0, strength, common)


class UsersGP:
    """Utilities of many users learned over a cluster; see :func:`fit_users`. What is known of a user stays with their worker."""

    def __init__(self, crew: _Crew, iterations: int, strength: float, common: float) -> None:
        self._crew = crew
        self._task = crew.ray.put(_Task(crew.compared, crew.compared[:0]))
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
        return sum(users), _added(means), _added(seconds), sum(evidences), all(converged)

    @property
    def hyperparameters_(self) -> dict[str, float]:
        """The kernel's parameters and the noise, in the units of the table."""
        return dict(self._crew.frame.hyperparameters(self._values))

    def predict(self, user: Any, *, return_std: bool = False) -> _Numbers | tuple[_Numbers, _Numbers]:
        """Mean utilities of all items for a user, relative to their average; with `return_std`, standard deviations too."""
        mean, sd = self._of(user)
        return (mean, sd) if return_std else mean

    def predict_proba(self, user: Any, given: Any) -> _Numbers:
        """For each pair, the probabilities that the user prefers its left and its right item."""
        left = self._of(user, pairs(given, self._crew.labels))
        return np.column_stack([left, 1 - left])

    def ranking(self, user: Any, *, top: int | None = None) -> Ranking:
        """Items by decreasing utility for a user, with standard deviations."""
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
        worker = self._crew.workers[_home(str(user), len(self._crew.workers))]
        asked = worker.of_user.remote(self._task, self._values, self._expected, self._round, str(user), given)
        return self._crew.get(asked)


def _home(user: str, parts: int) -> int:
    """Which part a user belongs to: the same on every machine, which Python's own hash is not."""
    return zlib.crc32(user.encode()) % parts


class _Crew:
    """The workers, each with a part of the comparisons."""

    def __init__(self, ray: Any, table: _lib.Table, labels: Labels, parameters: dict[str, Any], shared: Any, workers: list[Any]) -> None:
        self.ray, self.table, self.labels, self.parameters, self.workers = ray, table, labels, parameters, workers
        # As long as this is held, a worker that is started again finds it.
        self._shared = shared
        self._busy = list(workers)
        compared = self.ask("compared")
        self.compared: _Rows = np.unique(np.concatenate(compared))
        if not len(self.compared):
            raise DataError("there are no comparisons in these files; at least one is needed")
        self._busy = [worker for worker, rows in zip(workers, compared) if len(rows)]
        self.frame = _lib.Frame(table, self.compared, parameters)

    @classmethod
    def of(
        cls,
        X: Any,
        names: Any,
        comparisons: Any,
        user: str | None,
        parameters: dict[str, Any],
        workers: int | None,
        address: str | None,
    ) -> _Crew:
        # What is not heeded here is refused, so that no other model is learned than the one asked for.
        ignored = next((name for name in parameters if name not in _TAKEN), None)
        if ignored is not None:
            raise ParameterError(f"{ignored}={parameters[ignored]!r} is not for models over a cluster, which take {', '.join(_TAKEN)}")
        ray = _ray()
        parameters = PreferenceGP(**parameters)._parameters()
        table, labels = items(X, names)
        parts = _parts(comparisons)
        if workers is not None and workers < 1:
            raise ParameterError(f"workers={workers} must be at least 1")
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        wanted = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        # A worker that dies is started again, and what it was asked is asked again.
        actor = ray.remote(max_restarts=-1, max_task_retries=-1)(_Worker)
        shared = ray.put((table, labels, parameters, parts, user))
        return cls(ray, table, labels, parameters, shared, [actor.remote(shared, at, wanted) for at in range(wanted)])

    def ask(self, what: str, *more: Any) -> list[Any]:
        """What each worker answers that has comparisons, in their order."""
        return self.get([getattr(worker, what).remote(*more) for worker in self._busy])  # type: ignore[no-any-return]

    def get(self, asked: Any) -> Any:
        try:
            return self.ray.get(asked)
        except self.ray.exceptions.RayTaskError as error:
            # The worker's own exception, which names the fault.
            raise error.cause from None

    def dismiss(self) -> None:
        for worker in self.workers:
            self.ray.kill(worker)


class _Worker:
    """A part of the comparisons, on some machine. Each call brings all that it needs: a worker that was started again remembers nothing."""

    def __init__(self, shared: tuple[_lib.Table, Labels, dict[str, Any], list[Any], str | None], at: int, of: int) -> None:
        # One processor a worker is what Ray counts on. The engine reads this when it is first used.
        os.environ["RAYON_NUM_THREADS"] = "1"
        self._table, self._labels, self._parameters, self._parts, self._user = shared
        self._at, self._of = at, of
        self._read: _Part | None = None
        self._frame: _lib.Frame | None = None
        self._block: _lib.Block | None = None
        self._inducing: _Rows = np.empty(0, dtype=np.int64)
        self._share: _lib.Share | None = None
        #: The number of the last sweep, or of the last round of expectation maximisation and its hyperparameters.
        self._last: Any = None

    def compared(self) -> _Rows:
        part = self._part()
        return np.unique(np.concatenate([part.winners, part.losers]))

    def sums(self, task: _Task, values: list[float]) -> tuple[_Numbers, _Numbers]:
        return self._blocked(task).sums(self._framed(task), values)

    def sweep(
        self, task: _Task, values: list[float], sums: _Sums, step: float, number: int
    ) -> tuple[tuple[_Numbers, _Numbers], float, float]:
        self._last = number
        return self._blocked(task).sweep(self._framed(task), values, sums, step)

    def evidence(self, task: _Task, values: list[float], sums: _Sums, number: int) -> tuple[float, list[float]] | None:
        """`None` if the sites are not those after sweep `number`."""
        if self._last != number:
            return None
        return self._blocked(task).evidence(self._framed(task), values, sums)

    def alone(self, task: _Task, values: list[float]) -> tuple[float, list[float]]:
        return self._shared(task).evidence(self._framed(task), values)

    def summary(self, task: _Task, values: list[float], expected: list[tuple[_Numbers, _Numbers]], number: int) -> tuple[Any, ...]:
        self._expect(task, values, expected, number)
        return self._shared(task).summary()

    def of_user(
        self, task: _Task, values: list[float], expected: list[tuple[_Numbers, _Numbers]], number: int, user: str, given: Any
    ) -> Any:
        if user not in self._part().users:
            raise UnknownUserError(f"there is no user {user!r} among those who answered")
        self._expect(task, values, expected, number)
        share, at = self._shared(task), self._part().users.index(user)
        return share.utilities(at) if given is None else share.probabilities(at, *given)

    def _expect(self, task: _Task, values: list[float], expected: list[tuple[_Numbers, _Numbers]], number: int) -> None:
        if self._last == (values, number):
            return
        share, frame = self._shared(task), self._framed(task)
        if self._last is None or self._last[0] != values or not expected:
            share.expect(frame, values, None)
        for like in expected:
            share.expect(frame, values, like)
        self._last = (values, number)

    def _framed(self, task: _Task) -> _lib.Frame:
        if self._frame is None:
            self._frame = _lib.Frame(self._table, task.compared, self._parameters)
        return self._frame

    def _blocked(self, task: _Task) -> _lib.Block:
        if self._block is None or not np.array_equal(self._inducing, task.inducing):
            self._block = _lib.Block(self._framed(task), self._part().answers(len(self._labels)), task.inducing)
            self._inducing = task.inducing
        return self._block

    def _shared(self, task: _Task) -> _lib.Share:
        if self._share is None:
            part = self._part()
            made = part.answers(len(self._labels))
            self._share = _lib.Share(self._framed(task), made, part.by, len(part.users))
        return self._share

    def _part(self) -> _Part:
        if self._read is None:
            if self._user is None:
                mine = [read for at, read in enumerate(self._parts) if at % self._of == self._at]
                self._read = _Part.of(mine, self._labels, None, lambda _: True)
            else:
                # Everyone's comparisons belong together, whichever files they are in.
                self._read = _Part.of(self._parts, self._labels, self._user, lambda user: _home(user, self._of) == self._at)
        return self._read


class _Task(NamedTuple):
    """What a worker is sent with every request: which items all workers compare, and which are inducing."""

    compared: _Rows
    inducing: _Rows


class _Part(NamedTuple):
    """Comparisons by row numbers, and who gave them: `users[by[i]]`."""

    winners: _Rows
    losers: _Rows
    counts: _Rows
    users: list[str]
    by: _Rows

    @classmethod
    def of(cls, files: Sequence[Any], labels: Labels, user: str | None, mine: Callable[[str], bool]) -> Self:
        columns: list[tuple[_Rows, _Rows, _Rows]] = []
        users: dict[str, int] = {}
        by: list[_Rows] = []
        for part in files:
            try:
                table = part.to_table()
                if user is not None:
                    table, who = _of_users(table, user, mine, users)
                    by.append(who)
                winners, losers, counts = _winners(table, labels)
            except RatherError as error:
                raise type(error)(f"{part.path}: {error}") from None
            columns.append((winners, losers, np.ones(len(winners), dtype=np.int64) if counts is None else counts))
        nothing = np.empty(0, dtype=np.int64)
        joined = [np.concatenate(column) for column in zip(*columns)] or [nothing] * 3
        return cls(joined[0], joined[1], joined[2], list(users), np.concatenate(by) if by else nothing)

    def answers(self, items: int) -> _lib.Answers:
        return _lib.Answers(self.winners, self.losers, items, self.counts)


def _of_users(table: Any, user: str, mine: Callable[[str], bool], users: dict[str, int]) -> tuple[Any, _Rows]:
    """The rows of the users that are `mine`, and their numbers in `users`, which grows."""
    name = next((name for name in table.column_names if name.lower() == user.lower()), None)
    if name is None:
        raise DataError(f"there is no column {user!r}; the columns are {', '.join(table.column_names)}")
    coded = table[name].combine_chunks().dictionary_encode()
    if coded.null_count:
        raise DataError(f"the column {name!r} is empty in row {coded.is_null().to_pylist().index(True)}; say who answered")
    here = [str(value) for value in coded.dictionary.to_pylist()]
    numbers = np.array([users.setdefault(who, len(users)) if mine(who) else -1 for who in here], dtype=np.int64)
    of_row = numbers[coded.indices.to_numpy()] if len(coded) else numbers[:0]
    return table.filter(of_row >= 0), of_row[of_row >= 0]


def _parts(comparisons: Any) -> list[Any]:
    """The row groups of Parquet files, each to be read by one worker."""
    from pyarrow import dataset

    paths = [comparisons] if isinstance(comparisons, (str, Path)) else list(comparisons)
    try:
        found = [dataset.dataset(str(path), format="parquet") for path in paths]
        return [group for data in found for fragment in data.get_fragments() for group in fragment.split_by_row_group()]
    except (OSError, ValueError) as error:
        raise DataError(f"the comparisons cannot be read as Parquet: {error}") from error


def _ray() -> Any:
    try:
        import pyarrow as _  # noqa: F401
        import ray
    except ImportError as error:
        raise ImportError("rather.distributed needs Ray and pyarrow: pip install 'rather[distributed]'") from error
    return ray
