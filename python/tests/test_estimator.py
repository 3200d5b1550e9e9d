"""Fitting, asking, and the rules of scikit-learn that every user leans on."""

import copy
import pickle
import re

import joblib
import numpy as np
import pytest
from scipy.stats import norm, spearmanr
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rather
from rather import Comparisons, PreferenceGP


@pytest.fixture(scope="module")
def fitted(world):
    return PreferenceGP("se", ard=True).fit(world.X, world.duels)


def test_the_utility_is_found(world, fitted):
    assert spearmanr(fitted.predict(world.X), world.utility).statistic > 0.9
    assert fitted.score(world.X, world.duels) > 0.75
    assert fitted.converged_ and fitted.kernel_.startswith("se")
    assert list(fitted.hyperparameters_) == ["variance", "lengthscale[x0]", "lengthscale[x1]", "noise"]
    assert fitted.n_features_in_ == 2


@pytest.fixture(scope="module")
def maximised(world):
    """At one setting of the hyperparameters the posterior is a Gaussian."""
    return PreferenceGP("se", ard=True, hyperparameters="maximise").fit(world.X, world.duels)


def test_probabilities_follow_from_mean_and_covariance(world, maximised):
    """The second route: Phi(difference / sd) with the joint Gaussian and the noise of two items."""
    fitted = maximised
    pairs = np.array([(0, 1), (5, 9), (3, 28)])
    mean, cov = fitted.predict(), fitted.covariance()
    a, b = pairs.T
    spread = cov[a, a] + cov[b, b] - 2.0 * cov[a, b] + 2.0 * fitted.hyperparameters_["noise"] ** 2
    expected = norm.cdf((mean[a] - mean[b]) / np.sqrt(spread))
    found = fitted.predict_proba(pairs)
    # Rounding of a covariance whose entries are about ten.
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(fitted.predict_proba(pairs[:, ::-1]), found[:, ::-1], rtol=1e-12)


def test_draws_have_the_posterior_mean_and_covariance(fitted):
    draws = fitted.sample(n_samples=4000, random_state=1)
    mean, sd = fitted.predict(return_std=True)
    # Four standard errors of a mean of 4,000 draws; the relative error of a standard deviation is 1/sqrt(8000).
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4.5 * sd / np.sqrt(4000))
    np.testing.assert_allclose(draws.std(axis=0), sd, rtol=5.0 / np.sqrt(8000))
    np.testing.assert_array_equal(draws, fitted.sample(n_samples=4000, random_state=1))


def test_counts_are_repetitions(world):
    some = world.duels[:40]
    repeated = PreferenceGP("se").fit(world.X, np.repeat(some, 3, axis=0))
    counted = PreferenceGP("se").fit(world.X, {"winner": some[:, 0], "loser": some[:, 1], "count": np.full(40, 3)})
    np.testing.assert_array_equal(repeated.predict(), counted.predict())


def test_scores_of_items_are_comparisons():
    x = np.linspace(0.0, 1.0, 6)[:, None]
    model = PreferenceGP("se").fit(x, [6, 5, 4, 3, 2, 1])
    assert np.all(np.diff(model.predict()) < 0)


def test_parameters_do_what_the_program_does(world):
    fixed = {"lengthscale": 1.5, "variance": 4.0, "noise": 1.0}
    model = PreferenceGP("matern52", fixed=fixed, raw_features=True).fit(world.X, world.duels)
    assert model.hyperparameters_ == pytest.approx(fixed, rel=1e-14)
    laplace = PreferenceGP("se", inference="laplace").fit(world.X, world.duels)
    exact = PreferenceGP("se", inference="exact", samples=2000).fit(world.X, world.duels)
    ep = PreferenceGP("se").fit(world.X, world.duels)
    far = np.abs(laplace.predict() - exact.predict()).max()
    assert np.abs(ep.predict() - exact.predict()).max() < max(far, 0.1)
    low = PreferenceGP("se", representation="low-rank", n_inducing=30).fit(world.X, world.duels)
    maximised = PreferenceGP("se", hyperparameters="maximise").fit(world.X, world.duels)
    assert maximised.hyperparameters_ == ep.hyperparameters_
    assert not np.array_equal(maximised.predict(), ep.predict())
    # All items are inducing ones: the same posterior up to where the optimiser of the evidence stops.
    np.testing.assert_allclose(low.predict(), maximised.predict(), atol=0.05)
    with pytest.raises(rather.ParameterError, match='"integrate" needs inference="ep"'):
        PreferenceGP("se", inference="exact", hyperparameters="integrate").fit(world.X, world.duels)
    with pytest.raises(rather.ParameterError, match="auto, integrate or maximise"):
        PreferenceGP("se", hyperparameters="average").fit(world.X, world.duels)


