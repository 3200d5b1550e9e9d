"""A search space of Optuna's as rows of numbers from 0 to 1, and of positions of choices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

_Rows = np.ndarray[Any, np.dtype[np.float64]]
_Random = np.random.Generator

#: Finite spaces up to this size are looked through as a whole.
_WHOLE = 4096


class Space:
    """Settings as rows, one number a parameter: its share of the range (of the logarithms' range), or the position of a choice."""

    def __init__(self, distributions: Mapping[str, Any]) -> None:
        self.dimensions = {name: _dimension(distribution) for name, distribution in distributions.items()}

    def row(self, params: Mapping[str, Any]) -> list[float]:
        """The row of a setting."""
        return [dimension.to_unit(params[name]) for name, dimension in self.dimensions.items()]

    def params(self, row: _Rows) -> dict[str, Any]:
        """The setting of a row."""
        return {name: dimension.of_unit(float(x)) for (name, dimension), x in zip(self.dimensions.items(), row)}

    def columns(self, rows: _Rows) -> dict[str, Any]:
        """A table for `PreferenceGP`: shares are numbers, choices text. Parameters have names of their own, fit for a kernel's expression."""
        return {
            f"p{d}": [str(int(x)) for x in rows[:, d]] if dimension.choices else rows[:, d]
            for d, dimension in enumerate(self.dimensions.values())
        }

    def kernel(self, numbers: str) -> str:
        """The kernel `numbers` on numbers times the exchangeable one on choices."""
        places: dict[bool, list[str]] = {False: [], True: []}
        for d, dimension in enumerate(self.dimensions.values()):
            places[bool(dimension.choices)].append(f"p{d}")
        return " * ".join(
            f"{name}[{', '.join(columns)}]"
            for name, columns in ((numbers, places[False]), ("categorical", places[True]))
            if columns
        )

    def candidates(self, n: int, near: _Rows, rng: _Random) -> _Rows:
        """Settings to choose among: all, if they are few; else `n` drawn over the space and `n` around the settings `near`, from close to far."""
        dimensions = list(self.dimensions.values())
        sizes = [dimension.size for dimension in dimensions]
        whole = math.prod(size for size in sizes if size is not None)
        if None not in sizes and whole <= _WHOLE:
            grids = np.meshgrid(*(dimension.all() for dimension in dimensions), indexing="ij")
            return np.stack([grid.reshape(-1) for grid in grids], axis=1)
        over = np.column_stack([dimension.draw(rng.uniform(size=n)) for dimension in dimensions])
        if not len(near):
            return over
        centres = near[rng.integers(len(near), size=n)]
        reach = 10.0 ** rng.uniform(-2.5, -0.5, size=n)
        around = np.column_stack([d.step_from(centres[:, at], reach, rng) for at, d in enumerate(dimensions)])
        return np.unique(np.concatenate([over, around]), axis=0)


class _Dimension:
    """One parameter: how its values are numbers, and which numbers there are."""

    #: The choices, if it is one of them.
    choices: tuple[Any, ...] = ()
    #: How many values there are, if they can be counted.
    size: int | None = None

    def to_unit(self, value: Any) -> float:
        raise NotImplementedError

    def of_unit(self, x: float) -> Any:
        raise NotImplementedError

    def snap(self, x: _Rows) -> _Rows:
        """The nearest numbers that stand for a value."""
        return np.array([self.to_unit(self.of_unit(float(v))) for v in x])

    def all(self) -> _Rows:
        raise NotImplementedError

    def draw(self, u: _Rows) -> _Rows:
        """The numbers at the shares `u` of the values."""
        return self.snap(u)

    def step_from(self, x: _Rows, reach: _Rows, rng: _Random) -> _Rows:
        """Numbers a random step of the size `reach` from `x`."""
        return self.snap(np.clip(x + reach * rng.normal(size=len(x)), 0.0, 1.0))


class _Number(_Dimension):
    def __init__(self, distribution: FloatDistribution | IntDistribution) -> None:
        whole = isinstance(distribution, IntDistribution)
        self.distribution = distribution
        self.scale = math.log if distribution.log else float
        # Whole numbers have half a step on either side, so that the first and the last are as wide as the others.
        half = 0.5 * (distribution.step or 0) if whole else 0.0
        self.low, self.high = self.scale(distribution.low - half), self.scale(distribution.high + half)
        if distribution.step is not None:
            self.size = round((distribution.high - distribution.low) / distribution.step) + 1

    def to_unit(self, value: Any) -> float:
        share = (self.scale(value) - self.low) / (self.high - self.low)
        return min(max(share, 0.0), 1.0)

    def of_unit(self, x: float) -> Any:
        low, high, step = self.distribution.low, self.distribution.high, self.distribution.step
        value = self.low + x * (self.high - self.low)
        value = math.exp(value) if self.distribution.log else value
        if step is not None:
            value = low + round((value - low) / step) * step
        value = min(max(value, low), high)
        return int(value) if isinstance(self.distribution, IntDistribution) else float(value)

    def snap(self, x: _Rows) -> _Rows:
        return x if self.size is None else super().snap(x)

    def all(self) -> _Rows:
        low, step = self.distribution.low, self.distribution.step or 1
        return np.array([self.to_unit(low + k * step) for k in range(self.size or 0)])


class _Choice(_Dimension):
    def __init__(self, distribution: CategoricalDistribution) -> None:
        self.distribution = distribution
        self.choices = distribution.choices
        self.size = len(self.choices)

    def to_unit(self, value: Any) -> float:
        return float(self.distribution.to_internal_repr(value))

    def of_unit(self, x: float) -> Any:
        return self.choices[int(x)]

    def all(self) -> _Rows:
        return np.arange(self.size or 0, dtype=np.float64)

    def draw(self, u: _Rows) -> _Rows:
        return np.minimum(np.floor(u * len(self.choices)), len(self.choices) - 1.0)

    def step_from(self, x: _Rows, reach: _Rows, rng: _Random) -> _Rows:
        other = self.draw(rng.uniform(size=len(x)))
        return np.where(rng.uniform(size=len(x)) < reach, other, x)


def _dimension(distribution: Any) -> _Dimension:
    return _Choice(distribution) if isinstance(distribution, CategoricalDistribution) else _Number(distribution)
