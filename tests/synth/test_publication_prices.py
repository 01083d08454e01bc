"""The price of a publication: every event recomputed from the noises handed out, and twins that are caught."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from numpy.typing import NDArray

import neighbours
from engines.test_one_person_moves_little import HEAVY
from sfumato.accounting import events, total
from sfumato.accounting.events import Event
from sfumato.engines import ExactCells
from sfumato.exact.bits import BitSource, SystemBits
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.query import Spend
from sfumato.query.workload import workload
from sfumato.synth.publication import PricedPublication, price_publication, read_plan
from sfumato.synth.publication.marginals import PricedMarginals
from sfumato.synth.publication.noises import NOISES, read_noise
from sfumato.synth.publication.pricing import places_of

PLAN = {
    "from": "visits",
    "columns": ["category", "paid", "day"],
    "measure": [{"kind": "marginals", "of": [["category"], ["category", "paid"]], "weight": 2}, {"kind": "total"}],
}
MANY = {**PLAN, "measure": [{"kind": "marginals", "of": [["category"], ["paid"]]}] * 8}
EPSILON, BOTH, RHO = (
    Spend(Fraction(1), None, Fraction(0)),
    Spend(Fraction(1), None, Fraction(1, 10**6)),
    Spend(None, Fraction(1, 10), Fraction(0)),
)


def priced(plan: dict[str, Any], spend: Spend) -> PricedPublication:
    with neighbours.engine(HEAVY) as engine:
        read = read_plan(plan)
        return price_publication(
            read, lambda at: workload(read.question, engine.dataset, engine, places_of(read), at), spend
        )


class Watched(Noise):
    """A noise that tells how often it was drawn, and for which tables."""

    def __init__(self, noise: Noise, told: list[tuple[Noise, int]]) -> None:
        self._noise, self._told = noise, told

    def draw(self, size: Any, bits: BitSource) -> Any:
        self._told.append((self._noise, int(size)))
        return self._noise.draw(size, bits)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> Event:
        return self._noise.event(move, scalar=scalar)

    def reach(self, beta: Fraction) -> int:
        return self._noise.reach(beta)


def drawn(publication: PricedPublication) -> list[tuple[Noise, int]]:
    """Every noise that measuring draws, and for how many cells."""
    told: list[tuple[Noise, int]] = []
    shapes = [publication.workload.workload.shape(each) for each in publication.workload.marginals]
    exact = ExactCells(tuple(np.zeros(shape, dtype=np.int64) for shape in shapes))
    for part in publication.parts:
        assert isinstance(part, PricedMarginals)
        object.__setattr__(part, "noise", Watched(part.noise, told))
    publication.measure(exact)
    return told


def recomputed(noises: list[tuple[Noise, int]], moved: int) -> Event:
    """What the noises cost that were drawn, each for a table that one person moves so far."""
    found: list[Event] = []
    for noise, _ in noises:
        match noise:
            case GeometricNoise():
                found.append(events.Geometric(moved / noise.scale, moved))
            case GaussianNoise():
                found.append(events.Gaussian(noise.sigma, moved))
            case DiscreteGaussianNoise():
                found.append(events.ZCDP(Fraction(moved) ** 2 / (2 * noise.sigma**2)))
            case _:
                raise TypeError(type(noise))
    return events.Composition(found)


def is_paid(publication: PricedPublication) -> bool:
    """Whether what was charged is what the noises cost that are drawn, no less, and all cells have one of their own."""
    event, spend = publication.event, publication.spend
    noises = drawn(publication)
    spent = recomputed(noises, publication.workload.workload.moved)
    if sum(cells for _, cells in noises) != publication.cells:
        return False
    if spend.rho is not None:
        return event.zcdp() == spent.zcdp() <= spend.rho  # type: ignore[operator]
    if not spend.delta or event.pure_delta() == 0:
        return event.pure() == spent.pure() == spend.epsilon
    assert spend.epsilon is not None
    again = events.Converted(spent, spend.delta)
    same = (event.pure(), event.zcdp(), event.pure_delta()) == (again.pure(), again.zcdp(), spend.delta)
    return same and total([spent]).meets(spend.epsilon, spend.delta)


@pytest.mark.slow
@pytest.mark.parametrize("plan", [PLAN, MANY], ids=["three tables", "sixteen"])
@pytest.mark.parametrize("spend", [EPSILON, BOTH, RHO], ids=["ε", "ε and δ", "ρ"])
def test_every_event_is_that_of_the_noises_that_are_drawn(plan: dict[str, Any], spend: Spend) -> None:
    assert is_paid(priced(plan, spend))


@pytest.mark.slow
def test_a_table_that_is_not_priced_is_noticed() -> None:
    """The broken twin: as many tables are measured as before, and one fewer is paid for."""

    def fewer(self: PricedMarginals) -> Event:
        return events.Composition([(self.each, max(1, len(self.tables) - 1))])

    with mock.patch.object(PricedMarginals, "event", property(fewer)):
        assert not any(is_paid(priced(MANY, spend)) for spend in (EPSILON, BOTH, RHO))


@pytest.mark.slow
def test_noise_that_is_drawn_once_and_broadcast_is_noticed() -> None:
    """The broken twin: one draw for all cells of a table, whose differences are exact."""

    def broadcast(self: PricedMarginals, exact: Mapping[Any, NDArray[Any]], bits: BitSource) -> list[NDArray[np.int64]]:
        return [exact[c] + np.asarray(self.noise.draw(1, bits)).reshape(()) for c in self.tables]

    with mock.patch.object(PricedMarginals, "measure", broadcast):
        assert not is_paid(priced(PLAN, EPSILON))


@pytest.mark.slow
def test_the_noise_with_less_error_is_taken() -> None:
    few, many = priced(PLAN, BOTH), priced(MANY, BOTH)
    assert isinstance(few.parts[0].noise, GeometricNoise)  # type: ignore[attr-defined]
    assert few.event.pure_delta() == 0
    assert isinstance(many.parts[0].noise, GaussianNoise)  # type: ignore[attr-defined]
    pure = priced(MANY, EPSILON)
    assert many.expected()[0].standard_error < pure.expected()[0].standard_error
    assert priced(PLAN, EPSILON).expected()[0].standard_error == few.expected()[0].standard_error


@pytest.mark.slow
def test_a_whole_list_is_priced_and_not_its_parts() -> None:
    """Sixteen tables at ε/16 each cost ε; as one list of normal noises they are certified together, and nearly all is used."""
    made = priced(MANY, BOTH)
    assert isinstance(made.event, events.Converted)
    price = made.event.pure()
    assert price is not None
    assert Fraction(999, 1000) < price <= 1
    one_by_one = sum(total([event]).epsilon(Fraction(1, 16 * 10**6)) * n for event, n in made.event.inner.parts)  # type: ignore[attr-defined]
    assert one_by_one > 2


@pytest.mark.slow
def test_weights_share_what_is_spent() -> None:
    made = priced(PLAN, EPSILON)
    scales = [part.noise.scale for part in made.parts]  # type: ignore[attr-defined]
    assert scales[1] == 2 * scales[0], "a table of weight two has half of the noise"
    moved = made.workload.workload.moved
    assert 2 * moved / scales[0] + moved / scales[1] == 1


@pytest.mark.parametrize("name", NOISES)
def test_a_noise_is_read_back_from_what_a_file_says(name: str) -> None:
    noise, event = NOISES[name].hiding(12, Fraction(1, 3))
    assert read_noise(NOISES[name].to_json(noise)) == noise
    if NOISES[name].currency == "epsilon":
        assert event.pure() == Fraction(1, 3)
    else:
        rho = event.zcdp()
        assert rho is not None
        assert Fraction(33, 100) < rho <= Fraction(1, 3)


def test_measuring_adds_noise_of_its_own_to_every_cell() -> None:
    noise, event = NOISES["geometric"].hiding(1, Fraction(1))
    part = PricedMarginals("marginals", (("a",),), ((50_000,),), noise, NOISES["geometric"], 0, event)
    (noisy,) = part.measure({("a",): np.full(50_000, 7)}, SystemBits())
    off = noisy - 7
    assert noisy.shape == (50_000,)
    assert abs(float((off**2).mean()) / noise.variance - 1) < 0.15  # six standard deviations
    assert abs(float((off[1:] * off[:-1]).mean())) < 0.1 * noise.variance
