"""Every lesson runs, and its figures are what the pages say."""

import json
import math
import re
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import svg_reading
from sfumato.attacks import (
    Rate,
    Result,
    census,
    counting,
    error_channel,
    floating,
    longitudinal,
    median,
    reconstruction,
)
from sfumato.attacks.answerers import (
    CountQuestion,
    NoisyWithoutTotal,
    UnderLedger,
    UnderTotal,
    Unprotected,
    asked,
    people,
)
from sfumato.attacks.census_lesson import imagine, right
from sfumato.attacks.lessons import LESSONS, lesson
from sfumato.attacks.linkage import link
from sfumato.attacks.pages import page
from sfumato.attacks.picture import bars, draw
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.errors import BudgetExceeded, InvalidParameter, MissingExtra
from sources import SeededBits

pytestmark = pytest.mark.slow

PAGES = Path(__file__).parents[2] / "docs" / "attacks"
NAMES = [known.name for known in LESSONS]


@cache
def result_of(name: str) -> Result:
    """One run with repeatable bits, so that tolerances can be tight and never flake."""
    return lesson(name).run(SeededBits(8))


CAP = math.e / (1 + math.e)
EXPECTED: dict[str, tuple[float, float, float]] = {
    # before at least, after at least, after at most
    "linkage": (0.97, 0.28, 0.40),
    "ratings": (0.97, 0.50, 0.80),
    "census": (1.0, 0.03, 0.16),
    "differencing": (1.0, 0.50, CAP),
    "averaging": (0.85, 0.0, 0.25),
    "reconstruction": (1.0, 0.46, 0.54),
    "membership": (0.95, 0.42, 0.58),
    "median": (1.0, 0.45, CAP),
    "longitudinal": (0.99, 0.70, 0.78),
    "floating-point": (0.70, 0.45, 0.55),
    "error-message": (1.0, 0.45, 0.60),
    "own-error-channel": (1.0, 0.40, 0.60),
}


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_succeeds_before_and_not_after(name: str) -> None:
    result, (before, low, high) = result_of(name), EXPECTED[name]
    assert result.before.share >= before
    assert low <= result.after.share <= high
    assert result.before.interval[0] > result.after.interval[1]


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("differencing", "longitudinal", "median")])
def test_protected_answers_serve_the_attacker_no_better_than_guessing(name: str) -> None:
    """Three lessons give one answer at ε = 1 about one bit, which is allowed to help a little; the others do not."""
    result = result_of(name)
    low, high = result.after.interval
    slack = 0.06 if name == "ratings" else 0.02
    assert low - slack <= result.chance.share <= high + slack


def test_every_lesson_has_its_figures_asserted() -> None:
    assert set(EXPECTED) == set(NAMES)
    assert len(NAMES) == len(set(NAMES)) == 12


# ---- the census block -----------------------------------------------------------------------------------------


def test_the_printed_table_has_one_solution() -> None:
    result = result_of("census")
    assert result.facts["block"] == ["8FBS", "18MWS", "24FWS", "30MWM", "36FBM", "66FBM", "84MBM"]
    assert result.facts["solutions"] == 1
    assert census.reconstruct(census.TABLE).blocks == (census.TRUTH,)


