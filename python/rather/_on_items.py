"""A transformer of scikit-learn for the items of comparisons, so that a pipeline can be cross-validated."""

from __future__ import annotations

from typing import Any, Self

from ._base import Estimator
from ._comparisons import Comparisons


class OnItems(Estimator):
    """Applies a transformer of features to items: of a table of items, or of :class:`Comparisons`, whose answers stay as they are.

    In a pipeline, scikit-learn hands every step what is split: comparisons. A scaler would take these for numbers; `OnItems(scaler)` looks at the items that they are
    about.

    Parameters
    ----------
    transformer
        A transformer of scikit-learn's, such as `StandardScaler()` or `PCA(3)`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from rather import Comparisons, PreferenceGP
    >>> X = np.random.default_rng(0).normal(size=(12, 5))
    >>> better = [(i, j) if X[i, 0] > X[j, 0] else (j, i) for i in range(12) for j in range(i)]
    >>> pipeline = make_pipeline(OnItems(PCA(4)), PreferenceGP("linear"))
    >>> bool(cross_val_score(pipeline, Comparisons(X, better), cv=3).mean() > 0.8)
    True
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the transformer to the items.

        Parameters
        ----------
        X : table or Comparisons
            The items.
        y : ignored
            For pipelines.
        """
        self.transformer_ = self._fresh().fit(_items_of(X))
        return self

    def transform(self, X: Any) -> Any:
        """The items, or the comparisons with the items, after the transformer.

        Parameters
        ----------
        X : table or Comparisons
            The items.

        Returns
        -------
        table or Comparisons
        """
        found = self.transformer_.transform(_items_of(X))
        return X.with_items(found) if isinstance(X, Comparisons) else found

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """:meth:`fit`, then :meth:`transform`.

        Parameters
        ----------
        X : table or Comparisons
            The items.
        y : ignored
            For pipelines.

        Returns
        -------
        table or Comparisons
        """
        return self.fit(X, y).transform(X)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transformer_")

    def _fresh(self) -> Any:
        from sklearn.base import clone

        return clone(self.transformer)


def _items_of(X: Any) -> Any:
    return X.X if isinstance(X, Comparisons) else X
