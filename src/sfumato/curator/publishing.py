"""Publishing: priced as one whole, charged once, measured once, and built from what was measured as often as need be.

What happens, and what a kill between any two steps leaves:

    the folder is held, and named durably         a name that nothing was charged under
    the ledger reserves the whole price           a charge that can be gone on with, under that name
    the engine counts, noise is added             nothing: both were in memory
    the measurements are sealed and written       a file that nobody can read: its key was in memory
    the ledger settles digests and the key        from here the measurements are those, for ever
    they are opened for everybody                 the sealed file, and the key in the ledger
    tables, rows and pages are made               some of them: they are made again, the same bytes
    the statement is written                      a publication

So nothing that was not charged can be read; an attempt that did not settle has released nothing, and another is made
under the same charge (the argument is in `ledger.reserve.resumed`); one that did is never measured again.
"""

# Publishing and its curator are two halves of one object: what stays hidden from everybody else is shared here.
# pyright: reportPrivateUsage=false

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.core.printing import Json
from sfumato.curator.amounts import Amount, amount
from sfumato.curator.charge import ChargeRequest, Reader
from sfumato.curator.documents import PUBLICATION_EXPLANATION, amount_json, headed
from sfumato.curator.noise import add_noise
from sfumato.curator.refusals import error_of, shortfalls
from sfumato.curator.release import Cost
from sfumato.data import Dataset, neighbours_of, unit_of
from sfumato.data.source import File
from sfumato.engines import ExactCells, Progress
from sfumato.errors import EngineFailed, InvalidParameter, SfumatoError
from sfumato.exact.bits import BitSource
from sfumato.ledger import Answered, Quote, Refused
from sfumato.ledger.given import LONGEST_QUESTION
from sfumato.ledger.outcomes import MissingAmount
from sfumato.query.bounds import Spend
from sfumato.query.postprocess import post_process
from sfumato.query.steps import PricedSteps
from sfumato.query.workload import PricedWorkload, workload
from sfumato.synth.publication import PricedPublication, Publication, price_publication, read_plan
from sfumato.synth.publication.building import build
from sfumato.synth.publication.folder import PublicationFolder, held
from sfumato.synth.publication.measurements import digest, opened, read, sealed, written
from sfumato.synth.publication.parts import ExpectedTable
from sfumato.synth.publication.pricing import places_of, spend_of
from sfumato.synth.publication.statement import SettledPublication
from sfumato.synth.publication.table_columns import CodedColumn
from sfumato.synth.publication.table_files import MOST_LINES
from sfumato.synth.publication.table_pricing import PricedTable, price_table

if TYPE_CHECKING:
    from sfumato.curator.curator import Curator

_UNCHARGED = ("budget", "unknown")
"""Refusals of a key that the ledger has never seen: one that it has is looked up before any budget."""
_DAY = 86_400 * 10**9
_BYTES_A_CELL, _BYTES_A_LONG_CELL = 90, 20
"""About: eight of the measurement, the rest of a line of CSV; or of Parquet, where there are very many."""
_SECONDS = 0.1, 0.07
"""About, for a million rows: reading them, and counting one table more."""


@dataclass(frozen=True)
class PublicationExplanation:
    """What publishing a plan would cost, how large it would be and what errors to expect; nothing was spent on it."""

    name: str
    cost: Cost
    expected: tuple[ExpectedTable, ...]
    noise: tuple[str, ...]
    """The kinds of noise that will be drawn."""
    cells: int
    size: int
    """About how many bytes the tables will be; rows come to it."""
    seconds_per_million: float
    """About how long counting takes for a million rows, and of a synthetic table making as many."""
    rows_per_person: int
    quotes: tuple[Quote, ...]
    shortfalls: tuple[MissingAmount, ...]
    """Every budget that would refuse it."""

    def to_json(self) -> dict[str, Any]:
        """A document of format sfumato/publication-explanation."""
        return {
            **headed(PUBLICATION_EXPLANATION),
            "name": self.name,
            "cost": {
                "epsilon": amount_json(self.cost.epsilon),
                "rho": amount_json(self.cost.rho),
                "delta": amount_json(self.cost.delta),
            },
            "tables": [
                {"columns": list(each.columns), "cells": each.cells, "standard_error": each.standard_error}
                for each in self.expected
            ],
            "noise": list(self.noise),
            "cells": self.cells,
            "bytes": self.size,
            "seconds_per_million_rows": self.seconds_per_million,
            "rows_per_person": self.rows_per_person,
            "affordable": not self.shortfalls,
        }


Priced = PricedPublication | PricedTable
"""A plan at its price: parts that are measured as they are, or a table whose stages follow each other."""


