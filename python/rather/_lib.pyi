"""The compiled part."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Answers",
    "Model",
    "Table",
    "__version__",
    "compared_rows",
    "encoding",
    "joint_gradients",
    "joints",
]

__version__: str

@final
class Table:
    def __new__(cls, names: list[str], columns: list[tuple[str, NDArray[np.float64] | list[str]]]) -> Table: ...
    def renamed(self, names: list[str]) -> Table: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def features(self) -> list[str]: ...
    def __len__(self) -> int: ...

@final
class Answers:
    def __new__(
        cls,
        winners: NDArray[np.int64],
        losers: NDArray[np.int64],
        items: int,
        counts: NDArray[np.int64] | None = None,
    ) -> Answers: ...
    def __len__(self) -> int: ...

@final
class Model:
    @staticmethod
    def fit(
        table: Table,
        answers: Answers,
        parameters: dict[str, Any],
        progress: Callable[[int | None, int | None, list[str]], object] | None = None,
    ) -> Model: ...
    @staticmethod
    def load(path: Path) -> Model: ...
    def save(self, path: Path) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def compared(self) -> list[int]: ...
    @property
    def kernel(self) -> str: ...
    @property
    def hyperparameters(self) -> list[tuple[str, float]]: ...
    @property
    def noise(self) -> float: ...
    @property
    def log_evidence(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def tried(self) -> list[tuple[str, bool, float, float]]: ...
    def utilities(self, table: Table | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def covariance(self, table: Table | None = None) -> NDArray[np.float64]: ...
    def mean(self, table: Table | None = None) -> NDArray[np.float64]: ...
    def probabilities(
        self,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        table: Table | None = None,
        sharp: bool = False,
    ) -> NDArray[np.float64]: ...
    def sample(self, draws: int, seed: int, table: Table | None = None) -> NDArray[np.float64]: ...
    def suggest(
        self,
        n: int,
        acquisition: str,
        opponent: int | None,
        seed: int,
        table: Table | None = None,
    ) -> list[tuple[int, int, float]]: ...
    def figure(
        self,
        kind: str,
        features: list[str],
        top: int | None,
        look: tuple[float | None, float | None, str | None],
    ) -> str: ...

def encoding(model: Model) -> list[tuple[str, float, float, list[str] | None]]: ...
def compared_rows(model: Model) -> NDArray[np.float64]: ...
def joints(model: Model, rows: NDArray[np.float64], q: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def joint_gradients(
    model: Model,
    rows: NDArray[np.float64],
    q: int,
    of_mean: NDArray[np.float64],
    of_covariance: NDArray[np.float64],
) -> NDArray[np.float64]: ...
