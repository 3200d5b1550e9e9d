"""The normal tail to any precision, shared by the recipes beside this file."""

from mpmath import erfc, exp, mp, mpf, pi, sqrt

CONTINUED_FROM = 30


def ratio(beta):
    """phi(beta) / Phi(beta)."""
    return sqrt(2 / pi) * exp(-beta * beta / 2) / erfc(-beta / sqrt(mpf(2)))


def tail_fraction(y):
    """k2(y) = 2 / (y + 3 / (y + 4 / (y + ...))) = 1 / (phi(y) / Phi(-y) - y) - y for y >= 0."""
    y = mpf(y)
    if y < CONTINUED_FROM:
        mp.dps += 40
        try:
            return 1 / (ratio(-y) - y) - y
        finally:
            mp.dps -= 40
    below = mpf(0)
    for n in range(400, 2, -1):
        below = n / (y + below)
    return 2 / (y + below)
