"""One person is one value, however spelled, in every table and every kind of source; what is no value is nobody.

Each rule is taken away once, and the same comparison of neighbours must see it.
"""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import people
import whole_rows
from people import FORMS, SPELLINGS, World, declaration, moved, questions, worlds
from property_profile import examples
from sfumato.data import Dataset, Kind, declared, typing
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb import cells, kept, readings
from sfumato.engines.duckdb.registrar import Registrar
from sfumato.engines.sql.relations import RelationWriter
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration

pytestmark = pytest.mark.slow

NAMES = ("who", "account", "transfer")
HOSTILE = (
    NAMES, ("p", "t", "c0"), ("select", "l", "r"), ("sfumato", 'quo"te', "x.y"), ("PERSON", "row", "k0"),
    ("p AS p", "c1", "n"),
)  # fmt: skip
PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def both(world: World, person: int | None, forms: Any = ("arrow",) * 4, *, native: bool = False,
         names: tuple[str, ...] = NAMES, change: Callable[[Any], None] | None = None, **more: Any) -> list[str]:  # fmt: skip
    """What moves too far when a person is taken away."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        here = declaration(world, Path(one), forms, native, names)
        there = declaration(world.without(person), Path(other), forms, native, names)
        for each in (here, there):
            if change is not None:
                change(each)
        return moved(here, there, more.pop("asked", None) or questions(names), **more)


@pytest.mark.parametrize("spelling", SPELLINGS)
@examples(4, **PLAIN)
@given(data=st.data())
def test_a_person_moves_no_more_however_they_are_written_down(spelling: str, data: st.DataObject) -> None:
    """Every kind of person, every spelling, four tables in a row, every kind of source, hostile names."""
    world = data.draw(worlds(spelling))
    forms = tuple(data.draw(st.sampled_from(FORMS)) for _ in range(4))
    names = data.draw(st.sampled_from(HOSTILE))
    cut = data.draw(st.sampled_from((None, 1, 3)))

    def change(about: Any) -> None:
        if spelling == "uuid":
            _with_uuids(about, names[0])
        if cut is not None:
            about["tables"]["accounts"].update(rows_per_person=cut, materialise=True)

    person = data.draw(st.sampled_from(range(len(SPELLINGS[spelling].people))))
    assert both(world, person, forms, native=data.draw(st.booleans()), names=names, change=change) == []


@pytest.mark.parametrize("spelling", [s for s in SPELLINGS if s != "text"])
@examples(2, **PLAIN)
@given(data=st.data())
def test_what_is_no_value_of_the_kind_is_nobody_and_counts_nowhere(spelling: str, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMS))
    assert both(data.draw(worlds(spelling)), None, (form,) * 4, at_all=True) == []


# ---- each rule taken away ----


def busy(spelling: str) -> World:
    """The first person, in every spelling, with a row in everything; and a few others."""
    texts = [(0, text) for text in SPELLINGS[spelling].people[0]]
    rest = [(1, SPELLINGS[spelling].people[1][0]), *((None, text) for text in SPELLINGS[spelling].nobody)]
    everyone = [*texts, *rest]
    return World(
        spelling,
        tuple((who, 40) for who in everyone),
        tuple((who, i % 6, "abc"[i % 3]) for i, who in enumerate(everyone * 4)),
        tuple((i % 6, i, 100) for i in range(30)),
        tuple((i % 30, 5) for i in range(30)),
    )


def _as_text(made: str, held: Kind, kind: Kind, *, uuids: bool = False) -> str:
    return f"TRY_CAST({made} AS VARCHAR)"


def _carried_as_text() -> Any:
    """The person as text, whatever was declared: the carrier of version 0.1."""
    stack = ExitStack()
    stack.enter_context(mock.patch.object(readings, "key", _as_text))
    real = kept.type_of  # type: ignore[attr-defined]
    stack.enter_context(mock.patch.object(kept, "type_of", lambda kind: "VARCHAR" if kind in _TEXTUAL else real(kind)))
    return stack


_TEXTUAL = (Kind.DATE, Kind.REAL)


def _uuids_as_spelled() -> Any:
    real = cells.key
    return mock.patch.object(readings, "key", lambda made, held, kind, *, uuids=False: real(made, held, kind))


def _of_rows(text: str) -> Any:
    real = RelationWriter.scan

    def scan(self: RelationWriter, plan: Any, first_of: str = "") -> str:
        return real(self, plan, first_of).replace(text, "")

    return mock.patch.object(RelationWriter, "scan", scan)


def _join_without_people() -> Any:
    real = RelationWriter._join
    return mock.patch.object(RelationWriter, "_join", lambda self, plan: real(self, plan).replace(" AND l.p = r.p", ""))


def _cut_of_everybody() -> Any:
    real = Views.cut

    def cut(self: Views, table: Any, most: int) -> str:
        return real(self, table, most).replace("OVER (PARTITION BY sfumato_person ORDER", "OVER (ORDER")

    return mock.patch.object(Views, "cut", cut)


COUNTS = [
    "SELECT COUNT(*) FROM accounts", 'SELECT COUNT(DISTINCT "who") FROM accounts', "SELECT COUNT(*) FROM users",
    'SELECT COUNT(*), SUM(u.age) FROM accounts a JOIN users u ON a."who" = u."who"',
]  # fmt: skip
BROKEN: dict[str, tuple[str, Callable[[], Any], dict[str, Any]]] = {
    "real people carried as text": ("real", _carried_as_text, {"asked": COUNTS}),
    "days carried as text": ("date", _carried_as_text, {"asked": COUNTS}),
    "UUIDs as they are spelled": ("uuid", _uuids_as_spelled, {
        "asked": COUNTS, "forms": ("csv", "csv", "arrow", "arrow"), "change": lambda about: _with_uuids(about)}),
    "rows of nobody are counted": ("integer", lambda: _of_rows(" WHERE sfumato_person IS NOT NULL"), {
        "person": None, "at_all": True, "asked": ["SELECT COUNT(*) FROM accounts"]}),
    "a cut that counts everybody's rows": ("integer", _cut_of_everybody, {
        "asked": ["SELECT kind, COUNT(*) FROM accounts GROUP BY kind"], "change": lambda about: _cut_to(about, 2)}),
}  # fmt: skip


def _cut_to(about: Any, rows: int) -> None:
    about["tables"]["accounts"].update(rows_per_person=rows, materialise=True)


def _with_uuids(about: Any, who: str = "who") -> None:
    """One more table of people's, whose column holds UUIDs: texts that are UUIDs are then spelled as it spells them."""
    about["tables"]["cards"] = {
        "source": pa.table({who: pa.array([], pa.uuid()), "card": pa.array([], pa.int64())}),
        "foreign_keys": {who: f"users.{who}"},
    }


