"""Bad input has its sentence and its class."""

import pickle

import numpy as np
import pytest

import rather
from rather import PreferenceGP

X = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: PreferenceGP().fit(X, []), rather.DataError, "winner and loser|no comparison"),
        (lambda: PreferenceGP().fit(X, np.empty((0, 2), int)), rather.DataError, "no comparison"),
        (lambda: PreferenceGP().fit(X, [(0, 0)]), rather.DataError, "with itself"),
        (lambda: PreferenceGP().fit(X, [(0, 3)]), rather.UnknownItemError, "item 3"),
        (lambda: PreferenceGP().fit(X, [(0, -1)]), rather.UnknownItemError, "item -1"),
        (lambda: PreferenceGP().fit(X, [("a", "b")]), rather.UnknownItemError, "'a'"),
        (lambda: PreferenceGP().fit(X, [(0, 1, 2)]), rather.DataError, "names 3 items"),
        (lambda: PreferenceGP().fit(X, 7), rather.DataError, "winner and loser"),
        (lambda: PreferenceGP().fit([[np.nan], [1.0]], [(0, 1)]), rather.DataError, "NaN"),
        (lambda: PreferenceGP().fit({"x": [np.inf, 1.0]}, [(0, 1)]), rather.DataError, "row 0.* is inf"),
        (lambda: PreferenceGP().fit({"x": ["a", 1.0]}, [(0, 1)]), rather.FeatureError, "beside text"),
        (lambda: PreferenceGP().fit({"x": [1.0, 2.0]}, {"winner": [0], "loser": [1], "count": [0]}), rather.DataError, "count 0"),
        (lambda: PreferenceGP().fit(X, {"better": [0]}), rather.DataError, "better"),
        (lambda: PreferenceGP().fit(X, {"left": [0], "right": [1], "outcome": ["maybe"]}), rather.DataError, '"maybe"'),
        (lambda: PreferenceGP().fit(X, [(0, 1)], names=["a", "a", "b"]), rather.DataError, "appears twice"),
        (lambda: PreferenceGP().fit(X, [(0, 1)], names=["a"]), rather.DataError, "1 names for 3"),
        (lambda: PreferenceGP("nosuch").fit(X, [(0, 1)]), rather.KernelError, "nosuch"),
        (lambda: PreferenceGP("se +").fit(X, [(0, 1)]), rather.KernelError, "character"),
        (lambda: PreferenceGP("se[z]").fit(X, [(0, 1)]), rather.FeatureError, "z"),
        (lambda: PreferenceGP("se", fixed={"size": 1.0}).fit(X, [(0, 1)]), rather.HyperparameterError, "size"),
        (lambda: PreferenceGP("se", fixed={"noise": -1.0}).fit(X, [(0, 1)]), rather.HyperparameterError, "positive"),
        (lambda: PreferenceGP(inference="guess").fit(X, [(0, 1)]), rather.ParameterError, "guess"),
        (lambda: PreferenceGP(tolerance=2.0).fit(X, [(0, 1)]), rather.ParameterError, "tolerance"),
        (lambda: PreferenceGP.load("/nowhere/at/all"), rather.ModelFileError, "does not exist"),
        (lambda: PreferenceGP("se").fit(X, [(0, 1)]).predict({"x0": [1.0]}), rather.FeatureError, "x1"),
    ],
)
def test_bad_input_has_its_sentence(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, rather.RatherError)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_a_damaged_pickle_is_an_error():
    model = PreferenceGP("white").fit(None, [("a", "b")])
    content = bytearray(pickle.dumps(model))
    at = content.rfind(b"hyperparameters")
    content[at : at + 5] = b"under"
    with pytest.raises(rather.ModelFileError):
        pickle.loads(bytes(content))


@pytest.mark.parametrize("seed", range(200))
def test_random_input_is_learned_from_or_refused(seed):
    """Whatever the numbers are, a fit ends with finite utilities or with an error of this package."""
    rng = np.random.default_rng(seed)
    items = int(rng.integers(1, 6))
    numbers = rng.choice([0.0, 1.0, -1.0, 1e-300, 1e149, 1e200, np.nan, np.inf, 3.5], size=(items, int(rng.integers(1, 3))))
    if rng.random() < 0.5:
        numbers = rng.choice([0.0, 1.0, 1e-300, -1e10, 1e149, 3.5], size=numbers.shape)
    pairs = rng.integers(-1 if rng.random() < 0.2 else 0, items + int(rng.random() < 0.2), size=(int(rng.integers(0, 9)), 2))
    try:
        mean, sd = PreferenceGP("se").fit(numbers, pairs).predict(return_std=True)
    except rather.RatherError as error:
        assert str(error)
    else:
        assert np.all(np.isfinite(mean)) and np.all(np.isfinite(sd))
