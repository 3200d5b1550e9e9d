"""Rankings, summaries and figures."""

import sys
import types

import numpy as np
import pytest

import rather
from rather import PopulationGP, PreferenceGP

VOTES = [("tea", "coffee")] * 8 + [("coffee", "wine")] * 8 + [("wine", "coffee")]


@pytest.fixture(scope="module")
def model():
    return PreferenceGP("white", fixed={"variance": 4.0, "noise": 1.0}).fit(None, VOTES)


def test_a_ranking_tells_how_sure_it_is(model):
    ranking = model.ranking(standings=True)
    draws = model.sample(n_samples=20_000, random_state=0)
    items = [model.items_.index(place.item) for place in ranking]
    best = np.bincount(draws.argmax(axis=1), minlength=3) / len(draws)
    # Four standard errors of shares of 4,000 and 20,000 draws.
    np.testing.assert_allclose([place.probability_best for place in ranking], best[items], atol=0.04)
    assert sum(place.probability_best for place in ranking) == pytest.approx(1.0)
    assert all(place.rank_low <= place.rank <= place.rank_high for place in ranking)
    assert [place.group for place in ranking] == sorted(place.group for place in ranking)
    assert model.ranking()[0].probability_best is None


def test_rankings_slice_and_are_frames(model):
    ranking = model.ranking()
    assert isinstance(ranking[:2], rather.Ranking) and len(ranking[:2]) == 2
    assert ranking.of_item("wine").rank == 3
    place = ranking[0]
    assert place.low < place.mean < place.high and (place.mean - place.low) / place.sd == pytest.approx(1.959963984540054)
    with pytest.raises(rather.UnknownItemError, match="no item 'beer'"):
        ranking.of_item("beer")
    for top in (-1, 0, 1.5):
        with pytest.raises(rather.ParameterError, match="top="):
            model.ranking(top=top)
    pytest.importorskip("pandas")
    frame = model.ranking(standings=True).to_frame()
    assert list(frame.index) == [place.item for place in ranking]
    assert {"mean", "sd", "low", "high", "rank_low", "rank_high", "probability_best", "group"} <= set(frame.columns)


def test_covariances_are_relative_as_standard_deviations_are(world):
    # At one setting of the hyperparameters, and averaged over several.
    for how in ("maximise", "integrate"):
        model = PreferenceGP("se", hyperparameters=how).fit(world.X, world.duels)
        mean, covariance = model.predict(return_cov=True)
        expected, sd = model.predict(return_std=True)
        np.testing.assert_array_equal(mean, expected)
        np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=1e-6)
        new = model.predict(world.X[:3] + 0.1, return_cov=True)[1]
        np.testing.assert_allclose(np.sqrt(np.diag(new)), model.predict(world.X[:3] + 0.1, return_std=True)[1], rtol=1e-6)
    with pytest.raises(rather.ParameterError, match="exclude each other"):
        model.predict(return_std=True, return_cov=True)


def test_a_summary_is_one_page(model):
    text = str(model.summary())
    assert text.splitlines()[0] == "PreferenceGP" and "items               3, compared 3" in text and f"{model.log_evidence_:.3f}" in text
    assert "<table>" in model.summary()._repr_html_()
    votes = {"user": ["ann", "bob"], "winner": ["tea", "wine"], "loser": ["wine", "tea"]}
    assert "users               2" in str(PopulationGP("pooled", "white").fit(None, votes).summary())


def test_figures_are_files_of_two_kinds(model, tmp_path):
    figure = model.plot()
    assert len(repr(figure)) < 100
    figure.save(tmp_path / "ranking.svg")
    figure.save(tmp_path / "ranking.PNG")
    assert (tmp_path / "ranking.svg").read_text() == figure.svg
    assert (tmp_path / "ranking.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(rather.FigureError, match="must end in .svg or .png"):
        figure.save(tmp_path / "ranking.pdf")


def test_figures_on_axes_show_the_same_numbers(world):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.figure import Figure

    model = PreferenceGP("se", fixed={"lengthscale": 1.0, "variance": 4.0}).fit(world.X, world.duels)

    def axes():
        return Figure().subplots()

    ranking = model.ranking(top=5)
    ax = model.plot(top=5, ax=axes(), title="Five")
    assert [label.get_text() for label in ax.get_yticklabels()] == [str(place.item) for place in ranking] and ax.get_title() == "Five"
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [place.mean for place in ranking])
    assert len(model.plot("utility", "x0", ax=axes()).lines[0].get_xdata()) > 10
    for kind, features in (("map", ("x0", "x1")), ("choices", ()), ("choice-map", ("x0",))):
        assert model.plot(kind, *features, ax=axes()).get_title() == ""
    levels = PreferenceGP("categorical[kind]").fit({"kind": ["a", "b", "a", "c"]}, [(0, 1), (2, 3), (0, 3)])
    assert [label.get_text() for label in levels.plot("utility", "kind", ax=axes()).get_xticklabels()] == ["a", "b", "c"]


def test_one_of_many_users_answers_the_same():
    votes = {"user": list("aaabbb"), "winner": ["tea", "tea", "wine", "wine", "wine", "beer"], "loser": ["wine", "beer", "beer", "tea", "beer", "tea"]}
    model = PopulationGP("per-user", "white", fixed={"variance": 4.0, "noise": 1.0}).fit(None, votes)
    mean, covariance = model.predict(user="a", return_cov=True)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), model.predict(user="a", return_std=True)[1], rtol=1e-9)
    draws = model.sample(user="a", n_samples=4000, random_state=1)
    assert draws.shape == (4000, 3)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5.0 * np.sqrt(np.diag(covariance)).max() / np.sqrt(4000))
    assert model.covariance(user="b").shape == (3, 3)
    assert model.plot(user="a")._repr_svg_().startswith("<svg")
    assert model.ranking(user="b", standings=True)[0].probability_best > 1 / 3
    with pytest.raises(rather.ParameterError, match="single user"):
        model.user("a").plot("choices")
    with pytest.raises(rather.ParameterError, match="user='a'"):
        model.predict("a")


@pytest.mark.parametrize("version", [0, 1])
def test_draws_for_arviz(model, monkeypatch, version):
    """Both of its interfaces, of which what is handed over is looked at."""

    def before(posterior=None, *, coords=None, dims=None):
        return posterior, coords, dims

    def since(data, *, coords=None, dims=None):
        return data["posterior"], coords, dims

    monkeypatch.setitem(sys.modules, "arviz", types.SimpleNamespace(from_dict=(before, since)[version]))
    posterior, coords, dims = model.to_arviz(n_samples=50, random_state=1)
    np.testing.assert_array_equal(posterior["utility"][0], model.sample(n_samples=50, random_state=1))
    assert coords == {"item": model.items_} and dims == {"utility": ["item"]}


def test_without_arviz_one_sentence_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(rather.DataError, match="pip install arviz"):
        model.to_arviz()
