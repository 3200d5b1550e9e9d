"""scikit-learn's own checks of an estimator, with the exemptions and their reasons."""

import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rather import Comparisons, PopulationGP, PreferenceGP

#: What the checks ask for that comparisons cannot give.
EXEMPT = {
    "check_dtype_object": "what is not a number is a name, so there are no targets of an unknown type",
    "check_estimators_empty_data_messages": "items without features are learned from by their names; the message is about the kernel",
    "check_fit2d_1sample": "one item has nothing to be compared with; the message says that there is no comparison",
}

#: With nothing to learn but utilities: the checks are about the interface.
MANY = PopulationGP("per-user", "se", fixed={"lengthscale": 1.0, "variance": 1.0, "noise": 1.0})


@parametrize_with_checks([PreferenceGP("se"), MANY], expected_failed_checks=lambda estimator: EXEMPT)
def test_the_rules_of_estimators(estimator, check):
    check(estimator)


def test_the_exemptions_are_few():
    assert len(EXEMPT) <= 6


@pytest.mark.parametrize("estimator", [PreferenceGP("se"), MANY])
def test_who_learned_from_one_number_an_item_is_not_asked_about_pairs(estimator):
    X, y = np.arange(6.0)[:, None], np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0])
    assert hasattr(estimator, "predict_proba")
    estimator.fit(X, y)
    for again in (estimator, pickle.loads(pickle.dumps(estimator))):
        assert not hasattr(again, "predict_proba")
    with pytest.raises(AttributeError, match=r"about pairs of items.*Comparisons\(X, y\)"):
        estimator.predict_proba([(5, 1)])
    # The same comparisons, as comparisons.
    targets = estimator.predict()
    users = {"users": ["user"] * 5} if estimator is MANY else {}
    estimator.fit(Comparisons(X, y, **users))
    np.testing.assert_array_equal(estimator.predict(), targets)
    asked = {"users": "user"} if estimator is MANY else {}
    assert estimator.predict_proba([(5, 1)], **asked)[0, 0] > 0.5


def test_more_answers_about_pairs_make_it_about_pairs():
    model = PreferenceGP("se").fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    assert not hasattr(model, "predict_proba")
    assert model.update([(2, 0)] * 3).predict_proba([(2, 0)])[0, 0] > 0.5
