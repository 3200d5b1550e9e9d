"""Forked children, several processes, and studies that were opened in another one."""

import multiprocessing
import os
import select
import signal
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed

import rather
from problems import bits, large, problem
from rather import PopulationGP, PreferenceGP

#: Seconds after which a child counts as hanging. Far more than the work takes.
PATIENCE = 120


def in_child(work):
    """What `work` returns in a forked child. A child that hangs is killed, and fails."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            with os.fdopen(write, "wb") as pipe:
                pipe.write(work())
        finally:
            os._exit(0)
    os.close(write)
    said = b""
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            ready, _, _ = select.select([read], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the child hangs"
            more = os.read(read, 1 << 20)
            if not more:
                return said
            said += more
    finally:
        os.close(read)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_fit_in_a_forked_child_has_the_same_bits():
    here = bits()
    assert in_child(bits) == here
    assert in_child(lambda: in_child(bits)) == here, "a grandchild"
    assert bits() == here, "the parent goes on"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_long_call_works_in_a_forked_child(world):
    model = PreferenceGP("se", fixed={"lengthscale": 0.5}).fit(world.X, world.duels)
    X, duels = problem()
    users = ["ann", "bob"] * (len(duels) // 2)

    def all_of_it():
        pairs = duels[:50]
        out = [
            model.sample(X, 20, random_state=0),
            model.predict_proba(pairs, X, sharp=True),
            np.array([s.score for s in model.suggest(X, 2)]),
            np.array([model.check(samples=200).sd_ratio[1]]),
            PreferenceGP("se", inference="exact", samples=200).fit(world.X, world.duels).predict(),
            PreferenceGP("white").fit(None, [tuple(map(str, pair)) for pair in duels]).predict(),
            PopulationGP("collaborative", "se", n_functions=2).fit(X, duels, users=users).predict(user="ann"),
        ]
        return b"".join(part.tobytes() for part in out) + model.plot().svg.encode()

    assert all_of_it() == in_child(all_of_it)


def test_a_child_forked_while_another_thread_fits():
    X, duels = large()
    ended = threading.Event()

    def busy():
        def callback(*_):
            if ended.is_set():
                raise InterruptedError

        with pytest.raises(InterruptedError):
            PreferenceGP("auto", progress=callback).fit(X, duels)

    here = bits()
    thread = threading.Thread(target=busy)
    thread.start()
    try:
        assert in_child(bits) == here
    finally:
        ended.set()
        thread.join()


def test_multiprocessing_by_fork():
    here = bits()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(bits, range(3)).get(timeout=PATIENCE) == [here] * 3


@pytest.mark.parametrize("backend", ["multiprocessing", "loky"])
def test_joblib(backend):
    here = bits()
    found = Parallel(n_jobs=2, backend=backend, timeout=PATIENCE)(delayed(bits)(k) for k in range(2))
    assert found == [here] * 2


def test_the_number_of_threads_is_that_of_the_environment_and_does_not_matter(run_python):
    script = """
import sys, os
sys.path.insert(0, TESTS)
from problems import bits
import hashlib
print(hashlib.sha256(bits()).hexdigest())
names = [open(f"/proc/self/task/{t}/comm").read().strip() for t in os.listdir("/proc/self/task")] if os.path.exists("/proc/self/task") else None
print(sum(name.startswith("rather-") for name in names) if names is not None else "unknown")
"""
    found = [run_python(script, RAYON_NUM_THREADS=str(n)).split() for n in (1, 3)]
    assert found[0][0] == found[1][0]
    assert [count for _, count in found] in (["1", "3"], ["unknown", "unknown"])


def test_a_study_opened_in_another_process_says_so(tmp_path):
    path = tmp_path / "tea.study"
    study = rather.Study.create(path, ["Assam", "Oolong", "Sencha"])
    study.tell(study.ask(), "left")

    def child():
        try:
            study.ask()
        except rather.StudyError as error:
            said = str(error)
        assert study.closed
        study.close()
        with rather.Study.open(path) as mine:
            mine.tell(mine.ask(), "right")
        return said.encode()

    sentence = in_child(child).decode()
    assert sentence == f"the study {study.name!r} was opened in another process; open it again in this one with Study.open".replace("'", '"')
    # What the child did with its copy has not hurt the parent's.
    study.tell(study.ask(), "left")
    assert len(study.history()) == 3
