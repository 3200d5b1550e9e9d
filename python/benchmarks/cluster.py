"""A cluster of this machine alone: seconds, and the driver's share of work and memory, as comparisons and workers grow.

    python benchmarks/cluster.py [--comparisons 100000 400000] [--workers 1 2] [--learned]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rather import distributed

ITEMS = 2000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--comparisons", type=int, nargs="+", default=[100_000, 400_000])
    options.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options.add_argument("--learned", action="store_true", help="learn the hyperparameters, too")
    options.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        one(given.one, given.workers[0], given.learned)
        return
    print(f"{ITEMS} items in 2 dimensions, 100 inducing items, hyperparameters {'learned' if given.learned else 'fixed'}, one thread a worker")
    print("comparisons  workers  seconds  driver CPU s  driver MB more than before the fit  sweeps  log evidence")
    for comparisons in given.comparisons:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), comparisons)
            for workers in given.workers:
                # A process of its own: memory is told as a peak.
                again = [sys.executable, __file__, "--one", folder, "--workers", str(workers), *["--learned"] * given.learned]
                told = subprocess.run(again, capture_output=True, text=True, env={**os.environ, "RAYON_NUM_THREADS": "1"})
                print(f"{comparisons:>11}  {workers:>7}  {told.stdout.strip() or told.stderr}", flush=True)


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


def fitted(folder: Path, workers: int, fixed: dict[str, float], max_sweeps: int = 500) -> distributed.BlocksGP:
    return distributed.fit(items(), folder, kernel="se", n_inducing=100, workers=workers, fixed=fixed, max_sweeps=max_sweeps)


def one(folder: Path, workers: int, learned: bool) -> None:
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
    before = peak()
    # Ray starts processes when it is first asked for work: not the fit's time.
    fitted(folder, workers, {"lengthscale": 0.6, "variance": 2.0, "noise": 1.0}, max_sweeps=1)
    busy, start = time.process_time(), time.perf_counter()
    fixed = {} if learned else {"lengthscale": 0.6, "variance": 2.0, "noise": 1.0}
    model = fitted(folder, workers, fixed)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    print(f"{seconds:>7.1f}  {busy:>12.1f}  {peak() - before:>34.0f}  {model.sweeps_:>6}  {model.log_evidence_:.6f}")


def peak() -> float:
    # Not getrusage, whose peak begins with that of the process that started this one.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


if __name__ == "__main__":
    main()