def test_clone_pickle_joblib_copy(world, fitted, tmp_path):
    assert clone(fitted).get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        clone(fitted).predict()
    joblib.dump(fitted, tmp_path / "model.joblib")
    again = [pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model.joblib"), copy.deepcopy(fitted)]
    for model in again:
        # A file holds sites; the posterior is computed from them again.
        np.testing.assert_allclose(model.predict(world.X), fitted.predict(world.X), atol=1e-11)
        assert model.items_ == fitted.items_


def test_files_are_those_of_the_program(fitted, tmp_path):
    path = tmp_path / "tea.rather"
    fitted.save(path)
    again = PreferenceGP.load(path)
    np.testing.assert_allclose(again.predict(), fitted.predict(), atol=1e-11)
    assert again.ranking()[0].item == fitted.ranking()[0].item


def test_whole_numbers_stay_names_in_files(tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "numbers.rather"
    items = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]}, index=[1, 2, 3, 4])
    votes = [(1, 2)] * 5 + [(3, 2), (4, 3)]
    # Names that are no numbers before: text of digits, as the program has them, is asked for by number too.
    for names in ([1, 2, 3, 4], ["1", "2", "3", "4"]):
        fitted = PreferenceGP("se").fit(items.set_axis(names), [tuple(names[v - 1] for v in vote) for vote in votes])
        fitted.save(path)
        again = PreferenceGP.load(path)
        assert again.items_ == fitted.items_ == names
        asked = [(1, 2), (4, 1)]
        np.testing.assert_allclose(again.predict_proba(asked), fitted.predict_proba(asked), atol=1e-11)
        assert again.predict_proba([(1, 2)])[0, 0] > 0.8
        with pytest.raises(rather.errors.UnknownItemError):
            again.predict_proba([(0, 1)])


def test_rows_stay_rows_in_files(tmp_path):
    fitted = PreferenceGP("se").fit([[0.0], [1.0], [2.0]], [(0, 1), (1, 2)])
    fitted.save(tmp_path / "rows.rather")
    again = PreferenceGP.load(tmp_path / "rows.rather")
    assert again.items_ == fitted.items_ == [0, 1, 2]
    np.testing.assert_allclose(again.predict_proba([(0, 2)]), fitted.predict_proba([(0, 2)]), atol=1e-11)


def test_ratings_keep_their_numbers_in_files(tmp_path):
    said = {"item": ["a", "b", "c", "a", "b"], "rating": [1.0, 5.0, 2.0, 2.0, 4.0]}
    fitted = PreferenceGP("white").fit(None, said)
    fitted.save(tmp_path / "ratings.rather")
    again = PreferenceGP.load(tmp_path / "ratings.rather")
    expected, found = fitted.predict_ratings(), again.predict_ratings()
    assert list(found) == list(expected) == [1.0, 2.0, 4.0, 5.0]
    for rating, probabilities in expected.items():
        np.testing.assert_allclose(found[rating], probabilities, atol=1e-11)


def test_a_model_of_labels_alone_comes_back(tmp_path):
    fitted = PreferenceGP("se").fit([[0.0], [1.0], [2.0]], {"item": [0, 1, 2], "label": ["yes", "no", "no"]})
    fitted.save(tmp_path / "labels.rather")
    np.testing.assert_allclose(PreferenceGP.load(tmp_path / "labels.rather").predict(), fitted.predict(), atol=1e-11)


