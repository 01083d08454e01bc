"""The picture of an answer: a bar a row, with the ends of its error bar."""

from collections.abc import Sequence

from sfumato.errors import InvalidParameter
from sfumato.pictures.kinds import as_svg
from sfumato.pictures.values import Bars, DrawnBar, Value

MOST_ROWS = 40


def of_answer(
    names: Sequence[object], values: Sequence[Value], lows: Sequence[Value], highs: Sequence[Value], title: str = ""
) -> str:
    """Bars with error bars as SVG for a page; of a long answer the first rows, and how many more there are.

    >>> of_answer(["a", None], [3, 4.5], [1, None], [5, None], "visits").count('class="bar"')
    2
    """
    if not len(names) == len(values) == len(lows) == len(highs):
        raise InvalidParameter("values", f"must be as many as names, {len(names)}", len(values))
    bars = [
        DrawnBar("NULL" if name is None else str(name), value, low, high)
        for name, value, low, high in list(zip(names, values, lows, highs, strict=True))[:MOST_ROWS]
    ]
    more = len(names) - len(bars)
    return as_svg(Bars(title, bars, label=f"and {more:,} more rows" if more else ""))
