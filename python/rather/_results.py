"""Rankings and figures that show themselves in a notebook."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from . import _lib
from ._base import count_of
from .errors import FigureError, UnknownItemError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
#: Half the width of a 95 % interval, in standard deviations.
Z95 = 1.959963984540054


class Place(NamedTuple):
    """One line of a ranking.

    Attributes
    ----------
    rank : int
        From 1.
    item
        The item's name.
    mean, sd : float
        Mean and standard deviation of the utility, in standard deviations of the noise of an item.
    low, high : float
        The 95 % interval of the utility.
    rank_low, rank_high : int or None
        The 95 % interval of the rank, from joint draws of all utilities; `None` where the ranking has none.
    probability_best : float or None
        The probability that no other item of the ranking is better.
    group : int or None
        Items of one group cannot be distinguished from the first of it.
    """

    rank: int
    item: Any
    mean: float
    sd: float
    low: float = math.nan
    high: float = math.nan
    rank_low: int | None = None
    rank_high: int | None = None
    probability_best: float | None = None
    group: int | None = None


class Suggestion(NamedTuple):
    """A comparison worth asking."""

    left: Any
    right: Any
    score: float


@dataclass(frozen=True)
class Ranking:
    """Items by decreasing utility, with standard deviations; utilities are relative to the average over the compared items.

    >>> Ranking((Place(1, "tea", 0.8, 0.3), Place(2, "coffee", -0.8, 0.3)))
    rank  item    utility     sd
       1  tea       0.800  0.300
       2  coffee   -0.800  0.300
    """

    places: tuple[Place, ...]

    @classmethod
    def of(
        cls, items: Any, mean: _Numbers, sd: _Numbers, top: int | None = None, standings: Callable[[Any], Any] | None = None
    ) -> Ranking:
        """Sorts items; equal utilities stay in the order of the items. `standings` of an order are the probability to be the best, to be among the first, the ends
        of the interval of the rank, and the group of each item."""
        most = len(mean) if top is None else count_of("top", top)
        order = np.argsort(-mean, kind="stable")
        found = standings(np.ascontiguousarray(order, dtype=np.int64)) if standings is not None and len(order) else None
        places = []
        for at, i in enumerate(order[:most].tolist()):
            surely: dict[str, Any] = {}
            # The most that are drawn jointly may be fewer.
            if found is not None and at < len(found[0]):
                best, _, low, high, group = (part[at] for part in found)
                surely = {"probability_best": float(best), "rank_low": int(low), "rank_high": int(high), "group": int(group)}
            m, s = float(mean[i]), float(sd[i])
            places.append(Place(at + 1, items[i], m, s, m - Z95 * s, m + Z95 * s, **surely))
        return cls(tuple(places))

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    @overload
    def __getitem__(self, at: int) -> Place: ...

    @overload
    def __getitem__(self, at: slice) -> Ranking: ...

    def __getitem__(self, at: int | slice) -> Place | Ranking:
        return Ranking(self.places[at]) if isinstance(at, slice) else self.places[at]

    def of_item(self, item: Any) -> Place:
        """The line of an item.

        Parameters
        ----------
        item
            Its name.

        Raises
        ------
        UnknownItemError
            If the ranking has no such item.
        """
        found = next((place for place in self.places if place.item == item), None)
        if found is None:
            raise UnknownItemError(f"the ranking has no item {item!r}")
        return found

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns `rank`, `item`, `mean` and `sd`, the 95 % interval `low` and `high`, and where they are known `rank_low`, `rank_high`,
        `probability_best` and `group`, for any kind of data frame."""
        known = [name for name in Place._fields if all(getattr(place, name) is not None for place in self.places)]
        return {name: [getattr(place, name) for place in self.places] for name in known}

    def to_frame(self) -> Any:
        """As :meth:`to_dict`, a data frame of pandas (which must be installed), with the items as its index.

        >>> Ranking((Place(1, "tea", 0.8, 0.3), Place(2, "coffee", -0.8, 0.3))).to_frame()["mean"]["tea"].item()
        0.8
        """
        import pandas

        return pandas.DataFrame(self.to_dict()).set_index("item")

    def __repr__(self) -> str:
        width = max([4, *(len(str(place.item)) for place in self.places)])
        lines = [f"rank  {'item':<{width}}  utility     sd"]
        lines += [f"{p.rank:>4}  {p.item!s:<{width}}  {p.mean:>7.3f}  {p.sd:.3f}" for p in self.places]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """A table with a bar of 95 % about each utility."""
        low = min((p.mean - 1.96 * p.sd for p in self.places), default=0.0)
        high = max((p.mean + 1.96 * p.sd for p in self.places), default=1.0)
        rows = "".join(_row(place, low, max(high - low, 1e-300)) for place in self.places)
        head = "<tr><th>rank</th><th>item</th><th>utility</th><th>sd</th><th>95 %</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _row(place: Place, low: float, span: float) -> str:
    def x(value: float) -> float:
        return round(160 * (value - low) / span, 1)

    left, right, middle = x(place.mean - 1.96 * place.sd), x(place.mean + 1.96 * place.sd), x(place.mean)
    bar = (
        '<svg width="160" height="12" role="img" aria-label="interval">'
        f'<line x1="{left}" x2="{right}" y1="6" y2="6" stroke="#888" stroke-width="2"/>'
        f'<circle cx="{middle}" cy="6" r="3" fill="#0072b2"/></svg>'
    )
    cells = (place.rank, escape(str(place.item)), f"{place.mean:.3f}", f"{place.sd:.3f}", bar)
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


