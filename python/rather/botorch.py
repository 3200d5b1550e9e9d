"""A fitted `PreferenceGP` as a model of BoTorch's, so that its acquisition functions run on it.

Needs the packages of the extra: `pip install 'rather[botorch]'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _lib
from ._estimator import PreferenceGP
from .errors import FeatureError, ParameterError

try:
    import torch
    from botorch.models.model import Model
    from botorch.posteriors.gpytorch import GPyTorchPosterior
    from gpytorch.distributions import MultivariateNormal
    from linear_operator import to_linear_operator
except ImportError as missing:
    raise ImportError(f"rather.botorch needs BoTorch ({missing}); install it with: pip install 'rather[botorch]'") from missing

__all__ = ["ConditionedModel", "PreferenceModel"]


class _LooksAhead:
    """What acquisition functions that look ahead ask of a model."""

    def fantasize(self, X: torch.Tensor, sampler: Any, observation_noise: bool | torch.Tensor = True, **_: Any) -> ConditionedModel:
        """The model after utilities that might be observed at `X`.

        Parameters
        ----------
        X : tensor, `batch_shape x n x d`
            Where.
        sampler : MCSampler
            Draws the utilities from the posterior at `X`, with the noise of an item.
        observation_noise : bool or tensor
            As in :meth:`PreferenceModel.posterior`.

        Returns
        -------
        ConditionedModel
            Of the batch shape `n_fantasies x batch_shape`.
        """
        model: Any = self
        observed: ConditionedModel = model.condition_on_observations(X, sampler(model.posterior(X, observation_noise=observation_noise)))
        return observed


class PreferenceModel(_LooksAhead, Model):  # type: ignore[misc]  # without the types of BoTorch, which may not be installed
    """A fitted `PreferenceGP` as BoTorch sees a model: `posterior(X)` is the joint Gaussian of the utilities at `X`.

    Means, covariances and their gradients are those of the Rust engine, so that whatever BoTorch makes of a posterior is differentiable in `X`.
    Utilities are not relative to the average over the compared items, which `PreferenceGP.predict` takes off. The hyperparameters are those of
    maximal evidence: `PreferenceGP` averages over their posterior, unless `hyperparameters="maximise"`, and then it is no Gaussian.

    Parameters
    ----------
    estimator : PreferenceGP
        Fitted, and with features.
    columns : sequence of str, optional
        The features that the columns of `X` stand for. If not given: the columns of the array that was fitted; of a table the features in use, in
        their order. A feature that is not in use (a constant one) changes nothing.

    Notes
    -----
    `X` is in the units of the table. A category is its position among the sorted levels (:attr:`levels`), as in the `fixed_features_list` of
    `optimize_acqf_mixed`; it has no gradient. `float32` is computed with as `float64`.

    `observation_noise=True` adds the noise of an item. BoTorch's `PairwiseBayesianActiveLearningByDisagreement` takes the noise of a difference
    for 1: fit with `units="comparison-noise"` for it.

    Examples
    --------
    >>> import torch
    >>> from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
    >>> from rather import PreferenceGP
    >>> price = [[1.0], [2.0], [3.0], [4.0]]
    >>> model = PreferenceModel(PreferenceGP("se").fit(price, [(0, 1), (1, 2), (2, 3), (0, 2)]))
    >>> eubo = AnalyticExpectedUtilityOfBestOption(model)
    >>> cheap, dear = torch.tensor([[[1.0], [1.5]], [[3.5], [4.0]]], dtype=torch.float64)
    >>> bool(eubo(cheap) > eubo(dear))
    True
    """

    def __init__(self, estimator: PreferenceGP, columns: Sequence[str] | None = None) -> None:
        super().__init__()
        self.estimator = estimator
        self._learned = estimator._model()
        features = _lib.encoding(self._learned)
        if not features:
            raise FeatureError("this PreferenceGP was learned from names alone; BoTorch needs items with features")
        self.columns = list(_columns(estimator, features) if columns is None else columns)
        self._used = [_position(name, self.columns) for name, *_ in features]
        #: The levels of each feature of categories.
        self.levels = {name: levels for name, _, _, levels in features if levels is not None}
        self.register_buffer("_center", torch.tensor([center for _, center, _, _ in features], dtype=torch.float64))
        self.register_buffer("_scale", torch.tensor([scale for _, _, scale, _ in features], dtype=torch.float64))
        self.register_buffer("datapoints", self._compared(len(features)))

    def _compared(self, dims: int) -> torch.Tensor:
        """The items that were compared, one a row, as `X` holds settings; 0 for features that are not in use."""
        rows = torch.from_numpy(_lib.compared_rows(self._learned).reshape(-1, dims))
        points = torch.zeros(len(rows), len(self.columns), dtype=torch.float64)
        points[:, self._used] = rows * self._scale + self._center
        return points

    @property
    def num_outputs(self) -> int:
        """One utility."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """The model is one, not a batch."""
        return torch.Size()

    def posterior(
        self,
        X: torch.Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | torch.Tensor = False,
        posterior_transform: Any = None,
    ) -> Any:
        """The joint posterior over the utilities at `X`.

        Parameters
        ----------
        X : tensor, `batch_shape x q x d`
            Settings, `q` of them jointly.
        output_indices : list of int, optional
            There is but one output, 0.
        observation_noise : bool or tensor
            Add the noise of an item, or the variances of a tensor that goes with `batch_shape x q x 1`.
        posterior_transform : PosteriorTransform, optional
            Applied to the posterior.

        Returns
        -------
        GPyTorchPosterior
            Of the shape `batch_shape x q x 1`.
        """
        self.eval()
        if any(index != 0 for index in output_indices or []):
            raise ParameterError(f"output_indices={output_indices} must be None or [0]: there is one utility")
        mean, covariance = _Joint.apply(self._encoded(X), self._learned)
        if observation_noise is not False:
            covariance = covariance + torch.diag_embed(self._noise(observation_noise, mean))
        gaussian = MultivariateNormal(mean.to(X), to_linear_operator(covariance.to(X)))
        posterior = GPyTorchPosterior(gaussian)
        return posterior if posterior_transform is None else posterior_transform(posterior=posterior, X=X)

    def subset_output(self, idcs: list[int]) -> PreferenceModel:
        """The model itself, of its only output 0.

        Parameters
        ----------
        idcs : list of int
            `[0]`.

        Returns
        -------
        PreferenceModel
        """
        if list(idcs) != [0]:
            raise ParameterError(f"idcs={idcs} must be [0]: there is one utility")
        return self

    def condition_on_observations(self, X: torch.Tensor, Y: torch.Tensor, noise: torch.Tensor | None = None, **_: Any) -> ConditionedModel:
        """The model after utilities were observed directly, at the same hyperparameters; for look-ahead such as the knowledge gradient.

        Parameters
        ----------
        X : tensor, `batch_shape x n x d`
            Where.
        Y : tensor, `fantasies x batch_shape x n x 1`
            Which; not relative to the average over the compared items.
        noise : tensor, optional
            Variances of the observations; that of the noise of an item if not given.

        Returns
        -------
        ConditionedModel
        """
        return ConditionedModel(self, X, Y, self._noise(True if noise is None else noise, Y.squeeze(-1)))

    def _encoded(self, X: torch.Tensor) -> torch.Tensor:
        if X.ndim < 2 or X.shape[-1] != len(self.columns):
            columns = ", ".join(self.columns)
            raise FeatureError(f"X has the shape {tuple(X.shape)}; it must be batch_shape x q x {len(self.columns)} ({columns})")
        return (X[..., self._used].to(self._center) - self._center) / self._scale

    def _noise(self, given: bool | torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        if isinstance(given, torch.Tensor):
            return given.to(mean).squeeze(-1).expand(mean.shape)
        return torch.full_like(mean, self._learned.noise**2)


class ConditionedModel(_LooksAhead, Model):  # type: ignore[misc]  # as above
    """A :class:`PreferenceModel` given utilities that were observed directly: Gaussian conditioning of its joint posterior.

    Parameters
    ----------
    model : PreferenceModel or ConditionedModel
        Before.
    X, Y : tensors
        As in :meth:`PreferenceModel.condition_on_observations`.
    noise : tensor
        Variances, with the shape of `Y` without its last dimension.
    """

    num_outputs = 1

    def __init__(self, model: Any, X: torch.Tensor, Y: torch.Tensor, noise: torch.Tensor) -> None:
        super().__init__()
        self._before, self._X, self._Y, self._variance = model, X, Y.squeeze(-1), noise

    @property
    def batch_shape(self) -> torch.Size:
        """That of the observations."""
        return torch.broadcast_shapes(self._X.shape[:-2], self._Y.shape[:-1])

    def condition_on_observations(self, X: torch.Tensor, Y: torch.Tensor, noise: torch.Tensor | None = None, **_: Any) -> ConditionedModel:
        """As :meth:`PreferenceModel.condition_on_observations`, of further observations."""
        given = self._variance.mean() if noise is None else noise.squeeze(-1)
        return ConditionedModel(self, X, Y, torch.zeros_like(Y.squeeze(-1)) + given)

    def posterior(
        self,
        X: torch.Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | torch.Tensor = False,
        posterior_transform: Any = None,
    ) -> Any:
        """As :meth:`PreferenceModel.posterior`."""
        batch = torch.broadcast_shapes(X.shape[:-2], self.batch_shape)
        asked, given = X.expand(*batch, *X.shape[-2:]), self._X.expand(*batch, *self._X.shape[-2:])
        q = X.shape[-2]
        joint = self._before.posterior(torch.cat([asked, given], dim=-2)).distribution
        mean, covariance = joint.mean, joint.covariance_matrix
        across = covariance[..., :q, q:]
        factor = torch.linalg.cholesky(covariance[..., q:, q:] + torch.diag_embed(self._variance.expand(*batch, -1)))
        solved = torch.cholesky_solve(torch.cat([(self._Y - mean[..., q:]).unsqueeze(-1), across.mT], dim=-1), factor)
        found = mean[..., :q] + (across @ solved[..., :1]).squeeze(-1)
        left = covariance[..., :q, :q] - across @ solved[..., 1:]
        if observation_noise is not False:
            more = observation_noise.squeeze(-1) if isinstance(observation_noise, torch.Tensor) else self._variance.mean()
            left = left + torch.diag_embed(torch.zeros_like(found) + more)
        posterior = GPyTorchPosterior(MultivariateNormal(found, to_linear_operator(left)))
        return posterior if posterior_transform is None else posterior_transform(posterior=posterior, X=X)


class _Joint(torch.autograd.Function):  # type: ignore[misc]  # as above
    """Mean and covariance as functions of encoded features, with the gradients of the Rust engine."""

    @staticmethod
    def forward(ctx: Any, X: torch.Tensor, model: _lib.Model) -> tuple[torch.Tensor, torch.Tensor]:
        *batch, q, _ = X.shape
        mean, covariance = _lib.joints(model, _rows(X), q)
        ctx.save_for_backward(X)
        ctx.model = model
        return torch.from_numpy(mean).reshape(*batch, q).to(X), torch.from_numpy(covariance).reshape(*batch, q, q).to(X)

    @staticmethod
    def backward(ctx: Any, of_mean: torch.Tensor, of_covariance: torch.Tensor) -> tuple[torch.Tensor, None]:
        (X,) = ctx.saved_tensors
        return _Gradient.apply(X, of_mean, of_covariance, ctx.model), None


class _Gradient(torch.autograd.Function):  # type: ignore[misc]  # as above
    """The gradient of :class:`_Joint`. It has none of its own: a second derivative would silently be 0 without this."""

    @staticmethod
    def forward(ctx: Any, X: torch.Tensor, of_mean: torch.Tensor, of_covariance: torch.Tensor, model: _lib.Model) -> torch.Tensor:
        gradient = _lib.joint_gradients(model, _rows(X), X.shape[-2], _flat(of_mean), _flat(of_covariance))
        return torch.from_numpy(gradient).reshape(X.shape).to(X)

    @staticmethod
    def backward(ctx: Any, *of_gradient: torch.Tensor) -> Any:
        raise NotImplementedError(
            "PreferenceModel has first derivatives only; take an optimiser by gradients (L-BFGS-B), or finite differences of them for a Hessian"
        )


def _rows(X: torch.Tensor) -> Any:
    return np.ascontiguousarray(X.detach().cpu().numpy().reshape(-1, X.shape[-1]))


def _flat(tensor: torch.Tensor) -> Any:
    return np.ascontiguousarray(tensor.detach().cpu().numpy().reshape(-1))


def _columns(estimator: PreferenceGP, features: list[tuple[str, float, float, list[str] | None]]) -> list[str]:
    """All columns of an array; of a table, whose columns may be names and labels too, the features in use."""
    if hasattr(estimator, "n_features_in_") and not hasattr(estimator, "feature_names_in_"):
        return [f"x{d}" for d in range(estimator.n_features_in_)]
    return [name for name, *_ in features]


def _position(name: str, columns: list[str]) -> int:
    if name in columns:
        return columns.index(name)
    raise FeatureError(f"the model uses the feature {name!r}, and the columns are {', '.join(columns)}; name it among them")