def test_features_are_known_after_loading(tmp_path):
    pd = pytest.importorskip("pandas")
    path, votes = tmp_path / "features.rather", [(0, 1), (1, 2), (2, 0)]
    frame = pd.DataFrame({"price": [1.0, 2.0, 3.0], "size": [1.0, 7.0, 4.0], "kind": ["a", "b", "a"]})
    for X, names in ((frame, ["price", "size", "kind"]), (frame[["price"]].to_numpy(), None)):
        fitted = PreferenceGP("se").fit(X, votes)
        fitted.save(path)
        again = PreferenceGP.load(path)
        assert again.n_features_in_ == fitted.n_features_in_ == X.shape[1]
        assert list(getattr(again, "feature_names_in_", ())) == (names or [])
        with pytest.raises(rather.DataError, match=f"expecting {X.shape[1]} features"):
            again.predict(np.zeros((2, 7)))
    named = PreferenceGP("white").fit(None, [("a", "b")])
    named.save(path)
    assert not hasattr(PreferenceGP.load(path), "n_features_in_")


def test_columns_that_are_no_features_are_known_after_loading(tmp_path):
    """Constant ones, descriptions, and the one that has the names: a table that was learned from can be asked about."""
    pd = pytest.importorskip("pandas")
    path, votes = tmp_path / "columns.rather", [("p", "q"), ("q", "r"), ("r", "p")]
    frame = pd.DataFrame({"tea": list("pqr"), "same": [1.0] * 3, "price": [1.0, 2.0, 4.0], "about": ["x", "y", "z"]})
    fitted = PreferenceGP("se").fit(frame, votes, names="tea")
    fitted.save(path)
    again = PreferenceGP.load(path)
    assert list(again.feature_names_in_) == list(fitted.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(again.predict(frame, names="tea"), fitted.predict(frame, names="tea"))
    array = np.array([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0]])
    PreferenceGP("se").fit(array, [(0, 1), (1, 2)]).save(path)
    assert PreferenceGP.load(path).n_features_in_ == 2 and PreferenceGP.load(path).predict(array).shape == (3,)
    # A fit to something else forgets them.
    assert not hasattr(fitted.set_params(kernel="white").fit(None, votes), "n_features_in_")


def test_a_damaged_file_is_refused(fitted, tmp_path):
    path = tmp_path / "tea.rather"
    fitted.save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(rather.errors.ModelFileError):
            PreferenceGP.load(path)


def test_pipelines_and_searches(world):
    pipeline = make_pipeline(StandardScaler(), PreferenceGP("se")).fit(world.X, world.duels)
    # Standardised twice is standardised once.
    alone = PreferenceGP("se").fit(world.X, world.duels)
    np.testing.assert_allclose(pipeline.predict(world.X), alone.predict(world.X), atol=1e-6)
    duels = Comparisons(world.X, world.duels)
    search = GridSearchCV(PreferenceGP(), {"kernel": ["white", "se"]}, cv=3).fit(duels)
    assert search.best_params_ == {"kernel": "se"}
    scores = cross_val_score(PreferenceGP("se"), duels, cv=GroupKFold(3), groups=duels.groups)
    assert scores.shape == (3,) and np.all(scores > 0.5)
    logs = cross_val_score(PreferenceGP("se"), duels, cv=3, scoring=lambda model, part, y=None: model.log_score(part))
    assert np.all((logs < 0.0) & (logs > np.log(0.5)))


def test_duels_slice_like_an_array(world):
    duels = Comparisons(world.X, world.duels)
    assert duels.shape == (120,) and len(duels[:10]) == 10
    np.testing.assert_array_equal(duels[[3, 5]].pairs, world.duels[[3, 5]])
    np.testing.assert_array_equal(duels[np.arange(120) < 7].pairs, world.duels[:7])
    assert len(set(duels.groups)) == len({tuple(sorted(pair)) for pair in world.duels.tolist()})
    whole = PreferenceGP("se").fit(duels)
    np.testing.assert_array_equal(whole.predict(), PreferenceGP("se").fit(world.X, world.duels).predict())
    assert whole.score(duels) == whole.score(world.X, world.duels)


