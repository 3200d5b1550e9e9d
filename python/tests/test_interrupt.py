"""Long calls leave the interpreter free, and Ctrl-C and callbacks end them."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from rather import PreferenceGP


def large(seed=0):
    """A problem that takes seconds, many of Python's time slices."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(900, 3))
    pairs = np.array([rng.choice(900, 2, replace=False) for _ in range(3000)])
    u = np.sin(5 * X).sum(axis=1)
    swap = u[pairs[:, 0]] < u[pairs[:, 1]]
    return X, np.where(swap[:, None], pairs[:, ::-1], pairs)


def test_ctrl_c_ends_a_fit():
    X, duels = large()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    model = PreferenceGP("auto")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, duels)
        # A machine so fast that it was over before: the signal comes now.
        time.sleep(5)


def test_a_callback_hears_and_ends():
    X, duels = large()
    heard = []

    def callback(done, expected, kernels):
        heard.append((done, expected, kernels))
        if done is not None and done > 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        PreferenceGP("auto", progress=callback).fit(X, duels)
    assert heard[-1][1] >= heard[-1][0]


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
