#!/usr/bin/env bash
# check_platform.sh FOLDER PLATFORM: every wheel in FOLDER runs on PLATFORM (manylinux_2_28), the program in it included, by the versions of the symbols of the
# system's libraries that it needs. `auditwheel`, which must be installed, only tells what it finds; this refuses.
set -euo pipefail
for wheel in "$1"/*.whl; do
    auditwheel show --json "$wheel" | python3 -c '
import json, re, sys


def version(text):
    return tuple(map(int, re.findall(r"\d+", text)))


found, wheel, wanted = json.load(sys.stdin), *sys.argv[1:]
tag = found.get("overall_tag", "no platform")
older = re.match(r"(many|musl)linux_\d+_\d+", tag)
if not older or wanted[:4] != tag[:4] or version(older[0]) > version(wanted):
    needed = [name for names in found.get("versioned_symbols", {}).values() for name in names if name.startswith("GLIBC")]
    above = sorted({name for name in needed if version(name) > version(wanted)}, key=version)
    sys.exit(f"{wheel} runs on {tag} and not on {wanted}; it needs " + ", ".join(above))
print(f"{wheel} runs on {tag}")
' "$wheel" "$2"
done
