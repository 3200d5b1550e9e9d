#!/usr/bin/env bash
# The Python package as its users get it: a clean environment, the wheel built and installed, its tests and the code in its pages.
# With `--prepared` in the environment that `environment.sh` has just made.
set -euo pipefail
cd "$(dirname "$0")"

# What the workspace and the package depend on is compiled once, if this follows the lints and tests of the workspace: with the same features.
export CARGO_TARGET_DIR="$PWD/../target"
build=(--locked --features as-in-workspace)
environment="$PWD/target/environment"
if [ "${1:-}" != --prepared ]; then ./environment.sh; fi
rm -rf target/wheels
pip="$environment/bin/pip --quiet --disable-pip-version-check"
cargo fmt --check
cargo clippy "${build[@]}" -- -D warnings
"$environment/bin/maturin" build "${build[@]}" --profile dev --interpreter "$environment/bin/python" --out target/wheels
# Also where an earlier build of the same version is there.
$pip install --force-reinstall --no-deps target/wheels/*.whl
# A compiled part with a kind of answer of its own (tests/test_own_response.py).
cargo build "${build[@]}" --quiet --example own_response
export RATHER_OWN_RESPONSE="$CARGO_TARGET_DIR/debug/examples/libown_response.so"
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
