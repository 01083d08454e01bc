"""A declared dataset: its tables, who one person is in each of them, and what bounds a person's part."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sfumato.data.budget import Allowance
from sfumato.data.column import Column
from sfumato.data.dialect import CsvDialect
from sfumato.data.entries import once, said
from sfumato.data.options import EngineOptions
from sfumato.data.source import File, Memory, RemoteTable, Source
from sfumato.errors import InvalidDeclaration


@dataclass(frozen=True, slots=True)
class Table:
    """A table: where it comes from, what was declared of its columns, how it leads to the person."""

    name: str
    source: Source = field(repr=False)
    columns: tuple[Column, ...] = ()
    public: bool = False
    foreign_keys: tuple[tuple[str, str, str], ...] = ()
    """(column, table, column there)"""
    rows_per_person: int | None = None
    """What the rows of a person weigh in any question: of one who has more, all count in part."""
    rows_per_group: int | None = None
    groups_per_person: int | None = None
    """What they weigh in one group, and in how many groups at once: together they bound a person as well."""
    excess: int | None = None
    """Up to how many rows of a person beyond what counts an asker may be told of."""
    materialise: bool = False
    """The table is cut once, at registration, to `rows_per_person` rows a person."""
    unfilled: tuple[str, ...] = ()
    """Bounds that a draft leaves to the owner, who has not said them yet."""
    hidden: tuple[str, ...] = ()
    impossible: tuple[str, ...] = field(default=(), repr=False)
    """Conditions that no row meets: they decide how rows are made up, and nothing that is measured."""
    unreadable: str = "refuse"
    """What becomes of cells that no reader can read: the registration is refused, or they are NULL."""

    def __post_init__(self) -> None:
        if not isinstance(self.source, File | Memory | RemoteTable):
            raise InvalidDeclaration(
                f"[tables.{self.name}] source must be a File, Memory or RemoteTable: {said(self.source)}",
                hint='File(("visits.parquet",)), or Memory(frame)',
            )

    @property
    def files(self) -> tuple[str, ...]:
        """The paths it comes from; none if it comes from elsewhere, or from a pattern that was not looked at yet."""
        return self.source.paths if isinstance(self.source, File) else ()

    @property
    def format(self) -> str:
        """What its files were declared to be, if they were."""
        return self.source.format if isinstance(self.source, File) else ""

    @property
    def dialect(self) -> CsvDialect:
        """How its files of separated values are written."""
        return self.source.dialect if isinstance(self.source, File) else CsvDialect()

    @property
    def cut(self) -> int | None:
        """How many rows of a person are left by registration, if they are cut there."""
        return self.rows_per_person if self.materialise else None

    @property
    def is_bounded(self) -> bool:
        """Whether what is declared bounds what a person's rows weigh, whatever the question."""
        by_groups = self.rows_per_group is not None and self.groups_per_person is not None
        return self.rows_per_person is not None or by_groups

    def column(self, name: str) -> Column | None:
        """The column of that name, in any case of letters."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What questions use where nothing else is said."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    confidence: Fraction = Fraction(95, 100)
    answer_every: float = 0.0
    """Answers leave at multiples of so many seconds after the question came; 0 is as soon as they are ready."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for every question: its least price, how far one row may spread, and how many may fail."""

    least_epsilon: Fraction = Fraction(1, 1000)
    least_rho: Fraction = Fraction(1, 10**6)
    rows_per_row: int = 1000
    """How many rows one row may become by the joins and unions of a question."""
    failures_per_analyst: int = 3
    failures: int = 10
    """How many questions may fail, of one analyst and in all, before the owner must look."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Everything an owner declares; `unit` is the table and column of the person, or None if each row is protected."""

    name: str
    tables: tuple[Table, ...]
    unit: tuple[str, str] | None
    budget: Allowance
    analysts: Mapping[str, Allowance] = field(default_factory=dict)
    groups: Mapping[str, Allowance] = field(default_factory=dict)
    """Groups of datasets about the same people that this one is in, each under a cap for all of them together."""
    defaults: Defaults = field(default_factory=Defaults)
    rules: Rules = field(default_factory=Rules)
    engine: EngineOptions = field(default_factory=EngineOptions)
    ledger: str = field(default="", repr=False)  # it may be an address, with whoever opens it in it
    anchor: str = ""
    version: str = ""
    version_query: str = field(default="", repr=False)
    """A statement that finds the version of data that change where they are."""
    registration: str = ""
    """The file that says what was registered; without one every opening registers."""

    def table(self, name: str) -> Table | None:
        """The table of that name, in any case of letters."""
        return next((table for table in self.tables if table.name.lower() == name.lower()), None)

    def without_rows(self) -> "Dataset":
        """The dataset without what was given in memory."""

        def bare(table: Table) -> Table:
            return replace(table, source=Memory()) if isinstance(table.source, Memory) else table

        return replace(self, tables=tuple(bare(table) for table in self.tables))

    def path(self, table: Table) -> tuple[tuple[str, str, str], ...] | None:
        """The foreign keys that lead from a table to the person: () in the person's own table, None if none do."""
        return self._path(table, ())

    def _path(self, table: Table, seen: tuple[str, ...]) -> tuple[tuple[str, str, str], ...] | None:
        if self.unit is None or table.public or table.name in seen:
            return None
        if table.name == self.unit[0]:
            return ()
        found: list[tuple[tuple[str, str, str], ...]] = []
        for key in table.foreign_keys:
            if key[1:] == self.unit:
                return (key,)
            target = self.table(key[1])
            if target is None:
                continue
            if target.name == self.unit[0]:  # another column of the person's table: the person is read there
                if not target.public:
                    found.append((key, (self.unit[1], *self.unit)))
                continue
            rest = self._path(target, (*seen, table.name))
            if rest is not None:
                found.append((key, *rest))
        return min(found, key=len, default=None)

    def person(self, table: Table) -> str | None:
        """The column of a table that holds the person directly, if one does."""
        if self.unit is None or table.public:
            return None
        if table.name == self.unit[0]:
            return self.unit[1]
        path = self.path(table)
        return path[0][0] if path is not None and len(path) == 1 else None

    def holds_people(self, table: Table) -> bool:
        """Whether it is the person's own table, with one row each: unless it says otherwise."""
        own = self.unit is not None and table.name == self.unit[0]
        declared = (table.rows_per_person, table.rows_per_group, table.groups_per_person)
        return own and all(each in (None, 1) for each in declared)

    def _leads(self, table: Table, key: tuple[str, str, str]) -> bool:
        """Whether a foreign key of a table leads to people: to their own table, or back to this one, by any way."""
        if self.unit is None:
            return False
        ahead, seen = [key[1]], set[str]()
        while ahead:
            target = self.table(ahead.pop())
            if target is None or target.public or target.name in seen:
                continue
            if target.name in (self.unit[0], table.name):  # rows that lead to rows of their own table lead to theirs
                return True
            seen.add(target.name)
            ahead += [name for _, name, _ in target.foreign_keys]
        return False

    def _check_one_path(self, table: Table) -> None:
        """Refuse a table whose rows lead to two people: only one of them would be protected."""
        leading = [key for key in table.foreign_keys if self._leads(table, key)]
        named = " and ".join(f"{column} → {target}.{there}" for column, target, there in leading)
        if table.public and leading:
            raise InvalidDeclaration(
                f"[tables.{table.name}] is public and leads to people: {named}",
                hint="leave public out, or the foreign key: what is public is nobody's",
            )
        if self.unit is not None and table.name == self.unit[0] and leading:
            raise InvalidDeclaration(
                f"[tables.{table.name}] is the people's own table and leads to other people: {named}",
                hint="leave the foreign key out: a row is the person's whose it is, and only theirs",
            )
        if len(leading) > 1:
            raise InvalidDeclaration(
                f"[tables.{table.name}] leads to two people: {named}",
                hint="declare one of the foreign keys: the rows are that person's, and only theirs",
            )

    def spelled(self) -> "Dataset":
        """The dataset with the person's table and the targets of foreign keys spelled as the tables are."""

        def name(given: str) -> str:
            found = self.table(given)
            return given if found is None else found.name

        tables = tuple(
            replace(
                each, foreign_keys=tuple((column, name(target), there) for column, target, there in each.foreign_keys)
            )
            for each in self.tables
        )
        return replace(self, tables=tables, unit=None if self.unit is None else (name(self.unit[0]), self.unit[1]))

    def check_bounds(self) -> "Dataset":
        """The dataset, if of every table it is declared how much one person may count in a question."""
        for table in self.tables:
            for name in table.unfilled:
                needed = (
                    "" if self.unit is not None and not table.public else ", or leave it out: here it is not needed"
                )
                raise InvalidDeclaration(
                    f'[tables.{table.name}] {name} = "?" is still to be filled in',
                    hint=f"{name} = 20{needed}; sfumato profile shows what a bound leaves out",
                )
            if self.unit is None or table.public or table.is_bounded or self.holds_people(table):
                continue
            said_of = {"rows_per_group": table.rows_per_group, "groups_per_person": table.groups_per_person}
            alone = next((f"{name} = {value}" for name, value in said_of.items() if value is not None), "")
            problem = f"{alone} alone does" if alone else "nothing declared does"
            raise InvalidDeclaration(
                f"[tables.{table.name}] {problem} not bound how much one person counts",
                hint="rows_per_person = 20, or both rows_per_group = 1 and groups_per_person = 1, as was meant before "
                "0.3; sfumato profile shows what a bound leaves out",
            )
        return self

    def check(self) -> "Dataset":
        """The dataset, if every private table leads to a person and every key leads somewhere."""
        if not self.tables:
            raise InvalidDeclaration("no table is declared", hint="add a [tables.<name>] with a source")
        names = [table.name.lower() for table in self.tables]
        for table in self.tables:
            if names.count(table.name.lower()) > 1:
                raise InvalidDeclaration(
                    f"two tables are called `{table.name}`", hint="letters of either case are the same: rename one"
                )
            once(f"[tables.{table.name}] columns: a column", [column.name for column in table.columns])
            once(f"[tables.{table.name}] foreign_keys: a column", [key[0] for key in table.foreign_keys])
            for column, target, there in table.foreign_keys:
                if self.table(target) is None:
                    raise InvalidDeclaration(
                        f"[tables.{table.name}] foreign key `{column}` leads to `{target}.{there}`, not declared",
                        hint=f"known tables: {', '.join(t.name for t in self.tables)}",
                    )
        if self.unit is None:
            return self
        own = self.table(self.unit[0])
        if own is None or own.public:
            raise InvalidDeclaration(
                f"[unit] person = {'.'.join(self.unit)!r} names no private table",
                hint=f"known tables: {', '.join(t.name for t in self.tables if not t.public)}",
            )
        for table in self.tables:
            self._check_one_path(table)
            if not table.public and self.path(table) is None:
                raise InvalidDeclaration(
                    f"[tables.{table.name}] does not lead to the person {'.'.join(self.unit)}",
                    hint=f'declare foreign_keys = {{ column = "{".".join(self.unit)}" }}, or public = true',
                )
        return self
