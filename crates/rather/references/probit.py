"""Writes probit.csv: the moments of a probit factor, to 25 digits.

    pip install mpmath==1.3.0 && python probit.py

With 60 digits and those that cancel besides: beta (a double, exactly), log Phi(beta), r = phi/Phi, t = beta + r,
w = r t, q = 1 - w. Direct formulas above -30, the continued fraction below (common.py), one against the other at -30.
"""

from mpmath import log, mp, mpf, nstr, pi

from common import CONTINUED_FROM, ratio, tail_fraction

mp.dps = 60


def direct(beta):
    mp.dps = 100  # 1 - w loses 2 log10(y^2), log Phi near 0 loses 350 digits and is taken from the other side
    try:
        r = ratio(beta)
        density = -beta * beta / 2 - log(2 * pi) / 2
        if beta > 3:  # Phi = 1 - Q, log Phi = log1p(-Q) by its series
            q = mp.exp(density) / ratio(-beta)
            log_cdf = -mp.fsum(q**n / n for n in range(1, 60))
        else:
            log_cdf = density - log(r)
        t = beta + r
        return log_cdf, r, t, r * t, 1 - r * t
    finally:
        mp.dps = 60


def continued(beta):
    y = -beta
    k2 = tail_fraction(y)
    t = 1 / (y + k2)
    r = y + t
    return -y * y / 2 - log(2 * pi) / 2 - log(r), r, t, r * t, t * (k2 - t)


for a, b in zip(direct(mpf(-31)), continued(mpf(-31))):
    assert abs(a / b - 1) < mpf(10) ** -50

betas = [-5 + i * 10 / 400 for i in range(401)]
betas += [-(10.0 ** (0.7 + i * 7.3 / 150)) for i in range(151)]
betas += [5 + i * 35 / 140 for i in range(1, 141)]
betas += [sign * 10.0**-n for n in (3, 6, 9, 15) for sign in (1, -1)] + [-1e8]

with open("probit.csv", "w") as file:
    print("beta,log_cdf,r,t,w,q", file=file)
    for beta in sorted(set(betas)):
        row = direct(mpf(beta)) if beta > -CONTINUED_FROM else continued(mpf(beta))
        print(repr(beta), *(nstr(x, 25, strip_zeros=False) for x in row), sep=",", file=file)
