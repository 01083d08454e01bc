"""Functions of texts: characters are code points, and texts are cut before they are computed with."""

import re
from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.expression import MOST_CHARACTERS, Call, Literal, longest
from sfumato.query.functions.casing import lower, upper
from sfumato.query.functions.cost import BYTES, Work, joined, made_anew, searched, searched_in_lower_case
from sfumato.query.functions.record import POSITION, TEXT, Function, Node, Operand, Sort, Writer
from sfumato.query.range import Range

_TWO = ("this", "expression")
SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""Unicode's separators of words; tabs and ends of lines are none."""
_WORD = Operand(
    Sort.TEXT,
    "constant words of up to 10000 characters",
    "REPLACE(column, 'from', 'to')",
    lambda value: len(str(value)) <= MOST_CHARACTERS,
)
_PATTERN = Operand(Sort.TEXT, "a constant pattern", "column LIKE 'x%'")


def _substring(a: str, start: int, length: int | None = None) -> str:
    """From a position on, from 1; what is before the first character counts in the length."""
    end = None if length is None else max(0, start - 1 + length)
    return a[max(0, start - 1) : end]


def _shorter(call: Call, lengths: Sequence[int]) -> int:
    match call.args[2:]:
        case (Literal(value=int() as most),):
            return min(lengths[0], most)
        case _:
            return lengths[0]


def like(text: str, pattern: str) -> bool:
    """Whether a text is as a pattern says: % stands for any characters, _ for one; in time of text times pattern.

    >>> like("a%c", "a_c"), like("abcbcd", "a%bc%"), like("ab", "a%b%b"), like("", "%"), like("x", "")
    (True, True, False, True, False)
    """
    first, *rest = (_piece(piece) for piece in pattern.split("%"))
    start = first.match(text)
    if not rest or start is None:
        return first.fullmatch(text) is not None
    at = start.end()
    for piece in rest[:-1]:  # each as early as it can be: what follows has the most left
        found = piece.search(text, at)
        if found is None:
            return False
        at = found.end()
    last = len(pattern.rsplit("%", 1)[1])
    return len(text) - last >= at and rest[-1].fullmatch(text, len(text) - last) is not None


def _piece(text: str) -> "re.Pattern[str]":
    """A part of a pattern without %: as many characters as it has."""
    return re.compile("".join("." if c == "_" else re.escape(c) for c in text), re.DOTALL)


def _concat(write: Writer, call: Call) -> str:
    """The texts one after the other, cut again at every step: no text on the way is longer than two may be."""
    made, *others = write.operands(call)
    length = longest(call.args[0])
    for other, arg in zip(others, call.args[1:], strict=True):
        more = longest(arg)
        length = None if length is None or more is None else length + more
        made = f"({made} || {other})"
        if length is None or length > MOST_CHARACTERS:
            made, length = f"left({made}, {MOST_CHARACTERS})", MOST_CHARACTERS
    return made


def _grown(lengths: Sequence[int]) -> int:
    """How many characters a text has at most where a constant word was replaced by another."""
    most, word, put = lengths
    return most if not word or put <= word else most // word * put + most % word


def _replaced(text: str, word: str, put: str) -> str:
    """As many words replaced as can be seen in what is kept: the text on the way is at most twice as long."""
    most = MOST_CHARACTERS // len(put) + 1 if len(put) > len(word) else -1
    return (text.replace(word, put, most) if word else text)[:MOST_CHARACTERS]


def _replace(write: Writer, call: Call) -> str:
    made = write.dialect.function("replace", write.operands(call), Kind.TEXT)
    lengths = [MOST_CHARACTERS if (known := longest(arg)) is None else known for arg in call.args]
    return made if _grown(lengths) <= MOST_CHARACTERS else f"left({made}, {MOST_CHARACTERS})"


def _replacing(call: Call, lengths: Sequence[int]) -> Work:
    """The text is searched, made at its full length, and cut."""
    made, found = _grown(lengths), searched(call, lengths)
    return found + Work(0, BYTES * (made + min(made, MOST_CHARACTERS)), 2 * made)


TEXTS = (
    Function(
        op="lower", takes=(TEXT,), gives=Kind.TEXT, value=lower, sql="lower({0})", nodes=(Node(exp.Lower),),
        cost=made_anew,
    ),
    Function(
        op="upper", takes=(TEXT,), gives=Kind.TEXT, value=upper, sql="upper({0})", nodes=(Node(exp.Upper),),
        cost=made_anew,
    ),
    Function(
        op="trim", takes=(TEXT,), gives=Kind.TEXT, value=lambda a: a.strip(SPACES), sql="trim({0})",
        nodes=(Node(exp.Trim),), cost=made_anew,
    ),
    Function(
        op="length", takes=(TEXT,), gives=Kind.INTEGER, value=len, sql="CAST(length({0}) AS {double})",
        names=("strlen",), nodes=(Node(exp.Length),), range=lambda _: Range(Fraction(0), None, Fraction(1)),
    ),
    Function(
        op="substring", takes=(TEXT, POSITION, POSITION), least=2, gives=Kind.TEXT, value=_substring,
        sql="substring({all})", nodes=(Node(exp.Substring, ("this", "start", "length")),), longest=_shorter,
        cost=made_anew,
    ),
    Function(
        op="replace", takes=(TEXT, _WORD, _WORD), gives=Kind.TEXT, sql="replace({0}, {1}, {2})", writes=_replace,
        value=_replaced,
        nodes=(Node(exp.Replace, ("this", "expression", "replacement")),),
        longest=lambda call, lengths: min(MOST_CHARACTERS, _grown(lengths)), cost=_replacing,
    ),
    Function(
        op="starts_with", takes=(TEXT, TEXT), gives=Kind.BOOLEAN, value=str.startswith, sql="starts_with({0}, {1})",
        names=("prefix",), nodes=(Node(exp.StartsWith, _TWO),),
    ),
    Function(
        op="contains", takes=(TEXT, TEXT), gives=Kind.BOOLEAN, value=lambda a, b: b in a, sql="contains({0}, {1})",
        nodes=(Node(exp.Contains, _TWO),), cost=searched,
    ),
    Function(
        op="concat", takes=(TEXT,), many=True, least=1, gives=Kind.TEXT, writes=_concat, cost=joined,
        value=lambda *parts: "".join(parts)[:MOST_CHARACTERS],
        nodes=(Node(exp.DPipe, _TWO),),
    ),
    Function(
        op="like", takes=(TEXT, _PATTERN), gives=Kind.BOOLEAN, value=like, sql="({0} LIKE {1})",
        nodes=(Node(exp.Like, _TWO),), cost=searched,
    ),
    Function(
        op="ilike", takes=(TEXT, _PATTERN), gives=Kind.BOOLEAN, value=lambda a, b: like(lower(a), lower(b)),
        sql="({0} ILIKE {1})", nodes=(Node(exp.ILike, _TWO),), cost=searched_in_lower_case,
    ),
)  # fmt: skip
"""What is made of texts, or found in them."""
