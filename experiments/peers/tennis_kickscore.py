"""One fit by EP of the 63,192 matches of tennis of 2016 and 2017 by kickscore, at given hyperparameters.

    python tennis_kickscore.py FOLDER [LEVEL WANDER]

FOLDER is that of the data (tennis_1991_2017). LEVEL and WANDER are the variances of a player's level and of one year of its
random walk from the player's first match on, beside a noise of 1 in each comparison. Prints CPU seconds, once compiled,
whether EP converged, and the log evidence.
"""

import csv
import datetime
import gzip
import sys
from pathlib import Path
from time import process_time

import kickscore


def matches(folder):
    """Year, winner and loser of each match of 2016 and 2017, without the three that name one player twice."""
    with gzip.open(folder / "matches.csv.gz", "rt") as file:
        for date, winner, loser, *_ in csv.reader(file):
            if date >= "2016" and date.isdigit() and winner != loser:
                day = datetime.date(int(date[:4]), int(date[4:6]), int(date[6:]))
                yield day.toordinal() / 365.25, winner, loser


def fit(rows, level, wander):
    """A model of all rows, and the CPU seconds that it took."""
    start = process_time()
    model = kickscore.BinaryModel(obs_type="probit")
    seen = set()
    for time, *players in rows:
        for player in players:
            if player not in seen:
                seen.add(player)
                # Level and walk share one state. As a sum of two kernels the walk would be a state of variance 0 until the
                # first match's date is over, and the smoother could not solve for it.
                model.add_item(player, kernel=kickscore.kernel.Wiener(wander, t0=time, var_t0=level))
    for time, winner, loser in rows:
        model.observe(winners=[winner], losers=[loser], t=time)
    converged = model.fit(method="ep")
    return model, process_time() - start, converged


def main(folder, level=1.0, wander=0.1):
    rows = list(matches(Path(folder)))
    # What is compiled at the first use is no cost of a fit.
    fit(rows[:200], level, wander)
    model, seconds, converged = fit(rows, level, wander)
    print(f"kickscore: {len(rows)} matches, {seconds:.1f} CPU s, converged {converged}, log evidence {model.log_likelihood:.2f}")


main(sys.argv[1], *(float(x) for x in sys.argv[2:]))