@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_about_people_that_is_left_out_is_seen(name: str) -> None:
    spelling, without, about = BROKEN[name]
    about = {"person": 0, **about}
    world = busy(spelling)
    assert both(world, about["person"], **{k: v for k, v in about.items() if k != "person"}) == []
    with without():
        assert both(world, about["person"], **{k: v for k, v in about.items() if k != "person"}) != []


def test_whole_numbers_carried_as_text_are_several_people() -> None:
    """'7', '07' and '007': a count moved by twenty and was priced for one."""
    world = busy("integer")
    asked = ["SELECT COUNT(*) FROM accounts"]

    def as_text(about: Any) -> None:
        about["tables"]["users"]["columns"]["who"] = {"type": "text"}

    assert both(world, 0, asked=asked) == []
    assert both(world, 0, asked=asked, change=as_text) != [], "the owner's word decides what one person is"


def test_text_and_real_numbers_are_refused_as_one_person_and_would_be_two() -> None:
    def about(rows: int) -> Any:
        return {
            "name": "two", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "users.who"},
            "tables": {
                "users": {"source": pa.table({"who": ["7", "8"][-rows:]})},
                "visits": {"source": pa.table({"who": [7.0, 8.0][-rows:]}), "foreign_keys": {"who": "users.who"},
                           "rows_per_person": 1},
            },
        }  # fmt: skip

    asked = ["SELECT COUNT(DISTINCT who) FROM (SELECT who FROM users UNION ALL SELECT who FROM visits) t"]
    with pytest.raises(InvalidDeclaration, match="says whose a row is as text, and the source holds real") as refused:
        DuckDBEngine(declared(about(2)))
    assert "declare the person's type" in refused.value.hint
    with mock.patch.object(typing, "can_be_key", return_value=True):
        assert moved(about(2), about(1), asked) != []
    about_numbers = about(2), about(1)
    for each in about_numbers:
        each["tables"]["users"]["columns"] = {"who": {"type": "integer"}}
    assert moved(*about_numbers, asked) == [], "the remedy works"


