"""What features do to the utilities that were learned: how relevant they are, and partial dependence, with intervals.

>>> import rather
>>> teas = {"price": [1.0, 2.0, 3.0, 4.0], "kind": ["green", "black", "green", "black"]}
>>> model = rather.PreferenceGP("se", ard=True).fit(teas, [(0, 1), (1, 2), (2, 3), (0, 2)])
>>> [row.feature for row in rather.inspection.relevance(model)]
['price', 'kind']
>>> cheap, dear = rather.inspection.partial_dependence(model, "price", values=[1.0, 4.0]).mean
>>> bool(cheap > dear)
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from . import _lib, _plotting
from ._base import count_of
from ._questions import Questions
from ._results import Z95, Figure
from .errors import ParameterError

__all__ = ["Dependence", "Relevance", "Relevances", "partial_dependence", "relevance"]

_Numbers = np.ndarray[Any, np.dtype[np.float64]]

_NO_LENGTHSCALES = "The kernel has no lengthscales: it says nothing about how quickly utilities change with a feature."
_INTERVALS = "Intervals of 95 %, from the posterior of the hyperparameters."
_POINTS = (
    "Without an interval a lengthscale is a point: one that is fixed, and those of one of many users, of a low-rank or sparse covariance, of exact and "
    "streaming inference, and of more than 700 items."
)


class Relevance(NamedTuple):
    """How quickly utilities change with a feature.

    Attributes
    ----------
    feature : str
        The feature.
    kernel : str
        The kernel that looks at it, such as `"se"`.
    relevance : float
        The standard deviation of the feature among the compared items, in lengthscales; of categories the inverse of the lengthscale.
    low, high : float or None
        Its 95 % interval; `None` where only a point is known.
    lengthscale : float
        The lengthscale of largest evidence, in the units of the feature.
    lengthscale_low, lengthscale_high : float or None
        Its 95 % interval; `None` where only a point is known.
    """

    feature: str
    kernel: str
    relevance: float
    low: float | None
    high: float | None
    lengthscale: float
    lengthscale_low: float | None
    lengthscale_high: float | None


@dataclass(frozen=True)
class Relevances:
    """How quickly utilities change with each feature, the quickest first.

    Attributes
    ----------
    rows : tuple of Relevance
        One for each feature that a kernel with lengthscales looks at.
    note : str
        What the intervals are, or why there are none, in a sentence.
    """

    rows: tuple[Relevance, ...]
    note: str

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Relevance]:
        return iter(self.rows)

    @overload
    def __getitem__(self, at: int) -> Relevance: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Relevance, ...]: ...

    def __getitem__(self, at: int | slice) -> Relevance | tuple[Relevance, ...]:
        return self.rows[at]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns of :class:`Relevance`, for any kind of data frame."""
        return {name: [getattr(row, name) for row in self.rows] for name in Relevance._fields}

    def to_frame(self) -> Any:
        """As :meth:`to_dict`, a data frame of pandas (which must be installed)."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def __repr__(self) -> str:
        width = max([7, *(len(row.feature) for row in self.rows)])
        lines = [f"{'feature':<{width}}  relevance  95 % interval     lengthscale  kernel"] if self.rows else []
        for row in self.rows:
            interval = "not known" if row.low is None else f"{row.low:.3g} to {row.high:.3g}"
            lines.append(f"{row.feature:<{width}}  {row.relevance:>9.3g}  {interval:<16}  {row.lengthscale:>11.4g}  {row.kernel}")
        return "\n".join([*lines, self.note])


@dataclass(frozen=True)
class Dependence:
    """The average utility of some items where a feature of all of them has one value after the other, with its 95 % band.

    Attributes
    ----------
    feature : str
        The feature.
    values : list of float or of str
        Its values: numbers, or categories.
    mean, sd : array, shape (n_values,)
        Mean and standard deviation of the average utility at each value, relative to the average over the compared items.
    """

    feature: str
    values: list[float] | list[str]
    mean: _Numbers
    sd: _Numbers

    @property
    def low(self) -> _Numbers:
        """The lower end of the 95 % band."""
        return self.mean - Z95 * self.sd

    @property
    def high(self) -> _Numbers:
        """The upper end of the 95 % band."""
        return self.mean + Z95 * self.sd

    def to_dict(self) -> dict[str, Any]:
        """The columns `value`, `mean`, `sd`, `low` and `high`, for any kind of data frame."""
        return {"value": list(self.values), "mean": self.mean, "sd": self.sd, "low": self.low, "high": self.high}

    def to_frame(self) -> Any:
        """As :meth:`to_dict`, a data frame of pandas (which must be installed)."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def plot(self, *, width: float | None = None, height: float | None = None, title: str | None = None, ax: Any = None) -> Any:
        """The curve with its band.

        Parameters
        ----------
        width, height : float, optional
            In pixels.
        title : str, optional
            In the place of the figure's own.
        ax : matplotlib Axes, optional
            Draws there instead.

        Returns
        -------
        Figure, or `ax`
        """
        levels = [value for value in self.values if isinstance(value, str)]
        shown = {"feature": self.feature, "utility": "average utility", "mean": self.mean.tolist(), "sd": self.sd.tolist(), "levels": levels}
        shown["numbers"] = [] if levels else list(self.values)
        if ax is None:
            return Figure(_lib.draw_utility({**shown, "duels": [], "held": "the other features of each item as they are"}, (width, height, title)))
        if title is not None:
            ax.set_title(title)
        return _plotting.draw(ax, "utility", shown)


