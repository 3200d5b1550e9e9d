"""The same items and comparisons in every form give the same model."""

import warnings

import numpy as np
import pytest

import rather
from rather import PreferenceGP

PRICE = [1.0, 2.0, 3.0, 5.0]
KIND = ["black", "green", "black", "green"]
TEAS = ["Assam", "Oolong", "Pu-erh", "Sencha"]
VOTES = [("Assam", "Oolong"), ("Oolong", "Pu-erh"), ("Assam", "Sencha"), ("Pu-erh", "Sencha")]
ROWS = [(0, 1), (1, 2), (0, 3), (2, 3)]


def fit(X, comparisons, **fit):
    return PreferenceGP("se[price] + categorical[kind]").fit(X, comparisons, **fit)


@pytest.fixture(scope="module")
def expected():
    return fit({"price": np.array(PRICE), "kind": KIND}, ROWS).predict()


def test_dicts_with_names(expected):
    columns = {"tea": TEAS, "price": PRICE, "kind": KIND}
    np.testing.assert_array_equal(fit(columns, VOTES, names="tea").predict(), expected)
    np.testing.assert_array_equal(fit({"price": PRICE, "kind": KIND}, VOTES, names=TEAS).predict(), expected)


@pytest.mark.parametrize("votes", ["list", "array", "winner", "left"])
def test_pandas(expected, votes):
    pandas = pytest.importorskip("pandas")
    items = pandas.DataFrame({"price": PRICE, "kind": KIND}, index=TEAS)
    frame = pandas.DataFrame(VOTES, columns=["winner", "loser"])
    left = pandas.DataFrame({"left": frame.loser, "right": frame.winner, "outcome": "right"})
    given = {"list": VOTES, "array": np.array(VOTES, dtype=object), "winner": frame, "left": left}[votes]
    model = fit(items, given)
    np.testing.assert_array_equal(model.predict(), expected)
    assert model.items_ == TEAS
    some = items.loc[["Sencha", "Assam"]]
    np.testing.assert_allclose(model.predict(some), expected[[3, 0]], rtol=1e-12)
    assert model.predict_proba(pandas.DataFrame({"left": ["Assam"], "right": ["Sencha"]}))[0, 0] > 0.5


def test_polars(expected):
    polars = pytest.importorskip("polars")
    items = polars.DataFrame({"tea": TEAS, "price": PRICE, "kind": KIND})
    votes = polars.DataFrame(VOTES, schema=["winner", "loser"], orient="row")
    np.testing.assert_array_equal(fit(items, votes, names="tea").predict(), expected)


def test_pyarrow(expected):
    pyarrow = pytest.importorskip("pyarrow")
    items = pyarrow.table({"tea": TEAS, "price": PRICE, "kind": KIND})
    votes = pyarrow.table({"winner": [w for w, _ in VOTES], "loser": [l for _, l in VOTES]})
    np.testing.assert_array_equal(fit(items, votes, names="tea").predict(), expected)


def test_anything_with_an_arrow_stream(expected):
    polars = pytest.importorskip("polars")

    class Table:
        def __init__(self, frame):
            self.frame = frame

        def __arrow_c_stream__(self, requested_schema=None):
            return self.frame.__arrow_c_stream__(requested_schema)

    items = Table(polars.DataFrame({"tea": TEAS, "price": PRICE, "kind": KIND}))
    np.testing.assert_array_equal(fit(items, VOTES, names="tea").predict(), expected)


def test_pandas_names_are_the_index_even_if_they_are_numbers():
    pandas = pytest.importorskip("pandas")
    items = pandas.DataFrame({"x": [0.0, 1.0, 2.0]}, index=[10, 20, 30])
    model = PreferenceGP("se").fit(items, [(30, 20), (20, 10), (30, 10)])
    assert [place.item for place in model.ranking()] == [30, 20, 10]


def test_a_data_frame_without_columns_names_items_that_are_known():
    pandas = pytest.importorskip("pandas")
    model = fit({"price": PRICE, "kind": KIND}, ROWS, names=TEAS)
    known = pandas.DataFrame(index=[TEAS[2], TEAS[0]])
    np.testing.assert_allclose(model.predict(known), model.predict()[[2, 0]], atol=1e-12)
    with pytest.raises(rather.RatherError):
        model.predict(pandas.DataFrame(index=["nobody"]))


def test_names_only():
    model = PreferenceGP("white").fit(None, VOTES)
    assert sorted(model.items_) == TEAS
    assert model.predict_proba([("Assam", "Sencha")])[0, 0] > 0.5


def test_comparisons_stay_as_they_were():
    rows = np.array(ROWS)
    before = rows.copy()
    fit({"price": PRICE, "kind": KIND}, rows)
    np.testing.assert_array_equal(rows, before)


