"""Sums, products and quotients of doubles that are infinite where PostgreSQL fails, and zero where it fails again.

PostgreSQL takes an infinity that comes of finite numbers, and a zero that comes of others, for an error. So it is known
before that there will be one. Beside a constant, the numbers up to which there is none are found here, exactly; of two
numbers, a scaled product or quotient tells. Where nothing is near, two comparisons do.
"""

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf, isfinite, ldexp
from sys import float_info

from sfumato.engines.postgres.binding import bound, constant, double

MOST = float_info.max
_NULL = "CAST(NULL AS double precision)"
_HALF = double(MOST / 2)
_HALF_STEP = ldexp(1, 970)  # half of the distance between the two largest doubles
_MIDDLE = (double(1e-150), double(1e150))


def added(op: str, operands: Sequence[str]) -> str:
    """a + b or a - b."""
    a, b = operands
    left, right = constant(a), constant(b)
    if right is not None:
        return _with_term(a, right if op == "+" else -right)
    if left is not None:
        return _with_term(b, left, less=op == "-")
    return bound((a, b), lambda x, y: _sum(op, x, y))


def multiplied(operands: Sequence[str]) -> str:
    """a · b."""
    a, b = operands
    if constant(b) is None:
        a, b = b, a
    factor = constant(b)
    return bound((a, b), _product) if factor is None else _with_factor(a, factor)


def divided(operands: Sequence[str]) -> str:
    """a / b; NULL where b is zero."""
    a, b = operands
    dividend, divisor = constant(a), constant(b)
    if divisor is not None:
        return _with_divisor(a, divisor)
    return bound((a, b), _quotient) if dividend is None else _with_dividend(dividend, b)


# ---- beside a constant ----


def _with_term(a: str, term: float, *, less: bool = False) -> str:
    """a + term, or term - a."""
    known, upwards = double(term), (term > 0) is not less
    if not isfinite(term) or isfinite(MOST + abs(term)):
        return f"({known} - ({a}))" if less else f"(({a}) + {known})"
    last = _last("+", abs(term))
    beyond = (
        f"{{x}} > {double(last)} AND {{x}} <= {double(MOST)}"
        if upwards
        else f"{{x}} < {double(-last)} AND {{x}} >= {double(-MOST)}"
    )
    plain = f"{known} - {{x}}" if less else f"{{x}} + {known}"
    text = f"CASE WHEN {beyond} THEN {double(inf if term > 0 else -inf)} ELSE {plain} END"
    return bound((a,), lambda x: text.format(x=x), columns=True)


def _with_factor(a: str, factor: float) -> str:
    size, known = abs(factor), double(factor)
    if not isfinite(factor) or size in (0.0, 1.0):
        return f"(({a}) * {known})"
    ends = (_last("*", size), inf * factor) if size > 1 else (_last("* 0", size), 0.0 * factor)
    return _beyond(a, f"* {known}", large=size > 1, ends=ends)


def _with_divisor(a: str, divisor: float) -> str:
    size, known = abs(divisor), double(divisor)
    if size == 0:
        return _NULL
    if not isfinite(divisor) or size == 1:
        return f"(({a}) / {known})"
    ends = (_last("/", size), inf * divisor) if size < 1 else (_last("/ 0", size), 0.0 / divisor)
    return _beyond(a, f"/ {known}", large=size < 1, ends=ends)


def _beyond(a: str, rest: str, *, large: bool, ends: tuple[float, float]) -> str:
    """What comes of a positive number beyond an end, and its negative for negative ones; else what is computed."""
    last, there = ends
    if large:
        test = f"> {double(last)} AND abs({{x}}) <= {double(MOST)}"
    elif last == 0:
        return f"(({a}) {rest})"
    else:
        test = f"<= {double(last)} AND {{x}} <> 0"
    signed = f"CASE WHEN {{x}} > 0 THEN {double(there)} ELSE {double(-there)} END"
    text = f"CASE WHEN abs({{x}}) {test} THEN {signed} ELSE {{x}} {rest} END"
    return bound((a,), lambda x: text.format(x=x), columns=True)


def _with_dividend(dividend: float, b: str) -> str:
    size, known = abs(dividend), double(dividend)
    if not isfinite(dividend) or size == 0:
        return f"({known} / nullif({b}, 0))"
    near, far = _last("a/x infinite", size), _last("a/x", size)
    infinite, nothing = (
        f"CASE WHEN {{x}} > 0 THEN {double(value)} ELSE {double(-value)} END"
        for value in (inf * dividend, 0.0 * dividend)
    )
    text = (
        f"CASE WHEN {{x}} = 0 THEN {_NULL} WHEN abs({{x}}) <= {double(near)} THEN {infinite} "
        f"WHEN abs({{x}}) > {double(far)} AND abs({{x}}) <= {double(MOST)} THEN {nothing} ELSE {known} / {{x}} END"
    )
    return bound((b,), lambda x: text.format(x=x), columns=True)


_HOLDS: dict[str, Callable[[float, float], bool]] = {
    "+": lambda x, k: isfinite(x + k),
    "*": lambda x, k: isfinite(x * k),
    "* 0": lambda x, k: x * k == 0,
    "/": lambda x, k: isfinite(x / k),
    "/ 0": lambda x, k: x / k == 0,
    "a/x infinite": lambda x, k: x == 0 or k / x == inf,
    "a/x": lambda x, k: x == 0 or k / x != 0,
}
"""What is true of all doubles from 0 up to one, and of none above, beside a constant that is positive."""


