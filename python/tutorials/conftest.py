"""A tutorial whose packages are not installed is left out."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("ray") and find_spec("pyarrow") else ["scale.md"]
