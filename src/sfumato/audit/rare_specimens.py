"""Algorithms that break their promise rarely: one draw in a thousand gives a person away, and the bulk looks sound.

Each takes a bit. The broken ones show it by something that only bit 1 ever does; the sound ones do the same thing on
bit 0 as well, a factor e less often, which is what ε = 1 allows.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.outcomes import Raised
from sfumato.audit.specimens import Reals, Release, Specimen, laplace_noise
from sfumato.exact import bernoulli, integers

_SHIFT = 1000
_WORDS = ("north", "south", "east", "west")
_ALLOWED = Fraction(36788, 100000)  # just above 1/e, so that what is done on both inputs is within ε = 1
Rarely = Callable[[int, int], NDArray[np.bool_]]
"""Which of so many draws on this bit do the rare thing."""


def on_one(chance: Fraction) -> Rarely:
    """Rarely on bit 1, never on bit 0."""
    return lambda bit, size: bernoulli(chance, size) if bit else np.zeros(size, dtype=np.bool_)


def on_both(chance: Fraction) -> Rarely:
    """Rarely on bit 1, and as often on bit 0 as ε = 1 asks for."""
    return lambda bit, size: bernoulli(chance if bit else chance * _ALLOWED, size)


def _noise(size: int) -> Reals:
    """Laplace noise that has nothing to do with the bit."""
    return laplace_noise(Fraction(3), size)


def shifted(rarely: Rarely) -> Release:
    """Noise, rarely a thousand further on."""
    return lambda bit, size: _noise(size) + _SHIFT * rarely(bit, size)


def cut(epsilon: Fraction, *, least: float = -np.inf, most: float = np.inf) -> Release:
    """Laplace noise on the bit, drawn again until it lies in [least, most]: neighbours end at different places."""

    def release(bit: int, size: int) -> Reals:
        noise = laplace_noise(1 / epsilon, size)
        while (outside := (noise < least) | (noise > most)).any():
            noise[outside] = laplace_noise(1 / epsilon, int(outside.sum()))
        return bit + noise

    return release


def last_bit(rarely: Rarely) -> Release:
    """Noise on the even points of a grid, rarely on an odd one."""
    return lambda bit, size: np.round(_noise(size) * 2**15) * 2.0**-15 + rarely(bit, size) * 2.0**-16


def wrong_sign(rarely: Rarely) -> Release:
    """A number above zero, rarely below."""
    return lambda bit, size: (np.abs(_noise(size)) + 0.5) * np.where(rarely(bit, size), -1, 1)


def middle_atom(rarely: Rarely) -> Release:
    """Whole numbers from a thousand with the middle left out, rarely the middle."""

    def release(bit: int, size: int) -> NDArray[np.int64]:
        bulk = integers(1000, size)
        return np.where(rarely(bit, size), 500, np.where(bulk == 500, 501, bulk))

    return release


def one_place(rarely: Rarely) -> Release:
    """Eight noisy numbers, one of which is rarely a thousand further on."""

    def release(bit: int, size: int) -> Reals:
        noisy = _noise(8 * size).reshape(size, 8)
        noisy[:, 5] += _SHIFT * rarely(bit, size)
        return noisy

    return release


def _replaced(bulk: Callable[[int], list[Any]], instead: Callable[[Any], Any]) -> Callable[[Rarely], Release]:
    """Outputs of a kind, of which rarely one is another thing."""

    def made(rarely: Rarely) -> Release:
        def release(bit: int, size: int) -> list[Any]:
            said = bulk(size)
            for row in np.flatnonzero(rarely(bit, size)):
                said[row] = instead(said[row])
            return said

        return release

    return made


def _numbers(size: int) -> list[float]:
    return [float(value) for value in _noise(size)]


def _words(size: int) -> list[str]:
    return [_WORDS[place] for place in integers(4, size)]


def _lists(size: int) -> list[list[float]]:
    return [[value, -value] for value in _numbers(size)]


def _records(size: int) -> list[dict[str, float]]:
    return [{"count": value, "sum": 2 * value} for value in _numbers(size)]


rare_text = _replaced(_words, lambda _: "elsewhere")
long_text = _replaced(_words, lambda word: f"{word}, and {word} again of number {_noise(1)[0]}")
rare_error = _replaced(_numbers, lambda value: Raised("ValueError", f"no answer for {value:.3f}"))
rare_nothing = _replaced(_numbers, lambda _: None)
longer_list = _replaced(_lists, lambda values: [*values, 0.0])
rare_key = _replaced(_records, lambda record: {**record, "note": 1.0})
other_order = _replaced(_records, lambda record: dict(reversed(record.items())))

_THOUSANDTH = Fraction(1, 1000)
_RARE: tuple[tuple[str, str, Callable[[Rarely], Release], Fraction], ...] = (
    ("rare-shift", "1001 instead of 1, once in 500 draws", shifted, Fraction(1, 500)),
    ("rarer-shift", "1001 instead of 1, once in 2000 draws", shifted, Fraction(1, 2000)),
    ("rare-text", "a word of its own, once in 1000 draws", rare_text, _THOUSANDTH),
    ("rare-error", "an error, once in 1000 draws", rare_error, _THOUSANDTH),
    ("last-bit", "an odd point of the grid, once in 1000 draws", last_bit, _THOUSANDTH),
    ("rare-nothing", "no value, once in 1000 draws", rare_nothing, _THOUSANDTH),
    ("rare-sign", "the wrong sign, once in 1000 draws", wrong_sign, _THOUSANDTH),
    ("rare-atom", "a value of its own in the middle, once in 1000 draws", middle_atom, _THOUSANDTH),
    ("rare-place", "one number of eight far away, once in 500 draws", one_place, Fraction(1, 500)),
    ("rare-length", "a list longer by one, once in 1000 draws", longer_list, _THOUSANDTH),
    ("rare-key", "a key more, once in 1000 draws", rare_key, _THOUSANDTH),
    ("rare-order", "keys in another order, once in 1000 draws", other_order, _THOUSANDTH),
    ("rare-long-text", "a long text, never the same, once in 1000 draws", long_text, _THOUSANDTH),
)
_SOUND = ("rare-shift", "rare-text", "rare-error", "last-bit", "rare-atom", "rare-key", "rare-long-text")


def _specimen(name: str, what: str, make: Callable[[Rarely], Release], rarely: Rarely, *, sound: bool) -> Specimen:
    return Specimen(name, sound, what, lambda _: make(rarely), "bit", claim=Fraction(1))


RARE_SPECIMENS: tuple[Specimen, ...] = (
    *(_specimen(name, what, make, on_one(chance), sound=False) for name, what, make, chance in _RARE),
    Specimen("cut-tails", False, "Laplace noise cut at ±6", lambda e: cut(e, least=-6, most=6), "bit"),
    Specimen("cut-tail", False, "Laplace noise cut above 6", lambda e: cut(e, most=6), "bit"),
    *(
        _specimen(f"{name}-allowed", f"{what}, and on the other side as ε = 1 asks for", make, on_both(c), sound=True)
        for name, what, make, c in _RARE
        if name in _SOUND
    ),
)
"""Every specimen of a rare thing."""
