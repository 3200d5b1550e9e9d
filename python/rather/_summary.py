"""What a fit came to, on one page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Summary:
    """Lines of a name and a value; it prints itself, and shows itself in a notebook.

    Attributes
    ----------
    title : str
        The class of the estimator.
    lines : tuple of (str, str)
        Name and value.
    notices : tuple of str
        What is worth knowing about the fit.
    """

    title: str
    lines: tuple[tuple[str, str], ...]
    notices: tuple[str, ...]

    @classmethod
    def of(cls, estimator: Any) -> Summary:
        """Of a fitted estimator."""
        lines = [("items", f"{len(estimator.items_)}, compared {len(estimator.compared_)}")]
        if hasattr(estimator, "users_"):
            lines.append(("users", str(len(estimator.users_))))
        columns = getattr(estimator, "columns_", {})
        if columns:
            lines.append(("columns read as", ", ".join(f"{name}: {role}" for role, name in columns.items())))
        lines += [
            ("kernel", estimator.kernel_ + (", a lengthscale a feature" if getattr(estimator, "ard_", False) else "")),
            ("log evidence", f"{estimator.log_evidence_:.3f}"),
            ("converged", "yes" if estimator.converged_ else "no"),
        ]
        lines += [(f"  {name}", f"{value:.4g}") for name, value in estimator.hyperparameters_.items()]
        weights = getattr(estimator, "weights_", {})
        lines += [(f"  weight of {name}", f"{mean:.4g} ± {1.96 * sd:.2g}") for name, (mean, sd) in weights.items()]
        return cls(type(estimator).__name__, tuple(lines), tuple(estimator.notices_))

    def __str__(self) -> str:
        width = max(18, *(len(name) for name, _ in self.lines))
        lines = [self.title, *(f"  {name:<{width}}  {value}" for name, value in self.lines)]
        return "\n".join([*lines, *(f"  note: {notice}" for notice in self.notices)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in self.lines)
        notes = "".join(f"<p>{escape(notice)}</p>" for notice in self.notices)
        return f"<table><caption>{escape(self.title)}</caption><tbody>{rows}</tbody></table>{notes}"
