"""What scikit-learn asks of an estimator. It need not be installed: nothing of it is imported but where scikit-learn itself calls."""

from __future__ import annotations

import inspect
import numbers
from typing import Any, Self

import numpy as np

from ._columns import arrow, is_pandas, is_series, names_of
from .errors import DataError, ParameterError, not_fitted

RandomState = int | np.random.RandomState | np.random.Generator | None


class Estimator:
    """Parameters by the names of the constructor, and the tags of an estimator."""

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        signature = inspect.signature(cls.__init__)
        cls._defaults = {name: p.default for name, p in signature.parameters.items() if name != "self" and p.kind != p.VAR_KEYWORD}

    _defaults: dict[str, Any] = {}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool
            With those of parameters that are estimators, as `name__parameter`.

        Returns
        -------
        dict
        """
        out = {name: getattr(self, name) for name in self._defaults}
        for name, value in list(out.items()) if deep else ():
            if hasattr(value, "get_params") and not isinstance(value, type):
                out.update({f"{name}__{inner}": given for inner, given in value.get_params().items()})
        return out

    def set_params(self, **params: Any) -> Self:
        """Sets parameters by name, those of parameters that are estimators as `name__parameter`.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        This estimator.

        Raises
        ------
        ParameterError
            If there is no parameter of that name.
        """
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer not in self._defaults:
                known = ", ".join(self._defaults)
                raise ParameterError(f"Invalid parameter {outer!r} for estimator {type(self).__name__}; its parameters are {known}")
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, name, value)
        for outer, given in nested.items():
            getattr(self, outer).set_params(**given)
        return self

    def __repr__(self) -> str:
        changed = ((name, getattr(self, name, default)) for name, default in self._defaults.items())
        said = [f"{name}={value!r}" for name, value in changed if not _same(value, self._defaults[name])]
        return f"{type(self).__name__}({', '.join(said)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=InputTags(string=True))

    def get_metadata_routing(self) -> Any:
        """What scikit-learn may hand on to :meth:`fit` and :meth:`score`: nothing unless it is asked for."""
        from sklearn.utils.metadata_routing import MetadataRequest

        return MetadataRequest(owner=self)

    def _forget_features(self) -> None:
        """Those of an earlier fit."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)

    def _check_features(self, X: Any, *, reset: bool) -> None:
        """Keeps number and names of the features, or compares them with those that were kept."""
        if is_series(X) or not (isinstance(X, (np.ndarray, list)) or is_pandas(X) or hasattr(X, "__arrow_c_stream__")):
            return
        names = _feature_names(X)
        shape = np.shape(X) if not hasattr(X, "__arrow_c_stream__") else (0, len(names or ()))
        if len(shape) != 2:
            return
        if reset:
            self.n_features_in_ = int(shape[1])
            if names is not None:
                self.feature_names_in_ = np.array(names, dtype=object)
            return
        # A frame without columns names items that are known.
        if not hasattr(self, "n_features_in_") or (is_pandas(X) and shape[1] == 0):
            return
        self._compare_names(names)
        if shape[1] != self.n_features_in_:
            raise DataError(f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")

    def _compare_names(self, names: list[str] | None) -> None:
        """That a table has the columns that were learned from, in their order, as scikit-learn asks for; arrays have no names."""
        known = getattr(self, "feature_names_in_", None)
        if known is None or names is None or list(known) == names:
            return
        if set(known) == set(names):
            raise DataError(
                "The feature names should match those that were passed during fit.\nFeature names must be in the same order as they were in fit.\n"
            )


def _feature_names(X: Any) -> list[str] | None:
    if is_pandas(X):
        names = list(X.columns)
    elif hasattr(X, "__arrow_c_stream__"):
        names = names_of(arrow(X))
    else:
        return None
    return names if names and all(isinstance(name, str) for name in names) else None


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def check_is_fitted(estimator: Any) -> None:
    """That `estimator` has learned."""
    if "model_" not in estimator.__dict__:
        name = type(estimator).__name__
        raise not_fitted(f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")


def seed_of(random_state: RandomState) -> int:
    """A seed from what scikit-learn takes as `random_state`: a number, a generator that is drawn from, or `None` for a new one each time."""
    if random_state is None:
        return int(np.random.randint(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool) and 0 <= random_state < 2**64:
        return int(random_state)
    raise ParameterError(f"random_state={random_state!r} must be None, a whole number from 0 to 2**64 - 1, or a generator of NumPy")


def count_of(name: str, value: Any, least: int = 1) -> int:
    """A whole number that is given as an argument."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and least <= int(value) < 2**62:
        return int(value)
    raise ParameterError(f"{name}={value!r} must be a whole number from {least}")