def relevance(model: Any) -> Relevances:
    """How quickly utilities change with each feature, by the lengthscales of the kernel (automatic relevance determination, with `ard=True`).

    Parameters
    ----------
    model : PreferenceGP or Person
        A fitted estimator, or one of many users (:meth:`rather.PopulationGP.user`).

    Returns
    -------
    Relevances
        With 95 % intervals from the posterior of the hyperparameters: over the settings that predictions average over
        (`hyperparameters="auto"` or `"integrate"`), and by the curvature of the evidence along what these leave at its maximum.

    Examples
    --------
    >>> import rather
    >>> price = [[1.0], [2.0], [3.0], [4.0]]
    >>> model = rather.PreferenceGP("se").fit(price, [(0, 1), (1, 2), (2, 3), (0, 2)])
    >>> first = rather.inspection.relevance(model)[0]
    >>> bool(first.low < first.relevance < first.high)
    True
    """
    found = _lib.relevances(_asked(model)._model())
    rows = []
    for feature, kernel, lengthscale, of_lengthscale, size, ends in found:
        low, high = ends or (None, None)
        shortest, longest = of_lengthscale or (None, None)
        rows.append(Relevance(feature, kernel, size, low, high, lengthscale, shortest, longest))
    if not rows:
        return Relevances((), _NO_LENGTHSCALES)
    known = [row.low is not None for row in rows]
    return Relevances(tuple(rows), " ".join([*([_INTERVALS] if any(known) else []), *([] if all(known) else [_POINTS])]))


def partial_dependence(
    model: Any,
    feature: str,
    X: Any = None,
    *,
    values: Sequence[float] | Sequence[str] | None = None,
    n_values: int = 50,
    max_items: int = 200,
    names: Any = None,
) -> Dependence:
    """The average utility of items where a feature of all of them has one value after the other and the others stay as they are, with its band.

    The average is a linear function of the utilities, so that its mean and variance are those of their joint posterior, exactly.

    Parameters
    ----------
    model : PreferenceGP or Person
        A fitted estimator, or one of many users (:meth:`rather.PopulationGP.user`).
    feature : str
        The feature; the columns of an array are called `x0`, `x1` and so on.
    X, names
        The items over which is averaged, as in :meth:`rather.PreferenceGP.predict`; if `None`, those that were compared.
    values : sequence of float or of str, optional
        The values of the feature; if not given, numbers evenly spaced over the range that the items have, or all categories.
    n_values : int
        How many numbers, if `values` is not given.
    max_items : int
        Of more items, about so many, evenly picked, are averaged over.

    Returns
    -------
    Dependence

    Raises
    ------
    FeatureError
        If there is no such feature, or no such category.
    SizeError
        For a sparse covariance, which has variances and no covariances.

    Examples
    --------
    >>> import rather
    >>> price = [[1.0], [2.0], [3.0], [4.0]]
    >>> model = rather.PreferenceGP("se").fit(price, [(0, 1), (1, 2), (2, 3), (0, 2)])
    >>> found = rather.inspection.partial_dependence(model, "x0", n_values=10)
    >>> len(found.values), bool(found.mean[0] > found.mean[-1])
    (10, True)
    """
    table, _ = _asked(model)._asked(X, names)
    given = [] if values is None else [value if isinstance(value, str) else float(value) for value in values]
    if values is not None and not given:
        raise ParameterError("values has no entry; give at least one value of the feature, or leave it out")
    sizes = count_of("n_values", n_values, 2), count_of("max_items", max_items)
    name, at, mean, sd = _lib.partial_dependence(model._model(), str(feature), table, given, sizes)
    return Dependence(name, at, mean, sd)  # type: ignore[arg-type]


def _asked(model: Any) -> Questions:
    """That one person's utilities are asked about."""
    if not isinstance(model, Questions):
        raise ParameterError(
            f"{type(model).__name__} is no model of one person; give a fitted PreferenceGP, or one of many users such as population.user('ann')"
        )
    return model
