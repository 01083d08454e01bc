"""The report page and the run behind it: what is said of findings, and that a wrong control stops it."""

import html
import math
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest

import svg_reading
from sfumato.audit import Pair, Verdict
from sfumato.audit import everything as whole
from sfumato.audit.auditor import Finding
from sfumato.audit.certify import Power
from sfumato.audit.everything import Everything, load
from sfumato.audit.game import GameFinding
from sfumato.audit.laws import LawFinding
from sfumato.audit.own import OUR_MECHANISMS
from sfumato.audit.processes import ForkFinding, TimingFinding
from sfumato.audit.report import _brief, _short, page, picture
from sfumato.audit.sums import SumFinding
from sfumato.errors import BrokenAudit
from sfumato.pictures import as_svg

SOUND = Finding(
    name="sound <one>", epsilon=1.0, delta=0.0, bound=0.7, confidence=0.999, event="output ≤ 3", likelier="0",
    rarer="1", why="", hits=700, others=300, certified_on=1000, draws=2000, pairs=3, looked_at=4567, certified=5,
    smallest_violation=1.2, best_violation=1.1, power=(Power(0.5, 1.1), Power(0.1, 1.3), Power(0.01, 2.0),
    Power(1e-3, math.inf)), seconds=0.5,
)  # fmt: skip
GUILTY = replace(SOUND, name="guilty", bound=1.5, delta=1e-6, why="one rises")
GAME = GameFinding("the gambler", "a filter", 1.0, 0.0, 0.999, 400, 300, 100, 0.4, 0.6, 0.46, 0.9, 3.5)
LAW = LawFinding("law", 1.0, 0.0, Verdict.PROVED, 0.9, 0.9, 1e-9, 12, "0 and 1")


def run(**more: Any) -> Everything:
    parts: dict[str, Any] = {
        "version": "9.9", "date": "2026-01-02", "controls": (GUILTY,), "findings": (SOUND,), "laws": (LAW,),
        "leaks": {"path": SOUND}, "leak_controls": {"precision": GUILTY},
        "sums": {"control: a float sum": SumFinding(Fraction(3), Fraction(1), "x", 1),
                 "sum on a grid": SumFinding(Fraction(1), Fraction(1), "x", 1)},
        "forks": {"control: cloned": ForkFinding(True, 0.0), "geometric": ForkFinding(False, 0.0)},
        "timings": {"geometric": TimingFinding(0.5, 0.01, 100)}, "seconds": 12.0, "games": (GAME,),
        "game_controls": (replace(GAME, keeper="a broken filter", low=0.9),),
    }  # fmt: skip
    return Everything(**(parts | more))