def agrees(block: tuple[census.Person, ...], rows: list[census.Row]) -> bool:
    """By the definition, without a solver."""
    for row in rows:
        ages = sorted(person.age for person in block if row.holds(person))
        if row.count is None:
            if len(ages) >= 3:
                return False
            continue
        if len(ages) != row.count or row.mean is None:
            return False
        if abs(Fraction(sum(ages), len(ages)) - row.mean) > Fraction(1, 20):
            return False
        if Fraction(ages[(row.count - 1) // 2] + ages[row.count // 2], 2) != row.median:
            return False
    return True


def by_hand(rows: list[census.Row]) -> set[tuple[census.Person, ...]]:
    """Every block that agrees: 2A, 2B, 2C and 2D leave few ages, the rest is tried."""
    import itertools

    women = [(a, b, 60 - b, 74 - a) for a in range(31) for b in range(a, 31) if 74 - a <= 125]
    men = [(a, 30, 102 - a) for a in range(31) if 102 - a <= 125]
    found = set()
    for w, m in itertools.product(women, men):
        people_ = [(age, "F") for age in w] + [(age, "M") for age in m]
        for whites in itertools.combinations(range(7), 3):
            ages = sorted(people_[i][0] for i in whites)
            if sum(ages) != 72 or ages[1] != 24:
                continue
            single = tuple(
                census.Person(age, sex, "W" if i in whites else "B", "S") for i, (age, sex) in enumerate(people_)
            )
            if not agrees(single, [row for row in rows if row.status is None]):
                continue
            for married in itertools.product("SM", repeat=7):
                block = tuple(
                    sorted(
                        census.Person(age, sex, "W" if i in whites else "B", status)
                        for i, ((age, sex), status) in enumerate(zip(people_, married, strict=True))
                    )
                )
                if all(p.status == "S" or p.age >= 15 for p in block) and agrees(block, rows):
                    found.add(block)
    return found


def test_the_solver_counts_what_enumeration_counts() -> None:
    result = result_of("census")
    for name in ("3B", "4A"):
        rows = [row for row in census.PUBLISHED if row.name != name]
        blocks = by_hand(rows)
        assert len(blocks) == result.facts["withheld"][name]
        assert set(census.reconstruct(rows).blocks) == blocks
        knowing = [row for row in census.TABLE if row.name != name]
        assert sum(agrees(block, knowing) for block in blocks) == result.facts["withheld knowing (D)"][name]


def test_which_rows_may_be_withheld() -> None:
    withheld = result_of("census").facts["withheld"]
    assert withheld == {"1A": 1, "2A": 1, "2B": 1, "2C": 1, "2D": 1, "3B": 64, "4A": 2}
    assert census.reconstruct(census.PUBLISHED).blocks == (census.TRUTH,)  # the suppressed rows are not needed


def test_a_search_says_when_it_was_cut_off_and_bad_requests_are_refused() -> None:
    cut = census.reconstruct(census.PUBLISHED[:1], most=5)
    assert not cut.complete
    assert len(cut.blocks) == 5
    with pytest.raises(InvalidParameter, match="people"):
        census.reconstruct(census.TABLE, people=0)


def test_without_the_solver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[attacks\]"):
        census.reconstruct(census.TABLE)


def test_records_are_matched_once() -> None:
    assert right(census.TRUTH) == 7
    assert right((census.TRUTH[0],) * 7) == 1
    assert all(p.status == "S" or p.age >= 15 for block in imagine(50, bits=SeededBits(1)) for p in block)


# ---- answerers ---------------------------------------------------------------------------------------------------

SECRET = np.array([True, False, True, True])
ALL = CountQuestion(np.ones(4, dtype=np.bool_))


def test_a_total_refuses_what_it_does_not_hold() -> None:
    answerer = UnderTotal(SECRET, total=1, share=Fraction(1, 2), bits=SeededBits(1))
    said = asked(answerer, [ALL] * 4)
    assert [answer is None for answer in said] == [False, False, True, True]
    assert Unprotected(SECRET).ask(ALL) == 3


def test_a_ledger_answers_an_equal_question_from_the_record_and_refuses_beyond_the_total() -> None:
    with counting.ledger(Fraction(1)) as opened:
        answerer = UnderLedger(SECRET, opened, share=Fraction(1, 2), bits=SeededBits(1))
        assert len({answerer.ask(ALL) for _ in range(20)}) == 1
        answerer.ask(CountQuestion(people(0, of=4)))
        with pytest.raises(BudgetExceeded):
            answerer.ask(CountQuestion(people(1, of=4)))
        assert answerer.ask(ALL) == answerer.ask(ALL)


def test_without_a_memo_or_a_total_the_same_answerers_give_everything_away() -> None:
    """The broken twins: a total so large that it refuses nothing, and noise drawn afresh for equal questions."""
    bits = SeededBits(2)
    secret = counting.secrets(64, bits=bits)
    loose = UnderTotal(secret, total=10**6, share=1, bits=bits)
    found = reconstruction.reconstruct(loose, 64, 512, bits=bits)
    assert reconstruction.recovered(secret, found).share > 0.99
    tight = UnderTotal(secret, total=1, share=1, bits=bits)
    assert reconstruction.recovered(secret, reconstruction.reconstruct(tight, 64, 512, bits=bits)).share < 0.75
    question = CountQuestion(np.ones(64, dtype=np.bool_))
    fresh = NoisyWithoutTotal(secret, epsilon=Fraction(1, 10), bits=bits)
    assert round(counting.average(fresh, question, 4000)) == int(secret.sum())


def test_dinur_and_nissim_at_the_stated_sizes() -> None:
    assert (reconstruction.PEOPLE, reconstruction.QUERIES) == (128, 512)
    exact, each, total = (side.rate for side in result_of("reconstruction").sides)
    assert exact.share == 1
    assert each.share >= 0.99
    assert abs(total.share - 0.5) < 0.05


# ---- the other attacks, one piece at a time ----------------------------------------------------------------------


def test_linking_needs_a_unique_match() -> None:
    found = link(np.array([5, 7, 7, 9]), np.array([1, 2, 3, 4]), np.array([5, 7, 8, 9]))
    assert found.tolist() == [1, -1, -1, 4]


def test_an_exact_output_is_always_reachable_and_most_others_are_not() -> None:
    bits = SeededBits(3)
    for answer in (0.0, 1.0):
        made = floating.textbook_laplace(np.full(500, answer), epsilon=0.01, bits=bits)
        assert floating.reachable(made, answer, epsilon=0.01).all()
        assert floating.reachable(made, 1 - answer, epsilon=0.01).mean() < 0.8


def test_local_sensitivity_adds_no_noise_where_nothing_can_move() -> None:
    assert {median.by_local_sensitivity(median.HERE, bits=SeededBits(s)) for s in range(20)} == {0}
    assert len({median.by_local_sensitivity(median.THERE, bits=SeededBits(s)) for s in range(20)}) > 10


def test_counting_days_finds_fresh_coins_and_only_the_remembered_response() -> None:
    truth = np.array([0, 1] * 500)
    bits = SeededBits(4)
    fresh = longitudinal.majority(longitudinal.fresh(truth, 101, bits=bits))
    kept = longitudinal.majority(longitudinal.remembered(truth, 101, bits=bits))
    assert (fresh == truth).mean() > 0.995
    assert 0.68 < (kept == truth).mean() < 0.82  # ¾ is what the permanent response tells


def test_the_careless_engine_fails_only_on_the_suspected_value() -> None:
    assert error_channel.careless([3, 5], 3).startswith("error")
    assert not error_channel.careless([3, 5], 4).startswith("error")
    ask = error_channel.total_expression(Fraction(1), SeededBits(5))
    assert not any(ask([3, 5], suspected).startswith("error") for suspected in range(8))


# ---- rates, pictures, pages, the command -----------------------------------------------------------------------------


def test_a_rate_has_an_interval() -> None:
    rate = Rate(0, 10) + Rate(10, 10)
    assert rate.share == 0.5
    assert 0.2 < rate.interval[0] < 0.3
    assert 0.7 < rate.interval[1] < 0.8
    for bad in ((5, 4), (-1, 4), (0, 0)):
        with pytest.raises(InvalidParameter, match="successes"):
            Rate(*bad)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_has_a_picture_and_a_page(name: str) -> None:
    known, result = lesson(name), result_of(name)
    drawn = draw(known, result)
    assert drawn.startswith(b"<?xml")
    assert drawn == draw(known, result)
    found = svg_reading.check(drawn)
    assert known.title == found[1].text
    assert len(svg_reading.bars(found)) == len(result.sides) + len(result.x_names)
    assert (sum(shape.tag == "polyline" for shape in found) > 0) == (bool(result.curves) and not result.x_names)
    assert bars(result).count("\n") == len(result.sides)
    text = page(known, result, "x.svg")
    assert "before" in text
    assert "after" in text


@pytest.mark.parametrize("name", NAMES)
def test_the_kept_page_tells_of_a_run_like_ours(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    svg_reading.check((PAGES / "images" / f"{name}.svg").read_bytes())
    assert f"sfumato attack {name}" in text
    shares = [
        float(share) / 100 for share in re.findall(r"^\| (?:before|after) \|.*\| ([0-9.]+) %", text, re.MULTILINE)
    ]
    for kept, side in zip(shares, result_of(name).sides, strict=True):
        assert abs(kept - side.rate.share) < 0.15
    assert lesson(name).title in text


def test_every_page_is_listed_on_the_first() -> None:
    first = (PAGES / "README.md").read_text(encoding="utf-8")
    assert all(f"({name}.md)" in first for name in NAMES)
    assert {path.stem for path in PAGES.glob("*.md")} == {*NAMES, "README"}


def test_the_command_lists_runs_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", "--json"]) == Exit.DONE
    assert [entry["name"] for entry in json.loads(capsys.readouterr().out)] == NAMES
    assert main(["attack"]) == Exit.DONE
    assert "longitudinal" in capsys.readouterr().out
    figure = tmp_path / "x.svg"
    assert main(["attack", "longitudinal", "--json", "--picture", str(figure)]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["sides"][0]["share"] > 0.9
    svg_reading.check(figure.read_bytes())
    for other in ("x.png", "x.pdf", "x.txt", "x"):
        assert main(["attack", "longitudinal", "--picture", str(tmp_path / other)]) == Exit.USAGE
        error = capsys.readouterr().err
        assert "picture must end in .svg" in error
        assert "prints it as PDF" in error
        assert not (tmp_path / other).exists()
    assert main(["attack", "nonsense"]) == Exit.USAGE
    assert "longitudinal" in capsys.readouterr().err
    assert main(["attack", "longitudinal", "--pages", str(tmp_path)]) == Exit.DONE
    assert (tmp_path / "longitudinal.md").is_file()
    assert main(["attack", "membership"]) == Exit.DONE
    assert "█" in capsys.readouterr().out
