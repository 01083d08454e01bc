"""Made-up rows instead of a table: measured once under one certified price, built without the data.

`TableSynthesiser` measures (`measure`) and makes rows (`build`); `TableMeasurements` is what left the data, and can be
stored. Ways to make rows are `ChainRows`, `ExplicitRows` and `TreeRows`. `answer` says
what was measured of one, two or three columns, with an exact bar.
"""

from sfumato.synth.tables.answers import MeasuredAnswer, answer, can_answer
from sfumato.synth.tables.building import ChainRows, ExplicitRows, RowBuilder, TreeRows, builder_for
from sfumato.synth.tables.measurements import MeasuredResidual, MeasuredScores, TableMeasurements
from sfumato.synth.tables.plan import StageShares
from sfumato.synth.tables.rows import SyntheticRows
from sfumato.synth.tables.shape import Counts, Marginal, TableShape
from sfumato.synth.tables.synthesiser import TableSynthesiser, Triples

__all__ = [
    "ChainRows",
    "Counts",
    "ExplicitRows",
    "Marginal",
    "MeasuredAnswer",
    "MeasuredResidual",
    "MeasuredScores",
    "RowBuilder",
    "StageShares",
    "SyntheticRows",
    "TableMeasurements",
    "TableShape",
    "TableSynthesiser",
    "TreeRows",
    "Triples",
    "answer",
    "builder_for",
    "can_answer",
]
