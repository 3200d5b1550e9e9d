"""Optuna Dashboard's PreferentialGPSampler: every trial is compared with the one that has not been beaten, which is recommended.

    python pbo_optuna.py [--functions LIST] [--seeds N] > optuna.jsonl
"""

import warnings

warnings.filterwarnings("ignore")

import numpy as np
import optuna
import torch
from optuna_dashboard.preferential import create_study
from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

from pbo_functions import main

torch.set_num_threads(1)
optuna.logging.set_verbosity(optuna.logging.ERROR)


def run(function, comparisons, seed):
    rng = np.random.default_rng(seed)
    study = create_study(n_generate=4, sampler=PreferentialGPSampler(seed=seed))

    def ask():
        trial = study.ask()
        setting = [trial.suggest_float(f"x{d}", 0.0, 1.0) for d in range(function.dims)]
        return trial.number, np.array(setting)

    winner = ask()
    for _ in range(comparisons):
        challenger = ask()
        loser = challenger
        if function.first_wins(challenger[1], winner[1], rng):
            winner, loser = challenger, winner
        trials = study.get_trials(deepcopy=False)
        study.report_preference(trials[winner[0]], trials[loser[0]])
    return winner[1]


main("optuna", run)
