#!/usr/bin/env python3
"""Draws a flame graph (Gregg 2016, "The flame graph", CACM 59(6)) of what `perf script` prints, as an SVG without a script.

    perf record -F 2999 --call-graph fp -o perf.data PROGRAM ...      # built with RUSTFLAGS="-C force-frame-pointers=yes"
    perf script -i perf.data | tools/flame_graph.py "the title" > graph.svg

A box is a function, on the one that called it; its width is the share of the samples that were taken in it or in what it called. Functions that are
part of every program are left out, and so are boxes under one per cent.
"""

import re
import sys
from html import escape

WIDTH, ROW, LEAST = 1200, 17, 0.01
#: Frames that say nothing of what the program does: of the standard library's machinery, of threads, and without a name.
SILENT = re.compile(
    r"^(\[unknown\]|_start|main|__libc_start.*|std::|core::|<core::|alloc::|<alloc::|rayon|<rayon|__rust|start_thread|clone|"
    r"entry_SYSCALL|do_syscall|asm_|exc_|handle_mm|__handle|0x|experiments::)"
)
#: What a box is filled with, by how its function's name begins.
COLOURS = [(r"<?rather_numerics", "#b9d3ee"), (r"<?rather", "#8fbc8f"), (r"<?(faer|gemm|private_gemm|nano_gemm|pulp)", "#e8c78f"), ("", "#d9d9d9")]


def plain(frame: str) -> str:
    """The function of a frame, without its address, its file, its hash and its generic parameters."""
    name = re.sub(r"^\s*[0-9a-f]+ ", "", frame)
    name = re.sub(r"\+0x[0-9a-f]+ \(.*\)$", "", name).rsplit(" (", 1)[0]
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    name = name.replace("::{{closure}}", "")
    while (shorter := re.sub(r"(?<=\w)<[^<>]*>", "", name)) != name:
        name = shorter
    return re.sub(r"^<(\S+) as (\S+)>", r"\1", name)


def stacks(lines):
    """The stacks of all samples, the outermost function first."""
    frames = []
    for line in lines:
        if line.strip() == "":
            if frames:
                yield frames[::-1]
            frames = []
        elif line[0].isspace():
            name = plain(line.rstrip())
            if not SILENT.match(name) and (not frames or frames[-1] != name):
                frames.append(name)


def grown(samples):
    """A tree of functions: name -> [samples, what it called]."""
    tree, total = {}, 0
    for stack in samples:
        here, total = tree, total + 1
        for name in stack:
            node = here.setdefault(name, [0, {}])
            node[0] += 1
            here = node[1]
    return tree, total


def boxes(tree, total, left=0.0, depth=0):
    """Where every box is: left end and width as shares, depth, and name."""
    for name, (count, called) in sorted(tree.items()):
        share = count / total
        if share >= LEAST:
            yield left, share, depth, name
            yield from boxes(called, total, left, depth + 1)
        left += share


def main() -> None:
    tree, total = grown(stacks(sys.stdin))
    if total == 0:
        sys.exit("no samples: give it what `perf script` prints")
    drawn = list(boxes(tree, total))
    depth = 1 + max(depth for _, _, depth, _ in drawn)
    height = ROW * (depth + 2)
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
        f'<text x="6" y="14" font-size="13">{escape(" ".join(sys.argv[1:]))}: {total} samples</text>'
    )
    for left, share, at, name in drawn:
        x, y, width = WIDTH * left, height - ROW * (at + 1), WIDTH * share
        fill = next(colour for begins, colour in COLOURS if re.match(begins, name))
        parts = name.split("::")
        # As much of the path as there is room for.
        labels = ["::".join(parts[first:]) for first in range(len(parts))]
        label = next((label for label in labels if 7 * len(label) + 4 <= width), "")
        print(
            f'<g><title>{escape(name)}, {100 * share:.1f} %</title><rect x="{x:.1f}" y="{y}" width="{max(width - 0.5, 0.5):.1f}" height="{ROW - 1}" fill="{fill}"/>'
            + (f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(label)}</text>' if label else "")
            + "</g>"
        )
    print("</svg>")


if __name__ == "__main__":
    main()
