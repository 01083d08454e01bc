"""Rounds of a collection, under one of the three models of interaction (Survey §7.3), enforced where reports arrive."""

from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.exact.parameters import Real, positive
from sfumato.local import client
from sfumato.local.aggregator import Aggregator
from sfumato.local.longitudinal import over_time
from sfumato.local.protocol import Protocol
from sfumato.local.tags import SeenTags

NON_INTERACTIVE, SEQUENTIAL, FULL = client.INTERACTIONS


class Collection:
    """The rounds of one collection: which may be opened, and what they cost one device.

    Non-interactive: one round. Sequential: rounds one after the other, each designed with the earlier answers in view,
    and a device is heard in one of them only. Full: a device may answer every round, within `most_epsilon` for all.

    >>> from sfumato.local import KAry
    >>> survey = Collection("mood", interaction="non-interactive")
    >>> server = survey.open(KAry(name="mood", domain=3, epsilon=1))
    >>> survey.open(server.protocol.next_round())
    Traceback (most recent call last):
        ...
    sfumato.errors.BudgetExceeded: `mood` is non-interactive and its one round was opened
    <BLANKLINE>
    hint: declare interaction="sequential" or "full" before the first round
    """

    def __init__(self, name: str, *, interaction: str, most_epsilon: Real | None = None) -> None:
        if interaction not in client.INTERACTIONS:
            raise InvalidParameter("interaction", f"must be one of {client.INTERACTIONS}", interaction)
        if (interaction == FULL) != (most_epsilon is not None):
            hint = "a device that answers many rounds needs a cap; where it answers once the protocol's ε is the cap"
            raise InvalidParameter("most_epsilon", f"does not fit interaction {interaction!r}", most_epsilon, hint=hint)
        self.name, self.interaction = name, interaction
        self._cap = None if most_epsilon is None else positive("most_epsilon", most_epsilon)
        self._rounds: list[Aggregator] = []
        self._seen = SeenTags()

    @classmethod
    def resumed(
        cls, name: str, *, interaction: str, rounds: Sequence[Aggregator], most_epsilon: Real | None = None
    ) -> "Collection":
        """A collection after a restart, from the servers of its rounds as they were kept: who was heard stays heard."""
        made = cls(name, interaction=interaction, most_epsilon=most_epsilon)
        for kept in rounds:
            closed = kept.closed
            made.open(kept.protocol)
            if interaction != FULL:
                kept.share_tags(made._seen)
            made._rounds[-1] = kept
            kept.closed = closed
        return made

    @property
    def rounds(self) -> tuple[Aggregator, ...]:
        """Every round so far."""
        return tuple(self._rounds)

    def open(self, protocol: Protocol) -> Aggregator:
        """A server for the next round, or a refusal; earlier rounds are closed where a device is heard only once."""
        self._fits(protocol)
        if self.interaction == FULL:
            self._affordable(protocol)
            server = Aggregator(protocol)
        else:
            for earlier in self._rounds:
                earlier.closed = True
            # One set of tags for all rounds: who was heard in an earlier one is not heard again.
            server = Aggregator(protocol, seen=self._seen)
        self._rounds.append(server)
        return server

    def _fits(self, protocol: Protocol) -> None:
        if protocol.name != self.name or protocol.interaction != self.interaction:
            hint = "devices derive their tags from the name, and from the round if interaction is full"
            raise InvalidParameter(
                "protocol", f"must be of {self.name!r} and {self.interaction}", protocol.name, hint=hint
            )
        if self._rounds and protocol.round <= self._rounds[-1].protocol.round:
            raise InvalidParameter("round", f"must be after {self._rounds[-1].protocol.round}", protocol.round)
        if self._rounds and self.interaction == NON_INTERACTIVE:
            raise BudgetExceeded(
                f"`{self.name}` is non-interactive and its one round was opened",
                hint='declare interaction="sequential" or "full" before the first round',
            )

    def _affordable(self, protocol: Protocol) -> None:
        after = price([*(server.protocol for server in self._rounds), protocol])
        if self._cap is not None and after > self._cap:
            raise BudgetExceeded(
                f"round {protocol.round} would bring a device to ε = {float(after):g}, above {float(self._cap):g}",
                hint="lower the round's epsilon, or end the collection",
            )

    def spent(self) -> Fraction:
        """ε of a device that answered every round it could, its value changing each time."""
        if self.interaction == FULL:
            return price([server.protocol for server in self._rounds])
        return max((Fraction(server.protocol.spent) for server in self._rounds), default=Fraction(0))


def price(protocols: list[Protocol]) -> Fraction:
    """ε of answering all of them: rounds of one protocol as `over_time` counts, different ones added (Theorem 3.9)."""
    total, counted = Fraction(0), dict[bytes, tuple[Protocol, int]]()
    for protocol in protocols:
        key = client.fingerprint(protocol.document())
        counted[key] = protocol, counted.get(key, (protocol, 0))[1] + 1
    for protocol, times in counted.values():
        total += over_time(protocol, reports=times).spent
    return total