class Tables(HTMLParser):
    """The cells of every table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open:
            self.rows[-1][-1] += data


def cells(text: str) -> list[list[str]]:
    reader = Tables()
    reader.feed(text)
    assert not reader.open
    return reader.rows


# ---- a finding ---------------------------------------------------------------------------------------------------


def test_a_finding_is_convicted_where_its_bound_is_above_its_claim() -> None:
    assert not SOUND.convicted
    assert GUILTY.convicted
    assert not replace(SOUND, bound=1.0).convicted


def test_a_conviction_names_the_event_and_its_counts() -> None:
    said = str(GUILTY)
    assert "FALSE" in said
    assert "“output ≤ 3” came 700 times on 0" in said
    assert "300 times on 1, out of 1,000 draws each (one rises)" in said
    assert "δ = 1e-06" in said


def test_what_is_not_refuted_says_what_could_have_been_found_and_what_may_hide() -> None:
    said = str(SOUND)
    assert "not refuted" in said
    assert "a true ε of 1.2 or more on it" in said
    assert "4,567 events looked at" in said
    assert "1.3 on one of 10 %" in said
    assert said.endswith("what is rarer than 1 % may hide")
    blind = replace(SOUND, smallest_violation=math.inf, power=(Power(0.5, math.inf),))
    assert "no ε on it" in str(blind)
    assert str(blind).endswith("anything else may hide")


def test_an_infinite_epsilon_is_null_in_json() -> None:
    document = replace(SOUND, smallest_violation=math.inf).to_json()
    assert document["smallest_violation"] is None
    assert document["power"] == {"0.5": 1.1, "0.1": 1.3, "0.01": 2.0, "0.001": None}
    assert document["convicted"] is False


# ---- the page ----------------------------------------------------------------------------------------------------


def test_a_page_without_convictions_says_so_and_one_with_names_them() -> None:
    assert "Nothing of ours was convicted" in page(run())
    guilty = page(run(findings=(SOUND, GUILTY)))
    assert "Convicted: guilty" in guilty
    assert "Nothing of ours" not in guilty


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"findings": (GUILTY,)}, "guilty"),
        ({"laws": (replace(LAW, verdict=Verdict.REFUTED),)}, "law"),
        ({"games": (replace(GAME, low=0.47),)}, "the gambler against a filter"),
        ({"games": (replace(GAME, bound=1.01),)}, "the gambler against a filter"),
        ({"leaks": {"path": GUILTY}}, "path"),
        ({"sums": {"sum": SumFinding(Fraction(2), Fraction(1), "", 1)}}, "sum"),
        ({"forks": {"fork": ForkFinding(True, 0.0)}}, "fork"),
    ],
)
def test_each_part_of_a_run_can_convict(part: dict[str, Any], name: str) -> None:
    assert run(**part).convicted == (name,)


def test_controls_and_time_convict_nothing_of_ours() -> None:
    assert run(timings={"slow": TimingFinding(1.0, 0.001, 10**6)}).convicted == ()
    assert run().convicted == ()


def test_what_is_shown_is_escaped() -> None:
    text = page(run(version="<script>"))
    assert "<script>" not in text
    assert "sound &lt;one&gt;" in text
    assert html.escape("<script>") in text


def test_every_table_is_rectangular_and_holds_its_rows() -> None:
    rows = cells(page(run(findings=(SOUND, GUILTY))))
    by_name = {row[0]: row for row in rows}
    assert by_name["sound <one>"][1:3] == ["ε = 1", "0.700"]
    assert by_name["guilty"][-1] == "CONVICTED"
    assert by_name["law"][2] == "proved"
    assert by_name["law"][3] == "0.9"
    assert by_name["control: a broken filter"][-1] == "CONVICTED"
    assert by_name["time, geometric"][-1] == "measured"
    assert by_name["control: precision"][-1] == "CONVICTED"
    assert any("—" in row for row in rows)  # what may hide
    widths = [len(row) for row in rows]
    assert set(widths) <= {3, 4, 6, 8, 9}


def test_an_open_interval_of_epsilon_is_said_as_a_lower_end() -> None:
    rows = cells(page(run(laws=(replace(LAW, at_most=math.inf, verdict=Verdict.OPEN),))))
    assert next(row for row in rows if row[0] == "law")[2:4] == ["open", "0.9 or more"]


def test_the_page_needs_no_network_and_holds_its_picture() -> None:
    text = page(run())
    assert not re.search(r'(?:src|href)="https?:', text)
    assert text.count("<svg") == 1
    assert text.startswith("<!doctype html>")


def test_bars_are_shares_of_the_claim_with_a_dot_where_a_violation_would_be_found() -> None:
    drawn = picture((SOUND, replace(GUILTY, epsilon=0.5)))
    assert [bar.value for bar in drawn.bars] == [0.7, 3.0]
    assert [bar.mark for bar in drawn.bars] == [1.2, 2.4]
    found = svg_reading.check(as_svg(drawn))
    assert len(svg_reading.bars(found)) == 2


@pytest.mark.parametrize(("value", "words"), [(1.23456, "1.235"), (0, "0.000"), (math.inf, "—")])
def test_numbers_are_short(value: float, words: str) -> None:
    assert _short(value) == words


def test_long_events_are_cut() -> None:
    assert _brief("x" * 59, 60) == "x" * 59
    assert _brief("x" * 61, 60) == "x" * 59 + "…"


# ---- the run -----------------------------------------------------------------------------------------------------


def test_a_source_is_a_module_and_an_attribute() -> None:
    assert load(whole.SOURCE) is OUR_MECHANISMS
    with pytest.raises(AttributeError):
        load("sfumato.audit.own:NOTHING")
    with pytest.raises(ValueError, match="unpack"):
        load("sfumato.audit.own")


@pytest.mark.parametrize(
    ("leak_controls", "forks", "sums"),
    [
        ({"precision": SOUND}, {}, {}),
        ({"reachable outputs": SOUND}, {}, {}),
        ({"sound": GUILTY}, {}, {}),
        ({}, {"control: x": ForkFinding(False, 0.0)}, {}),
        ({}, {}, {"control: x": SumFinding(Fraction(1), Fraction(1), "", 1)}),
    ],
)
def test_a_control_that_comes_out_wrong_stops_the_report(leak_controls: Any, forks: Any, sums: Any) -> None:
    right = {"precision": GUILTY, "reachable outputs": GUILTY, "sound": SOUND}
    whole._must_differ(
        right, {"control: x": ForkFinding(True, 0.0)}, {"mine": SumFinding(Fraction(0), Fraction(1), "", 1)}
    )
    with pytest.raises(BrokenAudit, match="nothing is reported"):
        whole._must_differ(right | leak_controls, forks, sums)


def test_the_whole_run_reports_in_order_and_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every part replaced by a finding: what is put together, in which order, and what is told on the way."""
    names = [known.name for known in OUR_MECHANISMS]

    def judged(source: str, name: str, seconds: float) -> Finding:
        assert source == whole.SOURCE
        assert seconds == 0.25
        return replace(SOUND, name=name)

    right = {"precision": GUILTY, "reachable outputs": GUILTY, "sound": SOUND}
    monkeypatch.setattr(whole, "_one", judged)
    monkeypatch.setattr(whole, "checked", lambda: (GUILTY,))
    monkeypatch.setattr(whole, "_leak_controls", lambda: right)
    monkeypatch.setattr(whole, "_forks", lambda: {"control: x": ForkFinding(True, 0.0)})
    monkeypatch.setattr(whole, "_sums", dict)
    monkeypatch.setattr(whole, "_laws", lambda: iter((LAW,)))
    monkeypatch.setattr(whole, "_leaks", lambda: iter((("path", SOUND),)))
    monkeypatch.setattr(whole, "play_all", lambda: ((GAME,), (GAME,)))
    monkeypatch.setattr(whole, "_timings", dict)
    told: list[tuple[str, int, int]] = []
    found = whole.everything(seconds=0.25, workers=1, step=lambda *said: told.append(said))
    assert [finding.name for finding in found.findings] == names
    assert found.convicted == ()
    assert told[0] == ("controls", 0, len(names) + 6)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert {name for name, _, _ in told} >= {*names, "exact laws", "numeric leaks", "games", "time"}
    assert "Nothing of ours was convicted" in page(found)
    monkeypatch.setattr(whole, "_leak_controls", lambda: right | {"sound": GUILTY})
    with pytest.raises(BrokenAudit):
        whole.everything(seconds=0.25, workers=1)


def test_every_mechanism_is_listed_once_and_moves_on_its_pairs() -> None:
    names = [known.name for known in OUR_MECHANISMS]
    assert len(names) == len(set(names))
    for known in OUR_MECHANISMS:
        target = known.target(Fraction(1, 2))
        assert target.name == known.name
        assert all(isinstance(pair, Pair) for pair in target.pairs)
        assert target.claim.delta == known.delta
