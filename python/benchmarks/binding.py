"""What Python costs: the overhead of a fit, and a million comparisons until the fit begins.

    python benchmarks/binding.py [--repeats 5] [--comparisons 1000000]

A fit's overhead is the wall time of `PreferenceGP.fit` over that of the same fit inside the engine (`Model.seconds`), less one: the least over
some repeats, since whatever else the machine does only adds. The bar is 5 % for fits of 50 ms and more. Until the fit begins, a million
comparisons of a data frame become numbers of items; the bar is 1 s.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from rather import PreferenceGP

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--comparisons", type=int, default=1_000_000)
parser.add_argument("--items", type=int, default=10_000)


def overhead(items, comparisons, kernel, repeats, seed=0):
    """Wall and engine seconds of the repeat whose ratio is least."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(items, 3))
    pairs = np.array([rng.choice(items, 2, replace=False) for _ in range(comparisons)])
    u = np.sin(5.0 * X).sum(axis=1)
    won = u[pairs[:, 0]] + rng.normal(size=comparisons) > u[pairs[:, 1]] + rng.normal(size=comparisons)
    pairs = np.where(won[:, None], pairs, pairs[:, ::-1])

    def once():
        estimator = PreferenceGP(kernel, ard=True)
        start = time.perf_counter()
        estimator.fit(X, pairs)
        return time.perf_counter() - start, estimator.model_.seconds

    return min((once() for _ in range(repeats)), key=lambda run: run[0] / run[1])


def frames(comparisons, items, seed=0):
    """The same comparisons in every form, with the items' names."""
    rng = np.random.default_rng(seed)
    winners = rng.integers(items, size=comparisons)
    losers = (winners + 1 + rng.integers(items - 1, size=comparisons)) % items
    names = np.array([f"item {i:06d}" for i in range(items)], dtype=object)
    X = np.linspace(0.0, 1.0, items)[:, None]
    rows = {"winner": winners, "loser": losers}
    text = {column: names[numbers] for column, numbers in rows.items()}
    yield "numpy, row numbers", X, None, np.column_stack([winners, losers])
    yield "numpy, names", X, names, np.column_stack([text["winner"], text["loser"]])
    for library in ("pandas", "polars", "pyarrow"):
        try:
            module = __import__(library)
        except ImportError:
            print(f"{library} is not installed")
            continue
        table = {"pandas": lambda c: module.DataFrame(c), "polars": lambda c: module.DataFrame(c), "pyarrow": lambda c: module.table(c)}[library]
        yield f"{library}, row numbers", X, None, table(rows)
        yield f"{library}, names", X, names, table({column: list(values) for column, values in text.items()})
    import pandas

    frame = pandas.DataFrame(text)
    yield "pandas, names alone", None, None, frame
    yield "pandas, names as objects", X, names, frame.astype(object)
    yield "pandas, names as categories", X, names, frame.astype("category")
    numbers = np.arange(items) * 7 + 1000
    yield "pandas, names that are numbers", X, numbers, pandas.DataFrame({c: numbers[r] for c, r in rows.items()})


def main():
    given = parser.parse_args()
    print(f"{'fit':<34}{'wall, ms':>12}{'engine, ms':>12}{'overhead':>10}")
    for items, comparisons, kernel in ((100, 300, "se"), (200, 1000, "se"), (300, 2000, "auto"), (100, 20_000, "se")):
        wall, engine = overhead(items, comparisons, kernel, given.repeats)
        name = f"{items} items, {comparisons} comparisons, {kernel}"
        print(f"{name:<34}{1e3 * wall:>12.1f}{1e3 * engine:>12.1f}{wall / engine - 1.0:>10.2%}", flush=True)
    print(f"\n{f'{given.comparisons} comparisons of {given.items} items':<42}{'until the fit begins, s':>24}")
    for name, X, names, comparisons in frames(given.comparisons, given.items):
        times = []
        for _ in range(given.repeats):
            start = time.perf_counter()
            PreferenceGP("se")._comparisons(X, comparisons, names)
            times.append(time.perf_counter() - start)
        print(f"{name:<42}{min(times):>24.3f}", flush=True)


if __name__ == "__main__":
    main()
