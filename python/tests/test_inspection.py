"""What features do: relevance and partial dependence, each beside a second route."""

import warnings

import numpy as np
import pytest

import rather
from rather import PopulationGP, PreferenceGP
from rather.inspection import partial_dependence, relevance

KINDS = ["a", "b", "a", "c", "b", "a", "c", "b"]


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    return {"price": rng.uniform(1.0, 9.0, 8), "size": rng.normal(size=8), "kind": KINDS}


@pytest.fixture(scope="module")
def votes(items):
    rng = np.random.default_rng(1)
    utility = -items["price"] + 0.5 * items["size"]
    pairs = [(i, j) for i in range(8) for j in range(i)]
    return [(i, j) if utility[i] - utility[j] + rng.normal() > 0 else (j, i) for i, j in pairs]


def placed(items, name, value, rows=slice(None)):
    """The items with one value of a feature."""
    columns = {key: np.asarray(column)[rows] for key, column in items.items()}
    columns = {key: column.tolist() if key == "kind" else column for key, column in columns.items()}
    return {**columns, name: [value] * len(columns["price"])}


@pytest.mark.parametrize("how", ["maximise", "integrate"])
def test_partial_dependence_is_an_average_of_the_joint(items, votes, how):
    model = PreferenceGP("matern52[price, size] + categorical[kind]", hyperparameters=how).fit(items, votes)
    found = partial_dependence(model, "price", n_values=7)
    assert found.values == pytest.approx(np.linspace(items["price"].min(), items["price"].max(), 7))
    rng = np.random.default_rng(2)
    for value, mean, sd in zip(found.values, found.mean, found.sd):
        average, covariance = model.predict(placed(items, "price", value), return_cov=True)
        assert mean == pytest.approx(average.mean(), abs=1e-9)
        assert sd == pytest.approx(np.sqrt(covariance.mean()), rel=1e-6)
        # Of 20,000 draws a mean has a standard error of 0.7 % of a deviation, and a deviation of half a per cent: five times as much.
        draws = rng.multivariate_normal(average, covariance, size=20_000).mean(axis=1)
        assert draws.mean() == pytest.approx(mean, abs=0.035 * sd) and draws.std() == pytest.approx(sd, rel=0.03)
    assert np.all(np.diff(found.mean) < 0.0)
    np.testing.assert_allclose(found.high - found.low, 2 * 1.959963984540054 * found.sd)


def test_partial_dependence_over_some_items_at_some_values(items, votes):
    model = PreferenceGP("se[price, size] + categorical[kind]", hyperparameters="maximise").fit(items, votes)
    some = placed(items, "size", 0.0, slice(0, 3))
    found = partial_dependence(model, "Kind ", some, values=["c", "a"])
    assert found.feature == "kind" and found.values == ["c", "a"]
    for value, mean in zip(found.values, found.mean):
        assert mean == pytest.approx(model.predict({**some, "kind": [value] * 3}).mean(), abs=1e-9)
    assert partial_dependence(model, "kind").values == ["a", "b", "c"]
    assert len(partial_dependence(model, "size", max_items=3, n_values=2).mean) == 2
    frame = pytest.importorskip("pandas") and found.to_frame()
    assert list(frame.columns) == ["value", "mean", "sd", "low", "high"]


def test_the_effect_of_a_name_stays_with_its_item(items, votes):
    """Averaged over the compared items, it is taken off again: nothing is left of it but what the features do."""
    fixed = {"se.variance": 2.0, "lengthscale": 1.0, "white.variance": 3.0, "noise": 1.0}
    named = PreferenceGP("se[price] + white", fixed=fixed).fit(items, votes)
    found = partial_dependence(named, "price", values=[5.0])
    table = placed(items, "price", 5.0)
    with pytest.warns(UserWarning, match="with the effect of"):
        mean, covariance = named.predict(table, names=list(range(8)), return_cov=True)
    assert found.mean[0] == pytest.approx(mean.mean(), abs=1e-9) and found.sd[0] == pytest.approx(np.sqrt(covariance.mean()), rel=1e-6)
    with warnings.catch_warnings():
        # Rows without names are new items.
        warnings.simplefilter("error")
        new = named.predict(table, return_cov=True)[1]
    assert found.sd[0] < np.sqrt(new.mean())


def test_one_of_many_users_is_inspected(items, votes):
    kernel, fixed = "se[price, size]", {"lengthscale": 3.0, "variance": 2.0}
    users = ["ann"] * len(votes) + ["bob"] * len(votes)
    both = [*votes, *((loser, winner) for winner, loser in votes)]
    population = PopulationGP("per-user", kernel, fixed=fixed, raw_features=True).fit(items, both, users=users)
    ann, bob = (partial_dependence(population.user(name), "price", n_values=5) for name in ("ann", "bob"))
    assert ann.mean[0] > ann.mean[-1] and bob.mean[0] < bob.mean[-1]
    mean, covariance = population.predict(placed(items, "price", ann.values[2]), user="ann", return_cov=True)
    assert ann.mean[2] == pytest.approx(mean.mean(), abs=1e-9) and ann.sd[2] == pytest.approx(np.sqrt(covariance.mean()), rel=1e-6)
    rows = relevance(population.user("ann"))
    assert rows[0].low is None and "one of many users" in rows.note
    with pytest.raises(rather.ParameterError, match=r"population.user\('ann'\)"):
        partial_dependence(population, "price")