class _UnderCharge:
    """What a publication reads under its charge; where values are found, only with noise on them."""

    def __init__(self, reader: Reader, reads: PricedWorkload | PricedSteps, bits: BitSource | None) -> None:
        self._reader, self._bits = reader, bits
        self._finding = list(reads.finding) if isinstance(reads, PricedSteps) else []

    def found(self) -> list[tuple[Any, float]]:
        """The values that the next question finds, each with a noisy number of rows."""
        query = self._finding.pop(0)
        keys, cells = add_noise(query, self._reader.exact(), bits=self._bits)
        bars = post_process(query, keys, cells, 1 - query.confidence)
        return [(key[0], float(row[-1].value or 0)) for key, row in zip(keys, bars, strict=True)]

    def counted(self) -> ExactCells:
        """The exact counts that were charged for."""
        return self._reader.counted()

    def counted_last(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts of the last of several reads."""
        return self._reader.counted_last(workload)


class Publishing:
    """Publishes for one analyst of one curator."""

    def __init__(self, curator: "Curator", analyst: str) -> None:
        self._curator, self._analyst = curator, analyst

    # ---- before anything is spent ----

    def price(
        self, plan: object, *, epsilon: Amount | None, delta: Amount | None, rho: Amount | None
    ) -> PricedPublication | PricedTable:
        """The plan with everything that will be done and what it costs, without data."""
        read_ = read_plan(plan)
        desk = self._curator._desk
        fails = desk.dataset.defaults.delta if delta is None and rho is None else delta
        spend = spend_of(
            None if epsilon is None else amount("epsilon", epsilon),
            None if rho is None else amount("rho", rho),
            Fraction(0) if fails is None else _delta(fails),
            finding=read_.table is not None,
        )
        if read_.table is not None:
            return price_table(read_, desk.dataset, desk.public, spend)

        def counting(at: Spend) -> Any:
            return workload(read_.question, desk.dataset, desk.public, places_of(read_), at)

        return price_publication(read_, counting, spend, self._curator._public_tables)

    def explain(
        self, plan: object, *, epsilon: Amount | None, delta: Amount | None, rho: Amount | None
    ) -> PublicationExplanation:
        """Cost, size and errors, for nothing."""
        with self._curator._gate.using():
            priced = self.price(plan, epsilon=epsilon, delta=delta, rho=rho)
            quotes = self._curator._ledger.quote(
                dataset=self._curator.dataset.name, principal=self._analyst, event=priced.event
            )
        first, more = _SECONDS
        return PublicationExplanation(
            priced.plan.name,
            cost_of(priced),
            priced.expected(),
            priced.noise,
            priced.cells,
            sum(map(_bytes_of, priced.expected())) + priced.more_bytes,
            round(first + more * priced.counted_tables + priced.making, 2),
            priced.rows_per_person,
            tuple(quotes),
            shortfalls(each.shortfall for each in quotes if each.shortfall is not None),
        )

    # ---- once ----

    def publish(
        self,
        plan: object,
        out: Path,
        *,
        epsilon: Amount | None,
        delta: Amount | None,
        rho: Amount | None,
        label: str,
        progress: Progress,
    ) -> Publication:
        """The publication in the folder: what is finished there as it is, else all that is missing is done."""
        with self._curator._gate.using():
            priced = self.price(plan, epsilon=epsilon, delta=delta, rho=rho)
            _check_twin(priced.plan.twin, self._curator.dataset)
            cheap = self._curator._desk.too_cheap(cost_of(priced))
            if cheap is not None:
                raise cheap
            about = {
                "publication": priced.canonical(),
                "analyst": self._analyst,
                "data": self._curator._charge.version_name,
            }
            with held(out, self._curator.hash_of(about)) as folder:
                if not folder.is_finished or _is_altered(folder):
                    self._publish(priced, folder, label, progress)
        return Publication.open(out)

    def _publish(self, priced: Priced, folder: PublicationFolder, label: str, progress: Progress) -> None:
        progress("measuring", 0.0)
        pace = self._curator._pace
        answer, data = pace.waited(pace.paced(lambda: self._measured(priced, folder, label)))
        folder.unseal(data)
        _, measured = read(data)
        progress("measured", 0.5)
        settled = self._settled(priced, folder, answer, priced.columns_of(measured))
        build(folder, settled, measured, twin=priced.plan.twin, priced=priced.parts, progress=progress)

    def _measured(self, priced: Priced, folder: PublicationFolder, label: str) -> tuple[Answered, bytes]:
        """What was measured, once it is settled: now, or in an attempt before."""
        request = ChargeRequest(
            principal=self._analyst,
            hash=self._curator.hash_of({"publication": priced.canonical(), "folder": folder.name}),
            event=priced.event,
            reads=priced.reads,
            key=f"publication {folder.name}",
            question=f"publish: {priced.plan.question}"[:LONGEST_QUESTION],
            label=label,
            resumable=True,
        )

        def work(reader: Reader) -> tuple[Json, bytes]:
            bits = self._curator._desk.bits
            measured = priced.measured_by(_UnderCharge(reader, priced.reads, bits), bits)
            data = written(folder.name, measured)
            hidden, key = sealed(data)
            folder.seal(hidden)
            kept: dict[str, Json] = {"publication": folder.name, "sha256": digest(data), "sealed": digest(hidden)}
            return {**kept, "key": key.hex(), "day": time.time_ns() // _DAY * _DAY}, data

        outcome = self._curator._gate.decided(lambda: self._curator._charge.make(request, work))
        if isinstance(outcome, Refused):
            if outcome.reason in _UNCHARGED:
                folder.forget()
            raise _refusal(outcome)
        if isinstance(outcome, Answered):
            return outcome, _found(folder, outcome.release)
        return outcome

    def _settled(
        self, priced: Priced, folder: PublicationFolder, answer: Answered, columns: Sequence[CodedColumn]
    ) -> SettledPublication:
        release: Any = answer.release
        cost, dataset = cost_of(priced), self._curator.dataset
        return SettledPublication(
            publication=folder.name,
            name=priced.plan.name,
            dataset=dataset.name,
            unit=unit_of(dataset),
            neighbours=neighbours_of(dataset),
            event=priced.event,
            epsilon=cost.epsilon,
            rho=cost.rho,
            delta=cost.delta,
            receipt=f"{answer.sequence}-{answer.head[:12]}",
            time=int(release["day"]),
            plan=priced.plan.to_json(),
            kinds={column.name: column.kind for column in columns},
            domains={column.name: column.values for column in columns},
            bins={column.name: column.bins for column in columns if column.bins},
            others={column.name: column.other for column in columns if column.other is not None},
            rows_per_person=priced.rows_per_person,
            parts=tuple(priced.parts_json()),  # type: ignore[arg-type]
            measured=str(release["sha256"]),
        )


def _bytes_of(table: ExpectedTable) -> int:
    return (_BYTES_A_CELL if table.cells <= MOST_LINES else _BYTES_A_LONG_CELL) * table.cells


def cost_of(priced: Priced) -> Cost:
    """What a publication costs, recomputed from the noises that will be drawn."""
    event = priced.event
    if priced.spend.epsilon is not None:
        return Cost(event.pure(), None, event.pure_delta())
    return Cost(None, event.zcdp(), event.extra_delta())


def _check_twin(twin: str, dataset: Dataset) -> None:
    """A twin is public by the word of who names it: what is known to be private is refused, before any charge."""
    if not twin:
        return
    place = Path(twin)
    if not place.is_file():
        raise InvalidParameter("twin", "must be a file, found none at", twin, hint="a public Parquet or CSV file")
    size, own = place.stat().st_size, digest(place.read_bytes())
    for table in dataset.tables:
        for path in () if table.public else _files_of(table.source):
            same = path.samefile(place) or (path.stat().st_size == size and digest(path.read_bytes()) == own)
            if same:
                raise InvalidParameter(
                    "twin", "must be public, and is the source of the private table", table.name,
                    hint="a file of made-up or published rows with the same columns",
                )  # fmt: skip


def _files_of(source: object) -> list[Path]:
    """The files of a source that are there; of a pattern, all below the folder that it begins in."""
    if not isinstance(source, File):
        return []
    below = Path(source.beginning()[0]).rglob("*") if source.pattern else ()
    return [each for each in (*map(Path, source.paths), *below) if each.is_file()]


def _delta(given: Amount) -> Fraction:
    found = amount("delta", given, zero=True)
    if found >= 1:
        raise InvalidParameter("delta", "must be below 1", given, hint="delta=1e-9")
    return found


def _is_altered(folder: PublicationFolder) -> bool:
    """Whether files of a finished folder are missing or others: then they are made again."""
    try:
        Publication.open(folder.path)
    except InvalidParameter:
        return True
    return False


def _found(folder: PublicationFolder, release: Any) -> bytes:
    """What was measured, from the folder: it must be what the ledger has the digest of, or it is refused."""
    there = folder.measurements()
    if there is not None and digest(there) == release["sha256"]:
        return there
    hidden = folder.sealed()
    if hidden is not None and digest(hidden) == release["sealed"]:
        data = opened(hidden, bytes.fromhex(release["key"]))
        if digest(data) == release["sha256"]:
            return data
    raise EngineFailed(
        "the measurements of this publication are missing, or are not those that were settled",
        hint="find its folder in a backup; what was charged stays spent, and nothing is measured again for it",
    )


def _refusal(refused: Refused) -> SfumatoError:
    if refused.reason == "conflict":
        return InvalidParameter(
            "out", "holds a publication that was begun with", "another plan, price or version of the data",
            hint="choose another folder; what was charged for this one stays spent",
        )  # fmt: skip
    if refused.reason == "lost":
        return InvalidParameter(
            "out", "holds a publication that was given up, and its charge is", "spent", hint="choose another folder"
        )
    return error_of(refused)
