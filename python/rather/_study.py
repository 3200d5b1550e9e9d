"""Studies: a person is asked for comparisons, one after another, and the answers are kept in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, Self

from . import _answers, _lib, _progress
from ._answers import Advice, Answered, Query, Receipt, Standing
from ._estimator import PreferenceGP
from ._definition import believed, several, space, subject, table_of, text, whole
from ._study_file import StudyFile
from ._study_model import StudyModel, votes
from .errors import StudyError


class Study(StudyFile):
    """Asks somebody for comparisons, keeps the answers, finds what they like best.

    A study is a file: every answer is on the disk before :meth:`tell` returns, nothing is ever overwritten, and the program `rather`,
    the studio and other processes may use the file at the same time. The same answers give the same questions. Make one with
    :meth:`create`, go on with one with :meth:`open`; one object may be used from several threads.

    Examples
    --------
    >>> import tempfile
    >>> file = tempfile.mkdtemp() + "/teas.study"
    >>> with Study.create(file, ["Assam", "Oolong", "Sencha"]) as study:
    ...     query = study.ask()
    ...     told = study.tell(query, "left" if query.left == "Sencha" else "right" if query.right == "Sencha" else "tie")
    ...     study.run(lambda query: query.better(["Assam", "Oolong", "Sencha"].index), 9)
    9
    >>> Study.open(file).best().recommended
    'Sencha'
    """

    def __init__(self, study: _lib.Study) -> None:
        self._study = study
        self._definition: dict[str, Any] = json.loads(study.definition())

    @classmethod
    def create(
        cls,
        path: str | Path,
        items: Any = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        definition: str | Path | None = None,
        names: Any = None,
        name: str | None = None,
        title: str | None = None,
        question: str | None = None,
        seed: int | None = None,
        participants: Sequence[str] | None = None,
        model: str | None = None,
        acquisition: str | None = None,
        opponent: str | None = None,
        initial: int | None = None,
        inference: str | None = None,
        half_life: float | None = None,
        drift: float | None = None,
        within: str | None = None,
        options: int | None = None,
        take: str | None = None,
        ties: str | None = None,
        prior: Mapping[str, Any] | None = None,
        answers: int | None = None,
        regret: float | None = None,
        time_limit: float | None = None,
    ) -> Self:
        """Makes a study in a file, which may hold others.

        What is compared is one of `items`, `parameters` and `definition`. Of everything else, what is not given is as the definition has it,
        or as is usual.

        Parameters
        ----------
        path : str or Path
            The file.
        items : list of str, or table
            Names; or a table of items with their features, as :meth:`PreferenceGP.fit` takes it.
        parameters : dict
            A range for every parameter: `(low, high)`, of whole numbers if both are; a list of choices; a dict as in TOML, or text as for
            the program, such as `"float(0.1, 10, log)"`.
        definition : Path or str
            A definition in TOML, as the program and the studio read it: a path, the name of a file that ends in `.toml`, or the text itself.
        names : sequence or str, optional
            The items' names, or the column of `items` that has them.
        name : str, optional
            The study's name; that of the file if not given.
        title, question : str, optional
            What is shown, and what is asked.
        seed : int, optional
            Of everything random.
        participants : list of str, optional
            Who may answer; anybody if not given.
        model : {"separate", "together", "collaborative"}, optional
            A model for everyone; one of all answers; or one for everyone that learns from the others.
        acquisition, opponent : str, optional
            How comparisons are chosen: `"bald-improvement"`, `"bald"`, `"ucb:2"`, `"eubo"`, ...; against the `"winner"` of the last comparison, the `"best"` so far, or `"any"`.
        initial : int, optional
            So many comparisons that fill the space come first: if not given, one, or of four parameters and more one for each, up to 10.
        inference : {"ep", "streaming"}, optional
            How answers are taken in.
        half_life : float, optional
            The number of answers after which an answer counts half, whatever the inference.
        drift : float, optional
            Of streaming inference, for preferences that drift: the number of answers in which a utility's correlation with what it was halves.
        within : str, optional
            The column of `items` in which all options of a question are the same, as the prompt that they answer.
        options : int, optional
            How many items of a list a question shows, up to 12; of more than two the best is asked, or the best and the worst.
        take : {"ties", "sides", "graded", "difference", "best", "best and worst"}, optional
            What may be answered: a side or no preference; a side; or also a side that is much better (`"much left"`, `"much right"`); or by how
            much a side is better, as a number from 1 to 3 (`"left by 2"`, or `"2"` and `"-2"`). Of more than two options the best one, or the best
            and the worst.
        ties : {"learn", "both", "drop"}, optional
            What a tie is learned as: a difference too small to notice; a comparison each way; or nothing.
        prior : dict, optional
            The prior: `family` of the kernel (`"auto"`, `"se"`, `"multiscale"`, `"matern52"`, `"matern32"` or `"matern12"`),
            `lengthscale` as a share of each range, `sd` in standard deviations of the noise, whether to `learn` them, and whether
            numbers and each category have main effects besides their interaction (`additive`).
        answers : int, optional
            After so many answers a participant is asked no more.
        regret : float, optional
            The expected regret, in standard deviations of the noise, that is good enough.
        time_limit : float, optional
            The longest that choosing a comparison may take, in seconds.

        Raises
        ------
        DefinitionError
            If what is given is no study.
        StudyError
            If the file holds a study of this name already.
        StudyFileError
            If the file is another's or cannot be written.
        """
        given = {
            "title": title,
            "question": question,
            "seed": whole("seed", seed, 0, 2**64 - 1),
            "participants": several("participants", participants),
            "model": model,
            "acquisition": acquisition,
            "opponent": opponent,
            "initial": whole("initial", initial, 0, 2**32 - 1),
            "inference": inference,
            "half_life": half_life,
            "drift": drift,
            "within": within,
            "options": whole("options", options, 2, 12),
            "take": take,
            "ties": ties,
            "answers": whole("answers", answers, 1, 2**32 - 1),
            "regret": regret,
            "time_limit": time_limit,
            **believed(prior),
            **subject(items, parameters, definition),
        }
        table = None if items is None else table_of(items, names)
        path = Path(path)
        return cls(_lib.Study.create(path, path.stem if name is None else name, given, table))

    @classmethod
    def open(cls, path: str | Path, name: str | None = None) -> Self:
        """Opens the study called `name`, or the only one, of a file.

        Parameters
        ----------
        path : str or Path
            The file.
        name : str, optional
            The study; not needed if there is only one.

        Returns
        -------
        Study
        """
        return cls(_lib.Study.open(Path(path), name))

    def ask(self, participant: str | None = None) -> Query | None:
        """The comparison to answer next: the one that still waits for an answer if there is one. `None` if all answers are given.

        Who answers need not be given if nobody or only one is named in the definition. Ctrl-C takes effect when the comparison is chosen, which
        takes no longer than the definition's `time_limit`; the same comparison is then asked the next time.

        Parameters
        ----------
        participant : str, optional
            Who answers; need not be given if nobody or only one is named in the definition.

        Returns
        -------
        Query or None
        """
        who = self._study.participant(participant)
        found = self._study.ask(who)
        return None if found is None else _answers.query(found, who, self._definition)

    def tell(
        self,
        query: Query | int | tuple[Any, ...] | None,
        answer: str | None = None,
        *,
        best: Any = None,
        worst: Any = None,
        participant: str | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Records an answer: `"left"`, `"right"`, `"tie"` (no preference) or `"skip"` (no answer); of a set which option is the best, and the worst.

        >>> import tempfile
        >>> study = Study.create(tempfile.mkdtemp() + "/teas.study", ["Assam", "Keemun", "Oolong", "Sencha"], options=3)
        >>> query = study.ask()
        >>> told = study.tell(query, best=query.options[1])
        >>> told.answer
        'best 2'

        Parameters
        ----------
        query : Query, int, tuple or None
            What is answered: a comparison or its number, the open one if `None`, or a tuple of alternatives that were not asked, as many as a question has.
        answer : str
            The answer; about a set `"best 2"` or `"best 2, worst 4"`, by the numbers of options.
        best, worst : str
            In the place of an answer about a set, the best of the options by its name and, if that is asked, the worst.
        participant : str, optional
            Who gave it; that of the comparison if it is one.
        key : str, optional
            A text of your own for this answer: sent twice, it counts once. The same answer to the same comparison does so, too.
        """
        if isinstance(query, Query):
            participant = query.participant if participant is None else participant
            query = query.number
        who = self._study.participant(participant)
        if (answer is None) == (best is None) or (best is None and worst is not None):
            raise StudyError('say what was answered: an answer such as "left" or "best 2", or best= and perhaps worst=')
        options = list(map(text, query)) if isinstance(query, tuple) else None
        number = None if isinstance(query, tuple) else whole("query", query, 0, 2**32 - 1)
        if answer is None:
            answer = self._study.extremes(who, text(best), None if worst is None else text(worst), number, options)
        if options is not None:
            return _answers.receipt(self._study.tell_about(who, options, answer, key))
        return _answers.receipt(self._study.tell(who, answer, number, key))

    def skip(self, query: Query | int | None = None, *, participant: str | None = None) -> Receipt:
        """No answer, and another pair next.

        Parameters
        ----------
        query : Query, int or None
            The comparison or its number; the open one if `None`.
        participant : str, optional
            Who passes; that of the comparison if it is one.

        Returns
        -------
        Receipt
        """
        return self.tell(query, "skip", participant=participant)

    def undo(self, participant: str | None = None, *, key: str | None = None) -> Receipt:
        """Undoes the last answer; its comparison is open again. What was imported stays.

        Parameters
        ----------
        participant : str, optional
            Whose last answer; the only one if not given.
        key : str, optional
            A text of your own: sent twice, one answer is undone.

        Returns
        -------
        Receipt
        """
        return _answers.receipt(self._study.undo(self._study.participant(participant), key))

    def plan_ahead(self, participant: str | None = None, *, background: bool = False) -> int:
        """Chooses the next comparison for every answer to the open one, so that nobody waits for the next :meth:`ask`; how many are ready.

        In the `background` it returns 0 at once; the work ends by itself when the next answer is recorded.

        Parameters
        ----------
        participant : str, optional
            Who answers; need not be given if nobody or only one is named in the definition.
        background : bool
            Whether to return at once.

        Returns
        -------
        int
        """
        who = self._study.participant(participant)
        if background:
            self._study.plan_behind(who)
            return 0
        return self._study.plan_ahead(who)

    def queries(self, n: int | None = None, participant: str | None = None) -> Iterator[Query]:
        """One comparison after another, each to be answered or skipped before the next: at most `n`, or until all answers are given.

        ::

            for query in study.queries():
                study.tell(query, input(f"{query}  > "))

        Parameters
        ----------
        n : int, optional
            The largest number of comparisons.
        participant : str, optional
            Who answers; need not be given if nobody or only one is named in the definition.

        Returns
        -------
        iterator of Query
        """
        asked = 0
        last = None
        while n is None or asked < n:
            query = self.ask(participant)
            if query is None:
                return
            if query.again and last == (query.number, query.answers):
                raise StudyError(f"comparison {query.number} still waits for its answer; answer it, or skip it, before the next")
            last, asked = (query.number, query.answers), asked + 1
            yield query

    def __iter__(self) -> Iterator[Query]:
        return self.queries()

    def run(
        self,
        answer: Callable[[Query], str | None],
        n: int | None = None,
        participant: str | None = None,
        *,
        progress: bool = False,
    ) -> int:
        """Asks `answer` one comparison after another, which returns the answer, or `None` to end: at most `n` comparisons. How many it answered.

        `study.run(lambda query: query.better(utility), 20)` is somebody simulated. `progress` shows a bar (needs tqdm).

        Parameters
        ----------
        answer : callable
            Takes a :class:`Query`; returns the answer, or `None` to end.
        n : int, optional
            The largest number of comparisons.
        participant : str, optional
            Who answers; need not be given if nobody or only one is named in the definition.
        progress : bool
            Whether to show a bar.

        Returns
        -------
        int
        """
        told = 0
        with _progress.counted(progress, n, "comparison") as step:
            for query in self.queries(n, participant):
                said = answer(query)
                if said is None:
                    break
                self.tell(query, said)
                told += 1
                step()
        return told

    def best(self, participant: str | None = None) -> Advice:
        """What the answers recommend, how sure that is, and whether to go on.

        Parameters
        ----------
        participant : str, optional
            Whose answers; the only one if not given.

        Returns
        -------
        Advice
        """
        return _answers.advice(self._study.advice(self._study.participant(participant)), self._definition["stop"]["regret"])

    def standing(self, participant: str | None = None) -> Standing:
        """How far a participant is.

        Parameters
        ----------
        participant : str, optional
            Whose answers; the only one if not given.

        Returns
        -------
        Standing
        """
        return _answers.standing(self._study.standing(self._study.participant(participant)))

    def history(self, participant: str | None = None) -> list[Answered]:
        """The answers of a participant that count, in their order; skipped comparisons too.

        Parameters
        ----------
        participant : str, optional
            Whose answers; the only one if not given.

        Returns
        -------
        list of Answered
        """
        return _answers.history(self._study.history(self._study.participant(participant)))

    def health(self, participant: str | None = None) -> dict[str, Any]:
        """Whether the graph of comparisons is connected and the answers are consistent: `sentences`, and the numbers behind them.

        `connectivity` of what was compared; once there is an answer, `consistency`: repeats, circular triads, surprises, noise, drift, sides.

        Parameters
        ----------
        participant : str, optional
            Whose answers; the only one if not given.

        Returns
        -------
        dict
        """
        found: dict[str, Any] = json.loads(self._study.health(self._study.participant(participant)))
        return found

    def model(self, participant: str | None = None) -> StudyModel:
        """What was learned so far, to predict with and to draw; with no answer yet, the prior.

        Parameters
        ----------
        participant : str, optional
            Whose answers; the only one if not given.

        Returns
        -------
        StudyModel
        """
        return StudyModel(self._study.snapshot(self._study.participant(participant)), self._definition["subject"])

    def fit(self, estimator: PreferenceGP | None = None, participant: str | None = None) -> PreferenceGP:
        """Another model of a participant's answers: `estimator` (a plain :class:`PreferenceGP` if not given), fitted.

        The items are those of the study; of a space of parameters, the settings compared. Answers without a preference are left out. Answers about
        sets are taken jointly by a plain estimator.

        Parameters
        ----------
        estimator : PreferenceGP, optional
            With its parameters; fitted in place.
        participant : str, optional
            Whose answers; the only one if not given.

        Returns
        -------
        PreferenceGP
        """
        if estimator is None:
            estimator = PreferenceGP(rankings="joint") if self._definition.get("options", 2) > 2 else PreferenceGP()
        said = votes(json.loads(self._study.history(self._study.participant(participant))))
        names, columns = self._known(said.settings)
        return estimator.fit(columns or None, said.table, names=names)

    def _known(self, settings: dict[str, Any]) -> tuple[list[str], dict[str, list[Any]]]:
        """Names and features of what can be learned about."""
        if self.parameters:
            return list(settings), {name: [setting[name] for setting in settings.values()] for name in self.parameters}
        features = [self.features(item) for item in self.items]
        return self.items, {column: [row[column] for row in features] for column in features[0]}

    def features(self, item: str) -> dict[str, Any]:
        """The features of an item.

        Parameters
        ----------
        item : str
            Its name.

        Returns
        -------
        dict
        """
        return dict(json.loads(self._study.features(item)))

    @property
    def name(self) -> str:
        """The study's name."""
        return self._study.name

    @property
    def path(self) -> Path:
        """The study's file."""
        return self._study.path

    @property
    def created(self) -> datetime:
        """When it was made."""
        return datetime.fromtimestamp(self._study.created() / 1000, UTC)

    @property
    def question(self) -> str:
        """What is asked."""
        return str(self._definition["question"])

    @property
    def definition(self) -> dict[str, Any]:
        """All that was fixed before the first answer."""
        return dict(json.loads(self._study.definition()))

    @property
    def items(self) -> list[str]:
        """The items' names; none in a space of parameters."""
        return list(self._definition["subject"].get("items", {"keys": []})["keys"])

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The parameters' ranges; none for a list of items."""
        return space(self._definition["subject"])

    @property
    def participants(self) -> list[str]:
        """Everybody who is named in the definition or has answered."""
        return self._study.participants()

    @property
    def notes(self) -> list[str]:
        """What is worth knowing about the definition, in sentences."""
        return self._study.notes()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._study.closed

    def __repr__(self) -> str:
        state = " (closed)" if self.closed else ""
        return f"<rather.Study {self.name!r} in {str(self.path)!r}{state}>"

    def _repr_html_(self) -> str:
        if self.closed:
            return f"<p>{escape(repr(self))}</p>"
        rows = [self.standing(name) for name in self.participants]
        cells = ("participant", "answers", "ties", "skipped", "open", "finished")
        head = "".join(f"<th>{cell}</th>" for cell in cells)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(getattr(row, cell)))}</td>" for cell in cells) + "</tr>" for row in rows
        )
        title = escape(self._definition["title"] or self.name)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else "<p>Nobody has answered yet.</p>"
        return f"<h4>{title}</h4><p>{escape(self.question)}</p>{table}"


def _shown(value: object) -> str:
    return {None: "", True: "yes", False: ""}.get(value, str(value)) if value is None or isinstance(value, bool) else str(value)
