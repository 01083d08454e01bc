"""A budget's share as a filled track."""

from fractions import Fraction

from sfumato.pictures.numbers import finite, short
from sfumato.pictures.svg import SIZE, SMALL, Drawing, element, fitted, joined, words
from sfumato.pictures.values import Meter, Role

WIDTH, _PAD = 360.0, 10.0


def share_of(meter: Meter) -> float:
    """What is spent, of one; all of it where that is not known.

    >>> share_of(Meter("", 1, 4)), share_of(Meter("", 1, 0)), share_of(Meter("", None, 4))
    (0.25, 1.0, 1.0)
    """
    spent, cap = finite(meter.spent), finite(meter.cap)
    if spent is None or cap is None or cap <= 0:
        return 1.0
    return float(min(max(Fraction(spent) / Fraction(cap), Fraction(0)), Fraction(1)))


def said(meter: Meter) -> str:
    """The words beside a meter."""
    return meter.words or f"{short(meter.spent)} of {short(meter.cap)}"


def draw(meter: Meter) -> Drawing:
    """The meter as SVG."""
    share, room = share_of(meter), (WIDTH - 2 * _PAD) / 2 - 4
    role = Role.ALARM if share >= 1 else Role.PLAIN
    track = {"x": _PAD, "y": 30, "height": 12}
    body = joined(
        words(fitted(meter.name, room), _PAD, 22, size=SIZE),
        words(fitted(said(meter), room, SMALL), WIDTH - _PAD, 22, anchor="end", size=SMALL),
        element("rect", width=WIDTH - 2 * _PAD, fill_opacity=0.15, **track),
        element("rect", width=share * (WIDTH - 2 * _PAD), fill=role.value, class_="spent", **track),
    )
    return Drawing(WIDTH, 52, body, f"{meter.name[:100]}: {said(meter)} spent")
