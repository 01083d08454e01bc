"""The curator of a dataset: its engine, its ledger and one charge; analysts ask through sessions of their own."""

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from sfumato.core.closing import Closing
from sfumato.core.naming import known_names
from sfumato.curator.amounts import Amount
from sfumato.curator.asks import Desk
from sfumato.curator.charge import Charge
from sfumato.curator.gate import Gate
from sfumato.curator.pace import Pace
from sfumato.curator.publishing import PublicationExplanation, Publishing
from sfumato.curator.session import Session
from sfumato.curator.words import ANYONE
from sfumato.data import Dataset
from sfumato.engines import Engine, Progress, no_progress
from sfumato.engines.engine import PublicRows
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.ledger import Ledger, Patience
from sfumato.ledger.canon import canonical
from sfumato.query.price import PricedQuery
from sfumato.query.public_question import PublicQuestion
from sfumato.synth import Publication
from sfumato.synth.publication.public_tree import PublicTables

AT_ONCE = 8
"""How many questions of event loops are worked on at the same time; further ones wait their turn."""


class Curator(Closing):
    """Keeps one dataset: `session` gives an analyst the verbs, each charged before data are read.

    `sfumato.open_curator` makes one. Threads may share it, and event loops; after a fork, open another. `sleep` is what
    synchronous verbs wait with where the owner has answers leave at even times.
    """

    def __init__(
        self,
        engine: Engine,
        ledger: Ledger,
        *,
        bits: BitSource | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._engine, self._ledger = engine, ledger
        self.dataset: Dataset = engine.dataset
        rules = self.dataset.rules
        patience = Patience(rules.failures_per_analyst, rules.failures)
        self._charge = Charge(engine, ledger, self.dataset.name, patience)
        self._keys = engine.keys()
        self._gate, self._desk = Gate(), Desk(self.dataset, engine, bits)
        self._pace = Pace(self.dataset.defaults.answer_every, sleep=sleep)
        self._pool: ThreadPoolExecutor | None = None
        self._making = Lock()

    def session(self, analyst: str | None = None) -> Session:
        """What an analyst asks through; where one analyst is declared, or none, nobody need be named."""
        self._gate.check()
        return Session(self, who_asks(self.dataset, analyst))

    def publish(
        self,
        plan: object,
        *,
        out: Path | str,
        epsilon: Amount | None = None,
        delta: Amount | None = None,
        rho: Amount | None = None,
        analyst: str | None = None,
        label: str = "",
        progress: Progress = no_progress,
    ) -> Publication:
        """Publish what a plan says into a folder, charged once and whole; then it answers without this curator.

        `plan` is a TOML file or a dictionary. With a δ, noise may be normal where that is less. Interrupted, the same
        call goes on where it stopped, and is not charged again; finished, it gives what is there.
        """
        return Publishing(self, who_asks(self.dataset, analyst)).publish(
            plan, Path(out), epsilon=epsilon, delta=delta, rho=rho, label=label, progress=progress
        )

    def explain_publication(
        self,
        plan: object,
        *,
        epsilon: Amount | None = None,
        delta: Amount | None = None,
        rho: Amount | None = None,
        analyst: str | None = None,
    ) -> PublicationExplanation:
        """What publishing a plan would cost, how large it would be and what errors to expect, for nothing."""
        return Publishing(self, who_asks(self.dataset, analyst)).explain(plan, epsilon=epsilon, delta=delta, rho=rho)

    def hash_of(self, about: Any) -> str:
        """What decides an answer about this dataset, as SHA-256."""
        # who one person is may be said of a column that no question sees
        whole = {"what": about, "dataset": self.dataset.name, "keys": self._keys}
        return hashlib.sha256(canonical(whole).encode()).hexdigest()

    def pool(self) -> ThreadPoolExecutor:
        """The threads that work on questions of event loops."""
        with self._making:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sfumato")
            return self._pool

    @property
    def _public_tables(self) -> PublicTables:
        """What public tables say; of private ones it says nothing."""
        return self._engine

    def _ask_public(self, question: PublicQuestion) -> PublicRows:
        """What a question about public tables alone finds."""
        with self._gate.using():
            return self._engine.ask_public(question)

    @property
    def engine_name(self) -> str:
        """The engine that is asked, by its name."""
        return self._engine.name

    def written(self, query: PricedQuery) -> tuple[str, ...]:
        """What the engine would be asked, in its own SQL, for the owner to see."""
        return self._engine.written(query)

    def close(self) -> None:
        """Close the engine and the ledger, after the questions that are under way."""
        self._gate.close()
        with self._making:
            if self._pool is not None:
                self._pool.shutdown(wait=False)
        self._engine.close()
        self._ledger.close()

    def __repr__(self) -> str:
        return f"<curator of {self.dataset.name}>"


def who_asks(dataset: Dataset, analyst: str | None) -> str:
    """The analyst who is meant, if such a one is declared."""
    if not dataset.analysts:
        if analyst not in (None, ANYONE):
            raise InvalidParameter(
                "analyst", "is not declared", analyst, hint=f"add [analysts.{analyst}] to the declaration"
            )
        return ANYONE
    known = ", ".join(dataset.analysts)
    if analyst is None and len(dataset.analysts) == 1:
        return next(iter(dataset.analysts))
    if analyst is None:
        hint = f"known: {known}; say analyst={next(iter(dataset.analysts))!r}"
        raise InvalidParameter("analyst", "must be named, as several are declared, found", "nobody", hint=hint)
    if analyst not in dataset.analysts:
        raise InvalidParameter(
            "analyst", "must be one of the declared", analyst, hint=known_names(analyst, dataset.analysts)
        )
    return str(analyst)
