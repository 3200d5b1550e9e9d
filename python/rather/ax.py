"""A model for the preferential mode of Ax: it learns from the pairwise comparisons of an experiment, and Ax's generators choose arms by it.

Needs Ax: `pip install 'rather[ax]'`. Importing this module registers the model with Ax.

An experiment whose metric is `pairwise_pref_query` has trials of two arms, of which one was preferred. A generator takes the model by its class::

    from ax.adapter.torch import TorchAdapter
    from ax.generators.torch.botorch_modular.generator import BoTorchGenerator
    from ax.generators.torch.botorch_modular.surrogate import ModelConfig, Surrogate, SurrogateSpec
    from rather.ax import PairwiseSurrogate

    config = ModelConfig(botorch_model_class=PairwiseSurrogate, model_options={"kernel": "se", "ard": True})
    spec = SurrogateSpec(metric_to_model_configs={"pairwise_pref_query": [config]})
    generator = BoTorchGenerator(surrogate=Surrogate(surrogate_spec=spec))
    arms = TorchAdapter(experiment=experiment, generator=generator).gen(n=2).arms

The configuration goes with the name of the metric: `SurrogateSpec(model_configs=...)` is passed over for comparisons, which Ax then gives to its own model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._estimator import PreferenceGP
from .errors import DataError

try:
    import torch
    from ax.generators.torch.botorch_modular.utils import fit_botorch_model
    from botorch.utils.datasets import RankingDataset

    from .botorch import PreferenceModel
except ImportError as missing:
    raise ImportError(f"rather.ax needs Ax ({missing}); install it with: pip install 'rather[ax]'") from missing

__all__ = ["PairwiseSurrogate"]


class PairwiseSurrogate(PreferenceModel):
    """:class:`rather.botorch.PreferenceModel` as Ax makes its models: of the arms and comparisons of an experiment.

    Parameters
    ----------
    datapoints : tensor, shape (n, d)
        The arms that were compared.
    comparisons : tensor, shape (m, 2)
        Of each comparison the rows of the preferred arm and of the other one.
    options : dict, optional
        Parameters of :class:`rather.PreferenceGP`, which Ax has from `model_options`; the kernel is `"se"` if they do not say.
    input_transform : InputTransform, optional
        Applied to arms first; Ax gives `Normalize` if nothing else is asked for. The model standardises features by itself.

    Notes
    -----
    Hyperparameters are those of maximal evidence, as BoTorch needs a Gaussian.
    """

    def __init__(
        self,
        datapoints: torch.Tensor,
        comparisons: torch.Tensor,
        options: Mapping[str, Any] | None = None,
        input_transform: Any = None,
    ) -> None:
        points = datapoints.detach().double()
        if input_transform is not None:
            # What it learns of the arms, it learns from these.
            points = input_transform.train()(points)
            input_transform.eval()
        estimator = PreferenceGP(**{"kernel": "se", "hyperparameters": "maximise", **(options or {})})
        super().__init__(estimator.fit(points.cpu().numpy(), comparisons.cpu().numpy()))
        self._transform = input_transform

    def _encoded(self, X: torch.Tensor) -> torch.Tensor:
        return super()._encoded(X if self._transform is None else self._transform(X))

    @classmethod
    def construct_inputs(cls, training_data: Any, **options: Any) -> dict[str, Any]:
        """What Ax hands to the constructor.

        Parameters
        ----------
        training_data : RankingDataset
            Arms and comparisons.
        **options
            Parameters of :class:`rather.PreferenceGP`.

        Returns
        -------
        dict
            `datapoints`, `comparisons` and `options`.

        Raises
        ------
        DataError
            Of a data set that is not one of comparisons.
        """
        if not isinstance(training_data, RankingDataset):
            raise DataError(f"PairwiseSurrogate learns from pairwise comparisons (a RankingDataset), not from a {type(training_data).__name__}")
        points, order = training_data._X, training_data.Y
        return {"datapoints": points.values, "comparisons": torch.gather(points.indices, -1, order), "options": options}


@fit_botorch_model.register(PairwiseSurrogate)  # type: ignore[untyped-decorator]
def _fit(model: PairwiseSurrogate, *_: Any, **__: Any) -> None:
    """It was learned when it was made."""
