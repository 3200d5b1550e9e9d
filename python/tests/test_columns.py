"""Tables as people have them: columns by their usual names, outcomes in every coding, weights, series and arrays of other libraries."""

import datetime

import numpy as np
import pytest

import rather
from rather import PreferenceGP

ARENA = {"model_a": ["x", "y", "x", "z"], "model_b": ["y", "z", "z", "y"], "winner": ["model_a", "model_b", "tie", "tie (bothbad)"], "judge": list("abab")}
PLAIN = {"left": ["x", "y", "x", "z"], "right": ["y", "z", "z", "y"], "outcome": ["left", "right", "tie", "both bad"]}


def learned(y, X=None, **fit):
    return PreferenceGP("white", fixed={"variance": 4.0, "noise": 1.0}).fit(X, y, **fit)


def test_an_arena_needs_no_renaming():
    arena, plain = learned(ARENA), learned(PLAIN)
    assert arena.items_ == plain.items_ == ["x", "y", "z"]
    np.testing.assert_array_equal(arena.predict(), plain.predict())


def test_columns_may_be_named():
    odd = {"First": PLAIN["left"], "Second": PLAIN["right"], "Vote": PLAIN["outcome"], "winner": ["nobody"] * 4}
    found = learned(odd, columns={"left": "First", "right": "Second", "outcome": "Vote"})
    np.testing.assert_array_equal(found.predict(), learned(PLAIN).predict())
    with pytest.raises(rather.DataError, match="there is no column 'Third'"):
        learned(odd, columns={"left": "Third"})
    with pytest.raises(rather.DataError, match="needs a table"):
        learned([("a", "b")], columns={"left": "First"})


def test_a_column_that_is_not_read_names_no_items():
    votes = {"left": ["gpt", "claude"], "right": ["claude", "llama"], "outcome": ["left", "tie"], "winner": ["model_a", "tie"]}
    assert learned(votes).items_ == ["gpt", "claude", "llama"]


def test_the_winner_of_two_sides_is_their_outcome():
    votes = {"left": ["x", "y", "x"], "right": ["y", "z", "z"], "winner": ["left", "right", "tie"]}
    outcome = {"left": votes["left"], "right": votes["right"], "outcome": votes["winner"]}
    assert learned(votes).items_ == ["x", "y", "z"]
    np.testing.assert_array_equal(learned(votes).predict(), learned(outcome).predict())


@pytest.mark.parametrize(
    "outcomes",
    [[1, 0, 0.5, 1], [1, -1, 0, 1], [1, 2, 1.5, 1], [1.0, 2.0, 0.0, 1.0], ["A", "B", "tie", "A"], ["x", "z", "draw", "z"], ["[[A]]", "[[B]]", "[[C]]", "[[A]]"]],
)
def test_every_coding_of_outcomes(outcomes):
    table = {**PLAIN, "outcome": outcomes}
    same = {**PLAIN, "outcome": ["left", "right", "tie", "left"]}
    np.testing.assert_array_equal(learned(table).predict(), learned(same).predict())


def test_truth_values_and_fractions():
    won = {"left": ["x", "y"], "right": ["y", "z"], "outcome": [True, False]}
    np.testing.assert_array_equal(learned(won).predict(), learned([("x", "y"), ("z", "y")]).predict())
    soft = {"left": ["x", "y"], "right": ["y", "z"], "outcome": [0.9, 0.2]}
    shares = {"left": ["x", "y"], "right": ["y", "z"], "probability": [0.9, 0.2]}
    np.testing.assert_array_equal(learned(soft).predict(), learned(shares).predict())
    with pytest.raises(rather.DataError, match="the numbers 3, 7; write 1, 0 and 0.5"):
        learned({**won, "outcome": [3, 7]})


def test_an_item_called_a_is_not_the_left_one():
    votes = {"left": ["B", "C"], "right": ["A", "A"], "outcome": ["A", "A"]}
    assert learned(votes).ranking()[0].item == "A"


def test_weights_count():
    votes = {"winner": ["x", "y"], "loser": ["y", "z"]}
    weighted, counted = learned({**votes, "weight": [2.5, 1.0]}), learned({**votes, "count": [2.5, 1.0]})
    np.testing.assert_array_equal(weighted.predict(), counted.predict())
    assert abs(weighted.predict() - learned(votes).predict()).max() > 0.05


def test_a_matrix_of_wins():
    matrix = np.array([[5, 3, 2], [1, 9, 2.5], [0, 1, 0]])
    votes = {"winner": ["x", "x", "y", "y", "z"], "loser": ["y", "z", "x", "z", "y"], "count": [3, 2, 1, 2.5, 1]}
    np.testing.assert_allclose(learned(rather.wins(matrix, list("xyz"))).predict(), learned(votes).predict(), atol=1e-12)
    pandas = pytest.importorskip("pandas")
    assert rather.wins(pandas.DataFrame(matrix, index=list("xyz")))["winner"] == list("xxyyz")
    assert matrix[0, 0] == 5
    for wrong, sentence in (([[0, 1]], "square"), ([[0, -1], [0, 0]], "negative")):
        with pytest.raises(rather.DataError, match=sentence):
            rather.wins(wrong)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_series_of_scores(library):
    module = pytest.importorskip(library)
    series = {"pandas": lambda x: module.Series(x), "polars": lambda x: module.Series(x), "pyarrow": lambda x: module.array(x)}[library]
    X = [[0.0], [1.0], [2.0], [3.0]]
    expected = PreferenceGP("se").fit(X, [4.0, 3.0, 2.0, 1.0])
    np.testing.assert_array_equal(PreferenceGP("se").fit(X, series([4.0, 3.0, 2.0, 1.0])).predict(), expected.predict())
    one_feature = PreferenceGP("se").fit(series([0.0, 1.0, 2.0, 3.0]), [4.0, 3.0, 2.0, 1.0])
    np.testing.assert_array_equal(one_feature.predict(), expected.predict())


