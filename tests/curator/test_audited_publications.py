"""Publications before the auditor: none is convicted, and one that claims a third of what it spends is."""

from dataclasses import replace
from fractions import Fraction

import pytest

from sfumato import audit
from sfumato.audit import AuditedMechanism
from sfumato.audit.targets import Claim
from sfumato.cli.audit import SOURCES
from sfumato.curator.audited_publications import PLANS, PUBLICATIONS
from sfumato.synth.publication.kinds import KINDS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("own", PUBLICATIONS, ids=lambda own: own.name)
def test_no_publication_is_convicted(own: AuditedMechanism) -> None:
    draws = 400 if "synthetic" in own.name else 1500  # a release of it takes as long as all others together
    assert not audit.audit(own.target(Fraction(1)), draws=draws, confidence=1 - 1e-9).convicted


def test_a_publication_that_claims_a_third_of_what_it_spends_is_convicted() -> None:
    target = next(own for own in PUBLICATIONS if own.name == "publication: table").target(Fraction(3))
    broken = replace(target, claim=Claim(target.claim.epsilon / 3, target.claim.delta))
    assert audit.audit(broken, draws=8000).convicted


def test_every_kind_of_part_is_audited_and_the_command_line_knows_it() -> None:
    audited = {entry["kind"] for parts in PLANS.values() for entry in parts}
    assert audited | {"synthetic"} == set(KINDS)
    assert "publication: synthetic table" in [own.name for own in PUBLICATIONS]
    assert "sfumato.curator.audited_publications:PUBLICATIONS" in SOURCES
