"""k-anonymity and its cousins do what they say, and the composition attack shows what they do not."""

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statistics_of_samples as samples
from property_profile import examples
from sfumato.anonymity import (
    Groups,
    Intervals,
    Microdata,
    Prefixes,
    Roles,
    anonymise,
    check,
    compose,
    diversity,
    generalise,
    inject_noise,
    shuffled,
    swap,
    top_code,
)
from sfumato.anonymity.composition import LADDERS, candidates, patients, release
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.errors import InvalidParameter
from sources import SeededBits

PEOPLE = Microdata.of(
    [
        {"name": "Ann", "zip": "02138", "age": 31, "illness": "flu"},
        {"name": "Bob", "zip": "02139", "age": 34, "illness": "flu"},
        {"name": "Cas", "zip": "02141", "age": 52, "illness": "asthma"},
        {"name": "Dan", "zip": "02142", "age": 57, "illness": "cancer"},
    ]
)
ROLES = Roles(("zip", "age"), ("illness",), ("name",))
LADDER = {"zip": Prefixes((4, 3)), "age": Intervals((5, 10))}


def test_a_class_below_k_is_found_and_counted() -> None:
    assert check(PEOPLE, ("zip",), k=1).holds
    found = check(PEOPLE, ("zip", "age"), k=2)
    assert not found.holds
    assert (found.smallest, found.classes, found.exposed) == (1, 4, 4)
    assert check(Microdata(("a",), ()), ("a",), k=3).holds


def test_the_least_generalised_table_is_found_and_names_are_gone() -> None:
    made = anonymise(PEOPLE, ROLES, LADDER, k=2, most_suppressed=0)
    assert "name" not in made.table.columns
    assert made.levels == {"zip": 1, "age": 2}
    assert set(made.table.keys(("zip", "age"))) == {("0213*", "30-39"), ("0214*", "50-59")}
    assert made.suppressed == 0


@examples(40)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from("abcd")), min_size=1, max_size=25),
    st.integers(1, 6),
)
def test_what_is_made_is_k_anonymous_and_no_lower_level_would_do(rows: list[tuple[int, str]], k: int) -> None:
    table = Microdata(("age", "group"), tuple(rows))
    ladder: dict[str, Any] = {"age": Intervals((5, 20)), "group": Groups(({"a": "x", "b": "x"},))}
    roles = Roles(("age", "group"))
    if len(rows) < k:
        with pytest.raises(InvalidParameter, match="k cannot"):
            anonymise(table, roles, ladder, k=k, most_suppressed=0)
        return
    made = anonymise(table, roles, ladder, k=k, most_suppressed=0)
    assert check(made.table, roles.quasi, k=k).holds
    assert len(made.table) == len(rows)
    height = sum(made.levels.values())
    for levels in itertools.product(range(4), range(3)):
        if sum(levels) < height:
            lower = generalise(table, ladder, dict(zip(("age", "group"), levels, strict=True)))
            assert not check(lower, roles.quasi, k=k).holds


def test_suppression_leaves_out_only_small_classes_and_as_few_as_it_may() -> None:
    table = Microdata(("age",), tuple((age,) for age in [30] * 10 + [31] * 10 + [77]))
    made = anonymise(table, Roles(("age",)), {"age": Intervals((50,))}, k=5, most_suppressed=0.1)
    assert made.levels == {"age": 0}
    assert made.suppressed == 1
    assert Counter(made.table.column("age")) == {30: 10, 31: 10}
    strict = anonymise(table, Roles(("age",)), {"age": Intervals((50,))}, k=5, most_suppressed=0)
    assert strict.levels == {"age": 2}


def test_a_class_with_one_secret_hides_nobody() -> None:
    coarse = generalise(PEOPLE, LADDER, {"zip": 1, "age": 2})
    found = diversity(coarse, ("zip", "age"), "illness", l=2)
    assert check(coarse, ("zip", "age"), k=2).holds  # and yet everybody in the first class has flu
    assert not found.holds
    assert (found.distinct, found.failing, found.entropy) == (1, 1, 1.0)
    assert diversity(PEOPLE, ("name",), "illness", l=1).holds


def test_top_codes_swaps_and_noise() -> None:
    assert top_code([1, 99, 120], limit=90) == [1, 90, 90]
    bits = SeededBits(1)
    table = Microdata(("id", "age"), tuple((i, 1000 + i) for i in range(1000)))
    swapped = swap(table, ["age"], share=0.5, bits=bits)
    assert sorted(swapped.column("age")) == sorted(table.column("age"))  # type: ignore[type-var]
    moved = sum(a != b for a, b in zip(swapped.column("age"), table.column("age"), strict=True))
    assert moved == 500
    assert swap(table, ["age"], share=0, bits=bits) == table
    noise = [n - 5 for n in inject_noise([5] * 20_000, scale=2, bits=bits)]
    assert samples.chi_square(noise, samples.discrete_laplace(2), reach=40) > samples.THRESHOLD
    assert samples.chi_square(noise, samples.discrete_laplace(2.2), reach=40) < samples.THRESHOLD
    mixed = shuffled(table, bits=bits)
    assert sorted(mixed.rows) == list(table.rows)
    assert mixed != table


