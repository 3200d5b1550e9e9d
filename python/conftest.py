"""Pages that use an extra are skipped where its packages are missing; `test.sh` installs them all."""

import os
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


def required(report):
    """The report as it is, or as a failure where `RATHER_REQUIRE=1` says that nothing may be skipped."""
    if os.environ.get("RATHER_REQUIRE") == "1" and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and RATHER_REQUIRE says that nothing is: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return required((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return required((yield))
