"""BoTorch's acquisition functions on our posterior, against its own PairwiseGP, our own functions, and differences."""

import copy
import io
import itertools
import pickle

import numpy as np
import pytest

import rather
from rather import PreferenceGP

torch = pytest.importorskip("torch")
pytest.importorskip("botorch")

from botorch.acquisition.logei import qLogNoisyExpectedImprovement  # noqa: E402
from botorch.acquisition.objective import ScalarizedPosteriorTransform  # noqa: E402
from botorch.acquisition.preference import (  # noqa: E402
    AnalyticExpectedUtilityOfBestOption,
    PairwiseBayesianActiveLearningByDisagreement,
    qExpectedUtilityOfBestOption,
)
from botorch.models.pairwise_gp import PairwiseGP  # noqa: E402
from botorch.optim import optimize_acqf, optimize_acqf_mixed  # noqa: E402
from gpytorch.kernels import RBFKernel, ScaleKernel  # noqa: E402

from rather.botorch import PreferenceModel  # noqa: E402

#: Features of very different units, so that a chain rule forgotten would be seen.
UNITS = np.array([10.0, 0.1])
BOUNDS = torch.tensor([[0.0, 0.0], UNITS.tolist()], dtype=torch.float64)


def utility(X):
    return -(np.abs(X / UNITS - [0.6, 0.3]) ** 2).sum(axis=-1)


def learned(n=20, duels=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2)) * UNITS
    u = utility(X)
    pairs = [(i, j) if u[i] > u[j] else (j, i) for i, j in rng.choice(n, (duels, 2)) if i != j]
    return X, np.array(pairs)


@pytest.fixture(scope="module")
def estimator():
    # At one setting of the hyperparameters, as BoTorch's posterior is.
    return PreferenceGP("se", ard=True, hyperparameters="maximise").fit(*learned())


@pytest.fixture(scope="module")
def model(estimator):
    return PreferenceModel(estimator)


def settings(*shape, seed=1):
    return torch.tensor(np.random.default_rng(seed).uniform(size=(*shape, 2)) * UNITS)


def test_the_posterior_is_the_estimators(estimator, model):
    X = settings(5)
    posterior = model.posterior(X)
    np.testing.assert_allclose(posterior.covariance_matrix, estimator.covariance(X.numpy()), rtol=1e-12, atol=1e-12)
    mean = posterior.mean.squeeze(-1).numpy()
    np.testing.assert_allclose(mean, estimator.model_.mean(rather._tables.items(X.numpy())[0]), rtol=1e-12)
    # `predict` differs by a constant, the average over the compared items.
    assert np.ptp(mean - estimator.predict(X.numpy())) < 1e-9
    assert posterior._is_mt is False and model.num_outputs == 1 and model.batch_shape == torch.Size()


def test_batches_are_many_posteriors(model):
    X = settings(3, 4, 2)
    posterior = model.posterior(X)
    assert posterior.mean.shape == (3, 4, 2, 1) and posterior.covariance_matrix.shape == (3, 4, 2, 2)
    for i, j in itertools.product(range(3), range(4)):
        one = model.posterior(X[i, j])
        assert torch.equal(one.mean, posterior.mean[i, j])
        assert torch.equal(one.covariance_matrix, posterior.covariance_matrix[i, j])
    assert posterior.rsample(torch.Size([7])).shape == (7, 3, 4, 2, 1)


