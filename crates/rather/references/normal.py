"""Writes normal.csv (x, pdf, cdf, erfcx) and quantile.csv (p, quantile) to 25 digits.

    pip install mpmath==1.3.0 && python normal.py
"""

from mpmath import erf, erfc, exp, findroot, log, mp, mpf, nstr, pi, sqrt

from common import CONTINUED_FROM, ratio, tail_fraction

mp.dps = 60


def digits(x):
    return nstr(x, 25, strip_zeros=False)


def pdf(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def cdf(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def erfcx(x):
    y = x * sqrt(mpf(2))
    if y < CONTINUED_FROM:
        return exp(x * x) * erfc(x)
    return sqrt(2 / pi) / (y + 1 / (y + tail_fraction(y)))


def quantile(p):
    """The root of log cdf(x) - log p for p <= 1/2, by Newton from a rough start."""
    p = mpf(p)
    if p > mpf(1) / 2:
        return -quantile(1 - p)
    if p == mpf(1) / 2:
        return mpf(0)
    if p > mpf(49) / 100:
        x = (p - mpf(1) / 2) * sqrt(2 * pi)
        for _ in range(8):  # by erf, whose digits do not cancel near the middle
            x -= (erf(x / sqrt(mpf(2))) / 2 - (p - mpf(1) / 2)) / pdf(x)
        return x
    x = -sqrt(-2 * log(p)) if p < 0.1 else mpf(-0.5)
    for _ in range(60):
        x -= (log(cdf(x)) - log(p)) / ratio(x)
    assert abs(cdf(x) / p - 1) < mpf(10) ** -50
    return x


xs = [-8 + i * 16 / 320 for i in range(321)] + [-38 + i * 60 / 300 for i in range(301)]
xs += [10.0 ** (i / 5) for i in range(5, 46)] + [1e-3, -1e-3, 1e-9, -1e-9]
with open("normal.csv", "w") as file:
    print("x,pdf,cdf,erfcx", file=file)
    for x in sorted(set(xs)):
        print(repr(x), *(digits(f(mpf(x))) for f in (pdf, cdf, erfcx)), sep=",", file=file)

ps = [i / 200 for i in range(1, 200)] + [10.0**-n for n in range(3, 308, 4)] + [5e-324]
ps += [1 - 2.0**-n for n in range(4, 54)] + [0.5 + s * 2.0**-n for n in range(3, 53, 3) for s in (1, -1)]
with open("quantile.csv", "w") as file:
    print("p,quantile", file=file)
    for p in sorted(set(ps)):
        print(repr(p), digits(quantile(p)), sep=",", file=file)