def forms():
    """One column with names in every way that a library holds them."""
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    arrow = pyarrow.array(LONG)
    # With a name that no entry says, and in two pieces.
    dictionary = pyarrow.DictionaryArray.from_arrays(pyarrow.array([TEAS.index(n) + 1 for n in LONG]), pyarrow.array(["", *TEAS]))
    return {
        "list": LONG,
        "numpy": np.array(LONG),
        "numpy objects": np.array(LONG, dtype=object),
        "pandas": pandas.Series(LONG),
        "pandas objects": pandas.Series(LONG, dtype=object),
        "pandas categories": pandas.Series(LONG).astype(pandas.CategoricalDtype(["", *TEAS])),
        "polars": polars.Series(LONG),
        "polars categories": polars.Series(LONG).cast(polars.Categorical),
        "polars enum": polars.Series(LONG).cast(polars.Enum(["", *TEAS])),
        "pyarrow": arrow,
        "pyarrow chunks": pyarrow.chunked_array([arrow[:3], arrow[3:]]),
        "pyarrow dictionary": dictionary,
    }


LONG = ["Sencha", "Oolong", "Sencha", "Assam", "Pu-erh", "Assam"]
OTHERS = ["Oolong", "Assam", "Pu-erh", "Pu-erh", "Sencha", "Oolong"]
FORMS = [
    "list", "numpy", "numpy objects", "pandas", "pandas objects", "pandas categories", "polars", "polars categories",
    "polars enum", "pyarrow", "pyarrow chunks", "pyarrow dictionary",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_names_are_found_however_they_are_held(form):
    from rather._pairs import named_in
    from rather._tables import Labels

    column = forms()[form]
    np.testing.assert_array_equal(Labels(TEAS).rows(column), [TEAS.index(name) for name in LONG])
    expected = named_in({"winner": LONG, "loser": OTHERS})
    assert expected == ["Sencha", "Oolong", "Assam", "Pu-erh"]
    assert named_in({"winner": column, "loser": column}) == expected
    with pytest.raises(rather.UnknownItemError, match="no item 'Pu-erh'"):
        Labels([tea for tea in TEAS if tea != "Pu-erh"]).rows(column)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_missing_names_and_wrong_outcomes_are_said(library):
    module = pytest.importorskip(library)
    table = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    items = {"price": PRICE, "kind": KIND}
    with pytest.raises(rather.UnknownItemError, match="its name is missing"):
        fit(items, getattr(module, table)({"winner": ["Assam", None], "loser": ["Oolong", "Assam"]}), names=TEAS)
    duels = {"left": ["Assam", "Oolong"], "right": ["Sencha", "Assam"]}
    for outcome, said in ((["left", "perhaps"], '"perhaps"'), (["left", None], "missing")):
        with pytest.raises(rather.DataError, match=rf"comparison 1 .* is {said}; write left, right or tie"):
            fit(items, getattr(module, table)({**duels, "outcome": outcome}), names=TEAS)


def test_a_category_that_is_new_is_warned_of():
    model = fit({"price": PRICE, "kind": KIND}, ROWS)
    with pytest.warns(UserWarning, match="the category 'white' of 'kind' was not among those learned from"):
        model.predict({"price": [1.0, 2.0], "kind": ["black", "white"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict({"price": [1.0], "kind": ["black"]})


def test_rows_of_a_data_frame_without_names_are_new_items():
    """Its index 0, 1, ... is pandas' own: rows with other features are other items, as those of an array are."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
    model = PreferenceGP("se + white", fixed={"noise": 1.0}).fit(X, [(0, 1), (1, 2), (2, 3)] * 3)
    other = X + 0.25
    for found, expected in zip(model.predict(other, return_std=True), model.predict(other.set_axis(list("abcd")), return_std=True)):
        np.testing.assert_array_equal(found, expected)
    with pytest.warns(UserWarning, match="item 0 has x = 0.25 and was learned from with 0"):
        named = model.predict(other, names=range(4), return_std=True)
    assert np.all(named[1] < model.predict(other, return_std=True)[1])
    for frame in (X, X[:2]):
        for found, expected in zip(model.predict(frame, return_std=True), model.predict(return_std=True)):
            np.testing.assert_allclose(found, expected[: len(frame)], atol=1e-12)


def test_a_known_name_with_other_features_warns():
    pandas = pytest.importorskip("pandas")
    items = pandas.DataFrame({"price": [1.0, 2.0, 3.0], "kind": ["a", "b", "a"]}, index=["p", "q", "r"])
    votes = [("p", "q"), ("q", "r"), ("r", "p"), ("p", "r")]
    model = PreferenceGP("se[price] + white", fixed={"noise": 1.0}).fit(items, votes)
    with pytest.warns(UserWarning, match="'q' has price = 9 and was learned from with 2"):
        model.predict(items.assign(price=[1.0, 9.0, 3.0]))
    with pytest.warns(UserWarning, match="'r' has kind = 'b' and was learned from with 'a'"):
        model.ranking(items.assign(kind=["a", "b", "b"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(items)
        model.predict(items.assign(price=[4.0, 5.0, 6.0]).set_axis(["s", "t", "u"]))
        # Where the features alone count, it does not matter what an item is called.
        PreferenceGP("se", fixed={"noise": 1.0}).fit(items, votes).predict(items.assign(price=[4.0, 5.0, 6.0]))