@pytest.mark.parametrize("kernel", ["se", "matern52", "linear + se", "rq * se[x0]"])
@pytest.mark.parametrize("inference", ["ep", "laplace", "exact", "streaming", "low-rank"])
def test_gradients(kernel, inference):
    how = {"representation": "low-rank", "n_inducing": 4} if inference == "low-rank" else {"inference": inference}
    if inference == "exact":
        how["samples"] = 200
    estimator = PreferenceGP(kernel, **how).fit(*learned(n=8, duels=12))
    model = PreferenceModel(estimator)

    # In the unit cube, where one step of the differences suits both features.
    def moments(Z):
        posterior = model.posterior(Z * torch.tensor(UNITS))
        return posterior.mean, posterior.covariance_matrix

    Z = (settings(2, 3) / torch.tensor(UNITS)).requires_grad_()
    scale = moments(Z)[1].abs().max().item()
    # Rounding over the step, 1e-14 scale / 1e-5, and the step's square times a third derivative.
    assert torch.autograd.gradcheck(moments, (Z,), eps=1e-5, atol=1e-6 * (1.0 + scale), rtol=1e-5)


def test_second_derivatives_are_refused(model):
    X = model.datapoints[:2].clone()
    with pytest.raises(NotImplementedError, match="first derivatives only"):
        torch.autograd.functional.hessian(lambda x: model.posterior(x).mean.sum(), X)


def test_observed_utilities_condition_the_posterior(model):
    seen, asked = model.datapoints[:2] + 0.05, model.datapoints[2:5]
    Y = torch.tensor([[[1.0], [-2.0]], [[0.0], [3.0]]], dtype=torch.float64)
    exact = model.condition_on_observations(seen, Y, noise=torch.full_like(Y, 1e-10))
    np.testing.assert_allclose(exact.posterior(seen).mean.numpy(), Y.numpy(), atol=1e-4)
    # The second route: one block of the joint Gaussian given the other.
    joint = model.posterior(torch.cat([asked, seen])).distribution
    noisy = model.condition_on_observations(seen, Y[0])
    K = joint.covariance_matrix
    gain = K[:3, 3:] @ torch.linalg.inv(K[3:, 3:] + model._learned.noise**2 * torch.eye(2, dtype=torch.float64))
    found = noisy.posterior(asked)
    torch.testing.assert_close(found.mean.squeeze(-1), joint.mean[:3] + gain @ (Y[0].squeeze(-1) - joint.mean[3:]))
    torch.testing.assert_close(found.distribution.covariance_matrix, K[:3, :3] - gain @ K[3:, :3])
    assert model.subset_output([0]) is model
    with pytest.raises(rather.ParameterError, match="one utility"):
        model.subset_output([1])


def test_the_knowledge_gradient_looks_ahead(model):
    from botorch.acquisition import qKnowledgeGradient

    value = qKnowledgeGradient(model, num_fantasies=4)
    lower, upper = model.datapoints.min(dim=0).values, model.datapoints.max(dim=0).values
    X = (lower + (upper - lower) * torch.rand(2, 1 + 4, len(lower), generator=torch.Generator().manual_seed(0), dtype=torch.float64)).requires_grad_()
    found = value(X)
    assert found.shape == (2,) and torch.isfinite(found).all()
    (gradient,) = torch.autograd.grad(found.sum(), X)
    step = torch.zeros_like(X)
    step[0, 0, 0] = 1e-5
    with torch.no_grad():
        slope = (value(X + step) - value(X - step))[0] / 2e-5
    assert float(gradient[0, 0, 0]) == pytest.approx(float(slope), rel=1e-4, abs=1e-7)


def test_float_is_computed_as_double(model):
    X = settings(4, 2)
    posterior = model.posterior(X.float())
    assert posterior.mean.dtype == torch.float32
    # Seven digits of float, of utilities and features.
    np.testing.assert_allclose(posterior.mean, model.posterior(X).mean, rtol=1e-4, atol=1e-4)


def test_noise_and_transforms(model):
    X = settings(4, 2)
    silent, noisy = model.posterior(X), model.posterior(X, observation_noise=True)
    # An item's noise is the unit of utility.
    np.testing.assert_allclose(noisy.variance - silent.variance, 1.0, rtol=1e-9)
    given = model.posterior(X, observation_noise=torch.full((4, 2, 1), 0.5, dtype=torch.float64))
    np.testing.assert_allclose(given.variance - silent.variance, 0.5, rtol=1e-9)
    doubled = model.posterior(X, posterior_transform=ScalarizedPosteriorTransform(torch.tensor([2.0], dtype=torch.float64)))
    np.testing.assert_allclose(doubled.mean, 2.0 * silent.mean, rtol=1e-12)