def test_hole_6_sixty_transfers_to_one_receiver() -> None:
    def about(receivers: int) -> Any:
        rows = [(i, 99) for i in range(60)] if receivers else [(0, 0)]
        return {
            "name": "transfers", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "users.id"},
            "tables": {
                "users": {"source": pa.table({"id": list(range(100))})},
                "accounts": {"source": pa.table({"account": list(range(100)), "owner": list(range(100))}),
                             "foreign_keys": {"owner": "users.id"}, "rows_per_person": 1},
                "transfers": {"source": pa.table({"sender": [r[0] for r in rows], "receiver": [r[1] for r in rows]}),
                              "foreign_keys": {"sender": "users.id", "receiver": "accounts.account"}, "rows_per_person": 2},
            },
        }  # fmt: skip

    asked = ["SELECT COUNT(*) FROM transfers"]
    with pytest.raises(
        InvalidDeclaration, match=r"leads to two people: sender → users.id and receiver → accounts.account"
    ):
        declared(about(1))
    with mock.patch.object(Dataset, "_check_one_path", return_value=None):
        assert moved(about(1), about(0), asked) != []


def test_pairs_of_different_people_are_no_pairs() -> None:
    """Sixty people share an account: one of them alone makes sixty pairs."""

    def about(sharing: bool) -> Any:
        owners = [*range(1, 61), *([0] if sharing else [])]
        return {
            "name": "shared", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "users.id"},
            "tables": {
                "users": {"source": pa.table({"id": owners})},
                "accounts": {"source": pa.table({"account": [5] * len(owners), "owner": owners, "n": owners}),
                             "foreign_keys": {"owner": "users.id"}, "rows_per_person": 2},
                "cards": {"source": pa.table({"account": [5]}), "foreign_keys": {"account": "accounts.account"},
                          "rows_per_person": 2},
            },
        }  # fmt: skip

    asked = ["SELECT COUNT(*) FROM cards c JOIN accounts a ON c.account = a.account WHERE a.n = 0"]
    assert moved(about(True), about(False), asked) == []
    with _join_without_people():
        assert moved(about(True), about(False), asked) != []


def _thread(begun: bool) -> Any:
    """Sixty people answer in a thread that one more has begun: without that one, what leads to their rows is gone."""
    rows = [(100 + i, i, 7) for i in range(61)] if begun else []
    users = list(range(61)) if begun else list(range(1, 61))
    threads = [(7, 100)] if begun else []
    return {
        "name": "threads", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "users.id"},
        "tables": {
            "users": {"source": pa.table({"id": users})},
            "messages": {
                "source": pa.table({n: pa.array([r[i] for r in rows], pa.int64()) for i, n in enumerate(("id", "author", "thread"))}),
                "foreign_keys": {"author": "users.id", "thread": "threads.thread"}, "rows_per_person": 2},
            "threads": {
                "source": pa.table({n: pa.array([r[i] for r in threads], pa.int64()) for i, n in enumerate(("thread", "first"))}),
                "foreign_keys": {"first": "messages.id"}, "rows_per_person": 2},
        },
    }  # fmt: skip


