"""Pictures: bars, curves and meters as values, drawn as SVG text or as blocks for a terminal."""

from sfumato.pictures.answers import of_answer
from sfumato.pictures.kinds import as_svg, as_svg_file, as_text
from sfumato.pictures.values import Bars, Beside, Curve, Curves, DrawnBar, Meter, Picture, Reference, Role

__all__ = [
    "Bars",
    "Beside",
    "Curve",
    "Curves",
    "DrawnBar",
    "Meter",
    "Picture",
    "Reference",
    "Role",
    "as_svg",
    "as_svg_file",
    "as_text",
    "of_answer",
]