def test_the_same_as_botorch_where_the_model_is_the_same():
    """Laplace with one kernel and one noise: PairwiseGP's posterior is ours, and so is EUBO."""
    X, pairs = learned()
    X = X / UNITS
    kernel = ScaleKernel(RBFKernel())
    kernel.outputscale, kernel.base_kernel.lengthscale = 4.0, 0.4
    kernel.requires_grad_(False)
    theirs = PairwiseGP(torch.tensor(X), torch.tensor(pairs), covar_module=kernel, jitter=1e-9)
    fixed = {"lengthscale": 0.4, "variance": 4.0, "noise": 1.0}
    settings_ = torch.tensor(np.random.default_rng(2).uniform(size=(100, 2, 2)))
    for inference, apart in (("laplace", 0.005), ("ep", 0.8)):
        ours = PreferenceModel(PreferenceGP("se", inference=inference, raw_features=True, fixed=fixed).fit(X, pairs))
        a, b = (AnalyticExpectedUtilityOfBestOption(m)(settings_).detach().numpy() for m in (ours, theirs))
        # Laplace: their mode is 0.002 from the one that a minimiser finds (ours 2e-7), which carries over to EUBO. Expectation propagation has the
        # means of skewed posteriors, not their modes: of values up to 3.7 some differ by 0.5, in nearly the same order.
        np.testing.assert_allclose(a, b, atol=apart)
        assert np.corrcoef(a, b)[0, 1] > 0.995


def test_learned_models_rank_pairs_alike(model):
    """Each with its own hyperparameters: PairwiseGP wants the unit cube, we take any units."""
    X, pairs = learned()
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.pairwise_gp import PairwiseLaplaceMarginalLogLikelihood

    theirs = PairwiseGP(torch.tensor(X / UNITS), torch.tensor(pairs))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(theirs.likelihood, theirs))
    duels = settings(200, 2)
    a = AnalyticExpectedUtilityOfBestOption(model)(duels).detach().numpy()
    b = AnalyticExpectedUtilityOfBestOption(theirs)(duels / torch.tensor(UNITS)).detach().numpy()
    ranks = (np.argsort(np.argsort(v)) for v in (a, b))
    assert np.corrcoef(*ranks)[0, 1] > 0.8


def test_sampled_eubo_is_the_analytic_one(model):
    duels = settings(20, 2)
    analytic = AnalyticExpectedUtilityOfBestOption(model)(duels)
    torch.manual_seed(0)
    from botorch.sampling.normal import SobolQMCNormalSampler

    sampled = qExpectedUtilityOfBestOption(model, sampler=SobolQMCNormalSampler(torch.Size([1024]), seed=0))(duels)
    # Quasi Monte Carlo: an error below that of independent draws, sd / 32.
    sd = model.posterior(duels).variance.max().sqrt().item()
    np.testing.assert_allclose(sampled.detach(), analytic.detach(), atol=sd / 32)


def test_a_box_is_searched_at_least_as_well_as_a_pool(estimator, model):
    grid = np.array(list(itertools.product(*(np.linspace(0, unit, 15) for unit in UNITS))))
    ours = estimator.suggest(grid, acquisition="eubo")[0]
    eubo = AnalyticExpectedUtilityOfBestOption(model)
    of_pool = eubo(torch.tensor(grid[[ours.left, ours.right]])).item()
    torch.manual_seed(0)
    duel, of_box = optimize_acqf(eubo, BOUNDS, q=2, num_restarts=10, raw_samples=256)
    assert of_box.item() >= of_pool
    assert utility(duel.numpy()).max() > -0.05


