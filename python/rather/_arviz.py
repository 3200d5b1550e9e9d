"""Draws of utilities for ArviZ, which is needed only here."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .errors import DataError


def inference_data(draws: np.ndarray[Any, np.dtype[np.float64]], names: list[Any]) -> Any:
    """Draws x items as the one chain of a posterior called `utility`."""
    try:
        import arviz
    except ImportError as missing:
        raise DataError(f"to_arviz needs ArviZ ({missing}); install it with: pip install arviz") from None
    posterior = {"utility": draws[np.newaxis]}
    more = {"coords": {"item": [str(name) for name in names]}, "dims": {"utility": ["item"]}}
    # From its version 1 on, the groups are one argument.
    grouped = "posterior" not in inspect.signature(arviz.from_dict).parameters
    return arviz.from_dict({"posterior": posterior}, **more) if grouped else arviz.from_dict(posterior=posterior, **more)
