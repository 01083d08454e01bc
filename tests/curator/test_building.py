"""Questions built in Python are the same questions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.errors import InvalidParameter, InvalidQuestion


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("clinic")
    clinic.build(folder, users=500)
    with sfumato.open(clinic.declare(folder)) as made:
        yield made


def test_a_built_question_hits_the_memo_of_the_written_one(curator: Session) -> None:
    written = curator.sql(
        "SELECT category, COUNT(*) AS n, AVG(amount) AS a FROM visits WHERE day < 100 AND amount > 5 "
        "GROUP BY category HAVING COUNT(*) > 0 ORDER BY n DESC LIMIT 3",
        epsilon=1,
    )
    built = (
        curator.table("visits")
        .where("amount > 5")
        .where("day < 100")
        .group_by("category")
        .select(n="COUNT(*)", a="AVG(amount)")
        .having("COUNT(*) > 0")
        .order_by("n DESC")
        .limit(3)
    )
    answer = built.release(epsilon=1)
    assert answer.repeated
    assert answer.rows == written.rows
    assert built.explain(epsilon=1).cost.epsilon == 1


def test_joins_and_plain_outputs(curator: Session) -> None:
    joined = curator.table("visits v").join("cities c", on="v.city = c.city").group_by("c.region").select("COUNT(*)")
    assert [row["region"] for row in joined.release(epsilon=1)] == ["north", "south"]
    assert (
        "LEFT JOIN users USING (user_id)"
        in curator.table("visits").join("users", using="user_id", left=True).select("COUNT(*)").sql
    )


def test_what_is_wrong_is_said(curator: Session) -> None:
    with pytest.raises(InvalidParameter, match="needs an aggregate"):
        curator.table("visits").release(epsilon=1)
    with pytest.raises(InvalidParameter, match="one of them"):
        curator.table("visits").join("users")
    with pytest.raises(InvalidQuestion, match="rows are not released"):
        curator.table("visits").select("*").release(epsilon=1)
    assert repr(curator.table("visits")) == "<question about visits>"
    assert "COUNT(*)" in repr(curator.table("visits").select("COUNT(*)"))


@pytest.mark.parametrize(
    "piece",
    [
        "1=1) OR (1=1",
        "day < 9)",
        "(day < 9",
        "day < 9; SELECT 1",
        "day < 9 -- and nothing else",
        "",
        "day IN (1, 2",
        "note = ']' ]",
        "/* */",
    ],
)
def test_a_piece_of_a_question_stands_alone(curator: Session, piece: str) -> None:
    """What closes what it did not open would change the meaning of what stands around it."""
    asked = curator.table("visits").select(n="COUNT(*)")
    for step in (
        asked.where,
        asked.group_by,
        asked.select,
        asked.having,
        asked.order_by,
        lambda p: asked.join("users", on=p),
        curator.table,
    ):
        with pytest.raises((InvalidQuestion, InvalidParameter)):
            step(piece)


def test_conditions_are_all_met_whatever_is_in_them(curator: Session) -> None:
    both = curator.table("visits").where("day < 9 OR day > 300", "category = 1").select(n="COUNT(*)")
    same = curator.sql("SELECT COUNT(*) FROM visits WHERE (day < 9 OR day > 300) AND category = 1", epsilon=1)
    assert both.release(epsilon=1).rows[0]["n"] == same.value
    odd = curator.table("visits").select(**{'a"b': "COUNT(*)"}).where("note <> ')'")
    assert odd.release(epsilon=1).columns == ('a"b',)
    with pytest.raises(InvalidParameter):
        curator.table("visits").limit("3; x")  # type: ignore[arg-type]