def test_hole_6_a_second_way_to_people_round_a_circle_of_tables_is_found() -> None:
    """Messages lead to their author and, by the thread's first message, to whoever began it: sixty-one rows moved."""
    with pytest.raises(InvalidDeclaration, match=r"author → users.id and thread → threads.thread"):
        declared(_thread(True))

    def pruned(self: Dataset, table: Any, key: tuple[str, str, str]) -> bool:
        """The broken twin: a way that comes back to its table is none."""
        target = self.table(key[1])
        assert target is not None
        return target.name == "users" or self._path(target, (table.name,)) is not None

    with mock.patch.object(Dataset, "_leads", pruned):
        assert moved(_thread(True), _thread(False), ["SELECT COUNT(*) FROM messages"]) != []


# ---- the person's kind, hole by hole ----


def _two(users: Any, visits: Any, **columns: Any) -> Any:
    return {
        "name": "kinds", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "users.who"},
        "tables": {
            "users": {"source": users, "columns": columns},
            "visits": {"source": visits, "foreign_keys": {"who": "users.who"}, "rows_per_person": 20},
        },
    }  # fmt: skip


def test_hole_5_a_person_called_abc_is_nobody_and_no_join_fails(tmp_path: Path) -> None:
    users = people.write("csv", tmp_path, "users", {"who": None}, [("7",), ("abc",), ("8",)])
    visits = people.write("csv", tmp_path, "visits", {"who": None}, [("7",), ("abc",), ("07",), ("8.0",)])
    with people.engine(_two(users, visits, who={"type": "integer"})) as made:
        asked = [
            "SELECT SUM(n) FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) t JOIN users u ON t.who = u.who",
            "SELECT COUNT(*) FROM visits WHERE who > 6", "SELECT COUNT(DISTINCT who) FROM visits",
        ]  # fmt: skip
        every = [people.priced(made, text) for text in asked[1:]]  # type: ignore[attr-defined]
        counts = [whole_rows.columns(query, made.aggregate(query))[0][0] for query in every]
        assert counts == [3, 2]
        made.aggregate(people.priced(made, asked[0].replace("SUM(n)", "COUNT(*)")))  # type: ignore[attr-defined]


@pytest.mark.parametrize(("held", "declared_as", "words"), [
    ("real", "text", "says whose a row is as text, and the source holds real"),
    ("date", "integer", "says whose a row is as integer, and the source holds date"),
    ("boolean", "integer", "says whose a row is as integer, and the source holds boolean"),
    ("timestamp", "date", "says whose a row is as date, and the source holds timestamp"),
])  # fmt: skip
def test_a_table_whose_person_cannot_be_of_the_kind_is_refused(held: str, declared_as: str, words: str) -> None:
    about = SPELLINGS[held]
    value = about.native(about.people[0][0])
    users, visits = pa.table({"who": pa.array([], pa.string())}), pa.table({"who": pa.array([value], about.type)})
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        DuckDBEngine(declared(_two(users, visits, who={"type": declared_as})))
    assert refused.value.hint


def test_a_person_of_over_63_bits_is_refused_with_a_remedy_that_works() -> None:
    users = pa.table({"who": pa.array([2**64 - 1, 5], pa.uint64())})
    visits = pa.table({"who": pa.array([2**64 - 1, 2**64 - 1, 5], pa.uint64())})
    with pytest.raises(InvalidDeclaration, match="in over 63 bits") as refused:
        DuckDBEngine(declared(_two(users, visits)))
    assert 'who = { type = "text" }' in refused.value.hint
    with people.engine(_two(users, visits, who={"type": "text"})) as made:
        query = people.priced(made, "SELECT COUNT(DISTINCT who), COUNT(*) FROM visits")  # type: ignore[attr-defined]
        assert [column[0] for column in whole_rows.columns(query, made.aggregate(query))] == [2, 3]


