#!/usr/bin/env bash
# The environment of the package's tests, in target/environment: clean, with all that they need but the package itself.
set -euo pipefail
cd "$(dirname "$0")"

environment="$PWD/target/environment"
rm -rf "$environment"
python3 -m venv "$environment"
pip="$environment/bin/pip --quiet --disable-pip-version-check"
$pip install -r requirements-test.txt
# The extras' packages. Without what they do not need here, and compiled when they are imported.
$pip install --no-deps --no-compile -r requirements-extras.txt
