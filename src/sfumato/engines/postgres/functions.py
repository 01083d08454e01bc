"""Functions that PostgreSQL writes in another way, or fails in: each total, with the values of its record."""

from collections.abc import Callable, Mapping, Sequence
from math import inf, isfinite, ldexp, nan, nextafter

from sfumato.engines.postgres.arithmetic import MOST, added, divided, multiplied
from sfumato.engines.postgres.binding import bound, double
from sfumato.query.functions.texts import SPACES

_INFINITE, _NAN = double(inf), double(nan)
_LEAST = ldexp(1, -1074)
_WIDTH, _LN_2 = double(2.0**63), double(0.6931471805599453)

# ---- roundings ----


def _half_away(x: str) -> str:
    """The part after the point is exact, and nothing is added to what is not rounded up."""
    return f"CASE WHEN abs({x} - trunc({x})) >= 0.5 THEN trunc({x}) + sign({x}) ELSE trunc({x}) END"


def _round(operands: Sequence[str]) -> str:
    """To a constant number of digits; a number that its tenfolds would make infinite is as it is."""
    digits = int(operands[1]) if len(operands) > 1 else 0
    if digits > 308:
        return operands[0]
    if not digits:
        return bound(operands[:1], _half_away, columns=True)
    scale = 10.0**digits
    last = MOST / scale
    while not isfinite(last * scale):
        last = nextafter(last, 0)
    while isfinite(nextafter(last, inf) * scale):
        last = nextafter(last, inf)

    def body(x: str) -> str:
        rounded = bound((f"{x} * {double(scale)}",), lambda y: f"({_half_away(y)}) / {double(scale)}")
        return f"CASE WHEN abs({x}) <= {double(last)} THEN {rounded} ELSE {x} END"

    return bound(operands[:1], body)


# ---- roots, logarithms and powers ----


def _above_zero(function: str) -> Callable[[Sequence[str]], str]:
    return lambda operands: bound(operands, lambda x: f"CASE WHEN {x} > 0 THEN {function}({x}) END", columns=True)


def _root(operands: Sequence[str]) -> str:
    return bound(operands, lambda x: f"CASE WHEN {x} >= 0 THEN sqrt({x}) END", columns=True)


def _log2(operands: Sequence[str]) -> str:
    """The natural logarithm over that of two; of a power of two it is whole, which a power tells."""

    def told(x: str, y: str) -> str:
        n = f"round({y})"
        halved = f"power({double(2)}, {n} - 1) = {x} * {double(0.5)}"
        doubled = f"power({double(2)}, {n} + 1) = {x} * {double(2)}"
        return (
            f"CASE WHEN abs({y}) < 1100 AND abs({y} - {n}) < {double(1e-9)} "
            f"AND CASE WHEN {x} >= 1 THEN {halved} ELSE {doubled} END THEN {n} ELSE {y} END"
        )

    return bound(operands, lambda x: f"CASE WHEN {x} > 0 THEN {bound((x, f'ln({x}) / {_LN_2}'), told)} END")


def _exp(operands: Sequence[str]) -> str:
    """Infinite from the last argument on that has a double, and zero likewise; the least double is named."""
    return bound(
        operands,
        lambda x: (
            f"CASE WHEN {x} > {double(709.782712893384)} AND {x} <= {_INFINITE} THEN {_INFINITE} "
            f"WHEN {x} < {double(-745.1332191019411)} THEN {double(0)} "
            f"WHEN {x} < {double(-744.1)} THEN {double(_LEAST)} ELSE exp({x}) END"
        ),
        columns=True,
    )


def _pow(operands: Sequence[str]) -> str:
    """Cases of C's pow one by one; then b·ln|a| tells where the power is, and only close to the ends more is needed."""
    return bound(operands, _power)


def _power(a: str, b: str) -> str:
    odd = f"(abs({b}) >= 1 AND abs({b}) < {double(2.0**53)} AND floor({b}) = {b} AND floor({b} * 0.5) <> {b} * 0.5)"
    zero, infinite = double(0), _INFINITE
    minus_zero, minus_infinite = double(-0.0), double(-inf)
    is_minus_zero = f"CAST({a} AS text) = '-0'"
    grows = f"(abs({a}) > 1) = ({b} > 0)"
    return (
        f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN CAST(NULL AS double precision) "
        f"WHEN {b} = 0 OR {a} = 1 THEN {double(1)} WHEN {b} = 1 THEN {a} "
        f"WHEN {a} = {_NAN} OR {b} = {_NAN} THEN {_NAN} "
        f"WHEN abs({b}) = {infinite} THEN "
        f"CASE WHEN {a} = -1 THEN {double(1)} WHEN {grows} THEN {infinite} ELSE {zero} END "
        f"WHEN {a} = 0 THEN CASE "
        f"WHEN {b} > 0 THEN CASE WHEN {odd} THEN {a} ELSE {zero} END "
        f"WHEN {odd} AND {is_minus_zero} THEN {minus_infinite} ELSE {infinite} END "
        f"WHEN {a} = {infinite} THEN CASE WHEN {b} > 0 THEN {infinite} ELSE {zero} END "
        f"WHEN {a} = {minus_infinite} THEN CASE "
        f"WHEN {b} > 0 THEN CASE WHEN {odd} THEN {a} ELSE {infinite} END "
        f"WHEN {odd} THEN {minus_zero} ELSE {zero} END "
        f"WHEN {a} < 0 AND floor({b}) <> {b} THEN {_NAN} "
        f"WHEN {a} = -1 THEN CASE WHEN {odd} THEN {a} ELSE {double(1)} END "
        f"WHEN abs({b}) < {double(1e-200)} THEN power({a}, {b}) "
        f"WHEN abs({b}) > {double(1e300)} THEN CASE WHEN {grows} THEN {infinite} ELSE {zero} END "
        f"ELSE {_near_the_ends(a, b, odd)} END"
    )


