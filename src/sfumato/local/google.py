"""Reports of devices that run google/rappor: their cohorts and permanent noise, bit for bit.

`Rappor(hash_name="md5")` decodes what the Python and C++ clients send, `"md5-java"` what the Java client sends. Their
permanent noise has seven bits a coin, so f counts in steps of 1/128, and at most 32 bits of filter.
"""

from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, probability
from sfumato.local.client import keyed

_STEPS = 128
_MOST_BITS = 32


def cohort(secret: bytes, cohorts: int) -> int:
    """The cohort that the C++ client assigns: four bytes of a keyed hash of the empty string, modulo a power of two.

    >>> cohort(b"client-secret", 128)
    3
    """
    if cohorts & (cohorts - 1):
        raise InvalidParameter("cohorts", "must be a power of two", cohorts)
    return int.from_bytes(keyed(secret, b"")[:4], "little") & (cohorts - 1)


def permanent_masks(secret: bytes, bloom: int, bits: int, f: Real) -> tuple[int, int]:
    """The uniform bits and the mask of replaced bits that the Python client draws for a Bloom filter."""
    if not 1 <= bits <= _MOST_BITS:
        raise InvalidParameter("bits", f"must be between 1 and {_MOST_BITS}", bits)
    drawn = keyed(secret, bloom.to_bytes(4, "big"))
    uniform = sum((drawn[i] & 1) << i for i in range(bits))
    mask = sum((drawn[i] >> 1 < _STEPS * probability("f", f)) << i for i in range(bits))
    return uniform, mask


def permanent(secret: bytes, bloom: int, bits: int, f: Real) -> int:
    """The memory of a Bloom filter: replaced bits are uniform, the others true."""
    uniform, mask = permanent_masks(secret, bloom, bits, f)
    return (bloom & ~mask) | (uniform & mask)


def effective_f(f: Real) -> Fraction:
    """The f that their coins have: the next multiple of 1/128.

    >>> effective_f(0.1)
    Fraction(13, 128)
    """
    exact = probability("f", f) * _STEPS
    return Fraction(-(-exact.numerator // exact.denominator), _STEPS)