def test_rankings_and_figures_show_themselves(fitted):
    ranking = fitted.ranking(top=3)
    assert [place.rank for place in ranking] == [1, 2, 3]
    assert ranking._repr_html_().count("<tr>") == 4
    assert list(ranking.to_dict()) == ["rank", "item", "mean", "sd", "low", "high"]
    assert repr(ranking).splitlines()[0].split() == ["rank", "item", "utility", "sd"]
    for figure in (fitted.plot(), fitted.plot("utility", "x0"), fitted.plot("map", "x0", "x1"), fitted.plot("choices")):
        assert figure._repr_svg_().startswith("<svg")
    with pytest.raises(rather.ParameterError, match="needs 1 features"):
        fitted.plot("utility")
    with pytest.raises(rather.FigureError):
        fitted.plot("utility", "colour")


def test_names_are_escaped():
    model = PreferenceGP("white").fit(None, [("<b>", "&"), ("&", "c")])
    assert "<b>" not in model.ranking()._repr_html_()


def test_the_result_does_not_depend_on_the_call(world, fitted):
    np.testing.assert_array_equal(PreferenceGP("se", ard=True).fit(world.X, world.duels).predict(), fitted.predict())


def test_suggestions_are_worth_asking(fitted):
    first, *rest = fitted.suggest(n=3)
    assert len({frozenset(s[:2]) for s in (first, *rest)}) == 3
    best = fitted.ranking()[0].item
    against = fitted.suggest(n=2, acquisition="improvement", opponent="best")
    assert [s.left for s in against] == [best, best] and against[0].score >= against[1].score
    assert fitted.suggest(acquisition="random", random_state=1) == fitted.suggest(acquisition="random", random_state=1)
    with pytest.raises(rather.AcquisitionError, match="nosuch"):
        fitted.suggest(acquisition="nosuch")
    with pytest.raises(rather.AcquisitionError, match="opponent"):
        fitted.suggest(acquisition="improvement")
    with pytest.raises(rather.UnknownItemError):
        fitted.suggest(opponent=99)


def test_asking_what_tells_most_learns_faster_than_nothing(world):
    """A loop: the answers that are asked for make the utilities surer."""
    duels = world.duels[:5].tolist()
    for _ in range(5):
        asked = PreferenceGP("se").fit(world.X, duels).suggest()[0]
        pair = sorted((asked.left, asked.right), key=lambda i: -world.utility[i])
        duels.append(pair)
    fixed = PreferenceGP("se", fixed={"lengthscale": 1.0, "variance": 4.0})
    assert fixed.fit(world.X, duels).predict(return_std=True)[1].mean() < (
        fixed.fit(world.X, duels[:5]).predict(return_std=True)[1].mean()
    )


def test_a_sparse_precision_says_what_it_holds():
    votes = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]
    ways = ("full", "sparse-precision")
    whole, sparse = (PreferenceGP("white", representation=r, hyperparameters="maximise").fit(None, votes) for r in ways)
    # Two ways to the same maximum of the evidence, which the optimiser meets to a thousandth of a nat.
    np.testing.assert_allclose(sparse.predict(), whole.predict(), atol=0.05)
    with pytest.raises(rather.SizeError, match="covariance of all items"):
        sparse.sample()
    with pytest.raises(rather.ParameterError, match="a sparse precision for kernels of effects"):
        PreferenceGP("se", representation="sparse").fit([[0.0], [1.0]], [(0, 1)])


