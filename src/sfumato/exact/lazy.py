"""Uniform reals known to as many bits as a decision needs, decided in ball arithmetic.

This is the slow path behind every fast float path. A uniform real U is an endless stream of bits; a draw has
seen its leading ones. Arb's balls (python-flint; Johansson 2017) enclose every value they stand for, so an
answer read off a ball is right for all reals with those leading bits, and an undecided ball asks for more.
Correctness never rests on the working precision: a precision that is too low only asks again.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import BrokenRandomness
from sfumato.exact.bits import BitSource

Ball = Any  # flint.arb, which ships no types
T = TypeVar("T")

_EXTRA_PRECISION = 64
_MOST_BITS = 1 << 12


class LazyUniform:
    """A uniform real in [0, 1) of which the leading bits are known and the rest can be asked for."""

    __slots__ = ("_bits", "count", "value")

    def __init__(self, bits: BitSource, value: int = 0, count: int = 0) -> None:
        self._bits = bits
        self.value = value
        self.count = count

    def __repr__(self) -> str:
        return f"<LazyUniform: {self.count} bits known>"

    def extend(self) -> None:
        """Learn one more word of bits."""
        if self.count > _MOST_BITS:
            raise BrokenRandomness("the bit source does not behave like a source of random bits")
        self.value = (self.value << self._bits.word_bits) | self._bits.word()
        self.count += self._bits.word_bits

    def ball(self) -> Ball:
        """A ball around every real with these leading bits."""
        from flint import arb

        exponent = -(self.count + 1)
        return arb((2 * self.value + 1, exponent), (1, exponent))


def ball_of(exact: Fraction) -> Ball:
    """A ball around a rational."""
    from flint import arb, fmpq

    return arb(fmpq(exact.numerator, exact.denominator))


def decide(uniforms: Iterable[LazyUniform], attempt: Callable[[], T | None], *, magnitude: int = 0) -> T:
    """What `attempt` answers once the uniforms are known well enough for it to answer at all.

    `magnitude` is about how many bits the quantities have before the binary point.
    """
    from flint import ctx

    known = list(uniforms)
    precision = magnitude + max((uniform.count for uniform in known), default=0)
    while True:
        precision += _EXTRA_PRECISION
        with ctx.workprec(precision):
            answer = attempt()
        if answer is not None:
            return answer
        for uniform in known:
            uniform.extend()


def floor_of(ball: Ball) -> int | None:
    """The one integer that is the floor of everything in the ball, if there is one."""
    whole = ball.floor().unique_fmpz()
    return None if whole is None else int(whole)


def is_below(left: Ball, right: Ball) -> bool | None:
    """Whether left < right for everything in the two balls; None if both answers occur."""
    if left < right:
        return True
    return False if left > right else None
