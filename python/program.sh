#!/usr/bin/env bash
# program.sh [TARGET]: builds the program and lays it where maturin takes the scripts of a wheel from, so that `uvx rather arena votes.jsonl` needs no Rust.
# Wheels of releases have it (.github/workflows/wheels.yml); a wheel that is built without it has the package alone, in a third of the size.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${1:-$(rustc -vV | sed -n 's/^host: //p')}"
cargo build --release --locked -p rather-cli --target "$target"
mkdir -p python/rather._lib.data/scripts
for program in rather rather.exe; do
    found="${CARGO_TARGET_DIR:-target}/$target/release/$program"
    if [ -f "$found" ]; then
        cp "$found" python/rather._lib.data/scripts/
        strip "python/rather._lib.data/scripts/$program" 2>/dev/null || true
    fi
done
ls -l python/rather._lib.data/scripts
