"""The workers of a cluster, each with a part of the comparisons, and their driver."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from . import _lib
from ._estimator import PreferenceGP
from ._pairs import _winners
from ._tables import Labels, items
from .errors import DataError, ParameterError, RatherError, UnknownUserError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
_Rows = np.ndarray[Any, np.dtype[np.int64]]

#: The parameters of `PreferenceGP` that models over a cluster take.
_TAKEN = ("kernel", "ard", "units", "fixed", "priors", "raw_features")


class Sums(NamedTuple):
    """What sites say about the features: precision and shift, or sums of such."""

    precision: _Numbers
    shift: _Numbers

    @classmethod
    def of(cls, parts: Iterable[tuple[_Numbers, _Numbers]]) -> Self:
        precisions, shifts = zip(*parts)
        # In the order of the parts, so that the same parts give the same bits.
        return cls(added(precisions), added(shifts))


def added(arrays: Sequence[_Numbers]) -> _Numbers:
    total = arrays[0].copy()
    for array in arrays[1:]:
        total += array
    return total


def home(user: str, parts: int) -> int:
    """Which part a user belongs to: the same on every machine, which Python's own hash is not."""
    return zlib.crc32(user.encode()) % parts


class Crew:
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
    ) -> Crew:
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
        actor = ray.remote(max_restarts=-1, max_task_retries=-1)(Worker)
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


class Worker:
    """A part of the comparisons, on some machine. Each call brings all that it needs: a worker that was started again remembers nothing."""

    def __init__(self, shared: tuple[_lib.Table, Labels, dict[str, Any], list[Any], str | None], at: int, of: int) -> None:
        # One processor a worker is what Ray counts on. The engine reads this when it is first used.
        os.environ["RAYON_NUM_THREADS"] = "1"
        self._table, self._labels, self._parameters, self._parts, self._user = shared
        self._at, self._of = at, of
        self._read: Part | None = None
        self._frame: _lib.Frame | None = None
        self._block: _lib.Block | None = None
        self._inducing: _Rows = np.empty(0, dtype=np.int64)
        self._share: _lib.Share | None = None
        #: The number of the last sweep, or of the last round of expectation maximisation and its hyperparameters.
        self._last: Any = None

    def compared(self) -> _Rows:
        part = self._part()
        return np.unique(np.concatenate([part.winners, part.losers]))

    def sums(self, task: Task, values: list[float]) -> tuple[_Numbers, _Numbers]:
        return self._blocked(task).sums(self._framed(task), values)

    def sweep(
        self, task: Task, values: list[float], sums: Sums, step: float, number: int
    ) -> tuple[tuple[_Numbers, _Numbers], float, float]:
        self._last = number
        return self._blocked(task).sweep(self._framed(task), values, sums, step)

    def evidence(self, task: Task, values: list[float], sums: Sums, number: int) -> tuple[float, list[float]] | None:
        """`None` if the sites are not those after sweep `number`."""
        if self._last != number:
            return None
        return self._blocked(task).evidence(self._framed(task), values, sums)

    def alone(self, task: Task, values: list[float]) -> tuple[float, list[float]]:
        return self._shared(task).evidence(self._framed(task), values)

    def summary(self, task: Task, values: list[float], expected: list[tuple[_Numbers, _Numbers]], number: int) -> tuple[Any, ...]:
        self._expect(task, values, expected, number)
        return self._shared(task).summary()

    def of_user(
        self, task: Task, values: list[float], expected: list[tuple[_Numbers, _Numbers]], number: int, user: str, given: Any
    ) -> Any:
        if user not in self._part().users:
            raise UnknownUserError(f"there is no user {user!r} among those who answered")
        self._expect(task, values, expected, number)
        share, at = self._shared(task), self._part().users.index(user)
        return share.utilities(at) if given is None else share.probabilities(at, *given)

    def _expect(self, task: Task, values: list[float], expected: list[tuple[_Numbers, _Numbers]], number: int) -> None:
        if self._last == (values, number):
            return
        share, frame = self._shared(task), self._framed(task)
        if self._last is None or self._last[0] != values or not expected:
            share.expect(frame, values, None)
        for like in expected:
            share.expect(frame, values, like)
        self._last = (values, number)

    def _framed(self, task: Task) -> _lib.Frame:
        if self._frame is None:
            self._frame = _lib.Frame(self._table, task.compared, self._parameters)
        return self._frame

    def _blocked(self, task: Task) -> _lib.Block:
        if self._block is None or not np.array_equal(self._inducing, task.inducing):
            self._block = _lib.Block(self._framed(task), self._part().answers(len(self._labels)), task.inducing)
            self._inducing = task.inducing
        return self._block

    def _shared(self, task: Task) -> _lib.Share:
        if self._share is None:
            part = self._part()
            made = part.answers(len(self._labels))
            self._share = _lib.Share(self._framed(task), made, part.by, len(part.users))
        return self._share

    def _part(self) -> Part:
        if self._read is None:
            if self._user is None:
                mine = [read for at, read in enumerate(self._parts) if at % self._of == self._at]
                self._read = Part.of(mine, self._labels, None, lambda _: True)
            else:
                # Everyone's comparisons belong together, whichever files they are in.
                self._read = Part.of(self._parts, self._labels, self._user, lambda user: home(user, self._of) == self._at)
        return self._read


class Task(NamedTuple):
    """What a worker is sent with every request: which items all workers compare, and which are inducing."""

    compared: _Rows
    inducing: _Rows


class Part(NamedTuple):
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
