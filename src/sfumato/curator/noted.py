"""Sentences of the notes that answers carry, by the codes that programs know them by."""

from collections.abc import Mapping

_NOTES = {
    "extremes": "MIN and MAX are answered as the 1 % and 99 % quantiles: the extremes are single people's values",
    "threshold": "groups show if about {people} people or more are in them; one whose bar reaches below that may "
    "be there by luck",
    "choice": "its aggregate is at most {below:,.6g} below the largest, with the stated confidence",
    "choices": "each aggregate is at most {below:,.6g} below the largest that was left, with the stated confidence",
    "utility": "its utility is at most {below:,.6g} below the largest, with the stated confidence",
    "weighted": "bounded: {rows} of a person count, of more each in part, and rows without a person do not: counts "
    "and sums may be too low. Ask AVG rather than divide two answers",
    "lengths": "bounded: {rows} of a person count in a group, or as many as have that length over groups (the root of "
    "the sum of squares); of more each in part, and rows without a person do not: counts and sums may be too low. Ask "
    "AVG rather than divide two answers",
    "sampled": "bounded: {rows} of a person count, chosen by a hash, and rows without a person do not",
    "cut": "bounded: tables were cut to {rows} of a person at registration, and rows without a person do not count",
    "own": "bounded: counts and sums of a person's own rows are held at what {rows} can add up to, but in conditions",
    "values": "bounded: {values} of a person count",
    "picked": "bounded: a person counts in {groups}, chosen by a hash, so that counts of others are too low",
    "parts": "bounded: a person counts once in {groups}, and who is in more as a part of one in each",
    "beyond": "{people:,} ± {within:,} people have more than counts, with the stated confidence",
    "excess": "{n:,} ± {within:,} rows are beyond that, of each person at most {most:,}, with the stated confidence",
    "count_first": "a count of rows comes first, at ε = {first:g}; both steps cost at most ε = {most:g}",
    "steps": "ε = {first:g} bought a count of rows first, and ε = {second:g} followed from it",
    "steps_short": "the most of ε = {most:g} was spent on both steps, and error bars may be wider than wanted",
    "wide": "an average of fewer than {rows} has an error bar as wide as its column",
    "public": "exact, for nothing: it reads public tables only, and nothing in them is protected",
    "smooth": "within {within:,.6g} with the stated confidence, and nearer where many values are near the median",
}
"""What a reader of an answer must know, by the code that programs know it by."""
_COUNTED = {"rows": "row", "groups": "group", "values": "different value"}


def sentence(code: str, figures: Mapping[str, float]) -> str:
    """The sentence of a note."""
    return _NOTES[code].format(**{name: _in_words(name, value) for name, value in figures.items()})


def _in_words(name: str, value: float) -> float | str:
    """A figure, or so many of what its name says."""
    return several(int(value), _COUNTED[name]) if name in _COUNTED else value


def several(count: int, what: str) -> str:
    """So many of something.

    >>> several(1, "row"), several(3, "row")
    ('1 row', '3 rows')
    """
    return f"1 {what}" if count == 1 else f"{count} {what}s"