def _near_the_ends(a: str, b: str, odd: str) -> str:
    """Of finite numbers, not 0 nor 1 in size: a power, or what it is where it has no double, or only just."""
    sign = f"CASE WHEN {a} < 0 AND {odd} THEN {double(-1)} ELSE {double(1)} END"
    size = f"{b} * ln(abs({a}))"
    down, up = double(2.0**-10), double(2.0**20)
    root = f"power(abs({a}), {b} * 0.5) * {down}"
    return (
        f"CASE WHEN {size} BETWEEN -744.0346 AND 709.7 THEN power({a}, {b}) "
        f"WHEN {size} > 709.9 THEN {_INFINITE} * {sign} "
        f"WHEN {size} <= {double(-745.1332191019412)} THEN {double(0)} * {sign} "
        f"WHEN {size} < 0 THEN {double(_LEAST)} * {sign} "
        f"WHEN ({root}) * ({root}) >= {double(ldexp(1, 1004))} THEN {_INFINITE} * {sign} "
        f"ELSE ({root}) * ({root}) * {up} * {sign} END"
    )


def _remainder(operands: Sequence[str]) -> str:
    """Exact: of 64 bits where both are whole, else of whole numbers as long as they are."""
    return bound(operands, _fmod)


def _fmod(a: str, b: str) -> str:
    whole = " AND ".join(f"abs({x}) < {_WIDTH} AND trunc({x}) = {x}" for x in (a, b))
    return (
        f"CASE WHEN {b} = 0 OR {a} IS NULL OR {b} IS NULL THEN CAST(NULL AS double precision) "
        f"WHEN abs({a}) > {double(MOST)} OR {b} = {_NAN} THEN {_NAN} WHEN abs({a}) < abs({b}) THEN {a} "
        f"ELSE CASE WHEN {a} < 0 THEN {double(-1)} ELSE {double(1)} END * "
        f"CASE WHEN {whole} THEN CAST(CAST(abs({a}) AS bigint) % CAST(abs({b}) AS bigint) AS double precision) "
        f"ELSE {_long_remainder(f'abs({a})', f'abs({b})')} END END"
    )


def _long_remainder(a: str, b: str) -> str:
    """Of two positive doubles: whole numbers times powers of two, which are found by the logarithm, one or two off."""
    i, j = (f"CAST(floor(ln({x}) / {_LN_2}) AS integer) - 54" for x in (a, b))
    rows = f"(SELECT {a} AS sfumato_a, {b} AS sfumato_b, {i} AS sfumato_i, least({i}, {j}) AS sfumato_j OFFSET 0) t"
    whole = [
        f"CAST(CAST({_times_power(x, f'-{n}')} AS bigint) AS numeric)"
        for x, n in (("sfumato_a", "sfumato_i"), ("sfumato_b", "sfumato_j"))
    ]
    apart = "trunc(power(CAST(2 AS numeric), CAST(sfumato_i - sfumato_j AS numeric)))"
    left = f"CAST(mod({whole[0]} * {apart}, {whole[1]}) AS double precision)"
    return f"(SELECT {_times_power(left, 'sfumato_j')} FROM {rows})"


def _times_power(x: str, n: str) -> str:
    """x·2**n in two steps: neither is beyond what doubles hold if x and the end are not."""
    first = f"floor(CAST({n} AS double precision) / 2)"
    return f"{x} * power({double(2)}, {first}) * power({double(2)}, {n} - {first})"


# ---- texts ----


def like(text: str, pattern: str) -> str:
    """Whether a text is as a pattern says, in which nothing but % and _ stands for something else."""
    return f"({text} LIKE {pattern} ESCAPE '')"


FUNCTIONS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "add": lambda operands: added("+", operands),
    "sub": lambda operands: added("-", operands),
    "mul": multiplied,
    "div": divided,
    "mod": _remainder,
    "round": _round,
    "sqrt": _root,
    "ln": _above_zero("ln"),
    "log10": _above_zero("log10"),
    "log2": _log2,
    "exp": _exp,
    "pow": _pow,
    "trim": lambda operands: f"btrim({operands[0]}, '{SPACES}')",
    "contains": lambda operands: f"(strpos({operands[0]}, {operands[1]}) > 0)",
    "like": lambda operands: like(*operands),
}
"""By the names of their records; all others are written as these say."""
