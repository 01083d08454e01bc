"""The fewest measures that answer all aggregates of a question, and what each aggregate is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.query.aggregates import Aggregate, AskedTogether
from sfumato.query.measures import Measure


@dataclass(frozen=True, slots=True)
class Recipe:
    """An aggregate, and the combinations of columns it is made of, in the order it takes them."""

    aggregate: Aggregate
    forms: tuple[tuple[tuple[int, Fraction], ...], ...]
    """Of each combination the places of its columns and what they are multiplied by."""

    @property
    def places(self) -> tuple[int, ...]:
        """The columns, each once."""
        return tuple(dict.fromkeys(place for form in self.forms for place, _ in form))

    def combined(self, coefficients: Sequence[Fraction]) -> dict[int, Fraction]:
        """A sum of the combinations, each times a coefficient, as one combination of columns."""
        found: dict[int, Fraction] = {}
        for coefficient, form in zip(coefficients, self.forms, strict=True):
            for place, times in form:
                found[place] = found.get(place, Fraction(0)) + coefficient * times
        return found

    def values(self, columns: Mapping[int, Fraction]) -> list[Fraction]:
        """What the combinations are, of columns; of values a quantile is taken of, the column as it stands."""
        return [
            columns[form[0][0]] if len(form) == 1 and form[0][1] == 1
            else sum((columns[place] * times for place, times in form), Fraction(0))
            for form in self.forms
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a question, a column each, and a recipe for each aggregate."""

    measures: tuple[Measure, ...]
    recipes: tuple[Recipe, ...]


def measured(aggregates: tuple[Aggregate, ...]) -> Measures:
    """The measures of aggregates that are asked together, in an order that does not depend on that of SELECT."""
    beside = AskedTogether(aggregates)
    wanted = [aggregate.forms(beside) for aggregate in aggregates]
    different = dict.fromkeys(measure for forms in wanted for form in forms for measure, _ in form)
    measures = sorted(different, key=lambda measure: repr(measure.canonical()))
    at = {measure: place for place, measure in enumerate(measures)}
    recipes = [
        Recipe(aggregate, tuple(tuple((at[measure], times) for measure, times in form) for form in forms))
        for aggregate, forms in zip(aggregates, wanted, strict=True)
    ]
    return Measures(tuple(measures), tuple(recipes))
