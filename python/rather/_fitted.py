"""What fitted estimators report, whether of one user or of many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _lib
from ._tables import Labels


class Fitted(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator whose `model_` is one of the compiled part, about the items called `_labels`."""

    random_state: int | None
    model_: Any
    _labels: Labels

    def save(self, path: str | Path) -> None:
        """Writes the model to a file that the program `rather` reads too."""
        check_is_fitted(self, "model_")
        self.model_.save(Path(path))

    @property
    def kernel_(self) -> str:
        return self._model().kernel  # type: ignore[no-any-return]

    @property
    def hyperparameters_(self) -> dict[str, float]:
        return dict(self._model().hyperparameters)

    @property
    def log_evidence_(self) -> float:
        return self._model().log_evidence  # type: ignore[no-any-return]

    @property
    def converged_(self) -> bool:
        return self._model().converged  # type: ignore[no-any-return]

    @property
    def notices_(self) -> list[str]:
        return self._model().notices  # type: ignore[no-any-return]

    @property
    def items_(self) -> list[Any]:
        self._model()
        return list(self._labels.names)

    def _model(self) -> Any:
        # A property that raises AttributeError is one that is not there, which is what scikit-learn expects before a fit.
        if "model_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self.model_

    def _seed(self) -> int:
        return int(np.random.randint(2**31)) if self.random_state is None else int(self.random_state)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__


def asked(table: _lib.Table, labels: Labels, given: Any, names: Any) -> _lib.Table:
    """The table of items to be asked about: rows without names are nobody that the model has met."""
    if names is None and not hasattr(given, "iloc"):
        return table.renamed([f"new {row}" for row in range(len(labels))])
    return table
