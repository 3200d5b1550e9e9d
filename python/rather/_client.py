"""A client of the studio's API, with the standard library alone."""

from __future__ import annotations

import json
import uuid
from typing import Any
from urllib.parse import quote, urlencode

from .errors import ParameterError, StudyError

_ROOT = "/api/v1"


class StudioClient:
    """A studio (`rather studio`) that runs somewhere, to ask and answer over HTTP.

    What it returns is what the studio sends, as dicts and lists; `/api/v1/openapi.json` of the studio describes it. Answers carry a key of their own, so that one
    which is sent again after a broken connection counts once.

    Parameters
    ----------
    url : str
        Where the studio is, such as `"http://127.0.0.1:8421"`.
    token : str, optional
        The operator's token, of a studio that has one (`--token-file`).
    timeout : float
        Seconds after which a request is given up.

    Examples
    --------
    >>> studio = StudioClient("http://127.0.0.1:8421")
    >>> teas = studio.create('title = "Teas"\\nitems = ["Assam", "Oolong", "Sencha"]')  # doctest: +SKIP
    >>> turn = studio.ask(teas)  # doctest: +SKIP
    >>> turn = studio.tell(teas, turn["next"]["duel"], "left")  # doctest: +SKIP
    >>> studio.best(teas)["best"]["item"]  # doctest: +SKIP
    'Assam'
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 60.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ParameterError(f"url={url!r} must begin with http:// or https://")
        self.url = url.rstrip("/").removesuffix(_ROOT)
        self.timeout = timeout
        self._token = token

    def __repr__(self) -> str:
        return f"StudioClient({self.url!r})"

    def studies(self) -> list[dict[str, Any]]:
        """All studies that are not archived, demos first.

        Returns
        -------
        list of dict
            With `id`, `title` and more of each.
        """
        return list(self._json("GET", "/studies")["studies"])

    def create(self, definition: str | dict[str, Any]) -> str:
        """Makes a study.

        Parameters
        ----------
        definition : str or dict
            In TOML, as `rather study new` takes it; or an object of the API.

        Returns
        -------
        str
            The identifier of the study.

        Raises
        ------
        StudyError
            With the studio's sentence, for a definition that makes no sense.
        """
        body = {"toml" if isinstance(definition, str) else "definition": definition}
        return str(self._json("POST", "/studies", body)["id"])

    def study(self, study: str) -> dict[str, Any]:
        """A study and its definition.

        Parameters
        ----------
        study : str
            Its identifier.

        Returns
        -------
        dict
        """
        return self._json("GET", self._of(study))

    def archive(self, study: str) -> None:
        """Takes a study from the list; its answers stay.

        Parameters
        ----------
        study : str
            Its identifier.
        """
        self._send("DELETE", self._of(study))

    def ask(self, study: str, *, participant: str | None = None) -> dict[str, Any]:
        """The comparison that waits for an answer.

        Parameters
        ----------
        study : str
            Its identifier.
        participant : str, optional
            Who is asked; the only one if not given.

        Returns
        -------
        dict
            `next` is the comparison with its number `duel` and both sides (`None` at the end); `answers`, `finished`, `advice`.

        Raises
        ------
        StudyError
            If there is no such study or participant, or the studio cannot be reached.
        """
        return self._json("POST", self._of(study, "ask"), {"participant": participant})

    def tell(self, study: str, comparison: int, answer: str, *, participant: str | None = None) -> dict[str, Any]:
        """Records an answer. When it returns, the answer is on the studio's disk.

        Parameters
        ----------
        study : str
            Its identifier.
        comparison : int
            The number of the comparison, `turn["next"]["duel"]` of :meth:`ask`.
        answer : str
            `"left"`, `"right"`, `"tie"`, `"much left"`, `"much right"`, `"left by 2"`; of a set `"best 2"` or `"best 2, worst 4"`: what the study takes.
        participant : str, optional
            As in :meth:`ask`.

        Returns
        -------
        dict
            The next turn, as :meth:`ask` gives it.
        """
        return self._tell(study, {"duel": comparison, "answer": answer, "participant": participant})

    def tell_about(self, study: str, left: Any, right: Any, answer: str, *, participant: str | None = None) -> dict[str, Any]:
        """Records an answer about two alternatives that were not asked: names of items, or dicts with a value for every parameter; else as :meth:`tell`.

        Parameters
        ----------
        study : str
            Its identifier.
        left, right : str or dict
            The alternatives.
        answer : str
            As in :meth:`tell`.
        participant : str, optional
            As in :meth:`ask`.

        Returns
        -------
        dict
            The next turn.
        """
        return self._tell(study, {"left": left, "right": right, "answer": answer, "participant": participant})

    def skip(self, study: str, comparison: int, *, participant: str | None = None) -> dict[str, Any]:
        """Passes a comparison over; else as :meth:`tell`.

        Parameters
        ----------
        study : str
            Its identifier.
        comparison : int
            Its number.
        participant : str, optional
            As in :meth:`ask`.

        Returns
        -------
        dict
            The next turn.
        """
        return self._json("POST", self._of(study, "skip"), {"duel": comparison, "participant": participant, "key": uuid.uuid4().hex})

    def undo(self, study: str, *, participant: str | None = None) -> dict[str, Any]:
        """Takes the last answer back; its comparison is open again.

        Parameters
        ----------
        study : str
            Its identifier.
        participant : str, optional
            Whose; the only one if not given.

        Returns
        -------
        dict
            The next turn, as :meth:`ask` gives it.
        """
        return self._json("POST", self._of(study, "undo"), {"participant": participant, "key": uuid.uuid4().hex})

    def best(self, study: str, *, participant: str | None = None) -> dict[str, Any]:
        """The recommendation (`best`) and how sure it is (`certainty`).

        Parameters
        ----------
        study : str
            Its identifier.
        participant : str, optional
            Whose; the only one if not given.

        Returns
        -------
        dict
        """
        return self._json("GET", self._of(study, "best", participant=participant))

    def result(self, study: str, *, participant: str | None = None) -> dict[str, Any]:
        """All that the page of the result shows.

        Parameters
        ----------
        study : str
            Its identifier.
        participant : str, optional
            Whose; the only one if not given.

        Returns
        -------
        dict
        """
        return self._json("GET", self._of(study, "result", participant=participant))

    def history(self, study: str, *, participant: str | None = None) -> dict[str, Any]:
        """The answers, the last one first.

        Parameters
        ----------
        study : str
            Its identifier.
        participant : str, optional
            Whose; the only one if not given.

        Returns
        -------
        dict
        """
        return self._json("GET", self._of(study, "history", participant=participant))

    def probabilities(self, study: str, pairs: list[tuple[Any, Any]], *, participant: str | None = None) -> dict[str, Any]:
        """The probability that the first alternative of each pair is preferred.

        Parameters
        ----------
        study : str
            Its identifier.
        pairs : list of pairs
            Alternatives: names, or dicts.
        participant : str, optional
            Whose; the only one if not given.

        Returns
        -------
        dict
        """
        return self._json("POST", self._of(study, "probabilities"), {"pairs": pairs, "participant": participant})

    def export(self, study: str, *, format: str = "csv", participant: str | None = None) -> str:
        """The answers as the text of a file, which :meth:`rather.Study.import_answers` and the program read.

        Parameters
        ----------
        study : str
            Its identifier.
        format : str
            `"csv"`, `"winner"`, `"jsonl"`, or PrefLib's `"soi"`, `"toi"`, `"soc"`, `"toc"`.
        participant : str, optional
            Whose; all if not given.

        Returns
        -------
        str
        """
        return self._send("GET", self._of(study, "export", format=format, participant=participant)).decode()

    def _tell(self, study: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._json("POST", self._of(study, "tell"), {**body, "key": uuid.uuid4().hex})

    def _of(self, study: str, *path: str, **asked: str | None) -> str:
        given = {name: value for name, value in asked.items() if value is not None}
        return "/".join(["/studies", quote(study, safe=""), *path]) + (f"?{urlencode(given)}" if given else "")

    def _json(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return dict(json.loads(self._send(method, path, body)))

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        # These take a while to import, and most programs have no use for them.
        from urllib.error import HTTPError, URLError
        from urllib.request import Request, urlopen

        sent = None if body is None else json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        request = Request(self.url + _ROOT + path, sent, {"content-type": "application/json"}, method=method)
        if self._token is not None:
            request.add_header("authorization", f"Bearer {self._token}")
        try:
            with urlopen(request, timeout=self.timeout) as response:
                return bytes(response.read())
        except HTTPError as error:
            raise StudyError(_sentence(error)) from None
        except (URLError, TimeoutError) as error:
            reason = getattr(error, "reason", error)
            raise StudyError(f"the studio at {self.url} cannot be reached ({reason}); start it with `rather studio`, or correct the address") from None


def _sentence(error: Any) -> str:
    """The studio's own, if it is the studio that answers."""
    try:
        return str(json.loads(error.read())["error"])
    except (ValueError, KeyError, TypeError):
        return f"{error.url} answers {error.code} {error.reason}; is that the address of a studio?"
