"""Opening a declared dataset: engine, ledger, caps, and the analyst who asks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato import engines
from sfumato.curator.curator import Curator, who_asks
from sfumato.curator.session import Session
from sfumato.curator.words import ANYONE
from sfumato.data import Allowance, Dataset, declaration_json, declared, neighbours_of, read_declaration, unit_of
from sfumato.engines import Progress, Registration, no_progress, open_engine
from sfumato.errors import InvalidDeclaration, InvalidParameter, LedgerError, LedgerMisuse, SfumatoError
from sfumato.ledger import Budget, Caps, Ledger, Limits, PostgresLedger, SqliteLedger

_SERVERS = ("postgres://", "postgresql://")


def open(  # noqa: A001
    declaration: Path | str | Mapping[str, Any] | Dataset,
    *,
    analyst: str | None = None,
    ledger: Ledger | Path | str | None = None,
    progress: Progress = no_progress,
) -> Session:
    """An analyst's session with the dataset that a file, a dictionary or a `Dataset` declares; it closes all it opened.

    The ledger is kept beside the file, in `<name>.ledger`, unless the declaration or `ledger` says where. What is not
    registered yet is registered, if whoever opens it owns the folder; `progress` is told what is read, and how far.
    """
    dataset = dataset_of(declaration)
    who = who_asks(dataset, analyst)
    return Session(_opened(dataset, declaration, ledger, progress), who, closes=True)


def open_curator(
    declaration: Path | str | Mapping[str, Any] | Dataset,
    *,
    ledger: Ledger | Path | str | None = None,
    progress: Progress = no_progress,
) -> Curator:
    """The curator of a declared dataset, for several analysts: `curator.session("ada")`; otherwise as `open`."""
    return _opened(dataset_of(declaration), declaration, ledger, progress)


def _opened(dataset: Dataset, declaration: object, ledger: Ledger | Path | str | None, progress: Progress) -> Curator:
    engines.entry_for(dataset)
    kept = ledger if isinstance(ledger, Ledger) else _ledger(dataset, declaration, ledger)
    try:
        check_fits(dataset, kept)
        engine = open_engine(dataset, progress=progress)
        try:
            give_caps(dataset, kept)  # once the sources are known to be as declared: caps are for ever
            declare(engine.dataset, engine.keys(), engine.version(), engine.digest(), kept)
            kept.recover(older_than=dataset.engine.timeout + 60, dataset=dataset.name)
        except BaseException:
            engine.close()
            raise
    except BaseException:
        kept.close()
        raise
    return Curator(engine, kept)


def ledger_of(declaration: Path | str) -> tuple[Dataset, Ledger]:
    """What a file declares, and its ledger as it is: no source is opened, nothing is registered and no ledger made."""
    dataset = dataset_of(declaration)
    place = ledger_place(dataset, declaration)
    if not place.startswith(_SERVERS) and not Path(place).exists():
        raise InvalidDeclaration(
            f"dataset `{dataset.name}` has no ledger yet", hint="sfumato register makes it, from the declared budget"
        )
    return dataset, _ledger(dataset, declaration, place)


def dataset_of(declaration: object) -> Dataset:
    """What a file, a dictionary or a `Dataset` declares."""
    if isinstance(declaration, Dataset):
        return declaration.spelled().check()
    if isinstance(declaration, Mapping):
        return declared(declaration)
    if isinstance(declaration, str | Path):
        return read_declaration(declaration)
    given = type(declaration).__name__  # what it holds may be data
    raise InvalidParameter(
        "declaration", "must be a file, a dictionary or a Dataset", given, hint='sfumato.open("clinic.toml")'
    )


def _ledger(dataset: Dataset, declaration: object, given: Path | str | None) -> Ledger:
    place = str(given) if given is not None else ledger_place(dataset, declaration)
    made = PostgresLedger if place.startswith(_SERVERS) else SqliteLedger
    return made(place, anchor=Path(dataset.anchor) if dataset.anchor else None)


def ledger_place(dataset: Dataset, declaration: object) -> str:
    """Where the ledger of a declaration is kept: as it says, or beside its file."""
    if dataset.ledger:
        return dataset.ledger
    if dataset.groups:
        raise InvalidDeclaration(
            f"[groups.{next(iter(dataset.groups))}] is a cap over several datasets, and they share no ledger",
            hint='write ledger = "people.ledger" at the top of each of their declarations, the same file; '
            "or open(…, ledger=…)",
        )
    if not isinstance(declaration, str | Path):
        raise InvalidDeclaration(
            "where the ledger is kept is not said", hint='ledger = "clinic.ledger", or open(…, ledger=…)'
        )
    return str(Path(declaration).with_suffix(".ledger"))


def refusals(declaration: Path | str) -> tuple[bool, list[SfumatoError]]:
    """Whether the ledger of a declaration was looked at, and what of the declaration it would refuse.

    A ledger that is not there yet is not made; one on a server is not looked at, because opening it would make it.
    """
    dataset = dataset_of(declaration)
    place = ledger_place(dataset, declaration)
    if place.startswith(_SERVERS) or not Path(place).exists():
        return False, []
    try:
        with _ledger(dataset, declaration, place) as kept:
            return True, [*_other_unit(dataset, kept), *_other_caps(dataset, kept)]
    except LedgerError as error:
        return True, [error]


def register(
    declaration: Path | str | Mapping[str, Any] | Dataset,
    *,
    append: bool = False,
    writer: str = "",
    ledger: Ledger | Path | str | None = None,
    progress: Progress = no_progress,
) -> tuple[Dataset, Registration]:
    """Register what a file declares: its sources are read through, and what they are is written down.

    Data that changed become a new version under the same budget. With `append` only files that were not registered
    before are read. What is told of cells is for the owner alone. What a dictionary declares is looked through, and
    nothing is written: its opening registers it. Where the tables are on a server and some are to be written there,
    `writer` is the address of whoever may: it is used now, and stored nowhere.
    """
    dataset = dataset_of(declaration)
    engines.entry_for(dataset)
    if not isinstance(declaration, str | Path):
        registration, typed = engines.register(dataset, append=append, writer=writer, progress=progress)
        return typed.dataset, registration
    kept = ledger if isinstance(ledger, Ledger) else _ledger(dataset, declaration, ledger)
    try:
        check_fits(dataset, kept)
        registration, typed = engines.register(dataset, append=append, writer=writer, progress=progress)
        digest = registration.data_version()
        give_caps(dataset, kept)
        declare(typed.dataset, typed.keys(), dataset.version or digest, digest, kept)
    finally:
        kept.close()
    return typed.dataset, registration


def check_fits(dataset: Dataset, ledger: Ledger) -> None:
    """Refuse another unit or other caps than the ledger has, before anything is read or written for them."""
    for error in (*_other_unit(dataset, ledger), *_other_caps(dataset, ledger)):
        raise error


def _other_unit(dataset: Dataset, ledger: Ledger) -> list[InvalidDeclaration]:
    known, unit = ledger.declared(dataset.name), unit_of(dataset)
    if known is None or known["unit"] == unit:
        return []
    return [
        InvalidDeclaration(
            f"dataset `{dataset.name}` protects {known['unit']}, and not {unit}",
            hint="what was spent was spent on that; another unit needs another dataset name",
        )
    ]


def _other_caps(dataset: Dataset, ledger: Ledger) -> list[InvalidDeclaration]:
    found = ledger.unwelcome(caps_of(dataset))
    if not dataset.analysts and len(found) > 1:  # whoever asks has the dataset's own caps: one word for both
        found = tuple(each for each in found if each.principal != ANYONE)
    return [_refused(dataset, each.principal, each.group, each.misuse) for each in found]


def _refused(dataset: Dataset, principal: str, group: str, misuse: LedgerMisuse) -> InvalidDeclaration:
    """What the ledger refuses, with the place in the declaration where it stands."""
    if group:
        return InvalidDeclaration(f"[groups.{group}] {misuse.problem}", hint=misuse.hint)
    place = f"[analysts.{principal}]" if principal in dataset.analysts else "[budget]"
    return InvalidDeclaration(
        f"{place} differs from what the ledger has: {misuse.problem}",
        hint=f"{misuse.hint}; what a new name may spend is the owner's to answer for",
    )


def declare(dataset: Dataset, keys: Mapping[str, str], version: str, digest: str, ledger: Ledger) -> None:
    """Write down what is declared, if it is not what was; who is protected can never change."""
    try:
        ledger.declare(
            dataset.name,
            unit=unit_of(dataset),
            # bare hashes would confirm a guess of the data
            declaration=declaration_json(dataset, keys, ledger.veiled(digest)),
            data_version=ledger.veiled(version),
            neighbours=neighbours_of(dataset),
        )
        ledger.registered(dataset.name, data_version=version, digest=digest)
    except LedgerMisuse as misuse:
        raise InvalidDeclaration(misuse.problem, hint=misuse.hint) from None


def give_caps(dataset: Dataset, ledger: Ledger) -> None:
    """Write all declared caps into the ledger, once and for ever, or none of them."""
    try:
        ledger.give(caps_of(dataset))
    except LedgerMisuse as misuse:
        raise InvalidDeclaration(misuse.problem, hint=misuse.hint) from None


def caps_of(dataset: Dataset) -> Caps:
    """All caps that a dataset declares, as the ledger keeps them."""
    analysts = dataset.analysts or {ANYONE: dataset.budget}
    return Caps(
        dataset.name,
        limits_of(dataset.budget),
        {name: limits_of(allowance) for name, allowance in analysts.items()},
        {name: limits_of(allowance) for name, allowance in dataset.groups.items()},
    )


def limits_of(allowance: Allowance) -> Limits:
    """The ledger's form of an allowance."""
    windows = {period: _budget(each) for period, each in allowance.windows}
    return Limits(_budget(allowance), **windows)


def _budget(allowance: Allowance) -> Budget:
    if allowance.rho is not None:
        return Budget.zcdp(rho=allowance.rho, delta=allowance.delta)
    if allowance.accounting == "renyi":
        return Budget.rdp(epsilon=allowance.amount, delta=allowance.delta)
    return Budget.pure(epsilon=allowance.amount, delta=allowance.delta)
