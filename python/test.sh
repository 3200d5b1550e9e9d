#!/usr/bin/env bash
# The Python package as its users get it: a clean environment, the wheel built and installed, its tests and the code in its pages.
set -euo pipefail
cd "$(dirname "$0")"

# What the workspace and the package depend on is compiled once, if this follows the tests of the workspace.
export CARGO_TARGET_DIR="$PWD/../target"
environment="$PWD/target/environment"
rm -rf "$environment" target/wheels
python3 -m venv "$environment"
pip="$environment/bin/pip --quiet --disable-pip-version-check"
$pip install -r requirements-test.txt
cargo fmt --check
cargo clippy --locked -- -D warnings
"$environment/bin/maturin" build --locked --profile dev --interpreter "$environment/bin/python" --out target/wheels
$pip install target/wheels/*.whl
# A compiled part with a kind of answer of its own (tests/test_own_response.py).
cargo build --locked --quiet --example own_response
export RATHER_OWN_RESPONSE="$CARGO_TARGET_DIR/debug/examples/libown_response.so"
# The extras' packages. Without what they do not need here, and compiled when they are imported.
$pip install --no-deps --no-compile -r requirements-extras.txt
# A test's cluster tells nobody that it was used.
export RAY_USAGE_STATS_ENABLED=0
# From elsewhere, so that the installed package is tested and not this folder.
cp -r tests README.md conftest.py pyproject.toml "$environment"
cp -r ../docs/src "$environment/book"
cd "$environment"
# Tests of an extra are skipped where its packages are missing; here they are not.
bin/python -c 'import ray, rather.ax, rather.botorch, rather.distributed, rather.optuna'
# The package's own docstrings, where they are installed.
package="$(bin/python -c 'import pathlib, rather; print(pathlib.Path(rather.__file__).parent)')"
bin/python -m pytest -q --durations 15 --numprocesses 2 --doctest-modules --doctest-glob='*.md' tests book README.md "$package"
bin/python -m mypy --strict --ignore-missing-imports -p rather
bin/python -m mypy.stubtest rather._lib --ignore-disjoint-bases
# The wheel alone, with nothing but NumPy.
"$OLDPWD/check_wheel.sh" "$OLDPWD/target/wheels"
