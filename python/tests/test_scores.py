"""Cross-validation, scoring and metrics of every kind of answer, of users, and of pipelines."""

import json
import subprocess

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RandomizedSearchCV, cross_val_predict, cross_val_score, cross_validate, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rather
from rather import Comparisons, OnItems, PopulationGP, PreferenceGP, metrics

FIXED = {"variance": 4.0, "noise": 1.0}


def answers(kind):
    """Twenty-four answers of a kind about five items along x, by three users."""
    rng = np.random.default_rng(3)
    table = {}
    for k in range(24):
        a, b, c = (f"i{i}" for i in rng.choice(5, 3, replace=False))
        z = int(b[1]) - int(a[1]) + rng.normal()
        by_kind = {
            "plain": {"winner": a if z > 0 else b, "loser": b if z > 0 else a},
            "tie": {"left": a, "right": b, "outcome": "tie" if abs(z) < 1 else "left" if z > 0 else "right"},
            "grade": {"left": a, "right": b, "outcome": ("much " if abs(z) > 2 else "") + ("left" if z > 0 else "right")},
            "difference": {"left": a, "right": b, "difference": round(z, 1)},
            "rating": {"item": a, "rating": 1 + k % 3},
            "value": {"item": a, "value": round(z, 2)},
            "label": {"item": a, "label": "yes" if z > 0 else "no"},
            "choice": {"choice": min(a, b, c), "option_1": a, "option_2": b, "option_3": c},
            "ranking": {"ranking": " > ".join(sorted((a, b, c)))},
        }[kind]
        for name, cell in {**by_kind, "user": "xyz"[k % 3]}.items():
            table.setdefault(name, []).append(cell)
    return table


