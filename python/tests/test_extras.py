"""Without the packages of an extra, all else works, and the extra says what to install."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("torch", "botorch", "gpytorch", "ax", "optuna", "optuna_dashboard", "sklearn", "scipy", "pandas", "matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Missing())
import rather
rather.PreferenceGP("white").fit(None, [("tea", "coffee")])
import rather.EXTRA
"""


@pytest.mark.parametrize("extra", ["botorch", "ax", "optuna"])
def test_a_missing_package_gives_one_sentence(extra):
    run = subprocess.run([sys.executable, "-c", WITHOUT.replace("EXTRA", extra)], capture_output=True, text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ") and last.endswith(f"pip install 'rather[{extra}]'")


def test_numpy_is_all_that_an_import_imports(run_python):
    script = "import sys; before = {*sys.modules}; import rather; print(*{name.split('.')[0] for name in {*sys.modules} - before})"
    others = ("sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "torch", "optuna", "ray", "tqdm")
    assert not {*run_python(script).split()} & {*others}


def test_without_scikit_learn_its_errors_are_our_own(run_python):
    script = """
import warnings, rather
try:
    rather.PreferenceGP().predict()
except rather.NotFittedError as error:
    print(type(error).__mro__[0] is rather.NotFittedError)
import sklearn.exceptions
try:
    rather.PreferenceGP().predict()
except sklearn.exceptions.NotFittedError as error:
    print(isinstance(error, rather.NotFittedError))
"""
    assert run_python(script).split() == ["True", "True"]
