"""The test functions of `experiments -- pbo`, larger is better, over the unit cube with mean 0 and standard deviation 1.

Run alone it prints optimum, mean and standard deviation, to be compared with those that `experiments -- pbo` prints.
"""

import argparse
import itertools
import json
import math

import numpy as np

PI = math.pi
NOISE = 0.1


def branin(x, y):
    return -((y - 5.1 / (4 * PI**2) * x**2 + 5 / PI * x - 6) ** 2 + 10 * (1 - 1 / (8 * PI)) * np.cos(x) + 10)


def currin(x, y):
    with np.errstate(divide="ignore"):
        factor = 1 - np.exp(-0.5 / y)
    return factor * np.polyval([2300, 1900, 2092, 60], x) / np.polyval([100, 500, 4, 20], x)


def beale(x, y):
    return -((1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2)


def styblinski_tang(x, y):
    return -(x**4 - 16 * x**2 + 5 * x + y**4 - 16 * y**2 + 5 * y) / 2


def bukin(x, y):
    return -(100 * np.sqrt(np.abs(y - 0.01 * x**2)) + 0.01 * np.abs(x + 10))


def cross_in_tray(x, y):
    return 1e-4 * (np.abs(np.sin(x) * np.sin(y) * np.exp(np.abs(100 - np.hypot(x, y) / PI))) + 1) ** 0.1


def eggholder(x, y):
    z = y + 47
    return z * np.sin(np.sqrt(np.abs(z + x / 2))) + x * np.sin(np.sqrt(np.abs(x - z)))


def hoelder_table(x, y):
    return np.abs(np.sin(x) * np.cos(y) * np.exp(np.abs(1 - np.hypot(x, y) / PI)))


def langermann(x, y):
    total = 0.0
    for a, b, c in [(3, 5, 1), (5, 2, 2), (2, 1, 5), (1, 4, 2), (7, 9, 3)]:
        squared = (x - a) ** 2 + (y - b) ** 2
        total = total + c * np.exp(-squared / PI) * np.cos(PI * squared)
    return total


def levy(x, y):
    v, w = 1 + (x - 1) / 4, 1 + (y - 1) / 4
    middle = (v - 1) ** 2 * (1 + 10 * np.sin(PI * v + 1) ** 2)
    return -(np.sin(PI * v) ** 2 + middle + (w - 1) ** 2 * (1 + np.sin(2 * PI * w) ** 2))


def shubert(x, y):
    def of(x):
        return sum(i * np.cos((i + 1) * x + i) for i in range(1, 6))

    return -of(x) * of(y)


HARTMANN_A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
HARTMANN_P = np.array(
    [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ]
)


def hartmann(*x):
    x = np.stack(x, axis=-1)[..., None, :]
    return np.exp(-(HARTMANN_A * (x - HARTMANN_P) ** 2).sum(-1)) @ np.array([1, 1.2, 3, 3.2])


class Function:
    """A function over the unit cube; `best` is the literature's optimum, its sign turned where that is the least value."""

    def __init__(self, name, formula, domain, best):
        self.name, self.formula, self.best = name, formula, best
        self.low, self.high = np.array(domain, dtype=float).T
        self.dims = len(domain)
        side = 2 * int(50_000 ** (1 / self.dims) / 2)
        middles = (np.arange(side) + 0.5) / side
        values = self.raw(np.array(list(itertools.product(middles, repeat=self.dims))))
        self.mean, self.sd = values.mean(), values.std()

    def raw(self, unit):
        x = self.low + np.asarray(unit, dtype=float) * (self.high - self.low)
        return self.formula(*np.moveaxis(x, -1, 0))

    def __call__(self, unit):
        return (self.raw(unit) - self.mean) / self.sd

    def regret(self, unit):
        """What is lost by a setting, in units of the standard deviation."""
        return float((self.best - self.raw(unit)) / self.sd)

    def first_wins(self, a, b, rng):
        return bool(self(a) - self(b) + rng.normal(0.0, NOISE) > 0)


FUNCTIONS = [
    Function("branin", branin, [(-5, 10), (0, 15)], -0.397887357729738),
    Function("currin", currin, [(0, 1)] * 2, 13.79872204472843),
    Function("beale", beale, [(-4.5, 4.5)] * 2, 0.0),
    Function("styblinski-tang", styblinski_tang, [(-5, 5)] * 2, 78.3323314075428),
    Function("bukin", bukin, [(-15, -5), (-3, 3)], 0.0),
    Function("cross-in-tray", cross_in_tray, [(-10, 10)] * 2, 2.06261187082274),
    Function("eggholder", eggholder, [(-512, 512)] * 2, 959.640662720851),
    Function("hoelder-table", hoelder_table, [(-10, 10)] * 2, 19.2085025677676),
    Function("langermann", langermann, [(0, 10)] * 2, 5.16212615996398),
    Function("levy", levy, [(-10, 10)] * 2, 0.0),
    Function("shubert", shubert, [(-10, 10)] * 2, 186.730908831024),
    Function("hartmann", hartmann, [(0, 1)] * 6, 3.32236801141551),
]


def main(policy, run):
    """Prints the regret of `run(function, comparisons, seed)`, a setting of the unit cube, a line of JSON a run."""
    options = argparse.ArgumentParser()
    options.add_argument("--functions", default=",".join(f.name for f in FUNCTIONS))
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--seed", type=int, default=0, help="the first")
    options.add_argument("--comparisons", type=int, default=30, help="a dimension")
    options = options.parse_args()
    by_name = {f.name: f for f in FUNCTIONS}
    for function in (by_name[name] for name in options.functions.split(",")):
        for seed in range(options.seed, options.seed + options.seeds):
            regret = function.regret(run(function, options.comparisons * function.dims, seed))
            print(json.dumps({"function": function.name, "policy": policy, "seed": seed, "regret": regret}), flush=True)


if __name__ == "__main__":
    print("| function | optimum | mean | sd |\n|---|---|---|---|")
    for f in FUNCTIONS:
        print(f"| {f.name} | {f.best:.6f} | {f.mean:.6g} | {f.sd:.6g} |")
