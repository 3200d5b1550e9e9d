"""What a study reports: comparisons, answers, advice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from html import escape
from typing import Any, NamedTuple

from ._results import Place, Ranking


class Setting(dict[str, Any]):
    """A value for every parameter: a `dict` that people can read.

    >>> print(Setting(gain=5.0, mode="soft"))
    gain = 5.0, mode = soft
    """

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.items())


@dataclass(frozen=True)
class Query:
    """Alternatives to choose from, two or the options of a set: items by their names, or settings.

    Attributes
    ----------
    number : int
        From 1 for every participant.
    left, right : str or Setting
        What is shown on either side; of a set the first two options.
    others : tuple
        The further options of a set.
    participant : str
        Who is asked.
    question : str
        What is asked.
    answers : int
        Number of answers of this participant so far.
    again : bool
        Whether it was asked before and still waits.
    planned : bool
        Whether it was chosen ahead, so that nobody had to wait.
    cut : str or None
        What the time limit cut off: the `"search"` for the best comparison, or already the `"model"`; such a comparison depends on the machine.
    check : str or None
        Whether it is a `"repeat"` or a `"catch"` trial.
    take : str
        What may be answered: `"ties"`, `"sides"`, `"graded"`; of a set `"best"` or `"best and worst"`.
    """

    number: int
    left: Any
    right: Any
    participant: str
    question: str
    answers: int = 0
    again: bool = False
    planned: bool = False
    cut: str | None = None
    check: str | None = None
    others: tuple[Any, ...] = ()
    take: str = "ties"

    @property
    def options(self) -> tuple[Any, ...]:
        """All of them, in their order; answers about a set number them from 1."""
        return (self.left, self.right, *self.others)

    def better(self, utility: Callable[[Any], float]) -> str:
        """The answer of somebody who likes what `utility` makes large: for simulations.

        Parameters
        ----------
        utility : callable
            Takes an option; returns a number.

        Returns
        -------
        str

        Examples
        --------
        >>> Query(1, "tea", "coffee", "me", "Which?").better(len)
        'right'
        >>> Query(1, "tea", "coffee", "me", "Which?", others=("hot chocolate",), take="best and worst").better(len)
        'best 3, worst 1'
        """
        if self.others:
            utilities = [utility(option) for option in self.options]
            best, worst = utilities.index(max(utilities)) + 1, len(utilities) - utilities[::-1].index(min(utilities))
            return f"best {best}, worst {worst}" if self.take == "best and worst" else f"best {best}"
        left, right = utility(self.left), utility(self.right)
        return "left" if left > right else "right" if right > left else "tie"

    def __str__(self) -> str:
        options = "\n".join(f"  {place:<5}  {option}" for place, option in self._placed())
        return f"{self.question}    (comparison {self.number}, {_counted(self.answers, 'answer')} so far)\n\n{options}"

    def _placed(self) -> list[tuple[str, Any]]:
        """What each option is called."""
        places = [str(number) for number in range(1, len(self.options) + 1)] if self.others else ["left", "right"]
        return list(zip(places, self.options))

    def _repr_html_(self) -> str:
        sides = "".join(f"<td><b>{place}</b><br>{escape(str(option))}</td>" for place, option in self._placed())
        return f"<table><caption>{escape(self.question)} (comparison {self.number})</caption><tbody><tr>{sides}</tr></tbody></table>"


@dataclass(frozen=True)
class Receipt:
    """An answer that is on the disk, or was undone.

    `query` is `None` for options that were not asked; `others` are the further ones of a set. `answers` is how many the participant has given so far; `again` says that the
    very same was recorded before, and counts once.
    """

    query: int | None
    left: Any
    right: Any
    answer: str
    answers: int
    again: bool
    others: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Answered:
    """An answer of a history: `source` is `"asked"`, `"volunteered"` or `"imported"`, `seconds` how long it took, `others` the further options of a
    set.
    """

    query: int | None
    left: Any
    right: Any
    answer: str
    count: int
    source: str
    time: datetime
    seconds: float | None
    check: str | None
    others: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Standing:
    """How far a participant is; `wanted` is how many answers the study asks for, if it says."""

    participant: str
    answers: int
    ties: int
    imported: int
    skipped: int
    undone: int
    open: int | None
    wanted: int | None
    finished: bool
    median_seconds: float | None


@dataclass(frozen=True)
class Imported:
    """What the answers of a file brought."""

    answers: int
    ties: int
    participants: list[str]
    notes: list[str]


class Estimate(NamedTuple):
    """A utility in standard deviations of the noise, with a 95 % interval."""

    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class Advice:
    """What the answers recommend, how sure that is, and whether to go on.

    Attributes
    ----------
    recommended : str or Setting
        The alternative with the largest mean utility: of those compared, or anywhere in the space of parameters.
    answers : int
        Number of answers it rests on.
    utility : Estimate
        Of what is recommended, relative to the average of what was compared.
    probability_best : float or None
        That nothing in the list is better; `None` for parameters, where nothing is exactly best.
    expected_regret : float
        How much better than it the best is expected to be.
    regret_at_most : float
        By how much the best is better at most, with a probability of 90 %.
    limit : float
        The regret that is good enough for the study.
    probability_good_enough : float
        That the best is better by no more than `limit`.
    stop : str
        `"go_on"`, `"good_enough"`, or `"finished"` when all answers that were wanted are given.
    more_answers : int or None
        About how many more make it good enough; `None` if more than a few hundred.
    ranking : Ranking
        What was compared, the best first.
    """

    recommended: Any
    answers: int
    utility: Estimate
    probability_best: float | None
    expected_regret: float
    regret_at_most: float
    limit: float
    probability_good_enough: float
    stop: str
    more_answers: int | None
    ranking: Ranking
    _chances: tuple[tuple[float | None, int], ...] = ()

    @property
    def go_on(self) -> bool:
        """Whether more answers are worth asking for."""
        return self.stop == "go_on"

    def to_dict(self) -> dict[str, list[Any]]:
        """The ranking as columns for any kind of data frame, with the probability of being best and the number of comparisons."""
        best, comparisons = ([chance[at] for chance in self._chances] for at in (0, 1))
        return {**self.ranking.to_dict(), "probability_best": best, "comparisons": comparisons}

    def __str__(self) -> str:
        chance = "" if self.probability_best is None else f"; it is the best with probability {self.probability_best:.0%}"
        return (
            f"best so far: {self.recommended}, after {_counted(self.answers, 'answer')}{chance}; "
            f"the expected regret is {self.expected_regret:.2f} (good enough below {self.limit:g}): {self._words()}"
        )

    def _words(self) -> str:
        if self.stop == "finished":
            return "all answers are given"
        if self.more_answers is None:
            return "it would take hundreds of answers to be good enough"
        if self.more_answers == 0:
            return f"it is good enough to stop, and with probability 90% loses at most {self.regret_at_most:.2f}"
        return f"about {_counted(self.more_answers, 'more answer')} would make it good enough"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>{self.ranking._repr_html_()}"


def side(value: Any) -> Any:
    """An alternative as JSON has it."""
    return Setting(value) if isinstance(value, dict) else value


def standing(text: str) -> Standing:
    """How far somebody is, from the compiled part."""
    return Standing(**_known(Standing, json.loads(text)))


def imported(text: str) -> Imported:
    """What a file brought, from the compiled part."""
    return Imported(**_known(Imported, json.loads(text)))


def query(text: str, participant: str, definition: dict[str, Any]) -> Query:
    """A comparison from the compiled part."""
    asked = {"question": definition["question"], "take": definition["answers"]}
    return Query(**_sided(json.loads(text)), participant=participant, **asked)


def receipt(text: str) -> Receipt:
    """An answer from the compiled part."""
    return Receipt(**_sided(json.loads(text)))


def history(text: str) -> list[Answered]:
    """The answers of a participant."""
    return [_answered(_sided(entry)) for entry in json.loads(text)]


def advice(text: str, limit: float) -> Advice:
    """Advice from the compiled part."""
    found = json.loads(text)
    ranked = found["ranking"]
    places = (Place(rank, side(r["alternative"]), **r["utility"], probability_best=r["probability_best"]) for rank, r in enumerate(ranked, 1))
    return Advice(
        **{
            **_known(Advice, found),
            "recommended": side(found["recommended"]),
            "utility": Estimate(**found["utility"]),
            "ranking": Ranking(tuple(places)),
        },
        limit=limit,
        _chances=tuple((r["probability_best"], r["duels"]) for r in ranked),
    )


def _known(kind: type, found: dict[str, Any]) -> dict[str, Any]:
    """What this version of the package has a place for."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in found.items() if name in names}


def _answered(entry: dict[str, Any]) -> Answered:
    asked, time = entry.pop("asked"), entry["time"]
    seconds = None if asked is None else (time - asked) / 1000
    return Answered(**{**entry, "time": datetime.fromtimestamp(time / 1000, UTC)}, seconds=seconds)


def _sided(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "left": side(found["left"]), "right": side(found["right"]), "others": tuple(map(side, found["others"]))}


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")
