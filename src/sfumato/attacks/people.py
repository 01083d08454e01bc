"""Synthetic people, drawn for lessons: nobody's data."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import BitSource, integers, permutation
from sfumato.exact.parameters import whole

Codes = NDArray[np.int64]
DIAGNOSES = ("flu", "asthma", "diabetes", "depression", "cancer", "hiv")
_WEIGHTS = (34, 24, 18, 14, 7, 3)
ZIPS = 12
_DAYS = 80 * 365


@dataclass(frozen=True)
class Town:
    """People with a ZIP code, a birth date in days, a sex and a diagnosis, by number."""

    zip: Codes
    born: Codes
    sex: Codes
    diagnosis: Codes

    def __len__(self) -> int:
        return len(self.zip)

    @property
    def quasi(self) -> Codes:
        """ZIP, birth date and sex as one number each."""
        return (self.zip * _DAYS + self.born) * 2 + self.sex

    @property
    def decade(self) -> Codes:
        """The decade of birth."""
        return self.born // 3650


def town(people: int, *, bits: BitSource | None = None) -> Town:
    """A town of people; ZIP codes and birth dates are uniform, diagnoses have their frequencies."""
    n = whole("people", people, least=1)
    wheel = np.repeat(np.arange(len(DIAGNOSES)), _WEIGHTS)
    return Town(
        zip=integers(ZIPS, n, bits=bits),
        born=integers(_DAYS, n, bits=bits),
        sex=integers(2, n, bits=bits),
        diagnosis=wheel[integers(len(wheel), n, bits=bits)],
    )


def some(n: int, of: int, *, bits: BitSource | None = None) -> Codes:
    """n different people of so many, by number."""
    return permutation(of, bits=bits)[:n]
