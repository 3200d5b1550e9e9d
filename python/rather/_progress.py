"""Progress of long calls, shown by tqdm where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Called with the steps done, how many are expected (both `None` if that has not changed), and what is new in words: a stage such as
#: "learning" or "sampling", a kernel that was learned.
Callback = Callable[[int | None, int | None, list[str]], object]


@contextmanager
def shown(progress: bool | Callback) -> Iterator[Callback | None]:
    """What a long call should call: nothing, what its user gave, or a bar."""
    if callable(progress):
        yield progress
        return
    bar_of = _tqdm() if progress else None
    if bar_of is None:
        yield None
        return
    with bar_of(unit="step") as bar:

        def move(done: int | None, expected: int | None, news: list[str]) -> None:
            if done is not None:
                bar.total = expected
                bar.update(done - bar.n)
            if news:
                bar.set_postfix_str(news[-1])

        yield move


@contextmanager
def counted(progress: bool, total: int | None, unit: str) -> Iterator[Callable[[], object]]:
    """What a loop should call once a round: nothing, or a bar."""
    bar_of = _tqdm() if progress else None
    if bar_of is None:
        yield lambda: None
        return
    with bar_of(total=total, unit=unit) as bar:
        yield bar.update


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
