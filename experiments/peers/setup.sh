#!/usr/bin/env bash
# Makes the environment that `experiments -- peers` runs the peers in, FOLDER-arena for arena.py, tennis_kickscore.py and
# teams_trueskill.py, and FOLDER-choice for conjoint_mixed_logit.py: experiments/peers/setup.sh [FOLDER]
# About 6 GB, nearly all of it torch with CUDA; an index of torch without it (PIP_EXTRA_INDEX_URL) makes it smaller.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/../../target/peers}"

# A folder, the file of what it holds, and the modules that must then be there.
environment() {
    python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check -r "$here/$2"
    "$1/bin/python" -c "import $3"
}

environment "$folder" requirements.txt "botorch, choix, evalica, sklearn"
environment "$folder-arena" requirements-arena.txt "arena_rank, arenakit, kickscore, trueskill"
environment "$folder-choice" requirements-choice.txt "scipy, xlogit"
echo "ready: $folder/bin/python"
