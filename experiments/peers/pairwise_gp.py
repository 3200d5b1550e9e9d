"""BoTorch's PairwiseGP: Laplace's approximation; squared exponential with a lengthscale per feature."""

import warnings

warnings.filterwarnings("ignore")

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from gpytorch.kernels import RBFKernel, ScaleKernel

from peer import main

torch.set_num_threads(1)


def true_kernel(truth):
    """The kernel that made the utilities. PairwiseGP's noise per item is 1, which sets the scale."""
    kernel = ScaleKernel(RBFKernel(ard_num_dims=len(truth["lengthscales"])))
    kernel.base_kernel.lengthscale = torch.tensor(truth["lengthscales"])
    kernel.outputscale = truth["variance"] / truth["noise"] ** 2
    return kernel.double()


def fit(problem, learned):
    """The mode and what prediction needs; learned hyperparameters are those of its own default kernel and priors."""
    x = torch.tensor(problem.features, dtype=torch.double)
    comparisons = torch.tensor(problem.train)
    if learned:
        model = PairwiseGP(x, comparisons)
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    else:
        model = PairwiseGP(x, comparisons, covar_module=true_kernel(problem.truth))
    model.eval()

    @torch.no_grad()
    def predict(pairs):
        pairs = torch.as_tensor(pairs)
        of_pairs, position = torch.unique(pairs, return_inverse=True)
        a, b = position.T
        utility = model.posterior(x[of_pairs])
        mean, cov = utility.mean.squeeze(-1), utility.distribution.covariance_matrix
        variance = cov.diagonal()
        spread = variance[a] + variance[b] - 2.0 * cov[a, b]
        return torch.special.ndtr((mean[a] - mean[b]) / (2.0 + spread.clamp_min(0.0)).sqrt()).numpy()

    predict(problem.test[:1])
    return predict


main(fit)
