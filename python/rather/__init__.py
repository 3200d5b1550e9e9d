"""Preference learning with Gaussian processes: learn what people would rather have.

>>> import rather
>>> votes = [("tea", "coffee"), ("tea", "wine"), ("coffee", "wine"), ("tea", "coffee")]
>>> model = rather.PreferenceGP("white").fit(None, votes)
>>> [place.item for place in model.ranking()]
['tea', 'coffee', 'wine']
"""

from . import _files as _files  # Teaches pickle to write models.
from ._duels import Duels
from ._estimator import PreferenceGP
from ._lib import __version__
from ._population import Person, PopulationGP
from ._results import Figure, Place, Ranking, Suggestion
from .errors import (
    AcquisitionError,
    DataError,
    FeatureError,
    FigureError,
    HyperparameterError,
    InferenceError,
    KernelError,
    ModelFileError,
    ParameterError,
    RatherError,
    SizeError,
    UnknownItemError,
    UnknownUserError,
)

__all__ = [
    "AcquisitionError",
    "DataError",
    "Duels",
    "FeatureError",
    "Figure",
    "FigureError",
    "HyperparameterError",
    "InferenceError",
    "KernelError",
    "ModelFileError",
    "ParameterError",
    "Person",
    "Place",
    "PopulationGP",
    "PreferenceGP",
    "Ranking",
    "RatherError",
    "SizeError",
    "Suggestion",
    "UnknownItemError",
    "UnknownUserError",
    "__version__",
]
