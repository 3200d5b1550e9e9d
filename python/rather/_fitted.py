"""What fitted estimators report, whether of one user or of many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _lib
from ._tables import Labels
from .errors import ModelFileError


class Fitted(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator whose `model_` is one of the compiled part, about the items called `_labels`."""

    random_state: int | None
    model_: _lib.Model
    _labels: Labels

    def save(self, path: str | Path) -> None:
        """Writes the model to a file that the program `rather` reads too."""
        check_is_fitted(self, "model_")
        self.model_.save(Path(path))

    @property
    def kernel_(self) -> str:
        return self._model().kernel

    @property
    def hyperparameters_(self) -> dict[str, float]:
        return dict(self._model().hyperparameters)

    @property
    def log_evidence_(self) -> float:
        return self._model().log_evidence

    @property
    def converged_(self) -> bool:
        return self._model().converged

    @property
    def notices_(self) -> list[str]:
        return self._model().notices

    @property
    def items_(self) -> list[Any]:
        self._model()
        return list(self._labels.names)

    def _model(self) -> _lib.Model:
        # A property that raises AttributeError is one that is not there, which is what scikit-learn expects before a fit.
        if "model_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self.model_

    def _seed(self) -> int:
        return int(np.random.randint(2**31)) if self.random_state is None else int(self.random_state)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__


def loaded(path: str | Path, *, many: bool) -> _lib.Model:
    """The model in a file, of many users or of a single one."""
    model = _lib.Model.load(Path(path))
    if (model.kind is not None) != many:
        what, other = ("a single user", "PreferenceGP") if many else ("many users", "PopulationGP")
        raise ModelFileError(f"{path} is a model of {what}; load it by {other}.load")
    return model
