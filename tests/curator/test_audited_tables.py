"""Synthetic tables, audited: ours are not convicted, and twins that draw less noise than they charge for are."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from sfumato import audit
from sfumato.audit import AuditedMechanism
from sfumato.audit.pairs import Pair
from sfumato.cli.audit import SOURCES
from sfumato.curator.audited_tables import (
    DELTA,
    ONE_MORE,
    SHAPE,
    TABLES,
    PublishedMeasurements,
)
from sfumato.synth.tables import TableSynthesiser

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("own", TABLES, ids=lambda own: own.name)
def test_no_synthetic_table_is_convicted(own: AuditedMechanism) -> None:
    found = audit.audit(own.target(Fraction(1)), draws=400, confidence=1 - 1e-9)
    assert not found.convicted


def test_the_command_line_knows_synthetic_tables() -> None:
    assert "sfumato.curator.audited_tables:TABLES" in SOURCES


@dataclass(frozen=True, kw_only=True)
class NarrowTable(TableSynthesiser):
    """Every stage may spend what all of it would cost at a fifteenth of the noise."""

    @property
    def squared_mu(self) -> Fraction:
        return 225 * super().squared_mu


def test_a_fifteenth_of_the_noise_that_is_charged_for_is_caught() -> None:
    def make(epsilon: Fraction) -> PublishedMeasurements:
        return PublishedMeasurements(NarrowTable.calibrated(shape=SHAPE, epsilon=epsilon, delta=DELTA))

    twin = AuditedMechanism("twin", make, ONE_MORE, delta=DELTA)
    assert audit.audit(twin.target(Fraction(1)), draws=500, confidence=1 - 1e-9).convicted


def test_weights_charged_as_rows_are_caught() -> None:
    def make(epsilon: Fraction) -> PublishedMeasurements:
        return PublishedMeasurements(TableSynthesiser.calibrated(shape=SHAPE, epsilon=epsilon, delta=DELTA))

    fifteen = (Pair([4, 0, 0, 4], [19, 0, 0, 4], "a person of fifteen parts"),)
    twin = AuditedMechanism("twin", make, fifteen, delta=DELTA)
    assert audit.audit(twin.target(Fraction(1)), draws=500, confidence=1 - 1e-9).convicted
