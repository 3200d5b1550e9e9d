"""What a study has learned, to predict with and to draw."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _lib
from ._answers import Setting, side
from ._axis import Axis
from ._results import Figure, Ranking
from ._definition import space, text
from .errors import DataError, ParameterError, StudyError

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
#: Width, height, title.
_Look = tuple[float | None, float | None, str | None]

_UTILITY = "utility (in sd of the noise)"
#: Values along a line, along each side of a map; items of a ranking.
_LINE, _MAP, _RANKED = 121, 33, 40


class StudyModel:
    """What the answers of a participant say, at the moment when it was asked for (:meth:`Study.model`).

    Its methods are those of :class:`PreferenceGP`; alternatives are items by their names, or settings: dicts, a data frame or a dict
    of columns with a column a parameter. Utilities are in units of the noise of an answer, so that a difference of 1 is preferred
    with probability 84 %.

    >>> import tempfile, rather
    >>> study = rather.Study.create(tempfile.mkdtemp() + "/teas.study", ["tea", "coffee", "wine"])
    >>> study.run(lambda query: query.better(["wine", "coffee", "tea"].index), 8)
    8
    >>> model = study.model()
    >>> bool(model.predict_proba([("tea", "wine")])[0, 0] > 0.9)
    True
    >>> model.ranking()[0].item
    'tea'
    """

    def __init__(self, snapshot: _lib.Snapshot, subject: dict[str, Any]) -> None:
        self._snapshot = snapshot
        self._items: list[str] = list(subject.get("items", {"keys": []})["keys"])
        self._space = space(subject)

    def __copy__(self) -> StudyModel:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> StudyModel:
        # It never changes, so what it has learned is shared.
        found = object.__new__(StudyModel)
        found.__dict__.update(self.__dict__)
        return found

    def __reduce__(self) -> Any:
        raise StudyError("a StudyModel cannot be pickled; open the study in the other process and ask it for its model")

    @property
    def best_(self) -> Any:
        """What is recommended; `None` before the first answer."""
        return side(json.loads(self._snapshot.best()))

    @property
    def compared_(self) -> list[Any]:
        """The alternatives that were compared, each once."""
        return [side(value) for value in json.loads(self._snapshot.compared())]

    def predict(self, X: Any = None, *, return_std: bool = False) -> _Numbers | tuple[_Numbers, _Numbers]:
        """Mean utilities relative to the average of what was compared (before the first answer, of `X`), with `return_std` standard deviations too.

        Without `X` those of the items of the list, or of the settings compared.

        Parameters
        ----------
        X : names, settings or None
            Items by their names, or settings: dicts, a data frame or a dict of columns with a column a parameter. `None` stands for the items of the list, or the settings compared.
        return_std : bool
            Standard deviations too.

        Returns
        -------
        array, or two of them
        """
        mean, sd = self._snapshot.utilities(self._sides(X))
        return (mean, sd) if return_std else mean

    def predict_proba(self, pairs: Any) -> _Numbers:
        """Probabilities of choices: in each row those of the left and of the right side of a pair.

        Parameters
        ----------
        pairs : list of pairs
            Alternatives, as in :meth:`predict`.

        Returns
        -------
        array, shape (n_pairs, 2)
        """
        left, right = ([pair[at] for pair in _pairs(pairs)] for at in (0, 1))
        p = self._snapshot.probabilities(self._sides(left), self._sides(right))
        return np.column_stack([p, 1.0 - p])

    def covariance(self, X: Any = None) -> _Numbers:
        """The posterior covariance of the utilities themselves, not relative to an average.

        Parameters
        ----------
        X : names, settings or None
            Items by their names, or settings: dicts, a data frame or a dict of columns with a column a parameter. `None` stands for the items of the list, or the settings compared.

        Returns
        -------
        array
        """
        return self._snapshot.covariance(self._sides(X))

    def sample(self, X: Any = None, n_samples: int = 1, *, random_state: int = 0) -> _Numbers:
        """Joint draws of utilities: `n_samples` x alternatives.

        Parameters
        ----------
        X : names, settings or None
            Items by their names, or settings: dicts, a data frame or a dict of columns with a column a parameter. `None` stands for the items of the list, or the settings compared.
        n_samples : int
            Number of draws.
        random_state : int
            The same number gives the same draws.

        Returns
        -------
        array, shape (n_samples, n_alternatives)
        """
        return self._snapshot.sample(self._sides(X), n_samples, random_state)

    def acquisition(self, X: Any, opponent: Any) -> _Numbers:
        """The value of asking each alternative against `opponent`, by the acquisition function of the study.

        Parameters
        ----------
        X : names, settings or None
            Items by their names, or settings: dicts, a data frame or a dict of columns with a column a parameter. `None` stands for the items of the list, or the settings compared.
        opponent : name or setting
            What each is compared with.

        Returns
        -------
        array
        """
        return self._snapshot.scores(self._sides(X), text(opponent))

    def ranking(self, X: Any = None, *, top: int | None = None) -> Ranking:
        """Alternatives by decreasing utility: without `X` the items of the list, or the settings compared.

        Parameters
        ----------
        X : names, settings or None
            Items by their names, or settings: dicts, a data frame or a dict of columns with a column a parameter. `None` stands for the items of the list, or the settings compared.
        top : int, optional
            So many of them.

        Returns
        -------
        Ranking
        """
        sides = self._alternatives(X)
        return Ranking.of(sides, *self._snapshot.utilities([text(s) for s in sides]), top=top)

    def plot(
        self,
        kind: str | None = None,
        *parameters: str,
        width: float | None = None,
        height: float | None = None,
        title: str | None = None,
    ) -> Figure:
        """A figure: `"ranking"` of items, `"utility"` along a parameter, `"map"` over two; the others are fixed at the recommended values.

        Without a kind it is the one that suits: the ranking of a list, the utility along the first parameter, the map over the two that
        there are.

        Parameters
        ----------
        kind : str, optional
            As above.
        *parameters : str
            One for `"utility"`, two for `"map"`.
        width, height : float, optional
            In pixels.
        title : str, optional
            In the place of the figure's own.

        Returns
        -------
        Figure
        """
        space = self._space
        if kind is None:
            numbers = [name for name, range in space.items() if range["type"] != "categorical"]
            kind = "ranking" if not space else "map" if len(space) == len(numbers) == 2 else "utility"
            parameters = {"ranking": (), "map": tuple(numbers), "utility": tuple(space)[:1]}[kind]
        draw = {"ranking": self._ranking, "utility": self._along, "map": self._over}
        if kind not in draw or (kind == "ranking") == bool(space):
            known = "utility and map" if space else "ranking"
            raise ParameterError(f"there is no figure {kind!r} of this study; there is {known}")
        needed = {"ranking": 0, "utility": 1, "map": 2}[kind]
        if len(parameters) != needed or len(set(parameters)) != needed:
            raise ParameterError(f"the figure {kind!r} needs {needed} different parameters, not {', '.join(parameters) or 'none'}")
        unknown = next((name for name in parameters if name not in space), None)
        if unknown is not None:
            raise ParameterError(f"there is no parameter {unknown!r}; there are {', '.join(space)}")
        return Figure(draw[kind](list(parameters), (width, height, title)))

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def _ranking(self, _: list[str], look: _Look) -> str:
        compared = set(self.compared_)
        ranking = self.ranking()
        items = [(place.item, place.mean, place.sd, place.item in compared) for place in ranking]
        return _lib.draw_ranking(items[:_RANKED], max(len(items) - _RANKED, 0), _UTILITY, look)

    def _along(self, names: list[str], look: _Look) -> str:
        axis, centre = self._axis(names[0], _LINE), self._centre()
        mean, sd = self._snapshot.utilities([text({**centre, axis.name: value}) for value in axis.values])
        comparisons = [
            (axis.place(winner[axis.name]), axis.place(loser[axis.name]), float(said["count"]))
            for said in json.loads(self._snapshot.duels())
            for winner, loser in _decided(said)
        ]
        curve = {"feature": axis.title, "utility": _UTILITY, "numbers": axis.places, "levels": axis.levels, "mean": mean, "sd": sd}
        return _lib.draw_utility({**curve, "duels": comparisons, "held": _held(centre, names)}, look)

    def _over(self, names: list[str], look: _Look) -> str:
        x, y = (self._axis(name, _MAP) for name in names)
        if x.levels or y.levels:
            raise ParameterError("a map is over two parameters that are numbers; take the figure 'utility' along a choice")
        centre, best, compared = self._centre(), self.best_, self.compared_
        mean, sd = self._snapshot.utilities([text({**centre, x.name: u, y.name: v}) for v in y.values for u in x.values])
        shown = compared if best is None or best in compared else [*compared, best]
        items = [("best" if s == best else "", x.place(s[x.name]), y.place(s[y.name]), s in compared) for s in shown]
        note = f"The {_UTILITY}; 0 is the average of the settings compared. {_held(centre, names)}".strip()
        field = {"x_name": x.title, "y_name": y.title, "x": x.places, "y": y.places, "mean": mean, "sd": sd}
        return _lib.draw_map({**field, "items": items, "note": note}, look)

    def _axis(self, name: str, most: int) -> Axis:
        return Axis(name, self._space[name], most)

    def _centre(self) -> Setting:
        """Where the other parameters are fixed: at what is recommended, or in the middle."""
        if self.best_ is not None:
            return Setting(self.best_)
        values = {name: Axis(name, range, 3).values for name, range in self._space.items()}
        return Setting({name: some[len(some) // 2] for name, some in values.items()})

    def _sides(self, X: Any) -> list[str]:
        return [text(alternative) for alternative in self._alternatives(X)]

    def _alternatives(self, X: Any) -> list[Any]:
        if X is not None:
            return alternatives(X)
        return self._items or self.compared_


def _held(centre: Setting, varying: list[str]) -> str:
    held = [f"{name} {value}" for name, value in centre.items() if name not in varying]
    return f"The others are fixed at {', '.join(held)}." if held else ""


def alternatives(X: Any) -> list[Any]:
    """Items by name, or settings: a list of them, or a table with a column a parameter."""
    if hasattr(X, "to_dicts"):
        return [Setting(row) for row in X.to_dicts()]
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return [Setting(row) for row in X.to_dict("records")]
    if isinstance(X, str):
        return [X]
    if isinstance(X, dict):
        if not any(np.ndim(column) for column in X.values()):
            return [Setting(X)]
        columns = [column.tolist() if hasattr(column, "tolist") else list(column) for column in X.values()]
        if len({len(column) for column in columns}) > 1:
            raise DataError(f"the columns {', '.join(X)} are not of the same length")
        return [Setting(zip(X, row)) for row in zip(*columns)]
    return [Setting(value) if isinstance(value, dict) else value for value in X]


def _pairs(given: Any) -> list[Any]:
    pairs = list(given)
    if any(isinstance(pair, (str, dict)) or len(pair) != 2 for pair in pairs):
        raise DataError("pairs are of a left and a right alternative each, such as [(a, b), (c, d)]")
    return pairs


def _decided(said: dict[str, Any]) -> list[tuple[Any, Any]]:
    """The preferred side and the other one, if the answer named one."""
    if "left" in said["answer"]:
        return [(said["left"], said["right"])]
    return [(said["right"], said["left"])] if "right" in said["answer"] else []


class Votes(NamedTuple):
    """Answers as comparisons of names, and the settings that have them."""

    table: dict[str, list[Any]]
    settings: dict[str, Any]


def votes(history: list[dict[str, Any]]) -> Votes:
    """The answers that name a preferred side, of a history as the compiled part has it."""
    learned = [said for said in history if said["check"] != "catch"]
    if any(said["others"] for said in learned):
        return _choices([said for said in learned if said["answer"] != "skip"])
    decided = [(_called(winner), _called(loser), said["count"]) for said in learned for winner, loser in _decided(said)]
    if not decided:
        raise StudyError("there is no answer with a preference to learn from yet; ask and tell first")
    columns: dict[str, list[Any]] = dict(zip(("winner", "loser", "count"), map(list, zip(*decided))))
    return Votes(columns, {_called(side): side for said in learned for side in (said["left"], said["right"])})


def _choices(learned: list[dict[str, Any]]) -> Votes:
    """Answers about sets as a table of choices."""
    if not learned:
        raise StudyError("there is no answer with a preference to learn from yet; ask and tell first")
    columns: dict[str, list[Any]] = {}
    for said in learned:
        options = [_called(option) for option in (said["left"], said["right"], *said["others"])]
        row = {f"option_{number}": option for number, option in enumerate(options, 1)}
        # "best 2, worst 4"
        row |= {words[0]: options[int(words[1]) - 1] for words in map(str.split, said["answer"].split(", "))}
        for name, cell in {**row, "count": said["count"]}.items():
            columns.setdefault(name, []).append(cell)
    return Votes(columns, {})


def _called(alternative: Any) -> str:
    return str(side(alternative))
