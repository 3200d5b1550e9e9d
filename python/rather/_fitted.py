"""What fitted estimators report, whether of one user or of many."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from . import _lib
from ._base import Estimator, RandomState, check_is_fitted, seed_of
from ._tables import Labels
from .errors import FitWarning, ModelFileError, convergence_warning, not_fitted

#: What the library adds to the name of a feature for where it is missing.
_MISSING = " is missing"


class Fitted(Estimator):
    """An estimator whose `model_` is one of the compiled part, about the items called `_labels`."""

    random_state: RandomState
    model_: _lib.Model
    _labels: Labels

    def save(self, path: str | Path) -> None:
        """Writes the model to a file that the program `rather` reads too.

        Parameters
        ----------
        path : str or Path
            The file. It has what was learned, not the parameters of the estimator; a pickle has both.

        Raises
        ------
        ModelFileError
            If it cannot be written.
        """
        check_is_fitted(self)
        self.model_.save(Path(path))

    @property
    def kernel_(self) -> str:
        """The kernel that was chosen. It is the same kernel again with `ard=model.ard_`."""
        return self._model().kernel

    @property
    def hyperparameters_(self) -> dict[str, float]:
        """The kernel's parameters and the noise, in the units of the table."""
        return dict(self._model().hyperparameters)

    @property
    def log_evidence_(self) -> float:
        """In nats."""
        return self._model().log_evidence

    @property
    def converged_(self) -> bool:
        """Whether inference converged."""
        return self._model().converged

    @property
    def notices_(self) -> list[str]:
        """What is worth knowing about the fit."""
        return self._model().notices

    @property
    def items_(self) -> list[Any]:
        """The items' names."""
        self._model()
        return list(self._labels.names)

    def _model(self) -> _lib.Model:
        # A property that raises AttributeError is one that is not there, which is what scikit-learn expects before a fit.
        if "model_" not in self.__dict__:
            raise not_fitted(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self.model_

    def _columns_given(self) -> list[str]:
        """The columns of the items as they were given; none where nobody counts them."""
        names = getattr(self, "feature_names_in_", None)
        return list(names) if names is not None else _of_array(getattr(self, "n_features_in_", 0))

    def _take_features(self) -> None:
        """Number and names of the features, from the model alone."""
        names = self.model_.columns or self._features_of_model()
        if names:
            self.n_features_in_ = len(names)
        if names and names != _of_array(len(names)):
            self.feature_names_in_ = np.array(names, dtype=object)

    def _features_of_model(self) -> list[str]:
        """The features that a model knows; of a file that does not tell the columns of its table."""
        of_answers = {name for name, _ in self.model_.context}
        names = [name for name, *_ in _lib.encoding(self.model_) if name not in of_answers]
        # A column of zeros and ones beside one with empty cells.
        return [name for name in names if not (name.endswith(_MISSING) and name.removesuffix(_MISSING) in names)]

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _warn(self) -> None:
        """Warns of what is to be known before the numbers are used, at the line that called `fit`."""
        for notice in self.model_.warnings:
            warnings.warn(notice, FitWarning, stacklevel=3)
        if not self.model_.converged:
            warnings.warn("; ".join(self.model_.notices) or "inference did not converge", convergence_warning(), stacklevel=3)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__


def _of_array(columns: int) -> list[str]:
    """What the columns of an array are called."""
    return [f"x{at}" for at in range(columns)]


def loaded(path: str | Path, *, many: bool) -> _lib.Model:
    """The model in a file, of many users or of a single one."""
    model = _lib.Model.load(Path(path))
    if (model.kind is not None) != many:
        what, other = ("a single user", "PreferenceGP") if many else ("many users", "PopulationGP")
        raise ModelFileError(f"{path} is a model of {what}; load it by {other}.load")
    return model
