"""Models and tables in pickles: of a model the bytes of its file, so that reading one runs no code of a stranger's."""

from __future__ import annotations

import copyreg
import tempfile
from pathlib import Path

from . import _lib


def _restore(kind: type[_lib.Model], content: bytes) -> _lib.Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(content)
        return kind.load(path)


def _reduce(model: _lib.Model) -> tuple[object, tuple[object, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return _restore, (type(model), path.read_bytes())


def _reduce_table(table: _lib.Table) -> tuple[object, tuple[object, object, object]]:
    return _lib.Table, (table.names, table.columns, table.integers)


copyreg.pickle(_lib.Table, _reduce_table)  # type: ignore[arg-type]
copyreg.pickle(_lib.Model, _reduce)  # type: ignore[arg-type]
