"""The least ε for a wanted accuracy: what is spent goes where it is needed, and errors fall as ε grows."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, positive
from sfumato.query.postprocess import answers_of
from sfumato.query.price import PricedQuery

Within = Real
Planned = Callable[[Fraction, tuple[tuple[str, Fraction], ...]], PricedQuery]
"""A question at an ε, with what its columns are worth beside each other."""
_FINEST = 10**6
_MOST = 10**3 * _FINEST


def least_epsilon(
    planned: Planned, within: Within | Mapping[str, Within], confidence: Fraction
) -> tuple[Fraction, tuple[tuple[str, Fraction], ...]]:
    """The least multiple of a millionth at which every named column is within its bound, and what columns are worth."""
    sample = planned(Fraction(1), ())
    wanted = _wanted(sample, within)
    weigh = _by_need(sample, wanted, 1 - confidence)

    def meets(millionths: int) -> bool:
        query = planned(Fraction(millionths, _FINEST), weigh)
        return all(off <= wanted[name] for name, off in _off(query, wanted, 1 - confidence).items())

    if not meets(_MOST):
        raise InvalidParameter("within", "is finer than any ε up to 1000 allows", within, hint="ask for less accuracy")
    low, high = 0, _MOST
    while high - low > 1:
        middle = (low + high) // 2 if high <= 64 or low else max(1, high // 64)
        low, high = (low, middle) if meets(middle) else (middle, high)
    return Fraction(high, _FINEST), weigh


def _by_need(query: PricedQuery, wanted: Mapping[str, Fraction], beta: Fraction) -> tuple[tuple[str, Fraction], ...]:
    """What columns are worth: as much more as their error at one ε is above what is wanted of it.

    Errors fall as 1/share, so that shares in proportion to this make all of them just fit at the same ε.
    """
    need = {name: off / wanted[name] for name, off in _off(query, wanted, beta).items()}
    most = max(need.values())
    return tuple(sorted((name, Fraction(max(1, round(1000 * each / most)), 1000)) for name, each in need.items()))


def _off(query: PricedQuery, wanted: Mapping[str, Fraction], beta: Fraction) -> dict[str, Fraction]:
    """How far each wanted column may be off."""
    at, answers = len(query.question.keys), answers_of(query, beta)
    outputs = {name: getattr(output, "index", -1) - at for name, output in query.question.outputs}
    found = {}
    for name in wanted:
        recipe, off = answers[outputs[name]]
        found[name] = Fraction(recipe.aggregate.expected(off).figure)
    return found


def _wanted(query: PricedQuery, within: Within | Mapping[str, Within]) -> dict[str, Fraction]:
    """Bounds by column: for every column of counts and sums, or for the columns that are named."""
    at = len(query.question.keys)
    outputs = {name: getattr(output, "index", None) for name, output in query.question.outputs}
    plain = [name for name, index in outputs.items() if index is not None and index >= at
             and query.question.aggregates[index - at].error_kind == "within"]  # fmt: skip
    if isinstance(within, Mapping):
        for name in within:
            if name not in plain:
                raise InvalidParameter(
                    "within", "names a column that is no count and no sum", name, hint=f"known: {plain}"
                )
        return {name: bound_of(bound) for name, bound in within.items()}
    if not plain:
        raise InvalidParameter(
            "within", "needs a column that is a count or a sum", within, hint="say epsilon=… instead"
        )
    return {name: bound_of(within) for name in plain}


def bound_of(value: Within) -> Fraction:
    """How far something may be off, as it is asked for."""
    try:
        return positive("within", value)
    except InvalidParameter:
        raise InvalidParameter("within", "must be a positive number", value, hint="within=100") from None