def test_acquisition_values_are_those_of_suggestions(world, maximised):
    fitted = maximised
    first = fitted.suggest(acquisition="bald")[0]
    pairs = np.array([(i, j) for i in range(30) for j in range(i)])
    values = fitted.acquisition(pairs, "bald")
    assert values.max() == pytest.approx(first.score, rel=1e-9)
    assert set(pairs[values.argmax()]) == {first.left, first.right}
    # The second route: the expected maximum of two utilities is the second one's mean and E max(0, d) of a normal difference.
    mean, covariance = fitted.model_.mean(), fitted.covariance()
    left, right = pairs.T
    d = mean[right] - mean[left]
    sd = np.sqrt(covariance[left, left] + covariance[right, right] - 2 * covariance[left, right])
    eubo = mean[left] + d * norm.cdf(d / sd) + sd * norm.pdf(d / sd)
    np.testing.assert_allclose(fitted.acquisition(pairs, "eubo"), eubo, rtol=1e-7, atol=1e-9)
    against = fitted.suggest(n=1, acquisition="improvement", opponent=3)[0]
    assert fitted.acquisition([(3, against.right)], "improvement")[0] == pytest.approx(against.score, rel=1e-9)
    new = fitted.acquisition([(0, 1)], "uncertain", world.X[:2])
    assert new == pytest.approx(fitted.acquisition([(0, 1)], "uncertain"), rel=1e-9)
    assert fitted.acquisition(pairs[:9], "best", random_state=1).shape == (9,)
    with pytest.raises(rather.AcquisitionError):
        fitted.acquisition(pairs, "qeubo:3")
    with pytest.raises(rather.UnknownItemError):
        fitted.acquisition([(0, 99)])


