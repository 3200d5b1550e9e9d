"""Preference learning with Gaussian processes: learn what people would rather have.

>>> import rather
>>> votes = [("tea", "coffee"), ("tea", "wine"), ("coffee", "wine"), ("tea", "coffee")]
>>> model = rather.PreferenceGP("white").fit(None, votes)
>>> [place.item for place in model.ranking()]
['tea', 'coffee', 'wine']
"""

import warnings

from . import _files as _files  # Teaches pickle to write models.
from . import inspection as inspection
from . import metrics as metrics
from ._answers import Advice, Answered, Estimate, Imported, Query, Receipt, Setting, Standing
from ._client import StudioClient
from ._comparisons import Comparisons
from ._estimator import PreferenceGP
from ._lib import __version__, acquisitions
from ._on_items import OnItems
from ._population import Person, PopulationGP
from ._results import Check, Deviation, Figure, Place, Ranking, Segments, Suggestion
from ._sort import sort
from ._sorted import Judge, Sorted, Sorting
from ._study import Study
from ._study_model import StudyModel
from ._summary import Summary
from ._wins import wins
from .errors import (
    AcquisitionError,
    ConvergenceWarning,
    DataError,
    DefinitionError,
    FeatureError,
    FigureError,
    FitWarning,
    HyperparameterError,
    InferenceError,
    JudgeError,
    KernelError,
    ModelFileError,
    NotFittedError,
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
    "Comparisons",
    "ConvergenceWarning",
    "DataError",
    "DefinitionError",
    "Deviation",
    "Estimate",
    "FeatureError",
    "Figure",
    "FigureError",
    "FitWarning",
    "HyperparameterError",
    "Imported",
    "InferenceError",
    "Judge",
    "JudgeError",
    "KernelError",
    "ModelFileError",
    "NotFittedError",
    "OnItems",
    "ParameterError",
    "Person",
    "Place",
    "PopulationGP",
    "PreferenceGP",
    "Query",
    "Ranking",
    "Segments",
    "RatherError",
    "Receipt",
    "Setting",
    "SizeError",
    "Sorted",
    "Sorting",
    "Standing",
    "StudioClient",
    "Study",
    "StudyError",
    "StudyFileError",
    "StudyModel",
    "Suggestion",
    "Summary",
    "UnknownItemError",
    "UnknownUserError",
    "__version__",
    "acquisitions",
    "inspection",
    "metrics",
    "sort",
    "wins",
]

_RENAMED = {"Duel": "Query", "Duels": "Comparisons", "Told": "Receipt"}


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        warnings.warn(f"rather.{name} is called rather.{_RENAMED[name]} now", DeprecationWarning, stacklevel=2)
        return globals()[_RENAMED[name]]
    raise AttributeError(f"module 'rather' has no attribute {name!r}")