def test_two_k_anonymous_releases_together_tell_patients_that_neither_tells() -> None:
    composed = compose(k=5, bits=SeededBits(3))
    assert composed.targets > 85
    assert composed.from_one / composed.targets < 0.02
    assert composed.from_both / composed.targets > 0.25
    assert composed.interval(composed.from_both)[0] > composed.interval(composed.from_one)[1]
    assert composed.classes[0] > 4 * composed.classes[1]
    assert "told from one" in str(composed)


def test_each_release_of_the_attack_is_k_anonymous_and_a_target_is_among_its_candidates() -> None:
    people = patients(1500, bits=SeededBits(4))
    made = release(people, LADDERS[0], k=5)
    assert check(made.table, ("zip", "age", "sex"), k=5).holds
    assert made.suppressed <= 0.05 * 1500
    inside = sum(person["diagnosis"] in candidates(made, person, LADDERS[0]) for person in people)
    assert inside >= 1500 - made.suppressed
    assert all(set(ladder) == {"zip", "age", "sex"} for ladder in LADDERS)


def test_a_table_shows_nothing_of_its_rows() -> None:
    assert "Ann" not in repr(PEOPLE)
    with pytest.raises(InvalidParameter) as error:
        Intervals((5,)).at(1, "secret-value")
    assert "secret-value" not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: Roles(()), "quasi"),
        (lambda: Roles(("a",), ("a",)), "roles"),
        (lambda: Microdata((), ()), "columns"),
        (lambda: Microdata(("a", "a"), ()), "columns"),
        (lambda: Microdata(("a",), ((1, 2),)), "rows"),
        (lambda: Microdata.of([]), "records"),
        (lambda: Microdata.of([{"a": 1}, {"b": 1}]), "records"),
        (lambda: PEOPLE.column("nothing"), "column"),
        (lambda: PEOPLE.with_column("age", [1]), "values"),
        (lambda: check(PEOPLE, ("zip",), k=0), "k"),
        (lambda: anonymise(PEOPLE, ROLES, {}, k=2), "hierarchies"),
        (lambda: anonymise(PEOPLE, ROLES, LADDER, k=9, most_suppressed=0), "k"),
        (lambda: anonymise(PEOPLE, ROLES, LADDER, k=2, most_suppressed=2), "most_suppressed"),
        (lambda: Intervals((5, 5)), "widths"),
        (lambda: Intervals((0,)), "widths"),
        (lambda: Prefixes((1, 2)), "lengths"),
        (lambda: Prefixes((2,)).at(9, "x"), "level"),
        (lambda: diversity(PEOPLE, ("zip",), "illness", l=0), "l"),
        (lambda: swap(PEOPLE, [], share=0.1), "columns"),
        (lambda: swap(PEOPLE, ["age"], share=2), "share"),
        (lambda: top_code([1], limit=0), "limit"),
        (lambda: inject_noise([1], scale=0), "scale"),
    ],
)
def test_bad_requests_are_refused_by_name(call: Any, word: str) -> None:
    with pytest.raises(InvalidParameter, match=word):
        call()


def test_too_many_combinations_of_levels_are_refused() -> None:
    wide = Microdata(tuple("abcdef"), ((1,) * 6,))
    ladder = {name: Intervals(tuple(range(1, 12))) for name in "abcdef"}
    with pytest.raises(InvalidParameter, match="combinations"):
        anonymise(wide, Roles(tuple("abcdef")), ladder, k=1)


# ---- the command ---------------------------------------------------------------------------------------------------

CSV = "name,zip,age,illness\n" + "".join(f"n{i},0213{i % 3},{30 + i % 10},{'ab'[i % 2]}\n" for i in range(40))


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(CSV)
    return str(path)


def test_a_file_is_described(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["anonymity", "check", people, "--quasi", "zip,age", "--sensitive", "illness"]
    assert main([*words, "--k", "2", "--json"]) == Exit.FOUND
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 40
    assert main([*words, "--k", "1", "--l", "1"]) == Exit.DONE
    assert "1-anonymity holds" in capsys.readouterr().out


def test_a_file_is_made_k_anonymous(people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roles = ["--quasi", "zip,age", "--identifiers", "name"]
    ladders = ["--ladder", "zip=prefix:4", "--ladder", "age=5,10"]
    assert main(["anonymity", "generalise", people, *roles, *ladders, "--k", "5"]) == Exit.DONE
    made = tmp_path / "made.csv"
    made.write_text(capsys.readouterr().out)
    assert "name" not in made.read_text().splitlines()[0]
    assert main(["anonymity", "check", str(made), "--quasi", "zip,age", "--k", "5"]) == Exit.DONE


@pytest.mark.parametrize(
    ("words", "word"),
    [
        (["check"], "file"),
        (["check", "/nonexistent.csv", "--quasi", "a"], "file"),
        (["check", "FILE"], "quasi"),
        (["check", "FILE", "--quasi", "nothing"], "column"),
        (["generalise", "FILE", "--quasi", "zip", "--ladder", "zip=x"], "ladder"),
        (["generalise", "FILE", "--quasi", "zip", "--ladder", "=3"], "ladder"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: list[str], word: str, people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["anonymity", *(people if w == "FILE" else w for w in words)]) == Exit.USAGE
    assert word in capsys.readouterr().err


def test_composition_is_a_lesson(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["anonymity", "compose"]) == Exit.DONE
    assert "from both" in capsys.readouterr().out
    assert main(["anonymity", "compose", "--json", "--k", "3"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["k"] == 3
