"""BoTorch's loop for pairs: PairwiseGP, and the challenger of the last winner by the expected utility of the best option.

    python pbo_botorch.py [--functions LIST] [--seeds N] > botorch.jsonl
"""

import warnings

warnings.filterwarnings("ignore")

import numpy as np
import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf

from pbo_functions import main

torch.set_num_threads(1)


def model(settings, answers):
    gp = PairwiseGP(torch.tensor(np.array(settings)), torch.tensor(answers))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(gp.likelihood, gp))
    return gp


def best(acquisition, dims):
    """The setting of the unit cube where it is largest, by the settings of BoTorch's tutorials."""
    bounds = torch.stack([torch.zeros(dims), torch.ones(dims)]).double()
    found, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=4, raw_samples=256)
    return found[0].detach().numpy()


def run(function, comparisons, seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    settings, answers = list(rng.random((2, function.dims))), []
    winner, challenger = 0, 1
    for number in range(comparisons):
        if number > 0:
            at = torch.tensor(settings[winner])[None]
            gp = model(settings, answers)
            settings.append(best(AnalyticExpectedUtilityOfBestOption(pref_model=gp, previous_winner=at), function.dims))
            challenger = len(settings) - 1
        if function.first_wins(settings[challenger], settings[winner], rng):
            winner, challenger = challenger, winner
        answers.append([winner, challenger])
    return best(PosteriorMean(model(settings, answers)), function.dims)


main("botorch", run)
