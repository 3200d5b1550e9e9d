"""Methods that an estimator has after some fits and not after others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])


def about_pairs(method: _Method) -> _Method:
    """A method that asks about pairs of items: it is there unless the estimator learned from one number an item (`_of_targets`).

    scikit-learn calls the `predict_proba` of whatever has one with the rows of `X`. Who learned from a target for each row is asked about rows, as a
    regressor is, and has none; who learned from comparisons is asked about pairs.
    """
    return cast(_Method, _AboutPairs(method))


class _AboutPairs:
    def __init__(self, method: Callable[..., Any]) -> None:
        self.__doc__ = method.__doc__
        self._method = method

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self._method
        if getattr(estimator, "_of_targets", False):
            name = self._method.__name__
            raise AttributeError(
                f"{name} is about pairs of items, and this {type(estimator).__name__} learned from one number an item; "
                f"fit it to rather.Comparisons(X, y), which are the same comparisons, to ask about pairs"
            )
        return self._method.__get__(estimator, owner)
