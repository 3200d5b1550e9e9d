"""Values of a parameter along an axis of a figure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Axis:
    """A parameter along an axis: its values, and where they stand."""

    def __init__(self, name: str, range: dict[str, Any], most: int) -> None:
        self.name = name
        self.levels: list[str] = list(range.get("choices", []))
        self.log = range.get("scale") == "log"
        self.values: list[Any] = self.levels or _values(range, most)
        self.places = [self.place(value) for value in self.values]

    @property
    def title(self) -> str:
        """Name and scale."""
        return f"{self.name}, log₁₀" if self.log else self.name

    def place(self, value: Any) -> float:
        """Where a value stands."""
        if self.levels:
            return float(self.levels.index(value))
        return math.log10(value) if self.log else float(value)


def _values(range: dict[str, Any], most: int) -> list[Any]:
    """All values of a range, or about `most`."""
    low, high = range["low"], range["high"]
    if range["type"] == "integer":
        return [int(value) for value in np.unique(np.round(np.linspace(low, high, min(most, high - low + 1))))]
    if range.get("step"):
        steps = round((high - low) / range["step"])
        kept = np.unique(np.round(np.linspace(0, steps, min(most, steps + 1))))
        return [float(low + step * range["step"]) for step in kept]
    space = np.geomspace if range.get("scale") == "log" else np.linspace
    # Rounding must not lead out of the range.
    return [float(value) for value in np.clip(space(low, high, most), low, high)]
