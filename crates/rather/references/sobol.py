"""Writes src/exact/sobol.txt, the direction numbers of Sobol sequences, and references/sobol.csv, some of their points.

    pip install scipy==1.16.2 && python sobol.py

The numbers are those of Joe and Kuo (2008), file new-joe-kuo-6.21201 at https://web.maths.unsw.edu.au/~fkuo/sobol/, as
SciPy carries them. One line a dimension: the primitive polynomial over GF(2), its bits as one number, then the first
direction integers m_1, m_2, ..., as many as the polynomial's degree.
"""

from pathlib import Path

import numpy as np
import scipy
from scipy.stats import qmc

DIMENSIONS = 1024

table = np.load(Path(scipy.__file__).parent / "stats" / "_sobol_direction_numbers.npz")
lines = []
for polynomial, integers in zip(table["poly"][:DIMENSIONS], table["vinit"][:DIMENSIONS]):
    degree = max(int(polynomial).bit_length() - 1, 1)
    lines.append(" ".join(str(int(n)) for n in [polynomial, *integers[:degree]]))
target = Path(__file__).parent.parent / "src" / "exact" / "sobol.txt"
target.write_text("\n".join(lines) + "\n")

points = qmc.Sobol(DIMENSIONS, scramble=False, bits=32).random(1024)
rows = ["index,dimension,coordinate"]
for index in [1, 2, 3, 6, 100, 777, 1023]:
    for dimension in [0, 1, 2, 6, 31, 255, 1023]:
        rows.append(f"{index},{dimension},{float(points[index, dimension])!r}")
Path(__file__).with_suffix(".csv").write_text("\n".join(rows) + "\n")
