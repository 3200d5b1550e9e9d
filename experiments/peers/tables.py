"""Log losses of the peers on the folds of a table, for `experiments -- tables`; prints a list of [method, mean log loss or null].

    python tables.py PROBLEM.json

PROBLEM.json holds `features` (items x d, d may be 0), `comparisons` (winner, loser), `folds` (rows to train and to test on), `seed`.
Logistic regressions have a ridge whose strength is chosen by three folds of the training comparisons. PairwiseGP is BoTorch's, with its
own default kernel and priors, if BoTorch is there and there are features and at most 1,500 training comparisons.
"""

import json
import sys
import warnings

import choix
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

warnings.filterwarnings("ignore")

STRENGTHS = 10.0 ** np.arange(-3.0, 3.01, 0.5)
MOST_FOR_PAIRWISE_GP = 1500


def losses(p):
    """Minus the logs of the probabilities of what was answered."""
    return -np.log(np.maximum(p, sys.float_info.min))


def logistic(train, test, seed):
    """Probabilities of test rows (winner less loser), by logistic regression with a ridge."""
    side = np.where(np.random.default_rng(seed).random(len(train)) < 0.5, 1.0, -1.0)
    if np.all(side == side[0]):
        side[0] = -side[0]
    x = train * side[:, None]

    def fitted(rows, strength):
        return LogisticRegression(C=strength, fit_intercept=False, tol=1e-6, max_iter=2000).fit(x[rows], side[rows])

    def probabilities(model, rows):
        return 1.0 / (1.0 + np.exp(-rows @ model.coef_[0]))

    def inner(strength):
        total = 0.0
        for learn, check in KFold(3, shuffle=True, random_state=seed).split(x):
            if np.all(side[learn] == side[learn][0]):
                return np.inf
            total += losses(probabilities(fitted(learn, strength), train[check])).sum()
        return total

    best = min(STRENGTHS, key=inner)
    return probabilities(fitted(np.arange(len(x)), best), test)


def pairwise_gp(features, train, test):
    """Probabilities by BoTorch's PairwiseGP, or None if it is not there or the problem is too large for it."""
    if len(train) > MOST_FOR_PAIRWISE_GP:
        return None
    try:
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
    except ImportError:
        return None
    torch.manual_seed(0)
    low, high = features.min(0), features.max(0)
    x = torch.tensor((features - low) / np.where(high > low, high - low, 1.0), dtype=torch.double)
    try:
        # Items of equal features are one for it.
        model = PairwiseGP(x, torch.tensor(train), jitter=1e-4)
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
        model.eval()
        with torch.no_grad():
            utility = model.posterior(x)
            mean, cov = utility.mean.squeeze(-1).numpy(), utility.distribution.covariance_matrix.numpy()
    except Exception:  # whatever it breaks down with, it did not finish
        return None
    from scipy.stats import norm

    a, b = test.T
    spread = cov[a, a] + cov[b, b] - 2.0 * cov[a, b]
    return norm.cdf((mean[a] - mean[b]) / np.sqrt(2.0 + np.maximum(spread, 0.0)))


def main():
    problem = json.load(open(sys.argv[1]))
    features = np.array(problem["features"], dtype=float)
    comparisons = np.array(problem["comparisons"])
    items = len(features)
    names = np.eye(items)
    has_features = features.size > 0
    if has_features:
        spread = features.std(0)
        features = (features - features.mean(0)) / np.where(spread > 0, spread, 1.0)
    found = {}
    for fold in problem["folds"]:
        train, test = comparisons[fold["train"]], comparisons[fold["test"]]

        def by(x):
            return logistic(x[train[:, 0]] - x[train[:, 1]], x[test[:, 0]] - x[test[:, 1]], problem["seed"])

        utility = choix.ilsr_pairwise(items, train, alpha=0.1)
        of_fold = {
            "BT ridge": by(names),
            "choix": 1.0 / (1.0 + np.exp(utility[test[:, 1]] - utility[test[:, 0]])),
        }
        if has_features:
            of_fold["logistic"] = by(features)
            of_fold["logistic + names"] = by(np.hstack([features, names]))
            of_fold["PairwiseGP"] = pairwise_gp(features, train, test)
        for name, p in of_fold.items():
            found.setdefault(name, []).append(None if p is None else losses(p))
    mean = lambda parts: None if any(p is None for p in parts) else float(np.concatenate(parts).mean())
    print(json.dumps([[name, mean(parts)] for name, parts in found.items()]))


main()