ITEMS = {"name": [f"i{i}" for i in range(5)], "x": [0.0, 1.0, 2.0, 3.0, 4.0]}
KINDS = ["plain", "tie", "grade", "difference", "rating", "value", "label", "choice", "ranking"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_answer_is_cross_validated(kind):
    comparisons = Comparisons(ITEMS, answers(kind), names="name")
    assert len(comparisons) == 24 and comparisons.users[:4] == list("xyzx")
    model = PreferenceGP("se", fixed={"lengthscale": 2.0, **FIXED}, raw_features=True, rankings="joint" if kind == "ranking" else "pairs")
    scoring = {"accuracy": metrics.accuracy, "log_loss": metrics.neg_log_loss, "brier": metrics.neg_brier, "rps": metrics.neg_rps, "crps": metrics.neg_crps}
    found = cross_validate(model, comparisons, cv=3, scoring=scoring, error_score="raise")
    assert np.all(np.isfinite(found["test_log_loss"]))
    numbers = kind in ("value", "difference")
    assert np.all(np.isnan(found["test_accuracy"]) == (kind == "value"))
    assert np.all(np.isfinite(found["test_crps"]) == numbers)
    if kind in ("plain", "tie", "choice", "ranking"):
        assert found["test_accuracy"].mean() > 0.4
    groups = cross_val_score(model, comparisons, cv=GroupKFold(3), groups=comparisons.groups, scoring=metrics.neg_log_loss, error_score="raise")
    assert np.all(np.isfinite(groups))


@pytest.mark.parametrize("kind", ["plain", "tie", "grade", "rating", "choice"])
def test_users_are_cross_validated(kind):
    comparisons = Comparisons(ITEMS, answers(kind), names="name")
    model = PopulationGP("per-user", "se", fixed={"lengthscale": 2.0, **FIXED}, raw_features=True)
    found = cross_val_score(model, comparisons, cv=KFold(3), scoring=metrics.neg_log_loss, error_score="raise")
    assert np.all(np.isfinite(found))
    fitted = model.fit(comparisons)
    again = PopulationGP("per-user", "se", fixed={"lengthscale": 2.0, **FIXED}, raw_features=True).fit(ITEMS, answers(kind), names="name")
    np.testing.assert_array_equal(fitted.predict(user="x"), again.predict(user="x"))
    assert fitted.scores(comparisons) == fitted.scores(None, answers(kind))
    search = GridSearchCV(PopulationGP("per-user", "se"), {"model": ["per-user", "pooled"]}, cv=2, scoring=metrics.neg_log_loss, error_score="raise")
    assert search.fit(comparisons).best_params_["model"] in ("per-user", "pooled")


def test_scores_are_means_of_log_probabilities():
    votes = answers("tie")
    model = PreferenceGP("white", fixed=FIXED).fit(None, votes)
    outcomes = model.predict_outcomes(votes)
    p = np.array([outcomes[word][row] for row, word in enumerate(votes["outcome"])])
    assert model.log_score(None, votes) == pytest.approx(np.log(p).mean(), abs=1e-12)
    best = np.max(list(outcomes.values()), axis=0)
    assert model.score(None, votes) == pytest.approx((p == best).mean())
    plain = PreferenceGP("white", fixed=FIXED).fit(None, answers("plain"))
    q = plain.predict_proba(answers("plain"))[:, 0]
    assert plain.log_score(None, answers("plain")) == pytest.approx(np.log(q).mean(), abs=1e-12)
    assert plain.scores(None, answers("plain")).brier == pytest.approx(((1 - q) ** 2).mean(), abs=1e-12)
    assert plain.scores(None, answers("plain")).answers == 24


def test_values_have_no_accuracy():
    model = PreferenceGP("white").fit(None, answers("value"))
    with pytest.raises(rather.DataError, match="take log_score"):
        model.score(None, answers("value"))
    assert 0.0 <= model.scores(None, answers("value")).coverage_50 <= model.scores(None, answers("value")).coverage_95 <= 1.0


def test_what_a_model_has_not_learned_is_refused():
    model = PreferenceGP("white").fit(None, [("i0", "i1"), ("i1", "i2")])
    with pytest.raises(rather.RatherError):
        model.scores(None, {"item": ["i0"], "rating": [3.0]})
    rated = PreferenceGP("white").fit(None, answers("rating"))
    with pytest.raises(rather.RatherError):
        rated.scores(None, {"item": ["i0"], "rating": [17.0]})


def test_the_program_scores_the_same(program, tmp_path):
    """The whole table is held out of a model that has learned from another one."""
    votes = answers("tie")
    rows = ["left,right,outcome", *map(",".join, zip(votes["left"], votes["right"], votes["outcome"]))]
    (tmp_path / "items.csv").write_text("name\n" + "\n".join(ITEMS["name"]) + "\n")
    (tmp_path / "votes.csv").write_text("\n".join(rows) + "\n")
    flags = ["--kernel", "white", "--hyperparameters", "maximise", "--pair-effect", "off", "--baselines", "none", "--folds", "24", "--by", "comparisons"]
    ran = subprocess.run([program, "evaluate", "items.csv", "votes.csv", *flags, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    told = json.loads(ran.stdout)
    model = PreferenceGP("white", hyperparameters="maximise", pair_effect="off")
    losses = -cross_val_score(model, Comparisons({"name": ITEMS["name"]}, votes, names="name"), cv=24, scoring=metrics.neg_log_loss)
    assert losses.mean() == pytest.approx(told["log_loss"], rel=1e-6)


@pytest.fixture(scope="module")
def many_features():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(15, 4)) * [1.0, 10.0, 100.0, 1000.0]
    better = [(i, j) if X[i, 0] > X[j, 0] else (j, i) for i in range(15) for j in range(i) if (i + j) % 3 == 0]
    return X, better


def test_a_pipeline_with_a_scaler_is_cross_validated(many_features):
    X, better = many_features
    comparisons = Comparisons(X, better)
    raw = PreferenceGP("linear", raw_features=True, fixed={"noise": 1.0})
    pipeline = make_pipeline(OnItems(StandardScaler()), raw)
    scores = cross_val_score(pipeline, comparisons, cv=3, error_score="raise")
    assert scores.shape == (3,) and scores.mean() > 0.7
    fitted = pipeline.fit(X, better)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(fitted.predict(X), raw.fit(scaled, better).predict(), atol=1e-9)
    assert fitted.score(X, better) == raw.score(scaled, better)
    # Of comparisons the items are scaled, and not the pairs.
    asked = pipeline.fit(comparisons).predict_proba(comparisons)
    np.testing.assert_allclose(asked, raw.fit(scaled, better).predict_proba(better), atol=1e-9)
    search = GridSearchCV(make_pipeline(OnItems(PCA(2)), raw), {"onitems__transformer__n_components": [1, 4]}, cv=2)
    assert search.fit(comparisons).best_params_ == {"onitems__transformer__n_components": 4}


def test_searches_curves_and_importances(many_features):
    X, better = many_features
    comparisons, model = Comparisons(X, better), PreferenceGP("linear")
    search = RandomizedSearchCV(model, {"kernel": ["linear", "white"]}, n_iter=2, cv=2, n_jobs=2, random_state=0, error_score="raise")
    assert search.fit(comparisons).best_params_["kernel"] == "linear"
    sizes, _, held_out = learning_curve(model, comparisons, None, train_sizes=[0.5, 1.0], cv=2, error_score="raise")
    assert len(sizes) == 2 and held_out.shape == (2, 2)
    # The first column decides.
    found = permutation_importance(model.fit(X, better), X, better, n_repeats=3, random_state=0)
    assert found.importances_mean.argmax() == 0


def test_cross_val_predict(many_features):
    X, better = many_features
    comparisons = Comparisons(X, better)
    model = PreferenceGP("linear")
    p = cross_val_predict(model, comparisons, cv=3, method="predict_proba")
    differences = cross_val_predict(model, comparisons, cv=3)
    assert p.shape == (len(better), 2) and differences.shape == (len(better),)
    np.testing.assert_array_equal(p[:, 0] > 0.5, differences > 0.0)
    fitted = model.fit(comparisons)
    np.testing.assert_allclose(fitted.predict_proba(comparisons), fitted.predict_proba(better), atol=1e-12)


def test_tasks_of_several_rows_are_one_sample():
    tasks = {"user": [], "task": [], "item": [], "chosen": []}
    for task in range(12):
        for at, item in enumerate("abc" if task % 2 else "bcd"):
            for name, cell in zip(tasks, ("pq"[task % 2], task, item, int(at == 0))):
                tasks[name].append(cell)
    comparisons = Comparisons(None, tasks)
    assert len(comparisons) == 12 and len(set(comparisons.groups.tolist())) == 2
    assert len(comparisons[3:5].tables()[0]["task"]) == 6 and comparisons.users[:2] == ["p", "q"]
    scores = cross_val_score(PreferenceGP("white", rankings="joint", fixed=FIXED), comparisons, cv=3, error_score="raise")
    assert scores.mean() > 0.5


def test_several_tables_are_samples_together():
    comparisons = Comparisons(ITEMS, [answers("plain"), answers("rating")], names="name")
    assert len(comparisons) == 48 and [len(next(iter(part.values()))) for part in comparisons[20:30].tables()] == [4, 6]
    scores = cross_val_score(PreferenceGP("se"), comparisons, cv=KFold(2, shuffle=True, random_state=0), scoring=metrics.neg_log_loss, error_score="raise")
    assert np.all(np.isfinite(scores))
    with pytest.raises(rather.DataError, match="not about two items"):
        comparisons.pairs  # noqa: B018
    assert repr(comparisons) == "<Comparisons: 48 answers about 5 items>"


def test_scores_of_scikit_learn_by_their_names():
    """Its log loss is ours, fold by fold."""
    votes = {**answers("plain")}
    flipped = {"left": votes["loser"], "right": votes["winner"], "outcome": ["right"] * len(votes["winner"])}
    sided = {"left": [*votes["winner"], *flipped["left"]], "right": [*votes["loser"], *flipped["right"]]}
    comparisons = Comparisons(None, {**sided, "outcome": ["left"] * len(votes["winner"]) + flipped["outcome"]})
    model, folds = PreferenceGP("white", fixed=FIXED), KFold(3, shuffle=True, random_state=0)
    theirs = cross_val_score(model, comparisons, comparisons.outcomes, cv=folds, scoring="neg_log_loss", error_score="raise")
    ours = cross_val_score(model, comparisons, cv=folds, scoring=metrics.neg_log_loss, error_score="raise")
    np.testing.assert_allclose(theirs, ours, rtol=1e-9)
    assert list(Comparisons(None, answers("tie")).outcomes[:3]) == answers("tie")["outcome"][:3]
    with pytest.raises(rather.DataError, match="rather.metrics"):
        Comparisons(None, answers("rating")).outcomes  # noqa: B018


def test_partial_dependence_is_that_of_the_utility(many_features):
    X, better = many_features
    model = PreferenceGP("linear").fit(X, better)
    found = partial_dependence(model, X, [0], grid_resolution=5)
    by_hand = [model.predict(np.column_stack([np.full(len(X), value), X[:, 1:]])).mean() for value in found["grid_values"][0]]
    np.testing.assert_allclose(found["average"][0], by_hand, atol=1e-12)
    assert np.all(np.diff(found["average"][0]) > 0.0)


def test_a_covariance_of_ones_own():
    """A kernel in Python, or its matrix, says what the kernel of the same formula says."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2))
    pairs = [(i, (3 * i + 1) % 9) for i in range(9) if i != (3 * i + 1) % 9]
    fixed = {"lengthscale": 1.0, "variance": 2.0, "noise": 1.0}
    expected = PreferenceGP("se", raw_features=True, fixed=fixed).fit(X, pairs).predict(return_std=True)

    def alike(a, b):
        return 2.0 * np.exp(-0.5 * ((a - b) ** 2).sum())

    model = PreferenceGP("linear", raw_features=True, fixed={"variance": 1.0, "noise": 1.0})
    matrix = np.array([[alike(a, b) for b in X] for a in X])
    for kernel, given in ((alike, X), ("precomputed", matrix)):
        own = make_pipeline(OnItems(Nystroem(kernel=kernel, n_components=9, random_state=0)), model).fit(given, pairs)
        for found, wanted in zip(own.predict(given, return_std=True), expected):
            np.testing.assert_allclose(found, wanted, atol=1e-9)
