"""A dataset typed by the schemas of its sources: the kinds of all columns, as declared or as the source has them.

A pure function: it knows no engine and reads nothing. Whoever reads schemas says what they are (`SourceColumn`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.data.column import Column, Kind
from sfumato.data.dataset import Dataset, Table
from sfumato.data.source import SourceColumn
from sfumato.errors import InvalidDeclaration

Schemas = Mapping[str, Sequence[SourceColumn]]
"""The columns of every table, by its name, in their order."""
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)


def typed(dataset: Dataset, schemas: Schemas) -> "Typed":
    """The dataset with the kinds of its visible columns; InvalidDeclaration if it does not fit the schemas."""
    return _Typing(dataset, schemas).typed()


@dataclass(frozen=True, slots=True)
class Typed:
    """A dataset whose visible columns have kinds, and the kinds of all columns that say whose a row is."""

    dataset: Dataset
    schemas: Schemas
    key_kinds: Mapping[tuple[str, str], Kind]
    """By table and column, of those that say whose a row is, or lead there: hidden ones too."""

    def key_kind(self, table: str, column: str) -> Kind | None:
        """The one kind of a key, which every column that leads to it has; None for other columns."""
        return self.key_kinds.get((table, column))

    def keys(self) -> dict[str, str]:
        """The kinds of all columns that say whose a row is, or lead there, as words."""
        return {f"{table}.{column}": kind.value for (table, column), kind in self.key_kinds.items()}

    def person_kind(self) -> Kind:
        """The kind of the column that says who one person is; of no use where rows are protected."""
        found = None if self.dataset.unit is None else self.key_kind(*self.dataset.unit)
        return Kind.INTEGER if found is None else found


def can_be(held: Kind, wanted: Kind) -> bool:
    """Whether cells of a kind can be read as another: moments are read from moments and from text."""
    return held is Kind.TEXT or (held in _MOMENTS) == (wanted in _MOMENTS)


def can_be_key(held: Kind, wanted: Kind) -> bool:
    """Whether cells of a kind can be keys of another: nothing that one value could be spelled in two ways by."""
    if held is wanted or held is Kind.TEXT:
        return True
    return (held, wanted) in ((Kind.INTEGER, Kind.TEXT), (Kind.REAL, Kind.INTEGER), (Kind.INTEGER, Kind.REAL))


class _Typing:
    """The checks of a dataset against schemas, and the kinds that follow."""

    def __init__(self, dataset: Dataset, schemas: Schemas) -> None:
        self._given, self._schemas = dataset, schemas
        for table in dataset.tables:
            self._check(table)
            self._check_certain(table)
        self._given = self._spelled(dataset)

    def typed(self) -> Typed:
        """The dataset with its kinds."""
        tables = tuple(replace(table, columns=tuple(self._visible(table))) for table in self._given.tables)
        self._check_keys()
        return Typed(replace(self._given, tables=tables), self._schemas, self._key_kinds())

    # ---- what is declared is there ----

    def _check(self, table: Table) -> None:
        for name in (*(column.name for column in table.columns), *table.hidden, *self._named(table)):
            if self._found(table, name) is None:
                known = ", ".join(column.name for column in self._schemas[table.name])
                hint = f"its columns: {known}"
                if len(self._schemas[table.name]) == 1 and any(sign in known for sign in ";\t|"):
                    hint += '; is it separated by another sign? dialect = { separator = ";" }'
                raise InvalidDeclaration(f"[tables.{table.name}] has no column `{name}`", hint=hint)

    def _check_certain(self, table: Table) -> None:
        """Refuse columns whose type rows have decided, unless their owner says what they are."""
        hidden, keys = {name.lower() for name in table.hidden}, {name.lower() for name in self._named(table)}
        path = self._given.path(table)
        leads = path[0][0].lower() if path else ""
        open_ones = []
        for each in self._schemas[table.name]:
            name, declared = each.name.lower(), table.column(each.name)
            said = declared is not None and _says_its_kind(declared)
            if each.uncertain and not said and name != leads and (name not in hidden or name in keys):
                open_ones.append(each)
        if open_ones:
            told = ", ".join(f"`{each.name}`" for each in open_ones)
            lines = "; ".join(f'{each.name} = {{ type = "{each.likely.value}" }}' for each in open_ones)
            raise InvalidDeclaration(
                f"[tables.{table.name}] cells decide the type of {told}, and one more could change it",
                hint=f"declare what they are, such as {lines}; or hide them",
            )

    def _named(self, table: Table) -> list[str]:
        """The columns that other parts of the declaration name."""
        own = [self._given.unit[1]] if self._given.unit is not None and table.name == self._given.unit[0] else []
        led = [k[2] for other in self._given.tables for k in other.foreign_keys if k[1].lower() == table.name.lower()]
        return [*own, *(k[0] for k in table.foreign_keys), *led]

    def _found(self, table: Table, name: str) -> SourceColumn | None:
        return next((each for each in self._schemas[table.name] if each.name.lower() == name.lower()), None)

    def _certain(self, table: Table, name: str) -> SourceColumn:
        found = self._found(table, name)
        assert found is not None
        return found

    def _spelled(self, dataset: Dataset) -> Dataset:
        """The dataset with every column spelled as its source spells it."""

        def name(table: str, column: str) -> str:
            found = dataset.table(table)
            return column if found is None else self._certain(found, column).name

        tables = tuple(
            replace(
                table,
                foreign_keys=tuple((name(table.name, k[0]), k[1], name(k[1], k[2])) for k in table.foreign_keys),
                hidden=tuple(name(table.name, each) for each in table.hidden),
            )
            for table in dataset.tables
        )
        unit = None if dataset.unit is None else (dataset.unit[0], name(*dataset.unit))
        return replace(dataset, tables=tables, unit=unit)

    # ---- kinds ----

    def _visible(self, table: Table) -> list[Column]:
        hidden = {name.lower() for name in table.hidden}
        made = [self._column(table, each) for each in self._schemas[table.name] if each.name.lower() not in hidden]
        return [column for column in made if column is not None]

    def _leads_to(self, table: Table, name: str) -> tuple[Table, str] | None:
        """The key that a column must be comparable with: where its table's way to the person goes through it."""
        path = self._given.path(table)
        if not path or path[0][0].lower() != name.lower():
            return None
        target = self._given.table(path[0][1])
        assert target is not None
        return target, path[0][2]

    def _is_person(self, table: Table, name: str) -> bool:
        unit = self._given.unit
        return unit is not None and table.name == unit[0] and name.lower() == unit[1].lower() and not table.public

    def _key_kind(self, table: Table, name: str) -> Kind | None:
        """The one kind of a key, which every column that leads to it has; None for other columns."""
        leads = self._leads_to(table, name)
        if leads is not None:
            return self._key_kind(*leads)
        is_key = self._is_person(table, name) or self._is_led_to(table, name)
        return self._own_kind(table, self._certain(table, name)) if is_key else None

    def _is_led_to(self, table: Table, name: str) -> bool:
        """Whether the way of another table to the person goes through a column."""
        paths = [self._given.path(other) for other in self._given.tables]
        return any(path and path[0][1] == table.name and path[0][2].lower() == name.lower() for path in paths)

    def _own_kind(self, table: Table, source: SourceColumn) -> Kind:
        made = self._declared(table, source)
        if made is None:
            raise self._unlike(source, None)
        return made.kind

    def _column(self, table: Table, source: SourceColumn) -> Column | None:
        wanted = self._key_kind(table, source.name)
        declared = table.column(source.name)
        if wanted is None or self._leads_to(table, source.name) is None:
            return self._declared(table, source)
        if declared is not None and declared.typed and declared.kind is not wanted:
            target, there = self._leads_to(table, source.name) or (table, source.name)
            raise InvalidDeclaration(
                f"[tables.{table.name}] column `{source.name}` is declared as {declared.kind.value} and leads to "
                f"{target.name}.{there}, which is {wanted.value}",
                hint=f'type = "{wanted.value}", or leave its type out',
            )
        return Column(source.name, wanted) if declared is None else replace(declared, name=source.name, kind=wanted)

    def _declared(self, table: Table, source: SourceColumn) -> Column | None:
        declared, held = table.column(source.name), source.kind
        if declared is None:
            return None if held is None else Column(source.name, held)
        if held is None:
            raise self._unlike(source, declared.kind if declared.typed else None)
        if not declared.typed and not (source.loose and _says_its_kind(declared)):
            if declared.lower is not None and not held.is_number:
                raise InvalidDeclaration(
                    f"column `{source.name}` has bounds and the source holds {held.value}", hint='type = "real"'
                )
            return replace(declared, name=source.name, kind=held)
        if not can_be(held, declared.kind):
            raise self._unlike(source, declared.kind)
        return self._loose(source, declared)

    @staticmethod
    def _loose(source: SourceColumn, declared: Column) -> Column:
        """Numbers are read as reals unless the type or a whole grid is declared."""
        if declared.typed:
            return replace(declared, name=source.name)
        whole = declared.values is not None or (declared.grid is not None and declared.grid.denominator == 1)
        real = declared.kind is Kind.INTEGER and not whole
        return replace(declared, name=source.name, kind=Kind.REAL if real else declared.kind)

    @staticmethod
    def _unlike(source: SourceColumn, wanted: Kind | None) -> InvalidDeclaration:
        held = "a type that no question can read" if source.kind is None else source.kind.value
        said = "declared" if wanted is None else f"declared as {wanted.value}"
        return InvalidDeclaration(
            f"column `{source.name}` is {said} and the source holds {held}",
            hint="declare it as what it is, or leave it out" if source.kind else "leave it out, or convert the source",
        )

    # ---- keys ----

    def _check_keys(self) -> None:
        """Refuse keys that cannot be of the one kind of what they lead to: one person must be one value."""
        for table in self._given.tables:
            for source in self._schemas[table.name]:
                wanted = self._key_kind(table, source.name)
                if wanted is None:
                    continue
                held = source.kind
                if held is not None and wanted in source.inexact:
                    raise InvalidDeclaration(
                        f"[tables.{table.name}] column `{source.name}` says whose a row is, and its type {source.type} "
                        f"does not hold every {wanted.value} exactly",
                        hint="people are told apart by whole numbers or texts: convert the column, or declare the type",
                    )
                if held is None or not can_be_key(held, wanted):
                    found = "a type that no question can read" if held is None else held.value
                    raise InvalidDeclaration(
                        f"[tables.{table.name}] column `{source.name}` says whose a row is as {wanted.value}, "
                        f"and the source holds {found}",
                        hint="one person is one value in every table: convert the column, or declare the person's type",
                    )

    def _key_kinds(self) -> dict[tuple[str, str], Kind]:
        return {
            (table.name, source.name): kind
            for table in self._given.tables
            for source in self._schemas[table.name]
            if (kind := self._key_kind(table, source.name)) is not None
        }


def _says_its_kind(declared: Column) -> bool:
    """Whether a kind follows from what is declared."""
    return declared.typed or declared.values is not None or declared.lower is not None
