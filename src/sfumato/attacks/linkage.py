"""Linkage: names found by ZIP code, birth date and sex (Sweeney's attack, Survey §1.1)."""

import numpy as np

from sfumato.attacks.lesson import Chance, Lesson, Result, Side
from sfumato.attacks.people import DIAGNOSES, Codes, Town, some, town
from sfumato.attacks.rates import Rate
from sfumato.core import Neighbours, Norm
from sfumato.exact import BitSource
from sfumato.mechanisms import Geometric

_PEOPLE = 4000
_VOTERS = 2400


def link(released: Codes, diagnoses: Codes, roll: Codes) -> Codes:
    """The diagnosis of each name on a roll whose triple occurs once among the released ones; -1 where it does not."""
    triples, first, counts = np.unique(released, return_index=True, return_counts=True)
    place = np.minimum(np.searchsorted(triples, roll), len(triples) - 1)
    unique = (triples[place] == roll) & (counts[place] == 1)
    return np.where(unique, diagnoses[first[place]], -1)


def guess_from_table(people: Town, who: Codes, *, epsilon: float, bits: BitSource | None) -> Codes:
    """The likeliest diagnosis of each person by a private table of sex, decade and diagnosis."""
    cells = (people.sex * 8 + people.decade) * len(DIAGNOSES) + people.diagnosis
    exact = np.bincount(cells, minlength=16 * len(DIAGNOSES))
    counts = Geometric(epsilon=epsilon, sensitivity=Neighbours().histogram(Norm.L1), dimension=len(exact))
    table = counts.release(exact, bits=bits).reshape(16, len(DIAGNOSES))
    return np.asarray(table[people.sex[who] * 8 + people.decade[who]].argmax(axis=1))


def run(bits: BitSource | None = None) -> Result:
    """Names and voters' triples against a release without names, and against a private table."""
    people = town(_PEOPLE, bits=bits)
    voters = some(_VOTERS, _PEOPLE, bits=bits)
    truth = people.diagnosis[voters]
    linked = link(people.quasi, people.diagnosis, people.quasi[voters])
    guessed = guess_from_table(people, voters, epsilon=1, bits=bits)
    commonest = np.bincount(people.diagnosis).argmax()
    named = int(np.count_nonzero(linked >= 0))
    return Result(
        success="a voter's diagnosis is told correctly",
        sides=(
            Side("names removed", Rate.of(linked == truth)),
            Side("table of counts at ε = 1", Rate.of(guessed == truth), protected=True),
        ),
        chance=Chance("the commonest diagnosis for all", Rate.of(truth == commonest).share),
        remarks=(f"{named} of {_VOTERS} names on the roll match exactly one record without a name",),
        facts={"named": named},
    )


LESSON = Lesson(
    name="linkage",
    title="Removing names is not enough",
    story=(
        "A hospital releases its records without names: ZIP code, birth date, sex, diagnosis. A voter roll lists "
        "names with the first three. Nearly everybody's triple is unique, so joining the two puts a name on "
        "nearly every record; that is how a governor's own file was found in the 1990s."
    ),
    defence=(
        "What leaves is a table of counts with noise for which one person more or less hardly matters. The "
        "attacker learns what is true of a sex and an age, as intended, and no more of a person than of somebody "
        "who was never asked."
    ),
    run=run,
    source="Survey §1.1",
)
