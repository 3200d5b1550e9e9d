"""A cluster of this machine alone: seconds, and the driver's memory, as comparisons grow.

    python benchmarks/cluster.py [--comparisons 100000 400000] [--workers 2]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ITEMS = 2000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--comparisons", type=int, nargs="+", default=[100_000, 400_000])
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        one(given.one, given.workers)
        return
    print(f"{ITEMS} items in 2 dimensions, 100 inducing items, hyperparameters fixed, {given.workers} workers")
    print("comparisons  seconds  sweeps  driver MB more than before the fit")
    for comparisons in given.comparisons:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), comparisons)
            # A process of its own: memory is told as a peak.
            told = subprocess.run([sys.executable, __file__, "--one", folder, "--workers", str(given.workers)], capture_output=True, text=True)
            print(f"{comparisons:>11}  {told.stdout.strip() or told.stderr}", flush=True)


def items() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (ITEMS, 2))


def write(folder: Path, comparisons: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, rng = items(), np.random.default_rng(1)
    pairs = rng.integers(ITEMS, size=(comparisons, 2))
    pairs[:, 1] = np.where(pairs[:, 0] == pairs[:, 1], (pairs[:, 1] + 1) % ITEMS, pairs[:, 1])
    utility = np.sin(3 * X[:, 0]) + X[:, 1]
    first = utility[pairs[:, 0]] - utility[pairs[:, 1]] + rng.normal(size=comparisons) > 0
    said = np.where(first[:, None], pairs, pairs[:, ::-1])
    pq.write_table(pa.table({"winner": said[:, 0], "loser": said[:, 1]}), folder / "said.parquet", row_group_size=20_000)


def one(folder: Path, workers: int) -> None:
    import ray

    from rather import distributed

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
    before, start = peak(), time.perf_counter()
    fixed = {"lengthscale": 0.6, "variance": 2.0, "noise": 1.0}
    model = distributed.fit(items(), folder, kernel="se", n_inducing=100, workers=workers, fixed=fixed)
    print(f"{time.perf_counter() - start:>7.1f}  {model.sweeps_:>6}  {peak() - before:>9.0f}")


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
