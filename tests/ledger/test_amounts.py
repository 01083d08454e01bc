"""One grammar for amounts, and nothing gets past it: not into a budget, not into the tables."""

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_cases import Opener, stocked
from sfumato.accounting import PureFilter, RDPFilter, ZCDPFilter
from sfumato.errors import InvalidParameter
from sfumato.ledger import Budget, Limits
from sfumato.ledger.amounts import GRID, amount, positive_amount, units_down, units_of, units_text, units_up
from sfumato.ledger.canon import canonical

GOOD = {
    "0.5": Fraction(1, 2),
    "1": 1,
    "0": 0,
    "10": 10,
    "1e-6": Fraction(1, 10**6),
    "2.5e3": 2500,
    "1/3": Fraction(1, 3),
    "0.000000000000000000000001": Fraction(1, 10**24),
    "1e18": 10**18,
    "1e-60": Fraction(1, 10**60),
    "+1": 1,
    ".5": Fraction(1, 2),
    "01": 1,
    "1e+5": 10**5,
    "0." + "1" * 25: Fraction(int("1" * 25), 10**25),
}
BAD = [
    *("", " ", "1_0", " 0.5 ", "0.5 ", "\t1", "1\n", "-1", "-0.5", "1e999", "1e-999", "1e19", "NaN", "nan"),
    *(
        "inf",
        "-inf",
        "Infinity",
        "0x10",
        "1,5",
        "1.",
        "1e",
        "１",
        "٣",
        "1/0",
        "1/-2",
        "1.5/2",
        "0e1_0",
    ),
    *("1" * 20, "1e-61", "half", "1 000"),
    *(float("nan"), float("inf"), -0.5, 1e19, True, False, None, -1, Fraction(-1, 2), b"1", [1], 1j),
    *(Decimal("NaN"), Decimal("Infinity"), Decimal("-1"), Decimal("1e999"), 10**19, Fraction(1, 10**61)),
]


@pytest.mark.parametrize("text", GOOD)
def test_a_plain_number_is_the_rational_it_says(text: str) -> None:
    assert amount("epsilon", text) == GOOD[text]


@pytest.mark.parametrize("value", [Fraction(1, 7), 3, Decimal("0.25"), Decimal("0"), 0.1, 1.0, 1e-9])
def test_numbers_are_the_amounts_they_are_written_as(value: Fraction | int | Decimal | float) -> None:
    assert amount("epsilon", value) == Fraction(str(value))


@pytest.mark.parametrize("bad", BAD, ids=[f"bad{n}" for n in range(len(BAD))])
def test_anything_else_is_refused_with_the_reason(bad: object) -> None:
    with pytest.raises(InvalidParameter, match=r"^epsilon (must|is outside)"):
        amount("epsilon", bad)
    with pytest.raises(InvalidParameter, match="epsilon"):
        Budget.pure(epsilon=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("zero", ["0", 0, "0.0", "0e5", Fraction(0), Decimal("0.0")])
def test_a_cap_of_zero_is_no_cap(zero: str) -> None:
    with pytest.raises(InvalidParameter, match="must be positive"):
        Budget.pure(epsilon=zero)
    with pytest.raises(InvalidParameter, match="must be positive"):
        positive_amount("rho", zero)
    with pytest.raises(InvalidParameter, match="must be positive"):
        Budget.rdp(epsilon="1", delta=zero)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"kind":"pure","epsilon":"1","epsilon":"2","delta":"0"}', "budget has a key twice: 'epsilon'"),
        ('{"kind":"pure","epsilon":0.5,"delta":"0"}', "found the number: '0.5'"),
        ('{"kind":"pure","epsilon":NaN,"delta":"0"}', "found the number: 'NaN'"),
        ('{"kind":"pure","epsilon":1e999,"delta":"0"}', "found the number: '1e999'"),
        ('{"kind":"pure","epsilon":true,"delta":"0"}', "epsilon must be a real number: True"),
        ('{"kind":"pure","epsilon":" 0.5 ","delta":"0"}', "epsilon must be a real number: ' 0.5 '"),
        ('{"kind":"pure","epsilon":"1"}', "delta does not make a pure budget"),
        ('{"kind":"zcdp","rho":"1","delta":"0","epsilon":"1"}', "epsilon does not make a zcdp budget"),
        ('{"kind":"rdp","epsilon":"1","delta":"1/10","orders":[]}', "orders must be a list"),
        ('{"kind":"rdp","epsilon":"1","delta":"1/10","orders":"2"}', "orders must be a list"),
        ('{"kind":"rdp","epsilon":"1/100","delta":"1/1000000","orders":["2"]}', "too small to be kept at any"),
        ('{"kind":"free"}', "kind must be pure, zcdp or rdp"),
        ('{"kind":["pure"]}', "kind must be pure, zcdp or rdp"),
        ("[]", "must be a JSON object"),
        ("{", "is not JSON"),
        (None, "must be JSON text"),
    ],
    ids=lambda _: "",
)
def test_a_budget_in_text_is_read_strictly(text: str, problem: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        Budget.from_text(text)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    "budget",
    [
        Budget.pure(epsilon="0.1", delta="1e-9"),
        Budget.zcdp(rho="1/3", delta="1e-30"),
        Budget.rdp(epsilon="3", delta="1e-6"),
        Budget.rdp(epsilon="3", delta="1e-6", orders=(3.0, 17.5)),
        Budget.of(PureFilter(0.1)),
        Budget.of(ZCDPFilter.for_target(1, 1e-6)),
        Budget.of(RDPFilter(2, 1e-6)),
    ],
)
def test_a_budget_comes_back_from_its_text(budget: Budget) -> None:
    again = Budget.from_text(budget.text)
    assert again == budget
    assert canonical(json.loads(budget.text)) == budget.text
    assert budget.text in repr(budget)