def test_the_check_tells_good_from_poor():
    votes = [(a, b) for a, b in [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")] for _ in range(2)]
    fixed = {"variance": 4.0, "noise": 1.0}
    ep, laplace = (PreferenceGP("white", inference=i, fixed=fixed).fit(None, votes).check() for i in ("ep", "laplace"))
    assert ep.verdict == "good" and ep.inference == "ep" and ep.pairs == 6
    assert ep.means.largest < laplace.means.largest and ep.probabilities.largest < 0.02
    assert ep.sd_ratio[0] <= ep.sd_ratio[1] <= ep.sd_ratio[2]
    assert abs(ep.log_evidence - ep.exact_log_evidence) < 0.05 and ep.r_hat < 1.05
    assert str(ep).startswith("good: ep is off by at most")


def test_draws_of_an_exact_model_are_the_posteriors_own():
    """One clear win under a wide prior: the difference is cut off near 0, and its draws are skewed, which a Gaussian's are not."""
    fixed = {"variance": 100.0, "noise": 0.1}
    models = [PreferenceGP("white", inference=i, fixed=fixed).fit(None, [("a", "b")]) for i in ("ep", "exact")]
    assert models[0].sampling_ is None
    told = models[1].sampling_
    assert told["sampling"]["r_hat"] < 1.05 and told["sampling"]["draws"] >= 4000
    # One comparison of two items alike is won with probability 1/2.
    assert told["log_evidence"]["value"] == pytest.approx(np.log(0.5), abs=1e-9)
    draws = [model.sample(n_samples=4000) for model in models]
    losses = [(d[:, 0] < d[:, 1]).mean() for d in draws]
    # The truth is a half normal of scale 14: next to nothing is below 0. A Gaussian of the same mean and sd has Phi(-1.32) = 9 %.
    assert losses[0] > 0.05 and losses[1] < 0.02


@pytest.mark.parametrize("inference", ["ep", "laplace", "streaming"])
def test_an_answer_counts_half_after_a_half_life(inference):
    # Of two items with the same answers both ways, the newest answers decide.
    votes = [("tea", "coffee")] * 6 + [("coffee", "tea")] * 6
    fit = {"inference": inference, "fixed": {"variance": 4.0, "noise": 1.0}}
    same = PreferenceGP("white", **fit).fit(None, votes)
    late = PreferenceGP("white", half_life=3.0, **fit).fit(None, votes)
    assert abs(same.predict_proba([("coffee", "tea")])[0, 0] - 0.5) < 0.02
    assert late.predict_proba([("coffee", "tea")])[0, 0] > 0.6
    with pytest.raises(rather.ParameterError, match="half-life"):
        PreferenceGP("white", half_life=-1.0, **fit).fit(None, votes)


@pytest.mark.parametrize(
    "parameters, sentence",
    [
        ({"samples": 10}, 'samples needs inference="exact"'),
        ({"drift": 5.0}, 'drift needs inference="streaming"'),
        ({"inference": "laplace", "n_inducing": 5}, 'n_inducing needs inference="ep"'),
        ({"inference": "exact", "representation": "low-rank"}, 'representation needs inference="ep"'),
        ({"inference": "streaming", "hyperparameters": "integrate"}, 'hyperparameters="integrate" needs inference="ep" or inference="laplace"'),
        ({"inference": "laplace", "pair_effect": "learn"}, 'pair_effect="learn" needs inference="ep" or inference="exact"'),
    ],
)
def test_parameters_of_other_ways_of_inference_are_refused(world, parameters, sentence):
    with pytest.raises(rather.ParameterError, match=re.escape(sentence)):
        PreferenceGP("se", **parameters).fit(world.X, world.duels)


def test_streaming_learns_from_ties_and_lapses(world):
    left, right = world.duels[:, 0], world.duels[:, 1]
    outcome = np.where(np.arange(len(left)) % 5 == 0, "tie", "left")
    model = PreferenceGP("se", inference="streaming", lapse="learn").fit(world.X, {"left": left, "right": right, "outcome": outcome})
    assert {"tie", "lapse"} <= set(model.hyperparameters_)
    outcomes = model.predict_outcomes([(0, 1)])
    assert set(outcomes) == {"left", "tie", "right"}


def test_preferences_that_drift_forget():
    votes = {"winner": ["a"] * 30 + ["b"] * 30, "loser": ["b"] * 30 + ["a"] * 30}
    fixed = {"variance": 4.0, "noise": 1.0}
    steady, drifting = (PreferenceGP("white", inference="streaming", drift=drift, fixed=fixed).fit(None, votes) for drift in (None, 5.0))
    assert abs(steady.predict_proba([("b", "a")])[0, 0] - 0.5) < 0.1 and drifting.predict_proba([("b", "a")])[0, 0] > 0.7


def test_earlier_names_warn():
    with pytest.warns(DeprecationWarning, match="Comparisons"):
        assert rather.Duels is rather.Comparisons
    with pytest.raises(AttributeError):
        rather.Nothing  # noqa: B018


def test_more_answers_are_learned_beside_the_earlier_ones(world, tmp_path):
    fixed = {"lengthscale": 1.0, "variance": 4.0, "noise": 1.0}
    at_once = PreferenceGP("se", fixed=fixed).fit(world.X, world.duels)
    updated = PreferenceGP("se", fixed=fixed).fit(world.X, world.duels[:70]).update(world.duels[70:100]).update(world.duels[100:])
    np.testing.assert_allclose(updated.predict(), at_once.predict(), atol=1e-9)
    mixed = PreferenceGP("white").fit(None, [("a", "b"), ("b", "a")]).update({"item": ["a", "b"], "rating": [5, 1]})
    assert list(mixed.predict_ratings()) == [1.0, 5.0]
    named = PreferenceGP("white", fixed={"variance": 4.0, "noise": 1.0}).fit(None, [("a", "b")]).update({"x": ["b"], "y": ["a"]}, columns={"winner": "x", "loser": "y"})
    assert named.predict() == pytest.approx([0.0, 0.0], abs=1e-12)
    pickled = pickle.loads(pickle.dumps(named)).update([("a", "b")])
    assert pickled.ranking()[0].item == "a"
    with pytest.raises(rather.UnknownItemError, match="'c'"):
        named.update([("a", "c")])
    named.save(tmp_path / "m.rather")
    with pytest.raises(rather.ParameterError, match="fit it again"):
        PreferenceGP.load(tmp_path / "m.rather").update([("a", "b")])