@dataclass(frozen=True)
class Segments:
    """Groups of users whose utilities are alike, the largest first.

    Attributes
    ----------
    labels : array of int, shape (n_users,)
        The segment of each user, in the order of `users_`; -1 for users without answers.
    probabilities : array, shape (n_users,)
        The posterior probability that the centre of this segment is the nearest one to the user's utilities.
    shares : array, shape (n_segments,)
        How large each segment is.
    means : array, shape (n_segments, n_items)
        The mean utility of each item to each segment, relative to the average over the compared items.
    items : list
        The items' names.
    silhouette : float
        How clearly the segments stand apart, up to 1; below 0.25 users differ by degrees rather than in kind.
    """

    labels: np.ndarray[Any, np.dtype[np.int64]]
    probabilities: np.ndarray[Any, np.dtype[np.float64]]
    shares: np.ndarray[Any, np.dtype[np.float64]]
    means: np.ndarray[Any, np.dtype[np.float64]]
    items: list[Any]
    silhouette: float


class Deviation(NamedTuple):
    """How far an approximation is from exact, over items or pairs; `error` is the sampling error of the largest."""

    largest: float
    median: float
    mean: float
    error: float
    within_error: bool


@dataclass(frozen=True)
class Check:
    """An approximation beside draws of the exact posterior.

    Attributes
    ----------
    verdict : {"good", "usable", "poor", "unsettled"}
        What it means: no mean is off by more than 0.1 standard deviations, no probability by more than 0.02 and no standard deviation by a
        factor of more than 1.1; by 0.3, 0.05 and 1.5; one is; or the draws are not to be trusted.
    part : list of int, optional
        How many items, and answers about them, were checked, where there are more than exact inference holds; `None` if all.
    inference : str
        What was checked.
    means : Deviation
        Of the mean utilities of the compared items, in exact standard deviations.
    probabilities : Deviation
        Of the probabilities of choices between `pairs` pairs of them.
    sd_ratio : list of float
        Standard deviations divided by the exact ones: the smallest, the median, the largest.
    log_evidence, exact_log_evidence, exact_log_evidence_error : float or None
        In nats; the exact one is `None` where it is out of reach.
    sampler, draws, effective_samples, r_hat
        How the exact posterior was drawn from.
    """

    verdict: str
    part: list[int] | None
    inference: str
    means: Deviation
    probabilities: Deviation
    pairs: int
    sd_ratio: list[float]
    log_evidence: float
    exact_log_evidence: float | None
    exact_log_evidence_error: float | None
    sampler: str
    draws: int
    effective_samples: float
    r_hat: float

    @classmethod
    def of(cls, found: dict[str, Any]) -> Check:
        """From the compiled part."""
        far = {name: Deviation(**found[name]) for name in ("means", "probabilities")}
        return cls(**{**found, **far})

    def __str__(self) -> str:
        means, p = self.means, self.probabilities
        return (
            f"{self.verdict}: {self.inference} is off by at most {means.largest:.3f} standard deviations in a mean utility and "
            f"{p.largest:.4f} in a probability (sampling error {means.error:.3f} and {p.error:.4f}); its standard deviations are "
            f"{self.sd_ratio[0]:.2f} to {self.sd_ratio[2]:.2f} times the exact ones"
        )


@dataclass(frozen=True)
class Figure:
    """A drawing: SVG text, which a notebook shows.

    Attributes
    ----------
    svg : str
        The text.
    """

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Figure: {len(self.svg)} bytes of SVG; save it, or show it in a notebook>"

    def save(self, path: str | Path, *, scale: float = 2.0) -> None:
        """Writes the drawing to a file.

        Parameters
        ----------
        path : str or Path
            The file; its ending says how: `.svg` or `.png`.
        scale : float
            Pixels for every unit of the drawing, of a PNG.

        Raises
        ------
        FigureError
            For another ending.
        """
        path = Path(path)
        if path.suffix.lower() == ".svg":
            path.write_text(self.svg, encoding="utf-8")
        elif path.suffix.lower() == ".png":
            path.write_bytes(_lib.png(self.svg, scale))
        else:
            raise FigureError(f"{path} must end in .svg or .png")
