"""Prints the coefficients of the normal tail's fit in src/special/tail.rs.

    pip install mpmath==1.3.0 && python tail.py

Fits F(v) = k2(y) (y + K), with v = (y - K) / (y + K) in -1..1 for y in 0..infinity, by its Chebyshev interpolant at
NODES points, drops the terms past DEGREE (their absolute sum is printed, F lies between 2 and 3.8), and writes the
polynomial in powers of v.
"""

from mpmath import chebyt, cos, fsum, mp, mpf, pi

from common import tail_fraction

mp.dps = 60
K, NODES, DEGREE = mpf(3), 80, 31

points = [cos(pi * (i + mpf(1) / 2) / NODES) for i in range(NODES)]
values = []
for v in points:
    y = K * (1 + v) / (1 - v)
    values.append(tail_fraction(y) * (y + K))
chebyshev = [
    2 / mpf(NODES) * fsum(f * chebyt(n, v) for f, v in zip(values, points)) for n in range(NODES)
]
chebyshev[0] /= 2
print("// dropped:", mp.nstr(fsum(abs(c) for c in chebyshev[DEGREE + 1 :]), 3))

powers = [mpf(0)] * (DEGREE + 1)
below, current = [mpf(1)], [mpf(0), mpf(1)]  # T_0, T_1 in powers of v
for n in range(DEGREE + 1):
    term = below
    for power, coefficient in enumerate(term):
        powers[power] += chebyshev[n] * coefficient
    following = [mpf(0)] + [2 * c for c in current]
    for power, coefficient in enumerate(below):
        following[power] -= coefficient
    below, current = current, following
for power in powers:
    print(f"    {float(power)!r},")
