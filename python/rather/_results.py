"""Rankings and figures that show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Place(NamedTuple):
    """One line of a ranking."""

    rank: int
    item: Any
    mean: float
    sd: float


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
    def of(cls, items: Any, mean: np.ndarray[Any, Any], sd: np.ndarray[Any, Any], top: int | None = None) -> Ranking:
        """Sorts items; equal utilities stay in the order of the items."""
        order = np.argsort(-mean, kind="stable")[:top]
        places = (Place(rank, items[i], float(mean[i]), float(sd[i])) for rank, i in enumerate(order.tolist(), 1))
        return cls(tuple(places))

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def __getitem__(self, at: int) -> Place:
        return self.places[at]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns `rank`, `item`, `mean` and `sd`, for any kind of data frame."""
        return {name: [getattr(place, name) for place in self.places] for name in Place._fields}

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
    """A drawing: SVG text, which a notebook shows."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Writes the drawing to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")
