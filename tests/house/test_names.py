"""One word, one thing: names that stand twice, and the few that may."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "sfumato"
TREES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}

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

NOT_YET_TOLD_APART = {"Relations"}
"""`query.relations` and `engines.sql.relations`."""


def test_no_public_class_name_stands_twice_but_for_a_mechanism_and_its_event() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path)
    twice = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    assert twice.keys() == MECHANISM_AND_EVENT | NOT_YET_TOLD_APART, twice
    for name in MECHANISM_AND_EVENT:
        event, mechanism = twice[name]
        assert event.startswith("accounting/events/")
        assert mechanism.startswith("mechanisms/")
