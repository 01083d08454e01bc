"""The curator's release paths and the local protocols, audited; a path that claims less than it spends is convicted."""

from dataclasses import replace
from fractions import Fraction

import pytest

from sfumato import audit, local
from sfumato.audit import Own
from sfumato.audit.targets import Claim
from sfumato.curator.audited import CURATOR, PEOPLE, PROTOCOLS, asked, exact
from sfumato.local.kinds import KINDS

PRICED_OTHERWISE = {"condensed"}  # in α; its worst-case ε is tested with its channel


@pytest.mark.parametrize("own", [*CURATOR, *PROTOCOLS], ids=lambda own: own.name)
def test_no_path_of_ours_is_convicted(own: Own) -> None:
    found = audit.audit(own.target(Fraction(1)), draws=2000, confidence=1 - 1e-9)
    assert not found.convicted


@pytest.mark.parametrize("name", ["curator: count", "curator: sum", "local: k-ary", "local: one bit, remembered"])
def test_a_path_that_claims_a_third_of_what_it_spends_is_convicted(name: str) -> None:
    own = next(own for own in (*CURATOR, *PROTOCOLS) if own.name == name)
    target = own.target(Fraction(1))
    broken = replace(target, claim=Claim(target.claim.epsilon / 3, target.claim.delta))
    assert audit.audit(broken, draws=6000).convicted


def test_a_curator_that_counts_all_rows_of_a_person_is_convicted() -> None:
    one_row = asked("SELECT COUNT(DISTINCT person) FROM rows")(Fraction(1)).query
    all_rows = asked("SELECT COUNT(*) FROM rows")(Fraction(1)).query

    def release(rows: object) -> int:
        table = exact(all_rows.question.text, rows, all_rows.spend)  # type: ignore[arg-type]
        noise = one_row.priced[0].noise
        assert noise is not None
        from sfumato.exact.bits import source

        return int(table.columns[0][0]) + int(noise.draw(None, source(None)))

    found = audit.audit(audit.target_of(release, PEOPLE, epsilon=1), draws=6000)
    assert found.convicted


def test_every_kind_of_protocol_is_audited() -> None:
    audited = {own.make(Fraction(1)).protocol.kind for own in PROTOCOLS}
    assert audited | PRICED_OTHERWISE == {kind.kind for kind in KINDS}
    assert local.Condensed.kind in PRICED_OTHERWISE
