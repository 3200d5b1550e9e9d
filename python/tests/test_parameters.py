"""Parameters that cannot be used are refused with one sentence, and those that are random follow the rules of scikit-learn."""

import warnings

import numpy as np
import pytest

import rather
from rather import PopulationGP, PreferenceGP

VOTES = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "a")]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_inducing": -1}, "n_inducing=-1 must be None or a whole number from 1"),
        ({"n_inducing": 1.5}, "n_inducing=1.5"),
        ({"memory": "1GB"}, "memory='1GB' must be None or a number of bytes"),
        ({"ard": "yes"}, "ard='yes' must be True or False"),
        ({"kernel": None}, "kernel=None must be a text"),
        ({"kernel": object}, "kernel=<class 'object'> must be a text"),
        ({"lapse": [1]}, r"lapse=\[1\] must be None, a rate"),
        ({"fixed": [1]}, r"fixed=\[1\] must be a dict"),
        ({"fixed": {"noise": "a"}}, r"fixed\['noise'\] is 'a'; it must be a positive number"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": 2**64}, "random_state=18446744073709551616"),
        ({"random_state": 1.5}, "random_state=1.5"),
        ({"half_life": "long"}, "half_life='long' must be None or a number"),
        ({"user_noise": True}, "user_noise=True needs to know who gave each answer"),
        ({"lapse": "by_user"}, 'lapse="by_user" needs to know who gave each answer'),
        ({"bias": True}, "bias=True needs to know which item was on the left"),
    ],
)
def test_no_parameter_is_ignored_or_ends_in_another_language(parameters, words):
    for y in (VOTES, rather.Comparisons(None, VOTES)):
        with pytest.raises(rather.ParameterError, match=words):
            PreferenceGP(**{"kernel": "white", **parameters}).fit(y if isinstance(y, rather.Comparisons) else None, None if isinstance(y, rather.Comparisons) else y)


def test_arguments_that_are_counts():
    model = PreferenceGP("white").fit(None, VOTES)
    calls = [lambda: model.sample(n_samples=-1), lambda: model.suggest(n=-1), lambda: model.suggest(n=1.5), lambda: model.check(samples=0)]
    for call in calls:
        with pytest.raises(rather.ParameterError, match="must be a whole number from 1"):
            call()
    with pytest.raises(rather.ParameterError, match="n_functions=0"):
        PopulationGP(n_functions=0).fit(None, VOTES, users=list("aabb"))


def test_a_random_state_is_a_number_or_a_generator():
    model = PreferenceGP("white").fit(None, VOTES)
    assert not np.array_equal(model.sample(), model.sample())
    np.testing.assert_array_equal(model.sample(random_state=3), model.sample(random_state=np.int64(3)))
    for make in (np.random.RandomState, np.random.default_rng):
        np.testing.assert_array_equal(model.sample(random_state=make(7)), model.sample(random_state=make(7)))
        generator = make(7)
        assert not np.array_equal(model.sample(random_state=generator), model.sample(random_state=generator))
        exact = [PreferenceGP("white", inference="exact", samples=50, random_state=make(7)).fit(None, VOTES).predict() for _ in range(2)]
        np.testing.assert_array_equal(*exact)


def test_the_chosen_kernel_is_the_same_kernel_again(world):
    chosen = PreferenceGP("se", ard=True, hyperparameters="maximise").fit(world.X, world.duels)
    assert chosen.ard_ and not PreferenceGP("se").fit(world.X, world.duels).ard_
    again = PreferenceGP(chosen.kernel_, ard=chosen.ard_, fixed=chosen.hyperparameters_, hyperparameters="maximise").fit(world.X, world.duels)
    assert again.log_evidence_ == pytest.approx(chosen.log_evidence_, abs=1e-6)
    tried = PreferenceGP("auto").fit(world.X, world.duels)
    assert {"white", "se"} <= {line["kernel"] for line in tried.kernels_} and tried.seconds_ > 0.0
    assert max(tried.kernels_, key=lambda line: line["score"])["log_evidence"] == pytest.approx(tried.log_evidence_, abs=1e-3)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (None, [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")], "2 groups of items never compared"),
        (None, [("a", "b"), ("b", "c")], "the data are separable"),
        ({"x": [0.0, 1.0, 2.0], "z": [3.0, 3.0, 3.0]}, [(0, 1), (1, 0), (1, 2)], '"z" is 3 for every item'),
    ],
)
def test_what_matters_for_the_numbers_is_a_warning(X, y, words):
    with pytest.warns(rather.FitWarning, match=words) as caught:
        model = PreferenceGP("white" if X is None else "se").fit(X, y)
    assert any(words in notice for notice in model.notices_)
    assert all(warning.filename == __file__ for warning in caught)


def test_nothing_is_warned_of_without_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PreferenceGP("white").fit(None, [*VOTES, ("c", "b")])


def test_nested_parameters_and_the_representation():
    outer = rather.OnItems(PreferenceGP("se"))
    assert outer.get_params()["transformer__kernel"] == "se"
    assert outer.set_params(transformer__kernel="white").transformer.kernel == "white"
    assert repr(PreferenceGP("se", ard=True)) == "PreferenceGP(kernel='se', ard=True)" and repr(PreferenceGP()) == "PreferenceGP()"
    with pytest.raises(rather.ParameterError, match="Invalid parameter 'kernels'"):
        PreferenceGP().set_params(kernels="se")
