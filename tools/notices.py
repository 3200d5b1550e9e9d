#!/usr/bin/env python3
"""Writes the third-party notices of the program and of the packages for Python and npm: the licence files of every crate linked into them.

    tools/notices.py        # run it when Cargo.lock changes

The crates are those of `cargo tree` without dependencies of builds and tests, on every platform of deny.toml or in WebAssembly; `cargo deny check licenses` says whether
their licences are allowed. Crates with the same text share it.
"""

import json
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLATFORMS = tomllib.loads((ROOT / "deny.toml").read_text())["graph"]["targets"]
PRODUCTS = {
    "crates/rather-cli/THIRD-PARTY-NOTICES.txt": ("Cargo.toml", "rather-cli", PLATFORMS),
    "python/THIRD-PARTY-NOTICES.txt": ("python/Cargo.toml", "rather-python", PLATFORMS),
    "web/npm/THIRD-PARTY-NOTICES.txt": ("Cargo.toml", "rather-web", ["wasm32-unknown-unknown"]),
}
HEAD = """Third-party notices of rather

rather is made of its own code, under the MIT licence, and of the crates below, each under the licence that is printed with it.
"""
# How files with licences, copyright notices and attributions begin.
NAMES = ("licen", "copying", "copyright", "notice", "unlicense")


def cargo(*arguments: str) -> str:
    return subprocess.run(["cargo", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def linked(manifest: str, package: str, targets: list[str]) -> set[tuple[str, str]]:
    """Name and version of every crate from elsewhere."""
    edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    lines = []
    for target in targets:
        lines += cargo("tree", "--locked", "--manifest-path", manifest, "--package", package, "--target", target, *edges).splitlines()
    names = (line.removesuffix(" (*)") for line in lines)
    return {tuple(name.split(" v", 1)) for name in names if "(" not in name and name}


def texts(folder: Path) -> list[str]:
    """The licence files of a crate."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name.lower().startswith(NAMES)]
    files = [path for path in files if path.suffix.lower() in ("", ".md", ".txt", ".mit", ".apache", ".bsd")]
    contents = (path.read_text(encoding="utf-8", errors="replace").strip() for path in sorted(files))
    return ["\n".join(line.rstrip() for line in content.splitlines()) for content in contents if content]


def notices(manifest: str, package: str, targets: list[str]) -> str:
    wanted = linked(manifest, package, targets)
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1", "--manifest-path", manifest))
    groups = defaultdict(list)
    for crate in metadata["packages"]:
        if (crate["name"], crate["version"]) not in wanted:
            continue
        # Where a crate was published without its licence, its own words for it.
        nothing = "Copyright " + (", ".join(crate["authors"]) or f"the authors of {crate['name']}")
        for text in texts(Path(crate["manifest_path"]).parent) or [nothing]:
            # Texts that differ in their line breaks alone are one.
            groups[" ".join(text.split())].append((f"    {crate['name']} {crate['version']}  ({crate['license']})", text))
    parts = [HEAD]
    for crates in sorted(groups.values()):
        names = dict.fromkeys(name for name, _ in sorted(crates))
        parts.append("\n".join(["=" * 80, *names, "-" * 80, crates[0][1], ""]))
    return "\n".join(parts)


for path, product in PRODUCTS.items():
    (ROOT / path).write_text(notices(*product), encoding="utf-8")
