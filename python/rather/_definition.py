"""What a study is, as people write it, for the compiled part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _lib
from ._tables import items as table
from .errors import DataError, DefinitionError, RatherError

_FORMS = (
    '(low, high), a list of choices, a dict as in TOML such as {"type": "float", "low": 0.1, "high": 10, "scale": "log"}, or '
    'text such as "float(0.1, 10, log)"'
)


def ranges(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and ranges as the compiled part reads them."""
    if not isinstance(parameters, Mapping):
        raise DefinitionError(f"parameters are a dict of names and ranges, not {type(parameters).__name__}")
    return [(str(name), _range(str(name), given)) for name, given in parameters.items()]


def _range(name: str, given: Any) -> str:
    if isinstance(given, str):
        return given
    range = _described(given)
    if range is None:
        raise DefinitionError(f"the range of the parameter {name!r} is {given!r}; write {_FORMS}")
    try:
        return plain(range)
    except DataError:
        raise DefinitionError(f"the range of the parameter {name!r} is {given!r}; write finite numbers and texts") from None


def _described(given: Any) -> dict[str, Any] | None:
    """A range as TOML has it."""
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, tuple) and len(given) == 2 and all(_is_number(bound) for bound in given):
        kind = "integer" if all(isinstance(bound, (int, np.integer)) for bound in given) else "float"
        return {"type": kind, "low": given[0], "high": given[1]}
    if isinstance(given, (list, tuple)) and all(isinstance(choice, str) for choice in given):
        return {"type": "categorical", "choices": list(given)}
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def plain(value: Any) -> str:
    """As JSON, numbers of numpy too."""
    try:
        return json.dumps(value, default=_python, allow_nan=False)
    except (TypeError, ValueError):
        raise DataError(f"{value!r} is neither text nor a finite number; replace it") from None


def _python(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def subject(items: Any, parameters: Mapping[str, Any] | None, definition: str | Path | None) -> dict[str, Any]:
    """What is compared, of which one thing must be given."""
    if sum(given is not None for given in (items, parameters, definition)) != 1:
        raise DefinitionError("say what is compared: one of items, parameters and definition")
    file = _is_file(definition)
    return {
        "toml": None if file else definition,
        "file": definition if file else None,
        "parameters": None if parameters is None else ranges(parameters),
    }


def believed(prior: Mapping[str, Any] | None) -> dict[str, Any]:
    """The keys of the prior."""
    known = ("family", "lengthscale", "sd", "learn", "additive")
    unknown = [str(key) for key in prior or {} if key not in known]
    if unknown:
        raise DefinitionError(f"prior has no {unknown[0]!r}; it has {', '.join(known)}")
    return {key: (prior or {}).get(key) for key in known}


def _is_file(definition: str | Path | None) -> bool:
    """Whether a definition is the name of a file rather than the text itself."""
    return isinstance(definition, Path) or (definition is not None and "\n" not in definition and definition.endswith(".toml"))


def table_of(items: Any, names: Any) -> _lib.Table:
    """Items that are only names, or a table of them."""
    if isinstance(items, str):
        raise DefinitionError(f"items={items!r} is one text; give a list of names, a table, or definition= for TOML")
    listed = items.tolist() if getattr(items, "ndim", 2) == 1 and hasattr(items, "tolist") else items
    if isinstance(listed, (list, tuple)) and all(isinstance(item, (str, int)) for item in listed):
        return _lib.Table([str(item) for item in listed], [])
    return table(items, names)[0]


def several(name: str, texts: Sequence[str] | None) -> list[str] | None:
    """A list of texts, if there is one."""
    if isinstance(texts, str):
        raise DefinitionError(f"{name}={texts!r} is one text; give a list")
    return None if texts is None else [str(text) for text in texts]


def whole(name: str, value: Any, least: int, most: int, error: type[RatherError] = DefinitionError) -> int | None:
    """The whole number `value`, if there is one; else `error`."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value.__index__() <= most:
        raise error(f"{name}={value!r} must be a whole number from {least} to {most}")
    return int(value)


def space(subject: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Names and ranges of the parameters of a definition's subject; nothing for a list of items."""
    listed = subject.get("parameters", {"parameters": []})["parameters"]
    return {parameter["name"]: parameter["range"] for parameter in listed}


def text(alternative: Any) -> str:
    """An alternative as the compiled part reads it."""
    return plain(alternative) if isinstance(alternative, dict) else str(alternative)
