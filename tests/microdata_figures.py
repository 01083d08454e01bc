"""Squared errors of microdata that tests compare with, measured once by an implementation of others' making.

The design is that of Abowd et al. 2021 ("An Uncertainty Principle is a Price of Privacy-Preserving Microdata") and its
published experiments; the figures were recomputed with NumPy's generators and the solver clarabel, 500 runs a figure
(300 at ε = 0.1, 400 in the sweep), with continuous Laplace noise. Theirs are Monte-Carlo figures, and so are ours.
"""

AT_ONE: dict[str, dict[str, tuple[float, float, float]]] = {
    "Level00": {
        "ols": (7.7, 9.5, 792.0),
        "clip": (2477.9, 2.1, 99.0),
        "nnls": (28.6, 28.0, 59.0),
        "water-filling": (7.7, 38.7, 56.0),
        "reweighted": (6.3, 6.4, 12.0),
    },
    "Level01": {
        "ols": (7.1, 10.1, 789.0),
        "clip": (433.2, 2.1, 127.0),
        "nnls": (7.9, 8.2, 299.0),
        "water-filling": (7.3, 8.3, 297.0),
        "reweighted": (7.2, 7.9, 295.0),
    },
    "Level16": {
        "ols": (7.4, 10.2, 779.0),
        "clip": (206.7, 2.5, 201.0),
        "nnls": (7.4, 10.0, 778.0),
        "water-filling": (7.4, 10.0, 778.0),
        "reweighted": (7.4, 9.9, 772.0),
    },
    "Level32": {
        "ols": (8.6, 10.2, 786.0),
        "clip": (189.4, 2.4, 199.0),
        "nnls": (8.6, 10.2, 786.0),
        "water-filling": (8.7, 10.2, 786.0),
        "reweighted": (8.6, 10.2, 786.0),
    },
    "Stair": {
        "ols": (8.0, 9.7, 786.0),
        "clip": (201.3, 2.6, 201.0),
        "nnls": (8.0, 9.4, 774.0),
        "water-filling": (8.0, 9.4, 774.0),
        "reweighted": (8.0, 9.4, 776.0),
    },
    "Step16": {
        "ols": (9.3, 10.3, 794.0),
        "clip": (784.5, 2.4, 151.0),
        "nnls": (9.3, 10.4, 562.0),
        "water-filling": (9.3, 10.5, 562.0),
        "reweighted": (9.3, 12.8, 644.0),
    },
    "Step50": {
        "ols": (8.2, 10.5, 786.0),
        "clip": (723.5, 2.5, 152.0),
        "nnls": (8.6, 11.0, 562.0),
        "water-filling": (8.3, 11.0, 562.0),
        "reweighted": (8.2, 10.4, 427.0),
    },
    "SplitStairs": {
        "ols": (6.8, 9.6, 798.0),
        "clip": (803.0, 2.6, 147.0),
        "nnls": (7.1, 10.3, 540.0),
        "water-filling": (7.0, 10.3, 540.0),
        "reweighted": (6.8, 13.0, 525.0),
    },
}
"""100 cells at ε = 1: squared error of the sum, of the worst cell, of all cells together."""

AT_A_TENTH: dict[str, dict[str, tuple[float, float, float]]] = {
    "Level00": {
        "ols": (791.8, 993.9, 78487.0),
        "clip": (248038.5, 202.7, 9906.0),
        "nnls": (2886.7, 2613.5, 5564.0),
        "water-filling": (797.7, 3645.8, 5252.0),
        "reweighted": (632.4, 577.7, 968.0),
    },
    "Level01": {
        "ols": (775.7, 1049.4, 79409.0),
        "clip": (201535.5, 224.9, 9892.0),
        "nnls": (1992.6, 2032.4, 8077.0),
        "water-filling": (780.7, 2366.3, 7135.0),
        "reweighted": (773.3, 832.2, 4125.0),
    },
    "Level16": {
        "ols": (724.9, 1194.3, 79724.0),
        "clip": (24835.4, 232.2, 14915.0),
        "nnls": (749.3, 822.0, 39566.0),
        "water-filling": (730.1, 822.5, 39480.0),
        "reweighted": (725.5, 809.7, 39457.0),
    },
    "Level32": {
        "ols": (575.7, 999.6, 78885.0),
        "clip": (18479.6, 251.8, 18045.0),
        "nnls": (582.0, 923.8, 56190.0),
        "water-filling": (589.4, 923.7, 56172.0),
        "reweighted": (580.5, 937.3, 56203.0),
    },
    "Stair": {
        "ols": (829.5, 1088.9, 76829.0),
        "clip": (20879.2, 245.3, 18444.0),
        "nnls": (829.6, 947.6, 61663.0),
        "water-filling": (830.0, 947.6, 61654.0),
        "reweighted": (827.7, 954.2, 61804.0),
    },
    "Step16": {
        "ols": (913.2, 1156.6, 79333.0),
        "clip": (98571.4, 204.5, 12222.0),
        "nnls": (1059.1, 956.0, 27298.0),
        "water-filling": (913.5, 964.0, 27056.0),
        "reweighted": (911.4, 813.5, 26699.0),
    },
    "Step50": {
        "ols": (759.5, 1038.2, 77224.0),
        "clip": (70084.7, 259.9, 15033.0),
        "nnls": (789.3, 806.7, 46378.0),
        "water-filling": (770.9, 807.0, 46345.0),
        "reweighted": (763.0, 814.9, 46430.0),
    },
    "SplitStairs": {
        "ols": (883.6, 1040.1, 79324.0),
        "clip": (94113.8, 215.7, 13121.0),
        "nnls": (985.6, 954.3, 34794.0),
        "water-filling": (891.2, 958.4, 34663.0),
        "reweighted": (885.3, 889.4, 34622.0),
    },
}
"""The same at ε = 0.1."""

SWEEP: dict[tuple[int, int], dict[str, tuple[float, float]]] = {
    (0, 10): {
        "clip": (29.7, 2.1),
        "nnls": (9.1, 10.1),
        "water-filling": (8.7, 14.5),
    },
    (0, 100): {
        "clip": (2526.0, 2.0),
        "nnls": (29.4, 28.5),
        "water-filling": (7.9, 39.2),
    },
    (0, 1000): {
        "clip": (246854.9, 2.2),
        "nnls": (74.1, 73.5),
        "water-filling": (7.4, 93.0),
    },
    (0, 10000): {
        "clip": (24970401.1, 1.5),
        "nnls": (152.3, 154.2),
        "water-filling": (7.5, 185.1),
    },
    (1, 10): {
        "clip": (17.4, 2.0),
        "nnls": (7.3, 7.5),
        "water-filling": (8.0, 7.8),
    },
    (1, 100): {
        "clip": (481.6, 2.4),
        "nnls": (8.3, 8.4),
        "water-filling": (7.6, 8.5),
    },
    (1, 1000): {
        "clip": (35057.3, 1.4),
        "nnls": (7.6, 8.9),
        "water-filling": (6.3, 8.9),
    },
    (1, 10000): {
        "clip": (3403781.7, 2.0),
        "nnls": (9.2, 9.4),
        "water-filling": (8.3, 9.4),
    },
}
"""By level of the other cells and number of cells: squared error of the sum and of the big cell, ε = 1."""
