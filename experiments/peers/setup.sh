#!/usr/bin/env bash
# Makes the environment that `experiments -- peers` runs the peers in: experiments/peers/setup.sh [FOLDER]
# About 6 GB, nearly all of it torch with CUDA; an index of torch without it (PIP_EXTRA_INDEX_URL) makes it smaller.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/../../target/peers}"
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
"$folder/bin/python" -c 'import botorch, choix, evalica, sklearn'
echo "ready: $folder/bin/python"
