"""The same numbers from a cluster: a local one of two workers."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import rather

ray = pytest.importorskip("ray")
pa = pytest.importorskip("pyarrow")
from rather import _cluster, distributed  # noqa: E402

# Inference stops at 1e-10 of a posterior standard deviation, so that 1e-8 is left for all that follows.
EXACT = 1e-10
KERNEL = "se"
FIXED = {"lengthscale": 0.6, "variance": 4.0, "noise": 1.0}


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def world(items=60, comparisons=3000, users=0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (items, 2))
    pairs = rng.integers(items, size=(comparisons, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not users:
        # Every pair once: a cluster has a site an answer, and one machine a site a pair.
        once = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)[1]
        pairs = pairs[np.sort(once)]
    utility = np.sin(3 * X[:, 0]) + X[:, 1]
    first = utility[pairs[:, 0]] - utility[pairs[:, 1]] + rng.normal(size=len(pairs)) * 0.7 > 0
    said = np.where(first[:, None], pairs, pairs[:, ::-1])
    who = rng.integers(max(users, 1), size=len(said))
    return X, said, who


def written(folder: Path, said, who=None, files=3):
    import pyarrow.parquet as pq

    columns = {"winner": said[:, 0], "loser": said[:, 1]}
    if who is not None:
        columns["user"] = [f"u{user}" for user in who]
    table = pa.table(columns)
    size = -(-len(table) // files)
    for at in range(files):
        pq.write_table(table.slice(at * size, size), folder / f"{at}.parquet", row_group_size=400)
    return folder


def alone(X, said, n_inducing, **parameters):
    model = rather.PreferenceGP(KERNEL, representation="low-rank", n_inducing=n_inducing, tolerance=EXACT, **parameters)
    return model.fit(X, said)


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def check(model, single, X):
    for given in (None, X[:7] + 0.05):
        (mean, sd), (m, s) = model.predict(given, return_std=True), single.predict(given, return_std=True)
        same(mean, m)
        same(sd, s)
    questions = [(0, 1), (5, 40), (7, 8)]
    same(model.predict_proba(questions), single.predict_proba(questions))
    # A near tie would be told apart by rounding.
    for given, told in ((None, [(0, 1), (5, 40), (8, 7)]), (X[:7] + 0.05, {"winner": [0, 3], "loser": [6, 2], "count": [1, 4]})):
        assert model.score(given, told) == single.score(given, told)
        same(model.log_score(given, told), single.log_score(given, told))
    same(model.log_evidence_, single.log_evidence_)
    assert model.converged_


def test_two_workers_are_one_machine(cluster, tmp_path):
    X, said, _ = world()
    single = alone(X, said, 25, fixed=FIXED)
    model = distributed.fit(X, written(tmp_path, said), kernel=KERNEL, n_inducing=25, workers=2, tolerance=EXACT, fixed=FIXED)
    check(model, single, X)
    assert model.ranking()[0].item == single.ranking()[0].item
    same(model.covariance(X[:3]), single.covariance(X[:3]))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(), model.predict())
    assert again.hyperparameters_ == pytest.approx(FIXED)
    assert again.items_ == list(range(60)) and repr(again) == "<BlocksGP: se, 60 items>"


def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path, monkeypatch):
    X, said, _ = world()
    single = alone(X, said, 25, fixed=FIXED)
    killed = []

    class Mortal(_cluster.Worker):
        def process(self):
            return os.getpid()

        def sweep(self, *task):
            time.sleep(0.05)
            return super().sweep(*task)

    monkeypatch.setattr(_cluster, "Worker", Mortal)
    ask = _cluster.Crew.ask

    def asked(crew, what, *more):
        if what == "sweep" and more[-1] in (3, 9):
            victim = crew.get(crew.workers[len(killed)].process.remote())
            # While the sweep is under way.
            threading.Timer(0.02, os.kill, (victim, signal.SIGKILL)).start()
            killed.append(victim)
        return ask(crew, what, *more)

    monkeypatch.setattr(_cluster.Crew, "ask", asked)
    model = distributed.fit(X, written(tmp_path, said), kernel=KERNEL, n_inducing=25, workers=2, tolerance=EXACT, fixed=FIXED)
    assert len(set(killed)) == 2
    check(model, single, X)


def test_hyperparameters_are_learned(cluster, tmp_path):
    X, said, _ = world(seed=3)
    single = alone(X, said, 40)
    model = distributed.fit(X, written(tmp_path, said), kernel=KERNEL, n_inducing=40, workers=2)
    assert model.maximised_
    # Both climb the same evidence; the inducing items are chosen for other lengthscales.
    assert abs(model.log_evidence_ - single.log_evidence_) < 0.05
    for name, value in single.hyperparameters_.items():
        assert model.hyperparameters_[name] == pytest.approx(value, rel=0.05)
    assert np.corrcoef(model.predict(), single.predict())[0, 1] > 0.9999


def test_many_users_are_one_machine(cluster, tmp_path):
    X, said, who = world(items=20, comparisons=600, users=15, seed=5)
    folder = written(tmp_path, said, who)
    with distributed.fit_users(X, folder, kernel=KERNEL, workers=2, iterations=4, fixed=FIXED) as model:
        assert model.users_ == 15
        with distributed.fit_users(X, folder, kernel=KERNEL, workers=1, iterations=4, fixed=FIXED) as single:
            same(model.log_evidence_, single.log_evidence_)
            for user in ("u0", "u7"):
                for a, b in zip(model.predict(user, return_std=True), single.predict(user, return_std=True)):
                    same(a, b)
                same(model.predict_proba(user, [(0, 1), (3, 2)]), single.predict_proba(user, [(0, 1), (3, 2)]))
        # A worker that is gone comes back when it is asked.
        before = model.predict("u3")
        for worker in model._crew.workers:
            ray.kill(worker, no_restart=False)
        same(model.predict("u3"), before)
        same(model.ranking("u3")[0].mean, before.max())
        with pytest.raises(rather.UnknownUserError, match="'nobody'"):
            model.predict("nobody")
        with pytest.raises(rather.RatherError, match="bound to its workers"):
            pickle.dumps(model)


def test_everyone_alone(cluster, tmp_path):
    X, said, who = world(items=12, comparisons=200, users=4, seed=6)
    folder = written(tmp_path, said, who)
    with distributed.fit_users(X, folder, model="per-user", kernel=KERNEL, workers=2) as model:
        fixed = model.hyperparameters_
        for user in range(4):
            single = rather.PreferenceGP(KERNEL, fixed=fixed).fit(X, said[who == user])
            mean = single.predict()
            # Relative to all items, as the cluster has it. Inference stops at 1e-8 of a standard deviation.
            np.testing.assert_allclose(model.predict(f"u{user}"), mean - mean.mean(), atol=1e-6)


def test_names_and_outcomes(cluster, tmp_path):
    import pyarrow.parquet as pq

    table = {"left": ["tea", "wine", "tea"], "right": ["wine", "beer", "beer"], "outcome": ["left", "right", "left"]}
    pq.write_table(pa.table(table), tmp_path / "votes.parquet")
    items = {"name": ["tea", "beer", "wine"], "price": [2.0, 4.0, 9.0]}
    model = distributed.fit(items, tmp_path / "votes.parquet", names="name", kernel="se", workers=2)
    assert [place.item for place in model.ranking()] == ["tea", "beer", "wine"]


TEAS = {"name": ["tea", "beer", "wine", "mate"], "price": [2.0, 4.0, 9.0, 3.0], "kind": ["hot", "cold", "cold", "hot"]}
NUMBERED = {**TEAS, "name": [7, 12, 30, -1]}
PLAIN = {"winner": [0, 0, 2, 3], "loser": [2, 1, 1, 2]}


def called(columns, names):
    """Comparisons by the names of the items."""
    return {column: [names[row] for row in values] if column in ("winner", "loser", "left", "right") else values for column, values in columns.items()}


@pytest.mark.parametrize(
    ("items", "said", "parameters"),
    [
        ([[2.0], [4.0], [9.0], [3.0]], PLAIN, {}),
        (TEAS, called(PLAIN, TEAS["name"]), {"fixed": {"noise": 0.7, "variance": 2.1}}),
        (TEAS, called({**PLAIN, "count": [3, 1, 4, 2]}, TEAS["name"]), {"ard": True}),
        (NUMBERED, called({"left": [0, 1, 2], "right": [2, 0, 3], "outcome": ["left", "right", "left"]}, NUMBERED["name"]), {"raw_features": True}),
        (TEAS, called({"left": [0, 1], "right": [2, 3], "outcome": ["left", "right"], "count": [2, 5]}, TEAS["name"]), {"kernel": "white", "units": "comparison-noise"}),
        (TEAS, {"model_a": ["tea", "beer"], "model_b": ["wine", "mate"], "winner": ["left", "right"]}, {"priors": False, "fixed": {"variance": 1.0}}),
    ],
)
def test_every_model_comes_back(cluster, tmp_path, items, said, parameters):
    """From its file: the same bits, whatever the answers and the names are."""
    import pyarrow.parquet as pq

    pq.write_table(pa.table(said), tmp_path / "said.parquet")
    names = "name" if isinstance(items, dict) else None
    model = distributed.fit(items, tmp_path / "said.parquet", names=names, workers=1, **{"kernel": KERNEL, **parameters})
    model.save(tmp_path / "model.rather")
    again = distributed.BlocksGP.load(tmp_path / "model.rather")
    assert again.items_ == model.items_ and [type(name) for name in again.items_] == [type(name) for name in model.items_]
    for name in ("kernel_", "hyperparameters_", "log_evidence_", "converged_", "maximised_", "residual_", "sweeps_"):
        assert getattr(again, name) == getattr(model, name), name
    first, last = model.items_[0], model.items_[-1]
    new = {"price": [5.0], "kind": ["hot"]} if isinstance(items, dict) else [[5.0]]
    for ask in (
        lambda m: m.predict(return_std=True),
        lambda m: m.predict(new, return_std=True),
        lambda m: m.predict_proba([(first, last)]),
        lambda m: m.covariance(),
        lambda m: m.inducing_,
        lambda m: m.log_score(None, [(first, last)]),
    ):
        for before, after in zip(np.atleast_2d(ask(model)), np.atleast_2d(ask(again))):
            assert np.array_equal(before, after)
    # Saved again it is the same file, and a pickle of it works.
    again.save(tmp_path / "again.rather")
    assert (tmp_path / "again.rather").read_bytes() == (tmp_path / "model.rather").read_bytes()
    assert np.array_equal(pickle.loads(pickle.dumps(again)).predict(), model.predict())


def test_files_of_other_models_have_their_sentence(cluster, tmp_path):
    X, said, _ = world(items=8, comparisons=60)
    distributed.fit(X, written(tmp_path, said), kernel=KERNEL, n_inducing=5, workers=1, fixed=FIXED).save(tmp_path / "cluster.rather")
    alone(X, said, 5, fixed=FIXED).save(tmp_path / "single.rather")
    with pytest.raises(rather.ModelFileError, match="open it in Python, by rather.distributed.BlocksGP.load"):
        rather.PreferenceGP.load(tmp_path / "cluster.rather")
    with pytest.raises(rather.ModelFileError, match="no model of a cluster; load it by PreferenceGP.load"):
        distributed.BlocksGP.load(tmp_path / "single.rather")
    with pytest.raises(rather.ModelFileError, match="does not exist"):
        distributed.BlocksGP.load(tmp_path / "nowhere.rather")
    whole = (tmp_path / "cluster.rather").read_bytes()
    for at in range(0, len(whole), 61):
        (tmp_path / "damaged.rather").write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(rather.ModelFileError):
            distributed.BlocksGP.load(tmp_path / "damaged.rather")


def test_a_file_whose_parts_do_not_fit_is_refused(cluster, tmp_path):
    """With a checksum that is right, as a stranger may write it."""
    import json

    from rather import _lib

    X, said, _ = world(items=8, comparisons=60)
    distributed.fit(X, written(tmp_path, said), kernel=KERNEL, n_inducing=5, workers=1, fixed=FIXED).save(tmp_path / "m.rather")
    header, floats, whole = _lib.load_of_cluster(tmp_path / "m.rather")
    told = json.loads(header)
    wrong = [
        ({key: value for key, value in told.items() if key != "names"}, floats, whole),
        ({**told, "names": told["names"][:-1]}, floats, whole),
        ({**told, "integers": "no", "names": [1, 2]}, floats, whole),
        ({**told, "parameters": {**told["parameters"], "kernel": 3}}, floats, whole),
        (told, {**floats, "shift": floats["shift"][:-1]}, whole),
        (told, {**floats, "values": floats["values"][:-1]}, whole),
        (told, {**floats, "values": -floats["values"]}, whole),
        (told, {**floats, "found": floats["found"][:1]}, whole),
        (told, {**floats, "precision": -floats["precision"]}, whole),
        (told, floats, {**whole, "inducing": whole["inducing"] + 1000}),
        (told, floats, {**whole, "inducing": whole["inducing"][:-1]}),
        (told, floats, {}),
        ([], floats, whole),
    ]
    for parts in wrong:
        _lib.save_of_cluster(tmp_path / "wrong.rather", json.dumps(parts[0]), *parts[1:])
        with pytest.raises(rather.ModelFileError, match="wrong.rather"):
            distributed.BlocksGP.load(tmp_path / "wrong.rather")


@pytest.mark.parametrize(
    ("columns", "kind", "sentence"),
    [
        ({"winner": [0, 99], "loser": [1, 2]}, rather.UnknownItemError, "99"),
        ({"winner": [0, 2], "loser": [1, 2]}, rather.DataError, "with itself"),
        ({"a": [0, 2], "b": [1, 2]}, rather.DataError, "0.parquet: .*the columns are a, b"),
        ({"winner": [], "loser": []}, rather.DataError, "no comparisons"),
        ({"left": [0], "right": [1], "outcome": ["tie"]}, rather.DataError, "only left and right count here"),
    ],
)
def test_wrong_files_have_their_sentence(cluster, tmp_path, columns, kind, sentence):
    import pyarrow.parquet as pq

    arrays = {name: pa.array(values, pa.string() if name == "outcome" else pa.int64()) for name, values in columns.items()}
    pq.write_table(pa.table(arrays), tmp_path / "0.parquet")
    with pytest.raises(kind, match=sentence):
        distributed.fit(np.arange(5.0)[:, None], tmp_path, kernel="se", workers=1)


def test_wrong_parameters_have_their_sentence(cluster, tmp_path):
    X, said, who = world(items=5, comparisons=20)
    folder = written(tmp_path, said, files=1)
    with pytest.raises(rather.ParameterError, match="workers=0"):
        distributed.fit(X, folder, workers=0)
    with pytest.raises(rather.KernelError, match="one kernel"):
        distributed.fit(X, folder, kernel="auto", workers=1)
    with pytest.raises(rather.DataError, match="Parquet"):
        distributed.fit(X, tmp_path / "nowhere", workers=1)
    with pytest.raises(rather.ParameterError, match="model='kronecker'"):
        distributed.fit_users(X, folder, model="kronecker")
    with pytest.raises(rather.DataError, match="no column 'user'"):
        distributed.fit_users(X, folder, workers=1)


@pytest.mark.parametrize("parameter", [{"link": "logistic"}, {"lapse": 0.1}, {"inference": "laplace"}, {"bias": True}, {"user_noise": True}, {"robust": True}, {"representation": "full"}, {"random_state": 3}])
def test_what_a_cluster_does_not_heed_is_refused(parameter, tmp_path):
    (name,) = parameter
    for learn in (distributed.fit, distributed.fit_users):
        with pytest.raises(rather.ParameterError, match=f"{name}=.* is not for models over a cluster"):
            learn([[0.0], [1.0]], tmp_path / "none.parquet", **parameter)
