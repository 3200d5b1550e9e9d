"""A list that was sorted by judges."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple


class Sorting(NamedTuple):
    """An item where the list has it: its utility, the 95 % interval of its rank, and how probably it is the best.

    `probability_top` is that of being among the K best, with `until="top:K:P"`. Items of one `group` cannot be distinguished from its first.
    """

    rank: int
    item: Any
    mean: float
    sd: float
    rank_low: int
    rank_high: int
    probability_best: float
    probability_top: float | None
    group: int


class Judge(NamedTuple):
    """How a judge did.

    `failures` are the questions that it failed to answer in this call. `noise`, where there are several judges, is the standard deviation of the
    judge's noise relative to that of all; `agreement` the share of its answers that agree with the order, where a tie counts half.
    """

    name: str
    answers: int
    skipped: int
    failures: int
    noise: float | None
    agreement: float | None


@dataclass(frozen=True)
class Sorted:
    """A list in order, the best first, and how sure that is.

    Attributes
    ----------
    places : tuple of Sorting
        The items with their utilities, intervals of ranks and probabilities.
    judges : tuple of Judge
        How each judge did.
    answers, budget : int
        Number of answers, and the largest that was allowed.
    calls : int
        Calls of judges, also those that failed.
    spent : float or None
        What the calls cost, if they have a price.
    stop : {"goal", "budget"} or None
        Why it ended; `None` if there was no money or no judge left.
    reached : float or None
        What the goal is about, as it is now: a probability, or the expected regret.
    study : Path or None
        The file that keeps the answers.
    """

    places: tuple[Sorting, ...]
    judges: tuple[Judge, ...]
    answers: int
    budget: int
    calls: int
    spent: float | None
    stop: str | None
    reached: float | None
    study: Path | None

    @classmethod
    def of(
        cls,
        outcome: str,
        items: Sequence[Any],
        failures: Mapping[str, int],
        *,
        calls: int,
        spent: float | None,
        study: Path | None,
    ) -> Sorted:
        """From the compiled part, which calls items by their numbers."""
        found = json.loads(outcome)
        places = (Sorting(rank, **{**place, "item": items[place["item"]]}) for rank, place in enumerate(found["ranking"], 1))
        judges = (
            Judge(**{"noise": None, "agreement": None, **record, "failures": failures.get(record["name"], 0)})
            for record in found["judges"]
        )
        return cls(
            tuple(places),
            tuple(judges),
            found["answers"],
            found["budget"],
            calls,
            spent,
            found.get("stop"),
            found.get("reached"),
            study,
        )

    @property
    def items(self) -> list[Any]:
        """The items in order, the best first."""
        return [place.item for place in self.places]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Sorting]:
        return iter(self.places)

    def __getitem__(self, at: int) -> Sorting:
        return self.places[at]

    def to_dict(self) -> dict[str, list[Any]]:
        """A column for each field of :class:`Sorting`, for any kind of data frame."""
        return {name: [getattr(place, name) for place in self.places] for name in Sorting._fields}

    def _cells(self) -> list[tuple[str, ...]]:
        header = ("rank", "item", "utility", "sd", "ranks", "P(best)")
        return [header, *(_row(place) for place in self.places)]

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
        # Items are words, everything else is numbers.
        lines = ("  ".join(f"{cell:{'<' if at == 1 else '>'}{width}}" for at, (cell, width) in enumerate(zip(row, widths))) for row in cells)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        header, *rows = self._cells()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(place: Sorting) -> tuple[str, ...]:
    ranks = f"{place.rank_low} to {place.rank_high}"
    return (str(place.rank), str(place.item), f"{place.mean:.3f}", f"{place.sd:.3f}", ranks, f"{place.probability_best:.0%}")
