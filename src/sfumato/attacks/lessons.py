"""Every lesson, in the order a newcomer reads them; a new one is a new file and one line here."""

from sfumato.attacks import (
    census_lesson,
    counting,
    error_channel,
    floating,
    linkage,
    longitudinal,
    median,
    membership,
    own_channel,
    ratings,
    reconstruction,
)
from sfumato.attacks.lesson import Lesson
from sfumato.core.naming import known_names
from sfumato.errors import InvalidParameter

LESSONS: tuple[Lesson, ...] = (
    linkage.LESSON,
    ratings.LESSON,
    census_lesson.LESSON,
    counting.DIFFERENCING,
    counting.AVERAGING,
    reconstruction.LESSON,
    membership.LESSON,
    median.LESSON,
    longitudinal.LESSON,
    floating.LESSON,
    error_channel.LESSON,
    own_channel.LESSON,
)


def lesson(name: str) -> Lesson:
    """The lesson of that name."""
    for known in LESSONS:
        if known.name == name:
            return known
    hint = known_names(name, [known.name for known in LESSONS])
    raise InvalidParameter("lesson", "must be one of the known ones", name, hint=hint)
