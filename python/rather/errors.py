"""What can be wrong: one class a kind, all under :class:`RatherError`."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._sorted import Sorted


class RatherError(Exception):
    """Any error of this package. Its message is a sentence that names the datum to blame and says what to do."""


class DataError(RatherError, ValueError):
    """Items or comparisons that cannot be learned from."""


class FeatureError(DataError):
    """A feature is missing, of the wrong kind, or too far from what was learned from."""


class UnknownItemError(DataError, LookupError):
    """A comparison or pair names an item that is not there."""


class UnknownUserError(DataError, LookupError):
    """An answer or question names a user who is not there."""


class ParameterError(RatherError, ValueError):
    """A parameter of an estimator has a value that it cannot have."""


class KernelError(ParameterError):
    """A kernel expression breaks the rules of its language, or does not fit the features."""


class HyperparameterError(ParameterError):
    """A fixed hyperparameter does not exist or is out of range."""


class AcquisitionError(ParameterError):
    """There is no such acquisition function, or it cannot be asked for this."""


class SizeError(RatherError, ValueError):
    """There are more answers than this method of inference supports; the message names one that does."""


class InferenceError(RatherError, ArithmeticError):
    """The posterior broke down: a number that is none."""


class ModelFileError(RatherError, ValueError):
    """A file is missing, or has no model."""


class FigureError(RatherError, ValueError):
    """A figure cannot be drawn of this."""


class StudyError(RatherError, ValueError):
    """A study cannot do what it was asked to: there is no open comparison, nothing to undo, no answer yet."""


class DefinitionError(StudyError):
    """What a study is to be makes no sense; the message names the key, or the line and column."""


class StudyFileError(StudyError):
    """A file is missing, has no study, is damaged, or cannot be written."""


class JudgeError(RatherError, ValueError):
    """A judge of :func:`rather.sort` returned what is no answer, or none is left to ask.

    If none is left, `learned` is what the answers came to, a :class:`Sorted`; `None` without an answer.
    """

    def __init__(self, message: str, learned: Sorted | None = None) -> None:
        super().__init__(message, learned)
        self.learned = learned

    def __str__(self) -> str:
        return str(self.args[0])


class NotFittedError(RatherError, ValueError, AttributeError):
    """An estimator was asked before it has learned. It is scikit-learn's error of that name, too, where scikit-learn is in use."""

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return NotFittedError, self.args


class FitWarning(UserWarning):
    """What is worth knowing of a fit before its numbers are used: items that were never compared with others, answers that leave a hyperparameter
    open, features that are not used. All of it is in `notices_`, too."""


class ConvergenceWarning(FitWarning):
    """Inference did not converge. It is scikit-learn's warning of that name, too, where scikit-learn is in use."""


def not_fitted(message: str) -> NotFittedError:
    """The error for `message`."""
    return _as_in_sklearn(NotFittedError)(message)  # type: ignore[no-any-return]


def convergence_warning() -> type[Warning]:
    """The class of the warning that inference did not converge."""
    return _as_in_sklearn(ConvergenceWarning)


def _as_in_sklearn(own: type) -> type:
    """The class, and that of the same name in scikit-learn if it was imported: who catches that one must have imported it."""
    other = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, None)
    return own if other is None else _both(own, other)


@cache
def _both(own: type, other: type) -> type:
    return type(own.__name__, (own, other), {"__module__": own.__module__, "__doc__": own.__doc__})