def test_missing_numbers_are_not_missing_where_they_are_given(votes):
    price = [1.0, 2.0, np.nan, 4.0, 5.0, np.nan, 7.0, 8.0]
    items = {"price": np.where(np.isnan(price), 4.5, price), "size": np.arange(8.0)}
    model = PreferenceGP("se").fit(items, votes)
    assert len(partial_dependence(model, "price", n_values=4).mean) == 4


@pytest.mark.parametrize(
    ("feature", "asked", "error", "words"),
    [
        ("colour", {}, rather.FeatureError, "price, size, kind"),
        ("kind", {"values": ["z"]}, rather.FeatureError, 'no category "z"; the categories are a, b, c'),
        ("kind", {"values": [1.0]}, rather.FeatureError, "categories"),
        ("price", {"values": ["a"]}, rather.FeatureError, "numbers"),
        ("price", {"values": []}, rather.ParameterError, "values has no entry"),
        ("price", {"n_values": 1}, rather.ParameterError, "n_values=1 must be a whole number from 2"),
        ("price", {"max_items": 0}, rather.ParameterError, "max_items=0"),
    ],
)
def test_wrong_questions_have_their_sentence(items, votes, feature, asked, error, words):
    model = PreferenceGP("se").fit(items, votes)
    with pytest.raises(error, match=words):
        partial_dependence(model, feature, **asked)


def test_what_has_no_answer_says_so(items, votes):
    with pytest.raises(rather.NotFittedError):
        relevance(PreferenceGP("se"))
    with pytest.raises(rather.ParameterError, match="int is no model of one person"):
        relevance(3)
    names = PreferenceGP("white").fit(None, votes)
    assert len(relevance(names)) == 0 and "no lengthscales" in repr(relevance(names))
    with pytest.raises(rather.FeatureError):
        partial_dependence(names, "price")


def test_relevances_have_intervals(items, votes):
    for how in ("maximise", "integrate"):
        model = PreferenceGP("se[price, size]", ard=True, hyperparameters=how).fit(items, votes)
        rows = relevance(model)
        assert [row.feature for row in rows][0] == "price" and rows.note == "Intervals of 95 %, from the posterior of the hyperparameters."
        for row in rows:
            assert 0.0 < row.low < row.relevance < row.high
            assert row.lengthscale == pytest.approx(model.hyperparameters_[f"lengthscale[{row.feature}]"])
            spread = row.lengthscale * row.relevance
            assert spread == pytest.approx(np.std(items[row.feature]))
            assert (row.low * row.lengthscale_high, row.high * row.lengthscale_low) == pytest.approx((spread, spread))
    assert "95 % interval" in repr(rows) and rows[:1] == rows.rows[:1]
    assert list(rows.to_dict()) == list(rather.inspection.Relevance._fields)


def test_what_is_known_as_a_point_has_no_interval(items, votes):
    points = [
        {"fixed": {"lengthscale": 1.0}},
        {"fixed": {"lengthscale": 1.0, "variance": 2.0, "noise": 1.0}},
        {"representation": "low-rank", "n_inducing": 4},
        {"inference": "exact", "samples": 200},
        {"inference": "streaming"},
    ]
    for parameters in points:
        rows = relevance(PreferenceGP("se[price]", **parameters).fit(items, votes))
        assert rows[0].low is None and rows[0].lengthscale_high is None and rows[0].relevance > 0.0
        assert rows.note.startswith("Without an interval a lengthscale is a point") and "not known" in repr(rows)


def test_intervals_hold_the_lengthscale_that_answers_come_from():
    """Of 20 worlds with a lengthscale of 1.5, drawn from its prior: intervals of 95 % miss it in at most 4 (a chance below 0.003 if they are right)."""
    inside, widths = 0, []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = np.sort(rng.uniform(0.0, 10.0, 30))
        cov = 4.0 * np.exp(-0.5 * ((x[:, None] - x) / 1.5) ** 2) + 1e-9 * np.eye(30)
        utility = np.linalg.cholesky(cov) @ rng.normal(size=30)
        pairs = rng.integers(0, 30, (150, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        first = utility[pairs[:, 0]] - utility[pairs[:, 1]] + np.sqrt(2.0) * rng.normal(size=len(pairs)) > 0
        row = relevance(PreferenceGP("se").fit(x[:, None], np.where(first[:, None], pairs, pairs[:, ::-1])))[0]
        inside += row.lengthscale_low < 1.5 < row.lengthscale_high
        widths.append(np.log(row.lengthscale_high / row.lengthscale_low))
    assert inside >= 16 and np.median(widths) < 2.0, (inside, widths)


def test_curves_are_drawn(items, votes):
    model = PreferenceGP("se").fit(items, votes)
    found = partial_dependence(model, "price", n_values=12)
    assert found.plot(title="Price")._repr_svg_().startswith("<svg")
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.figure import Figure

    ax = found.plot(ax=Figure().subplots(), title="Price")
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.mean)
    assert ax.get_title() == "Price" and ax.get_xlabel() == "price"
    levels = partial_dependence(model, "kind").plot(ax=Figure().subplots())
    assert [label.get_text() for label in levels.get_xticklabels()] == ["a", "b", "c"]
