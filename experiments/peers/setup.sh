#!/usr/bin/env bash
# Makes the environment that `experiments -- peers` runs the peers in, and FOLDER-arena for arena.py, tennis_kickscore.py and teams_trueskill.py:
# experiments/peers/setup.sh [FOLDER]
# About 6 GB, nearly all of it torch with CUDA; an index of torch without it (PIP_EXTRA_INDEX_URL) makes it smaller.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/../../target/peers}"
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
"$folder/bin/python" -c 'import botorch, choix, evalica, sklearn'
python3 -m venv "$folder-arena"
"$folder-arena/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements-arena.txt"
"$folder-arena/bin/python" -c 'import arena_rank, arenakit, kickscore, trueskill'
echo "ready: $folder/bin/python"
