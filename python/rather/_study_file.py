"""The file of a study: what else it has, copies of it, and its answers in files of other formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from . import _answers, _lib
from ._answers import Imported


class StudyFile:
    """The part of a :class:`rather.Study` that is about files."""

    _study: _lib.Study
    _definition: dict[str, Any]

    @staticmethod
    def names_of(path: str | Path) -> list[str]:
        """The names of the studies in a file.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        list of str
        """
        return _lib.Study.names(Path(path))

    @staticmethod
    def check(path: str | Path) -> dict[str, Any]:
        """What can be found out about a file without changing it: `ok`, `problems` and `notices` (sentences), its `studies` with their numbers
        of answers, the write-ahead `log` beside it, and who uses it (`used_by`). As `rather study check`.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        dict
        """
        return dict(json.loads(_lib.Study.check(Path(path))))

    def backup(self, copy: str | Path, *, replace: bool = False) -> dict[str, Any]:
        """Copies the file, with all its studies, to `copy`, also while others use it. As `rather study backup`.

        The copy is checked before it takes its name. Returns the names of its `studies`, and its numbers of `events` and `bytes`. An existing
        file is an error, unless `replace` is set.

        Parameters
        ----------
        copy : str or Path
            Where to.
        replace : bool
            Whether an existing file may be replaced.

        Returns
        -------
        dict
        """
        return dict(json.loads(self._study.backup(Path(copy), replace)))

    def close(self) -> None:
        """Ends all use of the file; also at the end of a `with`."""
        self._study.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def export(self, path: str | Path | None = None, *, format: str | None = None, participant: str | None = None) -> str:
        """The answers as text, of one participant or of all, written to `path` too if that is given.

        `format` is as the name of `path` ends, or `"csv"`: that, `"winner"`, `"jsonl"` (every event, also what was undone), or
        PrefLib's `"soi"`, `"toi"`, `"soc"`, `"toc"`.

        Parameters
        ----------
        path : str or Path, optional
            A file to write.
        format : str, optional
            As above.
        participant : str, optional
            Whose; all if not given.

        Returns
        -------
        str
        """
        return self._study.export(format, participant, None if path is None else Path(path))

    def import_answers(
        self, path: str | Path, *, format: str | None = None, participant: str | None = None, again: bool = False
    ) -> Imported:
        """Adds the answers of a file, all or none; those that do not say who gave them are `participant`'s.

        The very same file is taken once, unless `again` is set.

        Parameters
        ----------
        path : str or Path
            The file.
        format : str, optional
            As in :meth:`export`.
        participant : str, optional
            Whose are the answers that name nobody.
        again : bool
            Whether to count the very same file once more.

        Returns
        -------
        Imported
        """
        if participant is None and len(self._definition["participants"]["names"]) < 2:
            participant = self._study.participant(None)
        return _answers.imported(self._study.import_(Path(path), format, participant, again))
