"""The only randomness in Sfumato: bits from the operating system, and samplers whose law is exact.

Parameters are exact rationals, a float being the decimal it is written as; centers and scores are data, and exactly the
numbers they are. `size` is None for one Python int, or the shape of an array. `bits` is for tests that inject a source;
there is no seed.
"""

from sfumato.exact.bits import BitSource, SystemBits, system_bits
from sfumato.exact.boxes import box_noise
from sfumato.exact.coins import bernoulli, bernoulli_exp, bernoulli_odds
from sfumato.exact.exponentials import (
    censored_discrete_laplace,
    discrete_laplace,
    geometric,
    truncated_discrete_laplace,
)
from sfumato.exact.grid import (
    rounded_exponential,
    rounded_gaussian,
    rounded_gumbel,
    rounded_heavy_tail,
    rounded_laplace,
)
from sfumato.exact.law import Law, output_law
from sfumato.exact.normals import discrete_gaussian
from sfumato.exact.packed import bernoulli_rows
from sfumato.exact.selection import exponential_mechanism, permute_and_flip, report_noisy_max
from sfumato.exact.uniform import choice, integers, permutation
from sfumato.exact.weighted import weighted

__all__ = [
    "BitSource",
    "Law",
    "SystemBits",
    "bernoulli",
    "bernoulli_exp",
    "bernoulli_odds",
    "bernoulli_rows",
    "box_noise",
    "censored_discrete_laplace",
    "choice",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_mechanism",
    "geometric",
    "integers",
    "output_law",
    "permutation",
    "permute_and_flip",
    "report_noisy_max",
    "rounded_exponential",
    "rounded_gaussian",
    "rounded_gumbel",
    "rounded_heavy_tail",
    "rounded_laplace",
    "system_bits",
    "truncated_discrete_laplace",
    "weighted",
]
