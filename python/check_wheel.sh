#!/usr/bin/env bash
# check_wheel.sh FOLDER [PYTHON]: the wheel in FOLDER, installed into a clean environment of PYTHON with nothing but NumPy, imports quickly and works.
# RATHER_WHEEL_PROGRAM=1 asks for the program in it, too.
set -euo pipefail
folder="$(realpath "$1")"
environment="$(mktemp -d)"
trap 'rm -rf "$environment"' EXIT
"${2:-python3}" -m venv "$environment"
# From elsewhere, so that the installed package is tested and not this folder.
cd "$environment"
bin/pip --quiet --disable-pip-version-check install --find-links "$folder" --only-binary rather --no-index --no-deps rather
bin/pip --quiet --disable-pip-version-check install numpy
bin/pip list --format freeze --disable-pip-version-check
bin/python - <<'PYTHON'
import sys, time

before = time.process_time()
import rather

print(f"import: {time.process_time() - before:.3f} CPU s with NumPy, Python {sys.version.split()[0]}")
assert "sklearn" not in sys.modules and "pandas" not in sys.modules, "imported without need"
votes = [("tea", "coffee")] * 3 + [("coffee", "wine")] * 3
model = rather.PreferenceGP("white").fit(None, votes)
assert [place.item for place in model.ranking()] == ["tea", "coffee", "wine"]
assert rather.PreferenceGP("se").fit([[0.0], [1.0], [2.0]], [(0, 1), (1, 2)]).predict().shape == (3,)
assert model.scores(None, votes).accuracy == 1.0
model.save("tea.rather")
assert rather.PreferenceGP.load("tea.rather").items_ == model.items_
try:
    rather.PreferenceGP().predict()
except rather.NotFittedError:
    pass
print("works")
PYTHON
if [ "${RATHER_WHEEL_PROGRAM:-}" = 1 ] || [ -e bin/rather ]; then
    printf 'model_a,model_b,winner\nx,y,model_a\ny,z,tie\nx,z,model_a\n' >votes.csv
    bin/rather arena votes.csv >board.txt
    grep -q x board.txt
    echo "the program works: $(bin/rather --version)"
fi