def test_what_is_not_a_filter_is_not_a_budget() -> None:
    with pytest.raises(InvalidParameter, match="budget must be a filter"):
        Budget.of("1")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="month must be a Budget"):
        Limits(Budget.pure(epsilon="1"), month="1")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="lifetime must be a Budget"):
        Limits(PureFilter(1))  # type: ignore[arg-type]


# ---- units --------------------------------------------------------------------------------------------------------


@given(st.fractions(0, 10**6))
def test_units_are_rounded_against_us(exact: Fraction) -> None:
    above, below = Fraction(units_up(exact), GRID), Fraction(units_down(exact), GRID)
    assert below <= exact <= above
    assert above - below <= Fraction(1, GRID)
    assert units_of(units_text(units_up(exact))) == units_up(exact)


@pytest.mark.parametrize("exact", [Fraction(1, n) for n in range(1, 101)] + [Fraction(1, 10**24), Fraction(0.1)])
def test_parts_people_use_are_whole_units(exact: Fraction) -> None:
    assert units_up(exact) == units_down(exact)


@pytest.mark.parametrize("bad", ["1/7919", "nonsense", "-1", "0.1.2", ""], ids=lambda _: "")
def test_what_is_not_whole_units_is_not_read_as_units(bad: str) -> None:
    with pytest.raises(InvalidParameter):
        units_of(bad)


def test_float_amounts_would_drift() -> None:
    """The broken twin: a float counter refuses the tenth tenth's worth of a cap, or grants an eleventh."""
    drift = 0.0
    for _ in range(10):
        drift += 0.1
    assert drift != 1.0
    assert 10 * units_up(Fraction(1, 10)) == units_down(Fraction(1))


# ---- the tables ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "spent = '-1'",
        "spent = '1e5'",
        "spent = 'NaN'",
        "spent = 'Infinity'",
        "spent = ''",
        "spent = '0.5'",
        "spent = ' 1'",
        "spent = '01'",
        "spent = NULL",
        "spent = cap || '0'",
        "cap = ''",
        "cap = '9' || 'x'",
        "delta_spent = '1'",
        "delta_cap = '-0'",
        "spent = '9' || substr(cap, 2)",
        "period = 'week'",
    ],
    ids=lambda _: "",
)
def test_the_tables_themselves_refuse_amounts_that_are_none(opener: Opener, change: str) -> None:
    stocked(opener())
    with pytest.raises(Exception, match=r"(?i)check|null|constraint"):
        opener.execute(f"UPDATE accounts SET {change} WHERE principal = ''")


def test_the_tables_take_what_is_within_the_cap(opener: Opener) -> None:
    stocked(opener())
    for taken in ("cap", "'0'"):
        opener.execute(f"UPDATE accounts SET spent = {taken} WHERE principal = ''")
        kept = opener.execute(f"SELECT spent = {taken} FROM accounts WHERE principal = ''")
        assert [bool(row[0]) for row in kept] == [True]
