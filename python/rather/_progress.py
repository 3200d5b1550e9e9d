"""Progress, shown by tqdm where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Told settings tried, how many are expected, and the kernels learned since.
Callback = Callable[[int | None, int | None, list[str]], object]


@contextmanager
def shown(progress: bool | Callback) -> Iterator[Callback | None]:
    """What a fit should call: nothing, what its user gave, or a bar."""
    if callable(progress):
        yield progress
        return
    bar_of = _tqdm() if progress else None
    if bar_of is None:
        yield None
        return
    with bar_of(desc="learning", unit="setting") as bar:

        def move(done: int | None, expected: int | None, kernels: list[str]) -> None:
            if done is not None:
                bar.total = expected
                bar.update(done - bar.n)
            if kernels:
                bar.set_postfix_str(kernels[-1])

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
