"""Numbers on the command line: read by the one parser of amounts, so that 0.1 is one tenth and 1/3 is welcome."""

import argparse
from fractions import Fraction

from sfumato.errors import InvalidParameter, shown


def number(text: str) -> Fraction:
    """A number exactly as it is written; `type=number` of an argument."""
    from sfumato.exact.amounts import amount

    try:
        return amount("number", text)
    except InvalidParameter:
        raise argparse.ArgumentTypeError(f"must be a number such as 0.5 or 1/2: {shown(text)}") from None
