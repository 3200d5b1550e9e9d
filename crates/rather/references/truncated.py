"""Prints references/truncated.csv: excesses d of a standard normal variable over a bound c with P(X > c + d | X > c) = u.

    pip install mpmath==1.3.0 && python truncated.py > truncated.csv
"""

from mpmath import erfc, log, mp, mpf, nstr, sqrt

mp.dps = 60


def log_tail(x):
    """log P(X > x), by Laplace's continued fraction far out, where erfc would underflow its argument's digits."""
    if x < 50:
        return log(erfc(x / sqrt(mpf(2))) / 2)
    below = mpf(0)
    for n in range(300, 0, -1):
        below = n / (x + below)
    return -x * x / 2 - log(sqrt(2 * mp.pi)) - log(x + below)


print("bound,u,excess")
for bound in ["-30", "-3", "-1", "0", "1", "3.9", "4", "4.1", "10", "40", "1e3", "1e6", "1e8"]:
    for u in ["1e-12", "0.001", "0.3", "0.5", "0.9", "0.999999"]:
        c, level = mpf(bound), log_tail(mpf(bound)) + log(mpf(u))
        if c < 3:
            low, high = c, c + 60
        else:
            low, high = c, c + 60 / c
        for _ in range(190):
            middle = (low + high) / 2
            if log_tail(middle) > level:
                low = middle
            else:
                high = middle
        print(f"{bound},{u},{nstr(low - c, 25)}")
