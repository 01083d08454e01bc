"""Exact noise at work: what `make demo` shows until there are questions to answer."""

import math
import shutil
import time
from collections import Counter
from fractions import Fraction

from sfumato import exact

DRAWS = 1_000_000
SCALE = 2
WIDTH = min(48, shutil.get_terminal_size((80, 24)).columns - 40)


def bars() -> None:
    """Draws of discrete Laplace noise against the exact probabilities."""
    exact.discrete_laplace(SCALE)  # loads the libraries and checks this machine's arithmetic
    start = time.perf_counter()
    noise = exact.discrete_laplace(SCALE, DRAWS)
    taken = time.perf_counter() - start
    counts = Counter(noise.tolist())
    p = math.exp(-1 / SCALE)
    print(f"{DRAWS:,} draws of discrete Laplace noise, scale {SCALE}, in {taken * 1000:.0f} ms")
    print("AES-256 bits from the operating system; every probability exact, not almost\n")
    print(f"   noise {'':{WIDTH}} drawn     exact")
    for k in range(-6, 7):
        exact_share = (1 - p) / (1 + p) * p ** abs(k)
        share = counts[k] / DRAWS
        bar = "█" * round(share * WIDTH * 4)
        print(f"   {k:+5d} {bar:{WIDTH}} {share:.4f}   {exact_share:.4f}")


def proof() -> None:
    """The law of the same sampler with no sampling at all: every branch of its bits, as rationals."""
    law = exact.output_law(lambda bits: exact.discrete_laplace(SCALE, bits=bits), word_bits=2, runs=6000)
    zero, one = law.at(0), law.at(1)
    loss = math.log(Fraction(zero, 1) / one)
    print("\nThe same sampler, proven: all branches of its random bits, followed with rational arithmetic")
    rest = f"not followed: {float(law.unexplored):.0e}"
    print(f"   Pr[0] = {float(zero):.12f}   Pr[1] = {float(one):.12f}   {rest}")
    print(f"   ln(Pr[0]/Pr[1]) = {loss:.12f}   promised: 1/scale = {1 / SCALE}")


def selection() -> None:
    """A private choice: the favourite food of a class, without betraying one child's vote."""
    votes = {"pasta": 11, "pizza": 10, "dal": 4, "soup": 1}
    chosen = Counter(
        list(votes)[exact.permute_and_flip(list(votes.values()), epsilon=1, sensitivity=1, monotone=True)]
        for _ in range(2000)
    )
    print("\nA private favourite (permute-and-flip, ε = 1), asked 2000 times; a real curator answers once")
    for food, count in votes.items():
        print(f"   {food:6} {count:3} votes   chosen {chosen[food] / 20:5.1f} %")


if __name__ == "__main__":
    bars()
    proof()
    selection()
    print("\nnext: make test runs the whole suite; README.md says what each room does")
