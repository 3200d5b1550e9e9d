"""Sorting a list by judges: functions that are called with two items at a time."""

from __future__ import annotations

import itertools
import math
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from . import _lib, _progress
from ._definition import whole
from ._judging import Judgement, Pair, named
from ._sorted import Sorted
from ._tables import items as table
from .errors import DataError, JudgeError, ParameterError, StudyError

#: Calls that the money is enough for if it does not matter.
_UNLIMITED = 2**63


def sort(
    items: Any,
    judge: Judgement | Mapping[str, Judgement],
    *,
    names: Any = None,
    question: str = "Which is better?",
    study: str | Path | None = None,
    until: str | None = None,
    budget: int | None = None,
    price: float | None = None,
    spend: float | None = None,
    both_orders: bool = False,
    jobs: int = 1,
    timeout: float = 60.0,
    retries: int = 2,
    acquisition: str | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Sorted:
    """Sorts a list by a judge who says which of two items is better, with as few questions as possible. As `rather sort`.

    First, all items are joined by a chain of comparisons; then the most informative pairs are asked, and pairs that were skipped after all others.

    Parameters
    ----------
    items : list, or table
        Anything, each item with a text of its own; or a table of items with their features, as :meth:`PreferenceGP.fit` takes it, whose features
        are learned from.
    judge : callable, or dict of them by name
        Called as `judge(left, right)` with two items (of a table, with their names), on a thread of its own. It returns `"left"`, `"right"`, `"tie"`
        or `"skip"` (in any usual words), one of the two items, `True` for the left one or `False`, or 1, -1 or 0; of items that are numbers, a
        number is the item. It fails if it returns `None`, raises an exception or takes too long. Several judges share the questions, and each has a
        noise of their own that is learned: a judge who agrees with the others counts for more.
    names : sequence or str, optional
        The items' names in the study, or the column of a table that has them; the text of each item of a list if not given.
    question : str, optional
        What is asked; kept in the study.
    study : str or Path, optional
        The file that keeps the answers, made if it is not there. The same call goes on where it was interrupted and asks nothing again.
    until : str, optional
        When to stop: `"best:0.95"` (the first is the best with this probability), `"top:5:0.9"` (each of the first five is among the five best),
        `"regret:0.1"` (the best is expected to be better than the first by less than this, in standard deviations of the noise).
    budget : int, optional
        The most answers; half of all pairs if not given, and at most `5 n log2 n`.
    price, spend : float, optional
        What a call of a judge costs, and the most that all calls of this run may cost.
    both_orders : bool, optional
        Whether each pair is asked in both orders, for judges who favour a position.
    jobs : int, optional
        How many questions each judge is asked at a time.
    timeout : float, optional
        Seconds that a judge may take; a call that takes longer is abandoned.
    retries : int, optional
        How often a judge that failed is asked the same again. After that others may be asked; who fails five questions one after the other, or answers
        none of ten, is not asked any more.
    acquisition : str, optional
        What makes a comparison useful: `"order"` (what is most informative about the order of all items) if not given, with `until` `"bald"`; or any other
        acquisition function.
    seed : int, optional
        Of everything random.
    progress : bool, optional
        Whether to show a bar (needs tqdm).

    Returns
    -------
    Sorted

    Raises
    ------
    JudgeError
        If a judge returns what is no answer; or if none is left to ask, with what was learned as its `learned`.
    ParameterError, DataError, StudyError
        If an argument makes no sense; the study may be about other items.

    Warns
    -----
    RuntimeWarning
        If one of several judges is not asked any more.

    Examples
    --------
    >>> import rather
    >>> animals = ["ant", "horse", "mouse", "whale", "cat"]
    >>> metres = {"ant": 0.01, "mouse": 0.1, "cat": 0.5, "horse": 2.4, "whale": 25}
    >>> found = rather.sort(animals, lambda left, right: metres[left] > metres[right], question="Which is longer?", budget=12)
    >>> found.items
    ['whale', 'horse', 'cat', 'mouse', 'ant']
    """
    listed, objects = _listed(items, names)
    judges = named(judge)
    limits = _Limits(
        jobs=whole("jobs", jobs, 1, 256, ParameterError) or 1,
        timeout=_amount("timeout", timeout, 0.01, 86_400.0),
        retries=whole("retries", retries, 0, 100, ParameterError) or 0,
        calls=_affordable(price, spend),
    )
    wish = {
        "until": until,
        "budget": whole("budget", budget, 1, 2**63, ParameterError),
        "both_orders": bool(both_orders),
        "acquisition": acquisition,
    }
    start = whole("seed", seed, 0, 2**64 - 1, ParameterError) or 0
    with _file(study) as path:
        opened = _lib.Sort.open(path, listed, question, start, wish)
        try:
            desk = _Desk(opened, judges, objects, listed.names, limits)
            desk.ask(progress)
            kept = None if study is None else path
            spent = None if price is None else price * desk.calls
            found = Sorted.of(opened.outcome(), objects, desk.failures, calls=desk.calls, spent=spent, study=kept)
        finally:
            opened.close()
    if desk.nobody is not None:
        further = f"the answers so far are in {kept}, and the same call goes on with them" if kept else "with study= the answers are kept in a file"
        raise JudgeError(f"{desk.nobody}, and no other judge is left; {further}", found if found.places else None)
    if not found.places:
        raise StudyError("there is no answer yet, so nothing is sorted; raise budget or spend")
    return found


def _listed(items: Any, names: Any) -> tuple[_lib.Table, list[Any]]:
    """The table of a list or of a table, and its items as judges see them."""
    if isinstance(items, str):
        raise DataError(f"items={items!r} is one text; give a list")
    if len(getattr(items, "shape", (0, 0))) == 1:
        items = items.tolist() if hasattr(items, "tolist") else items.to_list()
    if isinstance(items, Mapping) or hasattr(items, "shape") or hasattr(items, "__arrow_c_stream__"):
        made, labels = table(items, names)
        return made, list(labels.names)
    objects = list(items)
    if isinstance(names, str):
        raise DataError(f"names={names!r} is a column, and a list has none; give one name an item")
    called = objects if names is None else list(names)
    if len(called) != len(objects):
        raise DataError(f"there are {len(called)} names for {len(objects)} items")
    return _lib.Table([str(name) for name in called], []), objects


def _amount(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise ParameterError(f"{name}={value!r} must be a number from {least:g} to {most:g}")
    return float(value)


def _affordable(price: float | None, spend: float | None) -> int:
    """Calls that the money is enough for."""
    if price is None and spend is None:
        return _UNLIMITED
    if price is None or spend is None:
        raise ParameterError("price and spend belong together: what a call costs, and the most that all may cost")
    smallest, largest = 5e-324, 1.7e308
    calls = _amount("spend", spend, smallest, largest) / _amount("price", price, smallest, largest) * (1.0 + 1e-12)
    return int(calls) if math.isfinite(calls) else _UNLIMITED


@contextmanager
def _file(study: str | Path | None) -> Iterator[Path]:
    """The file of the study, a temporary one if nobody wants to keep it."""
    if study is not None:
        yield Path(study)
        return
    with tempfile.TemporaryDirectory(prefix="rather-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "list.study"


@dataclass(frozen=True)
class _Limits:
    """What judges may take."""

    jobs: int
    timeout: float
    retries: int
    calls: int


@dataclass(frozen=True)
class _Call:
    """A judge who is thinking."""

    judge: str
    question: tuple[int, int]
    retries: int
    deadline: float


class _Desk:
    """Where questions go out and answers come in.

    A call of a judge is a thread that may be abandoned; it knows the judge, two items and the queue of replies. Everything else happens in the
    thread that wants the list sorted.
    """

    def __init__(
        self, opened: _lib.Sort, judges: dict[str, Judgement], items: list[Any], names: list[str], limits: _Limits
    ) -> None:
        self._sort = opened
        #: Those who are asked.
        self._judges = dict(judges)
        self._items = items
        self._names = names
        self._limits = limits
        self._replies: SimpleQueue[tuple[int, Any, str | None]] = SimpleQueue()
        self._numbers = itertools.count()
        self._calls: dict[int, _Call] = {}
        #: Calls that were made, and by whom how many questions were not answered.
        self.calls = 0
        self.failures: Counter[str] = Counter()
        #: Why nobody is left to ask.
        self.nobody: str | None = None

    def ask(self, progress: bool) -> None:
        """Asks until it is time to stop, or there is nobody or no money left."""
        answers, budget = self._sort.progress()
        with _progress.counted(progress, max(budget - answers, 0), "answer") as step:
            self._fill()
            while self._calls:
                self._hear(step)
                self._fill()

    def _fill(self) -> None:
        """Gives questions to those who have none."""
        busy = Counter(call.judge for call in self._calls.values())
        free = [judge for slot in range(self._limits.jobs) for judge in self._judges if busy[judge] <= slot]
        affordable = min(len(free), self._limits.calls - self.calls)
        if affordable > 0:
            questions = self._sort.questions(affordable, [call.question for call in self._calls.values()])
            for judge, question in zip(free, questions):
                self._call(judge, question, self._limits.retries)

    def _call(self, judge: str, question: tuple[int, int], retries: int) -> None:
        number = next(self._numbers)
        self._calls[number] = _Call(judge, question, retries, time.monotonic() + self._limits.timeout)
        self.calls += 1
        left, right = (self._items[side] for side in question)
        work = (self._replies, number, self._judges[judge], left, right)
        # Python does not wait for such a thread at its end.
        threading.Thread(target=_judge, args=work, name=f"rather-{judge}", daemon=True).start()

    def _hear(self, step: Callable[[], object]) -> None:
        """Waits for replies, and takes note of them."""
        for call, returned, problem in self._ended():
            if problem is None:
                why, answer = self._tell(call, returned)
                if answer != "skip":
                    step()
            else:
                why = self._fail(call, problem)
            self._retire(call.judge, why)

    def _ended(self) -> list[tuple[_Call, Any, str | None]]:
        """The next reply; or those calls that have taken too long."""
        deadline = min(call.deadline for call in self._calls.values())
        try:
            number, returned, problem = self._replies.get(timeout=max(deadline - time.monotonic(), 0.0))
        except Empty:
            late = [number for number, call in self._calls.items() if call.deadline <= time.monotonic()]
            problem = f"it took longer than {self._limits.timeout:g} seconds"
            return [(self._calls.pop(number), None, problem) for number in late]
        # Nobody waits for a call that was abandoned.
        return [(self._calls.pop(number), returned, problem)] if number in self._calls else []

    def _tell(self, call: _Call, returned: Any) -> tuple[str | None, str]:
        """Records an answer: why its judge is to be asked no more, if so, and the answer."""
        left, right = call.question
        pair = Pair((self._items[left], self._items[right]), (self._names[left], self._names[right]))
        answer = pair.answer(returned, call.judge)
        return self._sort.tell(call.judge, call.question, answer), answer

    def _fail(self, call: _Call, problem: str) -> str | None:
        """Asks the same again, as often as there are retries; then why the judge is to be asked no more, if so."""
        if call.retries > 0 and call.judge in self._judges and self.calls < self._limits.calls:
            self._call(call.judge, call.question, call.retries - 1)
            return None
        self.failures[call.judge] += 1
        return self._sort.fail(call.judge, problem)

    def _retire(self, judge: str, why: str | None) -> None:
        """Asks a judge no more, if there is a reason."""
        if why is None or self._judges.pop(judge, None) is None:
            return
        if self._judges:
            warnings.warn(f"the judge {judge!r} {why} and is not asked any more", RuntimeWarning, stacklevel=5)
        else:
            self.nobody = f"the judge {judge!r} {why}"


def _judge(replies: SimpleQueue[tuple[int, Any, str | None]], number: int, judge: Judgement, left: Any, right: Any) -> None:
    """One call, on a thread of its own."""
    try:
        returned = judge(left, right)
    except BaseException as error:  # Whatever it is, the list goes on being sorted.
        replies.put((number, None, f"it raised {type(error).__name__}: {error}"))
        return
    replies.put((number, returned, "it returned None" if returned is None else None))
