"""What was caught is still caught: no broken twin of tests/twins.txt has gone."""

from collections import Counter

import pytest

from twins import LIST, in_breaks, in_rooms

LISTED = [line.split("  ") for line in LIST.read_text().splitlines() if line.startswith("twin ")]
CASES = {test.strip(): int(count) for _, test, count in LISTED}
BREAKS = [line for line in LIST.read_text().splitlines() if line.startswith("break ")]


def test_no_twin_of_the_list_is_gone() -> None:
    assert CASES
    assert BREAKS
    gone = sorted(set(CASES) - set(in_rooms())) + sorted(set(BREAKS) - set(in_breaks()))
    assert not gone, f"no test or break of this name; if it was renamed, python tests/twins.py --write: {gone}"


def test_no_twin_has_fewer_cases_than_the_list_says(request: pytest.FixtureRequest) -> None:
    """Counted where the whole suite runs: a part of it has parts of the cases."""
    config = request.config
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS or config.option.keyword:
        pytest.skip("a part of the suite")
    count = Counter(item.nodeid.split("[")[0] for item in request.session.items)
    fewer = {test: (count[test], least) for test, least in CASES.items() if 0 < count[test] < least}
    assert not fewer, f"cases that there are, and were: {fewer}"
