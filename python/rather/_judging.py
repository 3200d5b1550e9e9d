"""What judges are called with, and what they may return."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from . import _lib
from .errors import JudgeError, ParameterError

#: Says which of two items is better.
Judgement: TypeAlias = Callable[[Any, Any], Any]

#: The answers that a number is.
_SIGNS = {1: "left", -1: "right", 0: "tie"}


def named(judge: Judgement | Mapping[str, Judgement]) -> dict[str, Judgement]:
    """Judges by their names."""
    judges = dict(judge) if isinstance(judge, Mapping) else {"judge": judge}
    if not judges:
        raise ParameterError("judge={} has nobody to ask; give a function of two items, or a dict of names and functions")
    for name, one in judges.items():
        if not (isinstance(name, str) and name.strip() and callable(one)):
            raise ParameterError(f"the judge {name!r} is {one!r}; give a function of two items, or a dict of names and functions")
    return judges


class Pair:
    """Two items as they are shown, with their names in the study."""

    def __init__(self, sides: tuple[Any, Any], names: tuple[str, str]) -> None:
        self.sides = sides
        self._names = names

    def answer(self, returned: Any, judge: str) -> str:
        """The name of the answer that a judge returned."""
        found = self._read(returned)
        if found is None:
            left, right = self._names
            raise JudgeError(
                f"the judge {judge!r} answered {returned!r} about {left!r} and {right!r}; return \"left\", \"right\", \"tie\", \"skip\", one of the "
                f"two items, True for the left one, {'or False' if self._are_numbers() else 'False, 1, -1 or 0'}"
            )
        return found

    def _read(self, returned: Any) -> str | None:
        if isinstance(returned, (bool, np.bool_)):
            return "left" if returned else "right"
        itself = [side is returned for side in self.sides]
        if not any(itself):
            itself = [_equal(side, returned) for side in self.sides]
        if sum(itself) == 1:
            return "left" if itself[0] else "right"
        if isinstance(returned, str):
            return _lib.answer_in_words(returned, *self._names)
        # Of two numbers 1 might be one of them.
        if _is_number(returned) and not self._are_numbers():
            return _SIGNS.get(returned)
        return None

    def _are_numbers(self) -> bool:
        return any(_is_number(side) for side in self.sides)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(value)


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # Whatever an item of somebody's own makes of it: arrays have no truth.
        return False