def _rounded(form: str, folder: Path, ids: list[int], width: Any, *, step: bool, unreadable: str) -> Any:
    """Whole numbers in one table, and the same as fractions in another: people, or accounts that lead to people."""
    whole, real = {"who": pa.int64()}, {"who": width}
    place = folder / f"{len(ids)}"
    place.mkdir(exist_ok=True)
    rows: list[Any] = [(i,) for i in ids]
    users = people.write(form, place, "users", whole, rows)
    fractions: list[Any] = [(float(i),) for i in ids]
    visits = people.write(form, place, "visits", real, fractions)
    about = _two(users, visits)
    for table in about["tables"].values():
        table["unreadable"] = unreadable
    if step:
        both_ = {"id": pa.int64(), "who": pa.int64()}
        accounts = people.write(form, place, "accounts", both_, [(1, i) for i in ids])
        about["unit"] = {"person": "people.id"}
        about["tables"]["people"] = {"source": pa.table({"id": [1]})}
        about["tables"]["users"] = {"source": accounts, "foreign_keys": {"id": "people.id"}, "rows_per_person": 9}
        about["tables"] = {name.replace("users", "accounts"): each for name, each in about["tables"].items()}
        about["tables"]["visits"]["foreign_keys"] = {"who": "accounts.who"}
    return about


@pytest.mark.parametrize("unreadable", ["refuse", "null"])
@pytest.mark.parametrize("form", ["arrow", "parquet", "duckdb"])
@pytest.mark.parametrize(("width", "most"), [(pa.float32(), 2**24), (pa.float64(), 2**53), (pa.float16(), 2**11)])
def test_hole_5_whole_numbers_that_another_table_has_rounded_are_not_other_people(
    width: Any, most: int, form: str, unreadable: str, tmp_path: Path
) -> None:
    """2**53 + 1 is 2**53 as a double: one person was two, and moved a count of people by two."""
    if form != "parquet" and width == pa.float16():
        return  # the engine reads none

    def about(*ids: int, step: bool = False) -> Any:
        return _rounded(form, tmp_path, list(ids), width, step=step, unreadable=unreadable)

    for step in (False, True):
        with pytest.raises(InvalidDeclaration, match=r"does not hold every integer|its type has rounded") as refused:
            DuckDBEngine(declared(about(5, most + 1, step=step)))
        assert refused.value.hint
        assert str(most) not in str(refused.value)
    if width == pa.float64():
        with people.engine(about(5, most - 1)) as made:
            found = made.aggregate(people.priced(made, "SELECT COUNT(DISTINCT who) FROM visits"))  # type: ignore[attr-defined]
            assert int(found.columns[0][0]) == 2


def test_a_person_rounded_by_a_type_is_seen_as_two(tmp_path: Path) -> None:
    def about(*ids: int) -> Any:
        return _rounded("arrow", tmp_path, list(ids), pa.float64(), step=False, unreadable="refuse")

    asked = ["SELECT COUNT(DISTINCT who) FROM (SELECT who FROM users UNION ALL SELECT who FROM visits) t"]
    with mock.patch.object(Registrar, "_check_whole"):
        assert moved(about(5, 2**53 + 1), about(5), asked) != []


def test_another_kind_declared_for_the_same_person_is_refused() -> None:
    about = _two(pa.table({"who": ["7"]}), pa.table({"who": ["7"]}), who={"type": "integer"})
    about["tables"]["visits"]["columns"] = {"who": {"type": "text"}}
    with pytest.raises(InvalidDeclaration, match=r"is declared as text and leads to users.who, which is integer"):
        DuckDBEngine(declared(about))
