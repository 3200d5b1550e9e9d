"""What several tests use: a small world with a known utility."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest


# What tests share and hand to other processes is a module (`problems`).
sys.path.insert(0, os.path.dirname(__file__))


class World:
    """Thirty items in two dimensions, a smooth utility, noisy comparisons."""

    def __init__(self, seed=0, items=30, comparisons=120):
        rng = np.random.default_rng(seed)
        self.X = rng.uniform(-1.0, 1.0, (items, 2))
        self.utility = 3.0 * np.sin(2.0 * self.X[:, 0]) + self.X[:, 1]
        pairs = np.array([rng.choice(items, 2, replace=False) for _ in range(comparisons)])
        noisy = self.utility[pairs] + rng.normal(size=pairs.shape)
        swap = noisy[:, 0] < noisy[:, 1]
        self.duels = np.where(swap[:, None], pairs[:, ::-1], pairs)


@pytest.fixture(autouse=True, scope="session")
def ctrl_c():
    """A shell starts what runs in the background with Ctrl-C ignored; here it is heard."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def world():
    return World()


@pytest.fixture(scope="session")
def program():
    """The program rather, as RATHER_PROGRAM names it: `.ci/run` builds it first. The package alone, from its folder, is tested without,
    unless RATHER_REQUIRE says that programs are here."""
    if "RATHER_PROGRAM" not in os.environ:
        missing = "RATHER_PROGRAM does not name the program rather"
        required = os.environ.get("RATHER_REQUIRE", "")
        if required == "1" or "programs" in required.split():
            pytest.fail(f"{missing}, and RATHER_REQUIRE says that it is here")
        pytest.skip(missing)
    return os.environ["RATHER_PROGRAM"]


@pytest.fixture(autouse=True)
def names(doctest_namespace):
    import rather

    doctest_namespace.update(PreferenceGP=rather.PreferenceGP, PopulationGP=rather.PopulationGP)


@pytest.fixture
def run_python():
    """Runs a script in a process of its own, under these variables of the environment; what it prints."""

    def run(script, **environment):
        script = f"TESTS = {os.path.dirname(__file__)!r}\n{script}"
        command = [sys.executable, "-c", script]
        return subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True, timeout=240).stdout

    return run
