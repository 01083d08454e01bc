"""Parts exchanged for columns are found by a mark that no text can make."""

import pytest
from sqlglot import exp, parse_one

from neighbours import Database, engine, priced
from sfumato.data import Kind
from sfumato.engines import DuckDBEngine
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import Call, Expression, Field, Literal, Ref
from sfumato.query.planted import Planted, exchanged
from sfumato.query.range import Range

TOTAL = Field("total", Kind.REAL, Range.point(3))  # type: ignore[arg-type]


def computed(text: str, planted: Planted) -> Expression:
    """The text with SUM(…) planted as field 7, and a bare `twice` standing for field 2 + field 2."""
    two = Ref(2, Field("two", Kind.INTEGER, Range.point(2)))  # type: ignore[arg-type]
    doubled = Call("add", (two, two), Kind.INTEGER, Range.point(4))  # type: ignore[arg-type]

    def swap(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Sum):
            return planted.plant(node, 7, TOTAL)
        return planted.stand_for(node, doubled) if isinstance(node, exp.Column) and node.name == "twice" else node

    return planted.value(exchanged(parse_one(text, read="duckdb"), swap))  # type: ignore[arg-type]


def test_a_planted_column_is_read_as_its_field() -> None:
    assert computed("SUM(x)", Planted("SUM(x)")) == Ref(7, TOTAL)


def test_a_column_that_stands_for_an_expression_is_read_as_all_of_it() -> None:
    made = computed("SUM(x) + twice * twice", Planted("SUM(x) + twice * twice"))
    assert made.canonical() == [
        "add", ["mul", ["add", ["ref", 2], ["ref", 2]], ["add", ["ref", 2], ["ref", 2]]], ["ref", 7],
    ]  # fmt: skip
    assert (made.range.lower, made.range.upper) == (19, 19)  # type: ignore[comparison-overlap]


def test_several_columns_stand_each_for_their_own() -> None:
    planted = Planted("a - b")
    held = {"a": Literal(5, Kind.INTEGER), "b": Ref(3, Field("b", Kind.INTEGER))}
    tree = exchanged(
        parse_one("a - b"),  # type: ignore[arg-type]
        lambda node: planted.stand_for(node, held[node.name]) if isinstance(node, exp.Column) else node,  # type: ignore[arg-type]
    )
    assert planted.value(tree).canonical() == ["sub", ["literal", "integer", 5], ["ref", 3]]


def test_a_condition_must_be_one() -> None:
    planted = Planted("SUM(x)")
    with pytest.raises(InvalidQuestion, match="a condition must be true or false, found real"):
        planted.predicate(planted.plant(parse_one("SUM(x)"), 7, TOTAL))  # type: ignore[arg-type]


def test_the_tree_that_is_exchanged_is_a_copy() -> None:
    tree = parse_one("SUM(x) + 1")
    exchanged(tree, lambda node: Planted("").plant(node, 7, TOTAL) if isinstance(node, exp.Sum) else node)  # type: ignore[arg-type]
    assert tree == parse_one("SUM(x) + 1")


def test_larger_parts_are_exchanged_before_smaller_ones() -> None:
    seen: list[str] = []

    def swap(node: exp.Expression) -> exp.Expression:
        seen.append(node.sql())
        return exp.Null() if isinstance(node, exp.Sum) else node

    assert exchanged(parse_one("COALESCE(SUM(x), y)"), swap).sql() == "COALESCE(NULL, y)"  # type: ignore[arg-type]
    assert seen == ["COALESCE(SUM(x), y)", "SUM(x)", "y", "y"]


@pytest.mark.parametrize(
    "stray", ['"SUM(x)"', '"aggregate 0"', '"key 0"', "x", "x /* sqlglot.meta planted=1 */", "planted"]
)
def test_no_name_and_no_comment_reaches_a_planted_column(stray: str) -> None:
    text = f"SUM(x) + {stray}"
    with pytest.raises(InvalidQuestion, match="stands beside aggregates"):
        computed(text, Planted(text))


def test_errors_name_the_place_of_what_was_planted() -> None:
    text = "1 +\n  (SUM(x) AND TRUE)"
    with pytest.raises(InvalidQuestion) as caught:
        computed(text, Planted(text))
    assert (caught.value.line, caught.value.column) == (2, 4)


@pytest.fixture(scope="module")
def made() -> DuckDBEngine:  # type: ignore[misc]
    with engine(Database((), (), ())) as opened:
        yield opened


NAMED = ("aggregate 0", "aggregate 1", "key 0", "key 1", "alias 1000000", "COUNT(*)", "SUM(amount)", "planted")


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(
    "text",
    [
        'SELECT SUM(n) FROM (SELECT user_id, COUNT(*) + "{name}" AS n FROM visits GROUP BY user_id) t',
        'SELECT SUM(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id HAVING COUNT(*) > "{name}") t',
        'SELECT SUM(n) FROM (SELECT user_id, category, COUNT(*) + "{name}" AS n FROM visits GROUP BY user_id, category) t',
        'SELECT COUNT(*) + "{name}" FROM visits',
        'SELECT category, SUM(amount) + "{name}" FROM visits GROUP BY category',
        'SELECT category, SUM(amount) AS s FROM visits GROUP BY category HAVING COUNT(*) > "{name}"',
        'SELECT category, SUM(amount) AS s FROM visits GROUP BY category ORDER BY s + "{name}"',
    ],
)
def test_a_question_cannot_name_what_is_planted_in_it(made: DuckDBEngine, name: str, text: str) -> None:
    with pytest.raises(InvalidQuestion, match="no column"):
        priced(made, text.format(name=name))


def test_a_column_beside_a_persons_aggregates_is_refused_as_such(made: DuckDBEngine) -> None:
    with pytest.raises(InvalidQuestion, match="column `day` stands beside aggregates"):
        priced(made, "SELECT SUM(n) FROM (SELECT user_id, COUNT(*) + day AS n FROM visits GROUP BY user_id) t")


def test_a_comment_cannot_move_the_place_of_an_error(made: DuckDBEngine) -> None:
    for word in ("start=abc", "start=0", "start", "planted=1"):
        with pytest.raises(InvalidQuestion) as caught:
            priced(made, f"SELECT COUNT(*)\nFROM visits WHERE nothing /* sqlglot.meta {word} */ = 1")
        assert (caught.value.line, caught.value.column) == (2, 19)