def test_tensors_and_what_can_be_read_once():
    class Tensor:
        """What a tensor has of an array."""

        def __init__(self, values):
            self.values = np.array(values)

        def __array__(self, dtype=None, copy=None):
            return self.values.astype(dtype or self.values.dtype)

        def __iter__(self):
            return iter([Tensor(row) for row in self.values])

    X, pairs = [[0.0], [1.0], [2.0]], [(0, 1), (1, 2)]
    expected = PreferenceGP("se").fit(X, pairs).predict()
    np.testing.assert_array_equal(PreferenceGP("se").fit(Tensor(X), Tensor(pairs)).predict(), expected)
    np.testing.assert_array_equal(learned(zip("ab", "bc")).predict(), learned([("a", "b"), ("b", "c")]).predict())
    np.testing.assert_array_equal(learned(pair for pair in [("a", "b"), ("b", "c")]).predict(), learned([("a", "b"), ("b", "c")]).predict())


def test_a_list_of_names_asks_about_items_that_are_known():
    model = PreferenceGP("se").fit({"x": [0.0, 1.0, 2.0]}, [("a", "b"), ("b", "c")], names=list("abc"))
    np.testing.assert_allclose(model.predict(["c", "a"]), model.predict()[[2, 0]], atol=1e-12)
    assert [place.item for place in model.ranking(["c", "a"])] == ["a", "c"]
    with pytest.raises(rather.RatherError):
        model.predict(["c", "nobody"])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (None, ["ab", "cd"], "comparison 0 .* is the text 'ab'"),
        (None, [("a", None), ("a", "b")], "missing in comparison 0"),
        (None, [("a", "b"), ("a", "")], "missing in comparison 1"),
        (None, [("a", float("nan")), ("a", "b")], "missing in comparison 0"),
        (None, [(["a"], "b")], r"\['a'\] is a list; name items by texts or numbers"),
        (None, [("\ud800", "b")], "no valid Unicode"),
        ([[0.0], [1.0]], [(0, 2**63)], "no item 9223372036854775808"),
        ([[0.0], [1.0]], np.array([[0, 2**64 - 1]], dtype=np.uint64), "no item 18446744073709551615"),
        ([[0.0], [1.0]], np.array([[0.0, np.inf]]), "no item inf"),
        ([[0.0], [1.0]], np.array([[0.0, np.nan]]), "its name is missing"),
        ([[0.0], [1.0]], [(True, False)], "no item True"),
        ({}, [(0, 1)], "there are no items"),
        ([[1e300], [0.0]], [(0, 1)], "is 1e300"),
        ({"x": [0.0, 1.0], "y": [0.0]}, [(0, 1)], "'y' has 1 rows and 'x' has 2"),
        ({"x": ["a", None]}, [(0, 1)], "'x' has no value in row 1"),
        ({"x": [datetime.datetime(2025, 1, 1), datetime.datetime(2025, 1, 2)]}, [(0, 1)], "dates or durations|of type datetime; make it all text or all numbers"),
        ({"x": np.array(["2025-01-01", "2025-01-02"], dtype="datetime64[D]")}, [(0, 1)], "dates or durations"),
    ],
)
def test_what_is_no_comparison_has_its_sentence(X, y, words, recwarn):
    with pytest.raises(rather.DataError, match=words):
        PreferenceGP("auto").fit(X, y)
    assert not [warning for warning in recwarn if issubclass(warning.category, RuntimeWarning)]


def test_columns_that_stand_twice():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame([[0.0, 1.0], [1.0, 0.0]], columns=["x", "x"])
    with pytest.raises(rather.DataError, match="two columns called 'x'"):
        PreferenceGP("se").fit(X, [(0, 1)])
    votes = pandas.DataFrame([["a", "b", "c"]], columns=["winner", "loser", "Winner"])
    with pytest.raises(rather.DataError, match="two columns called 'winner'"):
        PreferenceGP("white").fit(None, votes)
    with pytest.raises(rather.DataError, match="there are no items"):
        PreferenceGP("se").fit(pandas.DataFrame(), [(0, 1)])


def test_a_tensor_of_torch():
    torch = pytest.importorskip("torch")
    X, pairs = torch.tensor([[0.0], [1.0], [2.0]]), torch.tensor([[0, 1], [1, 2]])
    np.testing.assert_array_equal(PreferenceGP("se").fit(X, pairs).predict(), PreferenceGP("se").fit(X.numpy(), pairs.numpy()).predict())


def test_the_summary_tells_which_columns_were_guessed():
    told = {"left": "model_a", "right": "model_b", "outcome": "winner", "user": "judge"}
    for fitted in (learned(ARENA), PreferenceGP("white").fit(rather.Comparisons(None, ARENA)), rather.PopulationGP().fit(None, ARENA)):
        assert fitted.columns_ == told
        assert "model_a: left, model_b: right, winner: outcome, judge: user" in str(fitted.summary())
    odd = {"First": PLAIN["left"], "Second": PLAIN["right"], "Vote": PLAIN["outcome"], "annotator": list("pqpq")}
    named = learned(odd, columns={"left": "First", "right": "Second", "outcome": "Vote"})
    assert named.columns_ == {"user": "annotator"}
    assert learned([PLAIN, ARENA]).columns_ == told
    for plain in (learned(PLAIN), learned([("x", "y")])):
        assert plain.columns_ == {} and "columns" not in str(plain.summary())
