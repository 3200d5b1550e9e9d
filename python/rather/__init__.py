"""Preference learning with Gaussian processes: learn what people would rather have.

>>> import rather
>>> votes = [("tea", "coffee"), ("tea", "wine"), ("coffee", "wine"), ("tea", "coffee")]
>>> model = rather.PreferenceGP("white").fit(None, votes)
>>> [place.item for place in model.ranking()]
['tea', 'coffee', 'wine']
"""

from . import _files as _files  # Teaches pickle to write models.
from ._answers import Advice, Answered, Duel, Estimate, Imported, Setting, Standing, Told
from ._duels import Duels
from ._estimator import PreferenceGP
from ._lib import __version__, acquisitions
from ._population import Person, PopulationGP
from ._results import Check, Deviation, Figure, Place, Ranking, Suggestion
from ._study import Study
from ._study_model import StudyModel
from .errors import (
    AcquisitionError,
    DataError,
    DefinitionError,
    FeatureError,
    FigureError,
    HyperparameterError,
    InferenceError,
    KernelError,
    ModelFileError,
    ParameterError,
    RatherError,
    SizeError,
    StudyError,
    StudyFileError,
    UnknownItemError,
    UnknownUserError,
)

__all__ = [
    "AcquisitionError",
    "Advice",
    "Answered",
    "Check",
    "DataError",
    "DefinitionError",
    "Deviation",
    "Duel",
    "Duels",
    "Estimate",
    "FeatureError",
    "Figure",
    "FigureError",
    "HyperparameterError",
    "Imported",
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
    "Setting",
    "SizeError",
    "Standing",
    "Study",
    "StudyError",
    "StudyFileError",
    "StudyModel",
    "Suggestion",
    "Told",
    "UnknownItemError",
    "UnknownUserError",
    "__version__",
    "acquisitions",
]
