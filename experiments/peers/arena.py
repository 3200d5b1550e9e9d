"""Leaderboards by the peers.

    python arena.py speed VOTES.jsonl
    python arena.py groups FOLDER

`speed` has each peer read a file of `experiments arena --parts generate` and rate its models, in a process of its own: CPU seconds and
peak memory of the process, with the start of Python. `groups` has arenakit tell the models of `experiments arena --parts coverage --keep
FOLDER` apart: the number of its tiers, and the share of those whose best model is in truth not worse than that of the tier before.
"""

import csv
import resource
import subprocess
import sys
from collections import defaultdict
from pathlib import Path


def frame(path):
    import pandas as pd

    return pd.read_json(path, lines=True)


def arena_rank(path):
    """Ratings and intervals."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    dataset = PairDataset.from_pandas(frame(path))
    BradleyTerry(n_competitors=dataset.n_competitors).compute_ratings_and_cis(dataset)


def arenakit(path):
    """Strengths alone: its bootstrap fits them 2,000 times."""
    from arenakit import Arena, Battle, fit_bt

    table = frame(path)
    winner = table.winner.map({"model_a": "a", "model_b": "b"}).fillna("tie")
    battles = [Battle(model_a=a, model_b=b, winner=w) for a, b, w in zip(table.model_a, table.model_b, winner)]
    fit_bt(Arena(battles).counts())


def evalica_bt(path):
    """Scores alone."""
    import evalica

    table = frame(path)
    words = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    winners = [words.get(word, evalica.Winner.Draw) for word in table.winner]
    evalica.bradley_terry(table.model_a, table.model_b, winners)


def choix_ilsr(path):
    """Strengths alone, of decisive votes."""
    import choix
    import numpy as np

    table = frame(path)
    table = table[table.winner.isin(["model_a", "model_b"])]
    names = {name: number for number, name in enumerate(sorted(set(table.model_a) | set(table.model_b)))}
    a, b = table.model_a.map(names).to_numpy(), table.model_b.map(names).to_numpy()
    first = (table.winner == "model_a").to_numpy()
    pairs = np.column_stack([np.where(first, a, b), np.where(first, b, a)])
    choix.ilsr_pairwise(len(names), pairs.tolist(), alpha=0.01)


PEERS = {"arena-rank": arena_rank, "arenakit": arenakit, "evalica": evalica_bt, "choix": choix_ilsr}


def speed(path):
    print("| peer | CPU s | MB |\n|---|--:|--:|", flush=True)
    for name in PEERS:
        subprocess.run([sys.executable, __file__, "one", path, name], check=True)


def one(path, name):
    PEERS[name](path)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"| {name} | {used.ru_utime + used.ru_stime:.1f} | {used.ru_maxrss / 1024:.0f} |")


def tiers(votes):
    """Models by tier, best first, and the fitted scores."""
    from arenakit import Arena, Battle, bootstrap, separation

    words = {"model_a": "a", "model_b": "b"}
    rows = list(csv.DictReader(votes.open()))
    arena = Arena([Battle(model_a=r["model_a"], model_b=r["model_b"], winner=words.get(r["winner"], "tie")) for r in rows])
    apart = separation(bootstrap(arena), arena.models)
    return [[arena.models[i] for i in tier] for tier in apart.tiers]


def groups(folder):
    print("| arena | worlds | tiers | wrong |\n|---|--:|--:|--:|")
    found = defaultdict(list)
    for votes in sorted(Path(folder).glob("*.votes.csv")):
        short = votes.name.split("-")[0]
        truth = votes.with_name(votes.name.replace(".votes.", ".truth."))
        worth = {row["model"]: float(row["worth"]) for row in csv.DictReader(truth.open())}
        heads = [worth[tier[0]] for tier in tiers(votes)]
        found[short].append((len(heads), sum(b >= a for a, b in zip(heads, heads[1:]))))
    for short, all_of in found.items():
        number, wrong = (sum(column) for column in zip(*all_of))
        print(f"| {short} | {len(all_of)} | {number / len(all_of):.1f} | {100 * wrong / max(number - len(all_of), 1):.1f} % |")


{"speed": speed, "groups": groups, "one": one}[sys.argv[1]](*sys.argv[2:])
