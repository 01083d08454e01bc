"""One word, one thing: names that stand twice, and the few that may."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from sfumato.local.kinds import KINDS

SOURCE = Path(__file__).parents[2] / "src" / "sfumato"


@cache
def trees() -> dict[str, ast.Module]:
    """Every file as a tree; not at import, which every worker would pay for."""
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


MECHANISM_AND_EVENT = {
    "AboveThreshold",
    "DiscreteGaussian",
    "Gaussian",
    "Geometric",
    "Laplace",
    "NonNegativeSparseVector",
    "RandomizedResponse",
    "SparseVector",
}
"""A mechanism and the event that it is priced as go by the theory's one word: `mechanisms.Laplace`, `events.Laplace`."""


def test_no_public_class_name_stands_twice_but_for_a_mechanism_and_its_event() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path)
    twice = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    assert twice.keys() == MECHANISM_AND_EVENT, twice
    for name in MECHANISM_AND_EVENT:
        event, mechanism = twice[name]
        assert event.startswith("accounting/events/")
        assert mechanism.startswith("mechanisms/")


MAY_BE_ANYTHING = {
    "core/libraries.py: library": "a module whose types are a library's that need not be there",
    "curator/release.py: Release.value": "of the kind of the column, as the values of `rows` are",
    "curator/release.py: Release.to_arrow": "the type is a library's that need not be there",
    "curator/release.py: Release.to_pandas": "likewise",
    "curator/release.py: Release.to_polars": "likewise",
    "engines/postgres/connection.py: connect": "a connection, of a library that need not be there",
    "engines/spark/sources.py: opened": "a data frame, likewise",
    "local/aggregator.py: Aggregator.estimate": "shares or a mean, by the protocol's kind",
}


def test_public_functions_say_what_they_return() -> None:
    found = set()
    for path, tree in trees().items():
        holders = [("", tree.body)]
        holders += [(f"{node.name}.", node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
        for holder, body in holders:
            for node in body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                    assert node.returns is not None, f"{path}: {holder}{node.name}"
                    if ast.unparse(node.returns) == "Any" and not holder.startswith("_"):
                        found.add(f"{path}: {holder}{node.name}")
    assert found == MAY_BE_ANYTHING.keys()


def test_the_kinds_of_local_protocols_are_listed_once_for_the_device_and_once_for_the_server() -> None:
    """A kind is a record in `client.py`, which devices take alone, and a class that `kinds.py` lists."""
    names = {kind.kind for kind in KINDS} | {kind.__name__ for kind in KINDS}
    listing = set()
    for path, tree in trees().items():
        for node in ast.walk(tree):
            parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
            said = {
                getattr(part, "value", None) or getattr(part, "attr", None) or getattr(part, "id", None)
                for part in parts
            }
            if len({each for each in said if isinstance(each, str)} & names) >= 3:
                listing.add(path)
    assert listing == {"local/client.py", "local/kinds.py", "local/__init__.py"}  # the last exports them
