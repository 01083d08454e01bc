"""A hint works when it is followed, and nobody is shown `None` for what was not said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.errors import InvalidParameter, SfumatoError

COUNT = "SELECT COUNT(*) AS n FROM visits"
GROUPS = "SELECT category, COUNT(*) AS n FROM visits GROUP BY category"
AVERAGE = "SELECT AVG(amount) AS m FROM visits"

CASES: dict[str, tuple[Callable[[Session], Any], str, str]] = {
    "no text": (lambda s: s.sql(3, epsilon=1), "is SQL text", 'session.sql("SELECT COUNT(*) FROM …", epsilon=0.5)'),  # type: ignore[arg-type]
    "delta": (lambda s: s.sql(GROUPS, epsilon=1, delta="much"), "delta must be", "delta=1e-9"),
    "delta of 2": (lambda s: s.sql(COUNT, epsilon=1, delta=2), "delta must be below 1: 2", "delta=1e-9"),
    "delta of 1": (lambda s: s.explain(COUNT, epsilon=1, delta=1), "delta must be below 1: 1", "delta=1e-9"),
    "delta below 0": (lambda s: s.explain(COUNT, epsilon=1, delta=-1), "delta must not be negative", "delta=1e-9"),
    "median": (lambda s: s.smooth_median(AVERAGE, epsilon=1), "of: MEDIAN(x)", "SELECT MEDIAN(x) FROM …"),
    "max": (
        lambda s: s.noisy_max(GROUPS.replace("COUNT(*)", "AVG(amount)"), epsilon=1),
        "SUM(x), COUNT(*)",
        "SELECT key",
    ),
    "watch": (lambda s: s.sparse(3, epsilon=1, cutoff=1).ask(AVERAGE), "of: COUNT(*)", "SELECT COUNT(*) FROM …"),
    "label": (
        lambda s: s.sql(COUNT, epsilon=1, label="x" * 201),
        "label must be printable text",
        'label="weekly report"',
    ),
    "k of 0": (lambda s: s.top_k(GROUPS, k=0, epsilon=1), "k must be 1 to 13", "k=3"),
    "k of 14": (lambda s: s.top_k(GROUPS, k=14, epsilon=1), "k must be 1 to 13", "k=3"),
    "within 0": (lambda s: s.sql(COUNT, within=0), "within must be a positive number: 0", "within=100"),
    "within abc": (lambda s: s.sql(COUNT, within="abc"), "within must be a positive number", "within=100"),
    "verb": (lambda s: s.paced("mean", COUNT), "verb must be one of sql", "begin_async"),
    "both": (lambda s: s.sql(COUNT, epsilon=1, rho=1), "one of them, found: 'both'", "epsilon=0.5"),
    "neither": (lambda s: s.sql(COUNT), "one of them, found: 'neither'", "epsilon=0.5"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_is_said_with_a_hint_that_works(clean: Path, opened: Any, name: str) -> None:
    wrong, problem, hint = CASES[name]
    session = opened(clean)
    with pytest.raises(SfumatoError) as caught:
        wrong(session)
    assert problem in caught.value.problem
    assert "None" not in caught.value.problem
    assert hint in caught.value.hint
    assert not [body for _, body in session.log() if body["kind"] == "reserve" and name != "watch"]


def test_who_is_not_named_is_told_who_is_known(clean: Path, tmp_path: Path) -> None:
    more = "".join(f'\n[analysts.{who}]\nepsilon = "2"\n' for who in ("ann", "bob"))
    with sfumato.open_curator(clinic.declare(clean, more=more), ledger=tmp_path / "ledger") as curator:
        with pytest.raises(InvalidParameter, match="analyst must be named") as caught:
            curator.session()
        assert "None" not in caught.value.problem
        assert caught.value.hint == "known: ann, bob; say analyst='ann'"
        with pytest.raises(InvalidParameter, match="one of the declared: 'eve'"):
            curator.session("eve")


def test_a_price_that_is_a_little_above_what_is_left_is_told_from_it(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="1")
    for above, shown in (
        ("1.0000001", "costs ε = 1.0000001, and ε = 1 is left"),
        (f"1.{'0' * 29}1", "ε = 1 less 1e-30"),
    ):
        with pytest.raises(SfumatoError) as caught:
            session.sql(COUNT, epsilon=above)
        assert shown in caught.value.problem
        assert "at most ε = 1" in caught.value.hint
