"""Pages that use an extra are skipped where its packages are missing; `test.sh` installs them all."""

from importlib.util import find_spec

import pytest

#: Code of an extra, and the package that it needs.
EXTRAS = {"rather.botorch": "botorch", "rather.optuna": "optuna_dashboard", "import distributed": "ray"}


def pytest_collection_modifyitems(items):
    for item in items:
        code = "".join(example.source for example in item.dtest.examples) if isinstance(item, pytest.DoctestItem) else ""
        for used, package in EXTRAS.items():
            if used in code and find_spec(package) is None:
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))
