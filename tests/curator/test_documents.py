"""What leaves is data: every document says its format and version, fits the one schema, and is read back alike."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import clinic
import sfumato
from json_schema import faults
from sfumato.curator import Release, Session
from sfumato.curator.documents import VERSIONS, amount_json, error_json, schema
from sfumato.curator.refusals import error_of
from sfumato.curator.session import VERBS
from sfumato.errors import OUTCOMES, BudgetExceeded, InvalidParameter, InvalidQuestion, SfumatoError
from sfumato.ledger import Refused, Shortfall

SCHEMA = schema()
GROUPED = "SELECT category, COUNT(*) AS n FROM visits GROUP BY category"
RELEASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "count": ("sql", "SELECT COUNT(*) AS n FROM visits", {"epsilon": 1}),
    "spread": ("sql", "SELECT category, AVG(amount) AS a, STDDEV(day) FROM visits GROUP BY category", {"epsilon": "0.1"}),
    "keys": ("sql", "SELECT city, COUNT(DISTINCT user_id) AS p FROM visits GROUP BY city", {"epsilon": 1, "delta": "1e-6"}),
    "extremes": ("sql", "SELECT MIN(amount), MAX(day), MEDIAN(amount) FROM visits", {"epsilon": 1}),
    "nothing": ("sql", "SELECT category, COUNT(*) FROM visits GROUP BY category HAVING COUNT(*) < -10000", {"epsilon": 1}),
    "null": ("sql", "SELECT NULLIF(COUNT(*), COUNT(*)) AS nothing, UPPER('a') AS a, COUNT(*) > 3 AS b FROM visits", {"epsilon": 1}),
    "computed keys": ("sql", "SELECT category + 1 AS k, category > 3 AS b, COUNT(*) FROM visits GROUP BY category", {"epsilon": 1}),
    "max": ("noisy_max", GROUPED, {"epsilon": 1}),
    "top": ("top_k", GROUPED, {"epsilon": 1, "k": 3}),
    "choose": ("exponential", GROUPED, {"epsilon": 1}),
    "weights": ("exponential", GROUPED, {"epsilon": 1, "weights": {"a": {0: 1}, "b": {1: "0.5"}}}),
    "median": ("smooth_median", "SELECT category, MEDIAN(amount) AS m FROM visits GROUP BY category", {"epsilon": 1}),
}  # fmt: skip


@pytest.fixture(scope="module")
def session(clean: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with sfumato.open(clinic.declare(clean), ledger=tmp_path_factory.mktemp("ledger") / "ledger") as made:
        yield made


def written(document: Any) -> Any:
    """As it is read from what was written."""
    return json.loads(json.dumps(document, allow_nan=False))


# ---- releases ----


@pytest.mark.parametrize("name", RELEASES)
def test_every_release_fits_the_schema_and_is_read_back_alike(session: Session, name: str) -> None:
    verb, text, price = RELEASES[name]
    for _ in range(2):  # new, and from the record
        release = session.paced(verb, text, **price).given()
        document = written(release.to_json())
        assert faults(document, SCHEMA) == []
        read = Release.from_json(document)
        assert read == release
        assert str(read) == str(release)
        assert read._repr_html_() == release._repr_html_()
        assert written(read.to_json()) == document


def test_every_verb_is_tried() -> None:
    assert {verb for verb, _, _ in RELEASES.values()} == set(VERBS)


def test_dates_moments_and_numbers_without_end_are_read_back(tmp_path: Path) -> None:
    import pyarrow as pa

    n = 3000
    columns = {
        "day": pa.array([20000] * n, pa.int32()).cast(pa.date32()),
        "at": pa.array([1_700_000_000_000_000] * n, pa.timestamp("us")),
        "x": pa.array([float("inf")] * n),
    }
    about = {"budget": {"epsilon": "100", "delta": "0.1"}, "unit": {"rows": True}, "name": "t",
             "tables": {"t": {"source": pa.table(columns)}}}  # fmt: skip
    with sfumato.open(about, ledger=tmp_path / "ledger") as made:
        release = made.sql("SELECT day, at, x, COUNT(*) AS n FROM t GROUP BY day, at, x", epsilon=9, delta="1e-3")
    document = written(release.to_json())
    assert faults(document, SCHEMA) == []
    assert [each["kind"] for each in document["columns"]] == ["date", "timestamp", "real", "integer"]
    assert [each["role"] for each in document["columns"]] == ["key", "key", "key", "value"]
    assert Release.from_json(document) == release


def test_columns_made_of_keys_are_keys_and_all_others_values(session: Session) -> None:
    verb, text, price = RELEASES["computed keys"]
    assert [each.role for each in session.paced(verb, text, **price).given().schema] == ["key", "key", "value"]


@pytest.mark.parametrize("broken", [
    {"format": "sfumato/other"}, {"version": 1}, {"columns": ["n"]}, {"remaining": {"dataset clinic": "ε = 1"}}, {"cost": {"epsilon": "1"}},
    {"confidence": 0.95}, {"notes": ["text"]}, {"rows": [[{}]]}, {"more": 1}, {"receipt": None}, {"columns": [{"name": "n", "kind": "number", "role": "value"}]},
], ids=str)  # fmt: skip
def test_a_document_that_is_wrong_is_found(session: Session, broken: dict[str, Any]) -> None:
    document = {**written(session.paced(*RELEASES["count"][:2], epsilon=1).given().to_json()), **broken}
    assert faults(document, SCHEMA)


def test_amounts_are_numbers_and_exactly_themselves() -> None:
    for value in (Fraction(0), Fraction(1, 3), Fraction(-7, 2), Fraction(1, 2**500), Fraction(10**30) + Fraction(1, 7)):
        made = written(amount_json(value))
        assert faults(made, {"$ref": "#/$defs/amount", "$defs": SCHEMA["$defs"]}) == []
        assert Fraction(made["exact"]) == value
        assert made["number"] == float(value)


# ---- explanations, watches, errors ----


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": "0.1"}, {"epsilon": 10**6}], ids=str)
def test_every_explanation_fits_the_schema(session: Session, price: dict[str, Any]) -> None:
    for text in (
        "SELECT COUNT(*), SUM(amount), AVG(amount), VARIANCE(day), MEDIAN(amount), COUNT(*) + 1 FROM visits",
        "SELECT u.city, COUNT(*), COUNT(note) FROM (SELECT * FROM visits WHERE day < 9 UNION ALL SELECT * FROM visits) v"
        " JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
        "SELECT AVG(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id) t",
        "SELECT category, COUNT(DISTINCT note) FROM visits GROUP BY category",
    ):
        told = session.explain(text, **price)
        document = written(told.to_json())
        assert faults(document, SCHEMA) == []
        assert document["affordable"] is (price == {"epsilon": 1}) is (document["shortfalls"] == [])


def test_a_watch_and_its_answers_fit_the_schema(session: Session) -> None:
    for watch in (
        session.above_threshold(10**6, epsilon=1),
        session.sparse(10**6, epsilon=1, cutoff=2),
        session.numeric_sparse(-(10**6), epsilon=1, cutoff=1),
    ):
        assert faults(written(watch.to_json()), SCHEMA) == []
        text = "SELECT COUNT(*) FROM users"
        document = written(watch.answer_json(text, watch.ask(text)))
        assert faults(document, SCHEMA) == []
        assert document["above"] is document["halted"] is (document["value"] is not None)


@pytest.mark.parametrize("kind", OUTCOMES, ids=lambda kind: kind.__name__)
def test_every_error_has_a_document(kind: type[SfumatoError]) -> None:
    given = {"InvalidParameter": ("x", "must be y", 3), "MissingExtra": ("x", "a", "b")}.get(kind.__name__, ("wrong",))
    document = written(error_json(kind(*given)))
    assert faults(document, SCHEMA) == []
    assert document["code"] == OUTCOMES[kind].code


def test_an_error_in_a_question_says_where(session: Session) -> None:
    with pytest.raises(InvalidQuestion) as caught:
        session.sql("SELECT COUNT(*) FROM visit", epsilon=1)
    document = error_json(caught.value)
    assert (document["code"], document["line"], document["column"]) == ("invalid_question", 1, 22)
    assert document["shortfalls"] == []


# ---- refusals name every budget ----

CAPS = """
[budget]
epsilon = "{whole}"
delta = "1e-3"
[budget.month]
epsilon = "{month}"
[analysts.ada]
epsilon = "{ada}"
delta = "1e-4"
"""


def refused(clean: Path, tmp_path: Path, price: str, **caps: str) -> BudgetExceeded:
    text = clinic.declare(clean).read_text().split("[unit]")
    (clean / "caps.toml").write_text(CAPS.format(**caps) + "[unit]" + text[1])
    with sfumato.open(clean / "caps.toml", ledger=tmp_path / "ledger") as made:
        with pytest.raises(BudgetExceeded) as caught:
            made.sql("SELECT COUNT(*) FROM visits", epsilon=price)
        assert made.budget()[0].spent == 0
        return caught.value


def test_a_refusal_names_every_budget_that_refuses(clean: Path, tmp_path: Path) -> None:
    error = refused(clean, tmp_path, "5", whole="3", month="2", ada="1")
    assert [(s.dataset, s.principal, s.period, s.currency, s.cost, s.left) for s in error.shortfalls] == [
        ("caps", "", "", "pure", 5, 3),
        ("caps", "", "month", "pure", 5, 2),
        ("caps", "ada", "", "pure", 5, 1),
    ]
    assert error.problem == (
        "the question costs ε = 5, and ε = 3 is left of dataset caps, ε = 2 of dataset caps this month, ε = 1 of analyst ada"
    )
    assert error.hint == "ask for at most ε = 1, or ask the owner"
    document = written(error_json(error))
    assert faults(document, SCHEMA) == []
    assert [each["left"]["exact"] for each in document["shortfalls"]] == ["3", "2", "1"]


def test_a_budget_that_has_room_is_not_named(clean: Path, tmp_path: Path) -> None:
    error = refused(clean, tmp_path, "2", whole="3", month="3", ada="1")
    assert [each.principal for each in error.shortfalls] == ["ada"]
    assert error.problem == "the question costs ε = 2, and ε = 1 is left of analyst ada"


def test_the_stand_in_for_analysts_is_not_named_beside_its_dataset(clean: Path, opened: Any) -> None:
    with pytest.raises(BudgetExceeded) as caught:
        opened(clean, epsilon="1").sql("SELECT COUNT(*) FROM visits", epsilon=2)
    assert caught.value.problem == "the question costs ε = 2, and ε = 1 is left of dataset clinic"
    assert [each.principal for each in caught.value.shortfalls] == ["", "analyst"], "programs are told all the same"


def test_delta_that_is_missing_is_named_as_well(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="1", delta="1e-6")
    text = "SELECT city, COUNT(*) FROM visits GROUP BY city"
    with pytest.raises(BudgetExceeded) as caught:
        session.sql(text, epsilon="0.5", delta="1e-4")
    assert [(each.principal, each.currency) for each in caught.value.shortfalls] == [
        ("", "delta"),
        ("analyst", "delta"),
    ]
    assert caught.value.problem.startswith("the question costs δ = ")
    assert caught.value.problem.endswith("and δ = 1e-06 is left of dataset clinic")
    with pytest.raises(BudgetExceeded) as caught:
        session.sql(text, epsilon="2", delta="1e-4")
    assert "costs ε = 2, and ε = 1 is left of dataset clinic; it costs δ = " in caught.value.problem
    assert caught.value.hint == "ask for at most ε = 1 and δ = 1e-06, or ask the owner"
    assert faults(written(error_json(caught.value)), SCHEMA) == []


def test_a_question_without_a_price_in_the_currency_is_told_so_for_each(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="1")
    with pytest.raises(BudgetExceeded, match="has no finite price in ε") as caught:
        session.sql("SELECT COUNT(*) FROM visits", rho="0.1")
    assert [(each.currency, each.cost) for each in caught.value.shortfalls] == [("pure", None), ("pure", None)]
    assert faults(written(error_json(caught.value)), SCHEMA) == []


def test_refusals_without_records_keep_the_ledgers_words() -> None:
    found = error_of(Refused("budget", "the event has no price here", "ask otherwise"))
    assert (found.problem, found.hint) == ("the event has no price here", "ask otherwise")
    assert isinstance(found, BudgetExceeded)
    record = Shortfall("", "people", "", "", "zcdp", Fraction(1, 2), Fraction(0))
    found = error_of(Refused("budget", "x", "", (record,)))
    assert found.problem == "the question costs ρ = 0.5, and ρ = 0 is left of group people"
    assert found.hint == "ask the owner"
    found = error_of(Refused("budget", "x", "", (record, replace(record, dataset="d", group="", cost=None))))
    assert found.problem == (
        "the question has no finite price in ρ, in which the budget of dataset d is counted; "
        "it costs ρ = 0.5, and ρ = 0 is left of group people"
    )
    assert found.hint == "this budget counts in ρ: ask with rho"


# ---- what older versions wrote ----


def test_the_schema_knows_every_format_that_is_written() -> None:
    known = {
        each["properties"]["format"]["const"]: each["properties"]["version"]["const"]
        for each in SCHEMA["$defs"].values()
        if "format" in each.get("properties", {})
    }
    assert known == VERSIONS
    assert {each["$ref"].removeprefix("#/$defs/") for each in SCHEMA["oneOf"]} == {
        name.removeprefix("sfumato/") for name in VERSIONS
    }


def test_a_release_of_another_format_or_version_is_refused(session: Session) -> None:
    document = session.paced(*RELEASES["count"][:2], epsilon=1).given().to_json()
    for change, why in (
        ({"version": 3}, "of version 2: 3"),
        ({"format": "sfumato/error"}, "of format sfumato/release"),
    ):
        with pytest.raises(InvalidParameter, match=why):
            Release.from_json({**document, **change})
    for change in (  # type: ignore[assignment]
        {"columns": None}, {"columns": [{"name": "n", "kind": "odd", "role": "key"}]}, {"rows": [[1, 2]]}, {"intervals": []},
        {"confidence": {"number": 1, "exact": "1e999999999"}}, {"confidence": {"number": 1, "exact": 3}}, {"cost": {}}, {"notes": [3]},
        {"confidence": {"number": 1, "exact": "1/0"}}, {"remaining": 3}, {"receipt": 3}, {"sequence": "1"}, {"repeated": None},
        {"columns": [{"name": "n", "kind": "integer", "role": "neither"}]}, {"rows": None}, {"intervals": [["x"]]}, {"rows": {}},
        {"uncertain": []}, {"uncertain": [[1]]}, {"uncertain": [[True, False]]}, {"uncertain": None},
    ):  # fmt: skip
        name = next(iter(change))
        with pytest.raises(InvalidParameter, match=f"document must hold {name} as the schema says") as caught:
            Release.from_json({**document, **change})
        assert "--json" in caught.value.hint
    assert Release.from_json({name: value for name, value in document.items() if name != "uncertain"}).bars  # 0.2.0
    for name in set(document) - {"format", "version", "uncertain"}:
        with pytest.raises(
            InvalidParameter, match=f"document must hold {name} as the schema says, found it: 'missing'"
        ):
            Release.from_json({other: value for other, value in document.items() if other != name})


@pytest.mark.parametrize("given", [None, [], "{}", 3, b"{}"], ids=str)
def test_what_is_no_document_is_refused_in_words(given: Any) -> None:
    with pytest.raises(InvalidParameter, match="document must be what JSON text holds") as caught:
        Release.from_json(given)
    assert "json.loads" in caught.value.hint
    with pytest.raises(InvalidParameter, match="of format sfumato/release") as caught:
        Release.from_json({"format": "other"})
    assert "sfumato/release" in caught.value.hint
