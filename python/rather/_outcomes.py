"""What came of comparisons, as tables of the field write it: in words, as the name of the better item, or as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _lib
from ._columns import Table
from ._orders import listed
from ._tables import Labels
from ._tables import missing as empty
from .errors import DataError

#: These come before names, for an item may be called "left".
_WORDS = ("left", "right", "tie", "draw")
#: How strong a preference is, in the words of the compiled part.
_STRENGTHS = {4: "very much ", 3: "much ", 2: "", 1: "a little "}


class Outcomes(NamedTuple):
    """One a comparison: words, or probabilities that the left item is preferred."""

    words: list[str]
    probabilities: np.ndarray[Any, np.dtype[np.float64]] | None

    @classmethod
    def of(cls, table: Table, labels: Labels) -> Outcomes:
        """Those of a table with columns `left`, `right` and `outcome`, whose items are called `labels`."""
        cells, left, right = (listed(table[name]) for name in ("outcome", "left", "right"))
        missing = next((row for row, outcome in enumerate(cells) if empty(outcome)), None)
        if missing is not None:
            raise DataError(f"the outcome of comparison {missing} (counted from 0) is missing; write left, right or tie, or leave it out")
        names_a_side = all(cell in (a, b) for cell, a, b in zip(cells, left, right))
        if cells and not names_a_side and all(isinstance(cell, (bool, int, float, np.number)) for cell in cells):
            return cls._of_numbers(np.array(cells, dtype=np.float64))
        known: dict[Any, str] = {}
        return cls([_word(*row, labels, known) for row in zip(cells, left, right)], None)

    @classmethod
    def _of_numbers(cls, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> Outcomes:
        strengths, probabilities = _lib.coded(numbers)
        if probabilities is not None:
            return cls([], np.array(probabilities))
        if strengths is not None:
            return cls([_of_strength(strength) for strength in strengths], None)
        some = ", ".join(f"{number:g}" for number in np.unique(numbers)[:6])
        raise DataError(
            f"the outcomes are the numbers {some}; write 1, 0 and 0.5, or 1, -1 and 0, or 1 and 2, for the left item, the right one and a tie, or words"
        )


def _word(outcome: Any, left: Any, right: Any, labels: Labels, known: dict[Any, str]) -> str:
    """An outcome in words; the item's name stands for its side."""
    if outcome not in _WORDS and outcome in (left, right):
        return "left" if outcome == left else "right"
    if outcome not in known:
        known[outcome] = _in_words(outcome, labels)
    return known[outcome]


def _in_words(outcome: Any, labels: Labels) -> str:
    # Items that are called A and B are not the left and the right one, whichever are compared.
    strength = None if outcome in _WORDS or outcome in labels else _lib.side_in_words(str(outcome))
    return str(outcome) if strength is None else _of_strength(strength)


def _of_strength(strength: int) -> str:
    return "tie" if strength == 0 else _STRENGTHS[abs(strength)] + ("left" if strength > 0 else "right")