@lru_cache(maxsize=4096)
def _last(what: str, beside: float) -> float:
    """The largest double of which it is true."""
    holds, low, high = _HOLDS[what], 0, _bits(MOST)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(_of_bits(middle), beside) else (low, middle - 1)
    return _of_bits(low)


def _bits(number: float) -> int:
    return int(struct.unpack("q", struct.pack("d", number))[0])


def _of_bits(bits: int) -> float:
    return float(struct.unpack("d", struct.pack("q", bits))[0])


# ---- of two numbers ----


def _sum(op: str, a: str, b: str) -> str:
    """Infinite where the smaller is above what is left below the largest double by half a step of it: all exact."""
    alike = "=" if op == "+" else "<>"
    over = f"least(abs({a}), abs({b})) - ({double(MOST)} - greatest(abs({a}), abs({b}))) >= {double(_HALF_STEP)}"
    finite = f"abs({a}) <= {double(MOST)} AND abs({b}) <= {double(MOST)}"
    return (
        f"CASE WHEN abs({a}) <= {_HALF} AND abs({b}) <= {_HALF} THEN {a} {op} {b} "
        f"WHEN {finite} AND ({a} < 0) {alike} ({b} < 0) AND {over} "
        f"THEN CASE WHEN {a} > 0 THEN {double(inf)} ELSE {double(-inf)} END ELSE {a} {op} {b} END"
    )


def _middle(x: str) -> str:
    return f"abs({x}) BETWEEN {_MIDDLE[0]} AND {_MIDDLE[1]}"


def _signed(value: float, a: str, b: str) -> str:
    return f"CASE WHEN ({a} < 0) = ({b} < 0) THEN {double(value)} ELSE {double(-value)} END"


def _product(a: str, b: str) -> str:
    """Both sizes are scaled by 2**540: down where both are above 1, up where both are below, which is exact."""
    down, up = double(ldexp(1, -540)), double(ldexp(1, 540))
    return (
        f"CASE WHEN ({_middle(a)} OR {a} = 0) AND ({_middle(b)} OR {b} = 0) THEN {a} * {b} "
        f"WHEN abs({a}) > {double(MOST)} OR abs({b}) > {double(MOST)} OR {a} = 0 OR {b} = 0 THEN {a} * {b} "
        f"WHEN abs({a}) >= 1 AND abs({b}) >= 1 THEN "
        f"CASE WHEN (abs({a}) * {down}) * (abs({b}) * {down}) >= {double(ldexp(1, 1024 - 1080))} "
        f"THEN {_signed(inf, a, b)} ELSE {a} * {b} END "
        f"WHEN abs({a}) < 1 AND abs({b}) < 1 THEN "
        f"CASE WHEN {bound((f'abs({a}) * {up}', f'abs({b}) * {up}'), _is_nothing)} "
        f"THEN {_signed(0.0, a, b)} ELSE {a} * {b} END "
        f"ELSE {a} * {b} END"
    )


def _is_nothing(x: str, y: str) -> str:
    """Whether a scaled product is at most half of the least double: what was rounded off decides (Dekker 1971)."""
    half, splits = double(ldexp(1, 1080 - 1075)), double(2.0**27 + 1)
    (high, low), (other_high, other_low) = (
        (f"({splits} * {z} - ({splits} * {z} - {z}))", f"({z} - ({splits} * {z} - ({splits} * {z} - {z})))")
        for z in (x, y)
    )
    error = f"({high} * {other_high} - {half}) + {high} * {other_low} + {low} * {other_high} + {low} * {other_low}"
    return f"CASE WHEN {x} * {y} = {half} THEN {error} <= 0 ELSE {x} * {y} < {half} END"


def _quotient(a: str, b: str) -> str:
    """Below 1 a divisor makes infinities, above 1 it makes zeros; sizes are scaled by 2**1100 in two parts."""
    small, large = (double(ldexp(1, power)) for power in (-60, -40))
    return (
        f"CASE WHEN {b} = 0 THEN {_NULL} WHEN ({_middle(a)} OR {a} = 0) AND {_middle(b)} THEN {a} / {b} "
        f"WHEN abs({a}) > {double(MOST)} OR abs({b}) > {double(MOST)} OR {a} = 0 THEN {a} / {b} "
        f"WHEN abs({b}) < 1 AND abs({a}) >= {small} THEN "
        f"CASE WHEN (abs({a}) * {double(ldexp(1, -600))}) / (abs({b}) * {double(ldexp(1, 500))}) "
        f">= {double(ldexp(1, 1024 - 1100))} THEN {_signed(inf, a, b)} ELSE {a} / {b} END "
        f"WHEN abs({b}) >= 1 AND abs({a}) < {large} THEN "
        f"CASE WHEN (abs({a}) * {double(ldexp(1, 600))}) / (abs({b}) * {double(ldexp(1, -500))}) "
        f"<= {double(ldexp(1, 1100 - 1075))} THEN {_signed(0.0, a, b)} ELSE {a} / {b} END "
        f"ELSE {a} / {b} END"
    )
