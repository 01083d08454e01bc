"""The least ε for a wanted accuracy: errors fall as ε grows, so the answer is found by halving."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, positive
from sfumato.query.aggregates.base import Exact
from sfumato.query.postprocess import reaches
from sfumato.query.price import PricedQuery

Within = Real
_FINEST = 10**6
_MOST = 10**3 * _FINEST


def least_epsilon(
    planned: Callable[[Fraction], PricedQuery], within: Within | Mapping[str, Within], confidence: Fraction
) -> Fraction:
    """The least multiple of a millionth at which every named column is within its bound, with the confidence."""
    sample = planned(Fraction(1))
    wanted = _wanted(sample, within)

    def meets(millionths: int) -> bool:
        query = planned(Fraction(millionths, _FINEST))
        off = reaches(query, 1 - confidence)
        return all(_off(query, off, column) <= bound for column, bound in wanted.items())

    if not meets(_MOST):
        raise InvalidParameter("within", "is finer than any ε up to 1000 allows", within, hint="ask for less accuracy")
    low, high = 0, _MOST
    while high - low > 1:
        middle = (low + high) // 2 if high <= 64 or low else max(1, high // 64)
        low, high = (low, middle) if meets(middle) else (middle, high)
    return Fraction(high, _FINEST)


def _wanted(query: PricedQuery, within: Within | Mapping[str, Within]) -> dict[int, Fraction]:
    """Bounds by aggregate: for every column of counts and sums, or for the columns that are named."""
    at = len(query.question.keys)
    outputs = {name: getattr(output, "index", None) for name, output in query.question.outputs}
    plain = {name: index - at for name, index in outputs.items() if index is not None and index >= at
             and query.question.aggregates[index - at].error_kind == "within"}  # fmt: skip
    if isinstance(within, Mapping):
        for name in within:
            if name not in plain:
                raise InvalidParameter(
                    "within", "names a column that is no count and no sum", name, hint=f"known: {list(plain)}"
                )
        return {plain[name]: _bound(bound) for name, bound in within.items()}
    if not plain:
        raise InvalidParameter(
            "within", "needs a column that is a count or a sum", within, hint="say epsilon=… instead"
        )
    return {index: _bound(within) for index in plain.values()}


def _bound(value: Within) -> Fraction:
    try:
        return positive("within", value)
    except InvalidParameter:
        raise InvalidParameter("within", "must be a positive number", value, hint="within=100") from None


def _off(query: PricedQuery, off: list[Exact], aggregate: int) -> Fraction:
    recipe = query.measures.recipes[aggregate]
    return sum(off[column] for column in recipe.columns) * recipe.measures[0].scale