@pytest.mark.parametrize("name", ["qeubo", "previous winner", "improvement", "disagreement"])
def test_acquisition_functions_are_optimised(name, model):
    acquisition, q = {
        "qeubo": lambda: (qExpectedUtilityOfBestOption(model), 3),
        "previous winner": lambda: (AnalyticExpectedUtilityOfBestOption(model, previous_winner=model.datapoints[:1]), 1),
        "improvement": lambda: (qLogNoisyExpectedImprovement(model, X_baseline=model.datapoints, cache_root=False), 2),
        "disagreement": lambda: (PairwiseBayesianActiveLearningByDisagreement(model), 2),
    }[name]()
    torch.manual_seed(0)
    found, value = optimize_acqf(acquisition, BOUNDS, q=q, num_restarts=2, raw_samples=16, options={"maxiter": 20})
    assert found.shape == (q, 2) and torch.all(found >= BOUNDS[0]) and torch.all(found <= BOUNDS[1])
    assert value.item() > acquisition(settings(50, q)).mean().item()


def test_categories_are_positions_of_levels():
    kinds = ["black", "green", "black", "green", "black", "green"]
    table = {"price": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "kind": kinds}
    pairs = [(1, 0), (1, 2), (3, 2), (3, 4), (5, 4), (1, 3), (3, 5)]
    estimator = PreferenceGP("se[price] + categorical[kind]", hyperparameters="maximise").fit(table, pairs)
    model = PreferenceModel(estimator)
    assert model.columns == ["price", "kind"] and model.levels == {"kind": ["black", "green"]}
    posterior = model.posterior(model.datapoints)
    order = estimator.compared_
    np.testing.assert_allclose(posterior.covariance_matrix, estimator.covariance()[np.ix_(order, order)], atol=1e-9)
    bounds = torch.tensor([[1.0, 0.0], [6.0, 1.0]], dtype=torch.float64)
    torch.manual_seed(0)
    found, _ = optimize_acqf_mixed(
        AnalyticExpectedUtilityOfBestOption(model, previous_winner=model.datapoints[:1]),
        bounds,
        q=1,
        num_restarts=2,
        raw_samples=16,
        fixed_features_list=[{1: 0.0}, {1: 1.0}],
    )
    assert found[0, 1] == 1.0


def test_constant_columns_stay_in_place():
    X, pairs = learned()
    X = np.column_stack([np.full(len(X), 3.0), X])
    model = PreferenceModel(PreferenceGP("se").fit(X, pairs))
    assert model.columns == ["x0", "x1", "x2"] and model.datapoints.shape[1] == 3
    Z = torch.cat([torch.zeros(2, 1, dtype=torch.float64), settings(2)], dim=1).requires_grad_()
    model.posterior(Z).mean.sum().backward()
    assert torch.all(Z.grad[:, 0] == 0) and torch.any(Z.grad[:, 1:] != 0)


def test_copies_and_pickles(model):
    X = settings(2)
    kept = io.BytesIO()
    torch.save(model, kept)
    kept.seek(0)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(kept, weights_only=False)):
        assert torch.equal(twin.posterior(X).mean, model.posterior(X).mean)


def test_what_is_wrong_is_said(estimator, model):
    with pytest.raises(rather.FeatureError, match="names alone"):
        PreferenceModel(PreferenceGP("white").fit(None, [("a", "b"), ("b", "c")]))
    with pytest.raises(AttributeError, match="not fitted"):
        PreferenceModel(PreferenceGP())
    with pytest.raises(rather.FeatureError, match=r"\(3, 3\).*x0, x1"):
        model.posterior(torch.zeros(3, 3))
    with pytest.raises(rather.FeatureError, match="name it among them"):
        PreferenceModel(estimator, columns=["x0", "colour"])
    with pytest.raises(rather.ParameterError, match="one utility"):
        model.posterior(settings(2), output_indices=[1])
    with pytest.raises(rather.DataError, match="setting 1 .* NaN"):
        model.posterior(torch.tensor([[0.0, 0.0], [float("nan"), 0.0]]))
