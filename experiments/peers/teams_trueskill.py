"""The games of `experiments context --parts teams --out FOLDER` by TrueSkill, given the true spread and noise.

    python teams_trueskill.py FOLDER

One pass over the games in their order, as TrueSkill learns. Prints CPU seconds, the correlation with the true skills and the
share of players whose 95 % interval holds theirs.
"""

import csv
import math
import sys
from pathlib import Path
from time import process_time

import numpy as np
import trueskill

# Ten players a game share the variance of its noise, 4.
BETA = math.sqrt(4 / 10)


def main(folder):
    with (folder / "skills.csv").open() as file:
        skills = np.array([float(row["skill"]) for row in csv.DictReader(file)])
    with (folder / "games.csv").open() as file:
        games = [[[int(p) for p in row[side].split(" + ")] for side in ("winner", "loser")] for row in csv.DictReader(file)]
    start = process_time()
    world = trueskill.TrueSkill(mu=0.0, sigma=1.0, beta=BETA, tau=0.0, draw_probability=0.0)
    ratings = [world.create_rating() for _ in skills]
    for winner, loser in games:
        rated = world.rate([[ratings[p] for p in winner], [ratings[p] for p in loser]])
        for players, new in zip((winner, loser), rated):
            for player, rating in zip(players, new):
                ratings[player] = rating
    seconds = process_time() - start
    mean, sd = np.array([[r.mu, r.sigma] for r in ratings]).T
    inside = np.mean(np.abs(mean - mean.mean() - (skills - skills.mean())) <= 1.96 * sd)
    print(f"TrueSkill: correlation with the truth {np.corrcoef(mean, skills)[0, 1]:.4f}, "
          f"95 % intervals hold {100 * inside:.1f} %; {seconds:.1f} CPU s")


main(Path(sys.argv[1]))
