"""Amounts that a question may cost, or be asked with."""

from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.amounts import Real, hint_for, sized

Amount = Real


def amount(name: str, value: Amount, *, zero: bool = False) -> Fraction:
    """The exact amount that is meant, within what a question may cost."""
    exact = sized(name, value, least=-60, most=6)
    if exact == 0 and not zero:
        raise InvalidParameter(name, "must be positive", value, hint=hint_for(name))
    return exact
