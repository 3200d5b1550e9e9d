"""Long calls leave the interpreter free, tell how far they are, and Ctrl-C and callbacks end them."""

import os
import select
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from problems import large
from rather import PopulationGP, PreferenceGP


#: Before each call: a model of 60 items in three dimensions, learned from 300 comparisons, and random numbers.
BEFORE = """
import numpy as np
from rather import PopulationGP, PreferenceGP

rng = np.random.default_rng(0)
def world(items, comparisons):
    X = rng.uniform(size=(items, 3))
    pairs = np.array([rng.choice(items, 2, replace=False) for _ in range(comparisons)])
    u = np.sin(5 * X).sum(axis=1) + rng.normal(size=items)
    swap = u[pairs[:, 0]] < u[pairs[:, 1]]
    return X, np.where(swap[:, None], pairs[:, ::-1], pairs)
small = world(60, 300)
model = PreferenceGP("se", fixed={"lengthscale": 0.5}).fit(*small)
"""

#: Calls that would take from ten seconds to hours, each after a line of its own that makes it ready.
CALLS = {
    "fit": ("big = world(900, 3000)", "PreferenceGP('auto').fit(*big)"),
    "fit, one setting of many items": ("big = world(2500, 9000)", "PreferenceGP('matern12', representation='whole').fit(*big)"),
    "fit of low rank": ("big = world(20000, 200000)", "PreferenceGP('auto', n_inducing=600, representation='low-rank').fit(*big)"),
    "fit of many names": (
        "names = rng.integers(0, 500_000, (2_000_000, 2)); names = names[names[:, 0] != names[:, 1]]; import pandas as pd;"
        "items = pd.DataFrame(index=np.arange(500_000).astype(str))",
        "PreferenceGP('white').fit(items, names)",
    ),
    "fit, exact": ("big = world(100, 900)", "PreferenceGP('se', inference='exact', samples=90_000).fit(*big)"),
    "fit, streaming": ("big = world(500, 40000)", "PreferenceGP('auto', inference='streaming').fit(*big)"),
    "fit of many users": (
        "big = world(300, 30000); users = [str(u) for u in rng.integers(0, 400, 30000)]",
        "PopulationGP('collaborative', 'se').fit(*big, users=users)",
    ),
    "fit of users with one prior": (
        "big = world(300, 30000); users = [str(u) for u in rng.integers(0, 400, 30000)]",
        "PopulationGP('hierarchical', 'se').fit(*big, users=users)",
    ),
    "check": ("", "model.check(samples=2_000_000)"),
    "suggest": ("pool = rng.uniform(size=(3000, 3))", "model.suggest(pool, 500)"),
    "suggest by draws": ("pool = rng.uniform(size=(3000, 3))", "model.suggest(pool, 50, acquisition='committee:100')"),
    "sample": ("pool = rng.uniform(size=(4000, 3))", "model.sample(pool, 8000)"),
    "covariance": (
        "wide = PreferenceGP('matern12', fixed={'lengthscale': .3, 'variance': 4}).fit(*world(900, 3000));"
        "pool = rng.uniform(size=(12000, 3))",
        "wide.covariance(pool)",
    ),
    "sharp probabilities": (
        "wide = PreferenceGP('se', fixed={'lengthscale': .3}).fit(*world(500, 2000))",
        "wide.predict_proba(small[1].repeat(20, axis=0), sharp=True)",
    ),
    "predict": (
        "wide = PreferenceGP('matern12', fixed={'lengthscale': .3, 'variance': 4}).fit(*world(900, 3000));"
        "pool = rng.uniform(size=(600_000, 3))",
        "wide.predict(pool)",
    ),
}

DRIVER = """
{before}
{ready}
print("ready", flush=True)
try:
    {call}
    print("done", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

#: Seconds that a child may take to start, and to end. Far more than either takes.
PATIENCE = 240


def line_of(child, seconds):
    ready, _, _ = select.select([child.stdout], [], [], seconds)
    return child.stdout.readline().strip() if ready else "nothing"


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends(name, capsys):
    ready, call = CALLS[name]
    script = DRIVER.format(before=BEFORE, ready=ready, call=call)
    # A shell starts what runs in the background with Ctrl-C ignored, and children inherit that.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    with subprocess.Popen([sys.executable, "-c", listening + script], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert line_of(child, PATIENCE) == "ready"
            time.sleep(1.5)
            assert child.poll() is None, "the call is too short to be interrupted"
            child.send_signal(signal.SIGINT)
            since = time.monotonic()
            said = line_of(child, PATIENCE)
            taken = time.monotonic() - since
            assert said == "interrupted"
        finally:
            child.kill()
    with capsys.disabled():
        print(f"\n  Ctrl-C ended {name} after {taken:.2f} s")


def test_ctrl_c_ends_a_fit():
    X, duels = large()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    model = PreferenceGP("auto")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, duels)
        # A machine so fast that it was over before: the signal comes now.
        time.sleep(5)
    assert not hasattr(model, "model_")


def test_a_callback_hears_and_ends():
    X, duels = large()
    heard = []

    def callback(done, expected, news):
        heard.append((done, expected, news))
        if done is not None and done > 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        PreferenceGP("auto", progress=callback).fit(X, duels)
    assert heard[-1][1] >= heard[-1][0]
    assert "learning" in [word for *_, news in heard for word in news]


def test_every_long_call_tells_how_far_it_is(world):
    heard = []

    def callback(done, expected, news):
        heard.append((done, expected, *news))

    def told(call):
        heard.clear()
        call()
        steps = [entry for entry in heard if entry[0] is not None]
        assert all(0 <= done <= expected for done, expected, *_ in steps), heard
        return steps, {word for _, _, *news in heard for word in news}

    model = PreferenceGP("se", progress=callback).fit(world.X, world.duels)
    rng = np.random.default_rng(0)
    pool = rng.uniform(-1, 1, (300, 2))
    pairs = rng.integers(0, 30, (100, 2))
    calls = {
        "sampling": lambda: model.check(samples=2000),
        "choosing comparisons": lambda: model.suggest(pool, 5),
        "drawing": lambda: model.sample(pool, 1000),
        "probabilities": lambda: model.predict_proba(pairs[pairs[:, 0] != pairs[:, 1]], sharp=True),
    }
    for stage, call in calls.items():
        steps, words = told(call)
        assert steps and stage in words, (stage, heard)
    exact = PreferenceGP("se", inference="exact", samples=2000, progress=callback)
    assert "sampling" in told(lambda: exact.fit(world.X, world.duels))[1]
    users = ["ann", "bob", "cem"] * (len(world.duels) // 3)
    population = PopulationGP("hierarchical", "se", progress=callback)
    assert "the hierarchical model" in told(lambda: population.fit(world.X, world.duels, users=users))[1]


def test_other_threads_go_on():
    X, duels = large()
    beats, done = [], threading.Event()

    def beat():
        while not done.wait(0.01):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    PreferenceGP("se", fixed={"lengthscale": 1.0, "variance": 4.0}).fit(X, duels)
    done.set()
    thread.join()
    assert len(beats) > 3
