"""Without the packages of an extra, all else works, and the extra says what to install."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("torch", "botorch", "gpytorch", "optuna", "optuna_dashboard"):
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Missing())
import rather
rather.PreferenceGP("white").fit(None, [("tea", "coffee")])
import rather.EXTRA
"""


@pytest.mark.parametrize("extra", ["botorch", "optuna"])
def test_a_missing_package_gives_one_sentence(extra):
    run = subprocess.run([sys.executable, "-c", WITHOUT.replace("EXTRA", extra)], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ") and last.endswith(f"pip install 'rather[{extra}]'")
