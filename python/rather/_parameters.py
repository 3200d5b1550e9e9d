"""What the parameters of an estimator may be, before the compiled part reads them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .errors import HyperparameterError, ParameterError

#: Whether a value is one, and what it must be in words.
_Kind = tuple[Callable[[Any], bool], str]


def _is_count(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and 0 < int(value) < 2**62


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


_TEXT: _Kind = (lambda value: isinstance(value, str), "a text")
_TRUTH: _Kind = (lambda value: isinstance(value, (bool, np.bool_)), "True or False")
_COUNT: _Kind = (lambda value: value is None or _is_count(value), "None or a whole number from 1")
_NUMBER: _Kind = (_is_number, "a number")
_MAYBE_NUMBER: _Kind = (lambda value: value is None or _is_number(value), "None or a number")

#: The parameters by name. What a text may be says the compiled part, which knows.
_KINDS: dict[str, _Kind] = {
    "kernel": (_TEXT[0], 'a text such as "auto", "white" or "se[price] + linear"'),
    **dict.fromkeys(("inference", "representation", "units", "link", "pair_effect", "hyperparameters", "ties", "rankings", "model"), _TEXT),
    **dict.fromkeys(("ard", "priors", "raw_features", "bias", "user_noise", "robust"), _TRUTH),
    **dict.fromkeys(("n_inducing", "samples"), _COUNT),
    "memory": (_COUNT[0], "None or a number of bytes, such as 500_000_000"),
    "n_functions": (_is_count, "a whole number from 1"),
    "tolerance": _NUMBER,
    **dict.fromkeys(("half_life", "drift"), _MAYBE_NUMBER),
    "lapse": (lambda value: value is None or isinstance(value, str) or _is_number(value), 'None, a rate from 0 to below 1, "learn" or "by_user"'),
}


def checked(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as the compiled part takes them.

    Raises
    ------
    ParameterError
        With the name, the value, and what it must be.
    """
    for name, value in parameters.items():
        if name in _KINDS and not _KINDS[name][0](value):
            raise ParameterError(f"{name}={value!r} must be {_KINDS[name][1]}")
    return {**parameters, "fixed": _fixed(parameters.get("fixed"))}


def _fixed(given: Any) -> list[tuple[str, float]]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise ParameterError(f'fixed={given!r} must be a dict of hyperparameters, such as {{"lengthscale": 2.0, "noise": 1.0}}')
    wrong = next((name for name, value in given.items() if not _is_number(value)), None)
    if wrong is not None:
        raise HyperparameterError(f"fixed[{wrong!r}] is {given[wrong]!r}; it must be a positive number")
    return [(str(name), float(value)) for name, value in given.items()]
