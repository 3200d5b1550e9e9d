"""scikit-learn's own checks of an estimator, with the exemptions and their reasons."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rather import PopulationGP, PreferenceGP

#: What the checks ask for that comparisons cannot give.
EXEMPT = {
    "check_dtype_object": "what is not a number is a name, so there are no targets of an unknown type",
    "check_estimators_empty_data_messages": "items without features are learned from by their names; the message is about the kernel",
    "check_fit2d_1sample": "one item has nothing to be compared with; the message says that there is no comparison",
}

#: These call predict_proba with items.
OF_PAIRS = dict.fromkeys(
    [
        "check_n_features_in_after_fitting",
        "check_estimators_dtypes",
        "check_estimators_pickle",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_dict_unchanged",
        "check_fit_idempotent",
        "check_fit2d_predict1d",
    ],
    "predict_proba asks about pairs of items, not about items",
)


class Utilities(PreferenceGP):
    """Without predict_proba, so that what OF_PAIRS exempts is checked of everything else."""

    @property
    def predict_proba(self):
        raise AttributeError("hidden from the checks")


class UtilitiesOfUsers(PopulationGP):
    """As `Utilities`: a population of one user."""

    @property
    def predict_proba(self):
        raise AttributeError("hidden from the checks")


def exempt(estimator):
    return EXEMPT if isinstance(estimator, (Utilities, UtilitiesOfUsers)) else {**EXEMPT, **OF_PAIRS}


#: With nothing to learn but utilities: the checks are about the interface.
MANY = UtilitiesOfUsers("per-user", "se", fixed={"lengthscale": 1.0, "variance": 1.0, "noise": 1.0})


@parametrize_with_checks([PreferenceGP("se"), Utilities("se"), MANY], expected_failed_checks=exempt)
def test_the_rules_of_estimators(estimator, check):
    check(estimator)


def test_the_exemptions_are_few():
    assert len(EXEMPT) <= 6
