"""How the rows of a relation are read: cells of the declared kinds, and keys that are what they say."""

from sfumato.data import Kind, RemoteTable, SourceColumn, Table, Typed
from sfumato.engines.remote.server import Server
from sfumato.engines.sql.expressions import Expressions
from sfumato.errors import InvalidDeclaration
from sfumato.query.expression import Expression, Field, Ref
from sfumato.query.functions import FUNCTIONS


def remote(table: Table) -> RemoteTable:
    """The relation that a table is."""
    assert isinstance(table.source, RemoteTable)
    return table.source


def reader(server: Server, typed: Typed, table: Table) -> str:
    """The columns of a relation that are shown or that are keys, each of its kind, in brackets."""
    written, inner, outer = Expressions(server.dialect), [], []
    for i, (source, kind) in enumerate(columns_of(typed, table)):
        inner.append(f"{server.cell(source)} AS c{i}")
        outer.append(f"{written.column(_as(source, kind, i))} AS {server.dialect.quoted(source.name)}")
    cells = f"SELECT {', '.join(inner) or '1 AS nothing'} FROM {server.relation(remote(table))}"
    return f"(SELECT {', '.join(outer) or 'nothing'} FROM ({cells}) t)"


def columns_of(typed: Typed, table: Table) -> list[tuple[SourceColumn, Kind]]:
    """The columns of a source that are read, in its order, and as which kinds."""
    made = typed.dataset.table(table.name)
    assert made is not None
    found = []
    for source in typed.schemas[table.name]:
        column, wanted = made.column(source.name), typed.key_kind(table.name, source.name)
        if source.kind is None or (column is None and wanted is None):
            continue
        if wanted is not None and wanted is not source.kind:
            raise InvalidDeclaration(
                f"[tables.{table.name}] column `{source.name}` says whose a row is as {wanted.value}, and holds "
                f"{source.kind.value}",
                hint="one person is one value of one type in every table: name a view that casts it",
            )
        found.append((source, wanted or (column.kind if column is not None else source.kind)))
    return found


def is_converted(source: SourceColumn, kind: Kind) -> bool:
    """Whether cells may become NULL that are not missing: the declared kind is another, or the type is wider."""
    return source.kind is not kind or source.loose or kind in (Kind.DATE, Kind.TIMESTAMP)


def _as(source: SourceColumn, kind: Kind, i: int) -> Expression:
    assert source.kind is not None
    held = Ref(i, Field(source.name, source.kind))
    return held if source.kind is kind else FUNCTIONS[f"cast_{kind.value}"].call([held])
