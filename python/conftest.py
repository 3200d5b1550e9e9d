"""Pages that use an extra are skipped where its packages are missing; `test.sh` installs them all."""

from importlib.util import find_spec

import pytest

#: The module of an extra, and the package that it needs.
EXTRAS = {"rather.botorch": "botorch", "rather.optuna": "optuna_dashboard"}


def pytest_collection_modifyitems(items):
    for item in items:
        code = "".join(example.source for example in item.dtest.examples) if isinstance(item, pytest.DoctestItem) else ""
        for module, package in EXTRAS.items():
            if module in code and find_spec(package) is None:
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))
