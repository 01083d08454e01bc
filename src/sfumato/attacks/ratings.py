"""Sparse ratings: a few films that a person is known to have rated identify the rest (Survey §1.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.lesson import Chance, Lesson, Result, Side
from sfumato.attacks.people import Codes, some
from sfumato.attacks.rates import Rate
from sfumato.core import Neighbours, Sensitivity
from sfumato.exact import BitSource, integers, permutation
from sfumato.mechanisms import Geometric

_PEOPLE, _FILMS, _EACH = 1500, 600, 24
_TARGETS, _KNOWN = 300, 5
_DAYS = 2000


@dataclass(frozen=True)
class Ratings:
    """Stars and days by person and film; no star means not rated."""

    stars: NDArray[np.int64]
    days: NDArray[np.int64]


def viewers(*, bits: BitSource | None = None) -> Ratings:
    """Everybody rates two dozen films, popular ones more often than obscure ones."""
    stars = np.zeros((_PEOPLE, _FILMS), dtype=np.int64)
    days = np.zeros((_PEOPLE, _FILMS), dtype=np.int64)
    for person in range(_PEOPLE):
        wide = integers(_FILMS, 3 * _EACH, bits=bits)
        narrow = wide * integers(_FILMS, 3 * _EACH, bits=bits) // _FILMS  # a product of uniforms favours low numbers
        films = np.unique(narrow)[permutation(len(np.unique(narrow)), bits=bits)][:_EACH]
        stars[person, films] = 1 + integers(5, len(films), bits=bits)
        days[person, films] = integers(_DAYS, len(films), bits=bits)
    return Ratings(stars, days)


def recognise(released: Ratings, films: Codes, stars: Codes, days: Codes) -> int | None:
    """The record that matches what is known of a person, if it stands out (Narayanan, Shmatikov 2008).

    A film counts for more the fewer people rated it, stars may be off by one and days by a fortnight; the best score
    must beat the second by a margin.
    """
    rated = released.stars[:, films] > 0
    close = rated & (np.abs(released.stars[:, films] - stars) <= 1) & (np.abs(released.days[:, films] - days) <= 14)
    weight = 1 / np.log(2 + rated.sum(axis=0))
    scores = close @ weight
    second, best = np.sort(scores)[-2:]
    return int(scores.argmax()) if best - second > 1.5 * scores.std() else None


def run(bits: BitSource | None = None) -> Result:
    """Was a sensitive film rated? Asked of a release without names, and of private counts a film."""
    people = viewers(bits=bits)
    counts = Geometric(epsilon=1, sensitivity=Sensitivity.l1(_EACH, Neighbours()), dimension=_FILMS)
    popular = counts.release((people.stars > 0).sum(axis=0), bits=bits)
    told: list[bool] = []
    guessed: list[bool] = []
    strangers: list[bool] = []
    likely = _PEOPLE * _EACH / _FILMS  # as often as a film is rated on average: above, "yes" is the better guess
    outside = viewers(bits=bits)
    for person in some(_TARGETS, _PEOPLE, bits=bits):
        films = np.flatnonzero(people.stars[person])
        known = films[permutation(len(films), bits=bits)[:_KNOWN]]
        others = np.flatnonzero(people.stars[person] == 0)
        rated = bool(integers(2, bits=bits))
        rest = np.setdiff1d(films, known) if rated else others
        film = int(rest[integers(len(rest), bits=bits)])
        stars = np.clip(people.stars[person, known] + integers(3, _KNOWN, bits=bits) - 1, 1, 5)
        days = people.days[person, known] + integers(21, _KNOWN, bits=bits) - 10
        record = recognise(people, known, stars, days)
        told.append((record is not None and bool(people.stars[record, film])) == rated)
        guessed.append(bool(popular[film] > likely) == rated)
        choice = np.flatnonzero((outside.stars[person] > 0) == rated)
        strangers.append(bool(popular[choice[integers(len(choice), bits=bits)]] > likely) == rated)
    exact = (people.stars > 0).sum(axis=0)
    return Result(
        success="whether the person rated a given film is told correctly",
        sides=(
            Side("ratings under pseudonyms", Rate.of(told)),
            Side("counts a film at ε = 1", Rate.of(guessed), protected=True),
        ),
        chance=Chance("the same guess about people who are not in the data", Rate.of(strangers).share),
        remarks=(
            f"the attacker knows {_KNOWN} ratings, stars to within one and days to within ten",
            "counts tell which films are popular, which helps to guess about anybody",
            f"the median film was rated by {int(np.median(exact))} of {_PEOPLE} people",
        ),
    )


LESSON = Lesson(
    name="ratings",
    title="A few films are a fingerprint",
    story=(
        "A company releases film ratings under pseudonyms. Few people rated the same handful of obscure films on "
        "the same days, so five ratings that somebody mentioned in public single out a record, and with it every "
        "film that was never mentioned."
    ),
    defence=(
        "Counts for each film, with noise for all two dozen ratings a person may have. They tell what is popular, "
        "which helps to guess about anybody, whether or not they are in the data."
    ),
    run=run,
    source="Survey §1.2",
)
