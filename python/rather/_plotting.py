"""Figures on axes of matplotlib, from the same numbers as the drawings in SVG. matplotlib is needed only here."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Half the width of a 95 % interval, in standard deviations.
_Z95 = 1.959963984540054


def draw(ax: Any, kind: str, data: dict[str, Any]) -> Any:
    """Draws a figure of the kind on `ax`, and returns that."""
    {"ranking": _ranking, "utility": _utility, "map": _map, "choices": _choices, "choice-map": _choice_map}[kind](ax, data)
    return ax


def _ranking(ax: Any, data: dict[str, Any]) -> None:
    places = np.arange(len(data["names"]))
    ax.errorbar(np.array(data["mean"]), places, xerr=_Z95 * np.array(data["sd"]), fmt="o", capsize=3)
    ax.set_yticks(places, data["names"])
    ax.invert_yaxis()
    ax.set_xlabel(data["utility"])


def _utility(ax: Any, data: dict[str, Any]) -> None:
    mean, half = np.array(data["mean"]), _Z95 * np.array(data["sd"])
    if data["levels"]:
        places = np.arange(len(data["levels"]))
        ax.errorbar(places, mean, yerr=half, fmt="o", capsize=3)
        ax.set_xticks(places, data["levels"])
    else:
        ax.plot(data["numbers"], mean)
        ax.fill_between(data["numbers"], mean - half, mean + half, alpha=0.25)
    ax.set_xlabel(data["feature"])
    ax.set_ylabel(data["utility"])


def _map(ax: Any, data: dict[str, Any]) -> None:
    mean = np.array(data["mean"]).reshape(len(data["y"]), len(data["x"]))
    filled = ax.contourf(data["x"], data["y"], mean, levels=12)
    ax.figure.colorbar(filled, ax=ax, label="utility")
    ax.set_xlabel(data["x_name"])
    ax.set_ylabel(data["y_name"])


def _choices(ax: Any, data: dict[str, Any]) -> None:
    n = len(data["names"])
    shown = ax.imshow(np.array(data["probabilities"]).reshape(n, n), vmin=0.0, vmax=1.0, cmap="RdBu")
    ax.figure.colorbar(shown, ax=ax, label="probability that the row is preferred")
    ax.set_xticks(np.arange(n), data["names"], rotation=90)
    ax.set_yticks(np.arange(n), data["names"])


def _choice_map(ax: Any, data: dict[str, Any]) -> None:
    n = len(data["values"])
    probabilities = np.array(data["probabilities"]).reshape(n, n)
    filled = ax.contourf(data["values"], data["values"], probabilities, levels=np.linspace(0.0, 1.0, 11), cmap="RdBu")
    ax.figure.colorbar(filled, ax=ax, label="probability that the vertical one is preferred")
    ax.set_xlabel(data["feature"])
    ax.set_ylabel(data["feature"])
