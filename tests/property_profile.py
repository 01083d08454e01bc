"""How many examples a property test tries: as many as it says in the suite, fewer or more by the profile of the run."""

from typing import Any

from hypothesis import settings

USUAL = 100
"""What Hypothesis takes where nothing is said; `make fast` takes a quarter, `make explore` five times as many."""


def examples(count: int, **more: Any) -> settings:
    """`count` examples in the suite, in proportion elsewhere; the profiles stand in conftest.py."""
    return settings(max_examples=max(1, count * settings().max_examples // USUAL), **more)
