"""A synthetic table after the charge: values found, bins made, marginals counted and measured, stage by stage."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.exact.bits import BitSource, source
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.publication.reading import PublicationReader
from sfumato.synth.publication.table_columns import FoundColumn
from sfumato.synth.publication.table_stages import TableStages, shape_of, sizes_of
from sfumato.synth.tables.grids import MeasuredGrid, measure_grid
from sfumato.synth.tables.paid import Purse

if TYPE_CHECKING:
    from sfumato.synth.publication.table_pricing import PricedTable

_LEAST_ROWS = 100  # of a bin, in deviations of the noise that one count has at the whole price
_STEPS = 2**20


def measure_table(priced: "PricedTable", reader: PublicationReader, bits: BitSource | None) -> TableStages:
    """All stages, each by what the ones before it released."""
    stream, columns = source(bits), priced.reads_of.columns
    found: dict[str, Sequence[Any]] = {
        column.name: column.kept(reader.found()) for column in columns if isinstance(column, FoundColumn)
    }
    grids = _measured_grids(priced, reader, stream) if priced.grids else {}
    least = _LEAST_ROWS * float(priced.sigma) * priced.rows_per_person
    for column in priced.grids:
        measured, parts = grids[column.name]
        found[column.name] = column.starts(measured, parts, least)
    last = priced.reads_of.last(priced.reads_of.codes(found), priced.event)
    tables = dict(zip(last.marginals, reader.counted_last(last).tables, strict=True))
    coded, counted = [column.coded(found.get(column.name, ())) for column in columns], last.workload
    shape = shape_of(sizes_of(coded), priced.impossible, moved=counted.moved, parts=counted.weights.whole)
    measured_table = priced.synthesiser(shape).measure(lambda marginal: tables[marginal], bits=stream)
    return TableStages(found, tuple(grid for grid, _ in grids.values()), measured_table)


def grid_noise(priced: "PricedTable", moved: int) -> GaussianNoise:
    """The noise of every level of every grid: the share of all grids, divided alike."""
    levels = sum(column.grid.levels for column in priced.grids)
    sigma = sqrt_up(moved**2 * levels * priced.sigma**2 / priced.grid_share)
    return GaussianNoise(Fraction(-(-(Fraction(sigma) * _STEPS) // 1), _STEPS))


def _measured_grids(
    priced: "PricedTable", reader: PublicationReader, bits: BitSource
) -> Mapping[str, tuple[MeasuredGrid, int]]:
    """The levels of every grid with noise, and in what part of a row they are counted."""
    workload = priced.reads.grid
    assert workload is not None
    moved, exact = workload.workload.moved, reader.counted()
    noise, purse = grid_noise(priced, moved), Purse(priced.grid_share / priced.sigma**2)
    tables = dict(zip(workload.marginals, exact.tables, strict=True))
    return {
        column.name: (
            measure_grid(tables[(place,)], column.grid, purse, noise=noise, moved=moved, bits=bits),
            workload.workload.weights.whole,
        )
        for place, column in enumerate(priced.grids)
    }
