"""The declaration: a TOML or YAML file, or the same as a dictionary."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.core.naming import known_names
from sfumato.data.addresses import check_no_password
from sfumato.data.budget import Allowance
from sfumato.data.column import Column, Kind
from sfumato.data.dataset import Dataset, Defaults, Rules, Table
from sfumato.data.declared_source import source_of
from sfumato.data.entries import dotted, mapping, name_of, names, one_of, only, said, text, truth
from sfumato.data.files import parsed
from sfumato.data.numbers import exactly, seconds, signed, whole
from sfumato.data.options import MOVED, EngineOptions
from sfumato.data.places import place_of, plain_path
from sfumato.data.values import kind_of_values, public_values
from sfumato.errors import InvalidDeclaration

_TOP = {
    "name", "budget", "unit", "tables", "analysts", "groups", "defaults", "engine", "rules", "ledger", "anchor",
    "version", "version_query",
}  # fmt: skip
_TABLE = {
    "source", "format", "columns", "public", "foreign_keys", "rows_per_group", "groups_per_person",
    "rows_per_person", "materialise", "excess", "hidden", "dialect", "unreadable", "relation",
    "impossible",
}  # fmt: skip
_COLUMN = {"type", "lower", "upper", "grid", "values", "total", "null"}
_DEFAULTS = {
    "epsilon",
    "delta",
    "confidence",
    "answer_every",
    "rows_per_person",
    "rows_per_group",
    "groups_per_person",
    *MOVED,
}
_RULES = {"least_epsilon", "least_rho", "rows_per_row", "failures_per_analyst", "failures"}
_BOUNDS = ("rows_per_person", "rows_per_group", "groups_per_person")
_UNFILLED = "?"
_REGISTRATION = ".registration"
_MOST_SPREAD = 10**6
_LONGEST_VERSION = 200
_LONGEST_QUERY = 10_000
_BOUND = 'lower = 0, upper = 100; type = "integer"; or {} if there is nothing to say'


def read_declaration(path: Path | str) -> Dataset:
    """The dataset that a TOML or YAML file declares; sources are found beside the file."""
    plain_path("the declaration", path)
    file = Path(path)
    return declared(parsed(file), name=file.stem, folder=file.parent, registration=file.with_suffix(_REGISTRATION))


def declared(given: Any, *, name: str = "", folder: Path | None = None, registration: Path | None = None) -> Dataset:
    """The dataset that a dictionary declares, as the file would; a source may be a DataFrame or Arrow table."""
    top = mapping("the declaration", given, "it says [budget], [unit] and [tables]; sfumato init drafts one")
    only("the declaration", top, _TOP)
    if "budget" not in top:
        raise InvalidDeclaration("no [budget] is declared", hint='[budget] epsilon = "3"')
    defaults = mapping("[defaults]", top.get("defaults", {}), "for example confidence = 0.95")
    only("[defaults]", defaults, _DEFAULTS)
    unit = _unit(top.get("unit", {}))
    tables = mapping("[tables]", top.get("tables", {}), 'for example [tables.visits] source = "visits.parquet"')
    place = Path(plain_path("the declaration's folder", folder)) if folder is not None else Path()
    made = Dataset(
        name=name_of("name", top.get("name", name or "dataset")),
        tables=tuple(
            # what holds for tables in general is not said of the one where a person is a row
            _table(key, value, {} if unit is not None and key.lower() == unit[0].lower() else defaults, place)
            for key, value in tables.items()
        ),
        unit=unit,
        budget=Allowance.declared("budget", top["budget"]),
        analysts={
            name_of("[analysts]: a name", key): Allowance.declared(f"analysts.{key}", value)
            for key, value in mapping(
                "[analysts]", top.get("analysts", {}), 'for example [analysts.ann] epsilon = "1"'
            ).items()
        },
        groups={
            name_of("[groups]: a name", key): Allowance.declared(f"groups.{key}", value)
            for key, value in mapping(
                "[groups]", top.get("groups", {}), 'for example [groups.citizens] epsilon = "5"'
            ).items()
        },
        defaults=_defaults(defaults),
        engine=EngineOptions.declared(top.get("engine", {}), defaults, folder),
        rules=_rules(mapping("[rules]", top.get("rules", {}), "for example failures = 10")),
        ledger=_beside("ledger", place, top.get("ledger", "")),
        anchor=_beside("anchor", place, top.get("anchor", "")),
        version=_version(top.get("version", "")),
        version_query=_version_query(top),
        registration="" if registration is None else str(Path(place_of(registration.parent)) / registration.name),
    )
    return made.spelled().check()


def _beside(where: str, folder: Path, given: Any) -> str:
    path = text(where, given, f'for example {where} = "clinic.{where}"')
    if where == "ledger":
        check_no_password(where, path, where)
    return path if not path or "://" in path else plain_path(where, folder / plain_path(where, path))


def _version(given: Any) -> str:
    """The owner's word for the data, as it is written; a day and a number are words too."""
    plain = isinstance(given, str | int | float | Decimal | date) and not isinstance(given, bool)
    word = said(given) if isinstance(given, int) else str(given)
    if not plain or len(word) > _LONGEST_VERSION:
        raise InvalidDeclaration(f"version must be a short text: {said(given)}", hint='for example version = "2026-01"')
    return text("version", word)


def _version_query(top: Mapping[str, Any]) -> str:
    """A statement of the owner's, run where the data are, whose one value names them as they are."""
    hint = 'version_query = "SELECT max(batch) FROM clinic.loads"'
    if "version_query" not in top:
        return ""
    query = text("version_query", top["version_query"], hint).strip()
    if not query or len(query) > _LONGEST_QUERY or ";" in query:
        raise InvalidDeclaration("version_query must be one statement that finds one value", hint=hint)
    if top.get("version"):
        raise InvalidDeclaration("version and version_query both say which data these are", hint="keep one of them")
    return query


def _unit(given: Any) -> tuple[str, str] | None:
    hint = 'person = "users.user_id" protects people; rows = true protects single rows'
    unit = mapping("[unit]", given, hint)
    only("[unit]", unit, ("person", "rows"))
    rows = truth("[unit] rows", unit.get("rows", False))
    if ("person" in unit) == rows:
        raise InvalidDeclaration("[unit] must say what one person is", hint=hint)
    return None if rows else dotted("[unit] person", unit["person"])


def _table(name: str, given: Any, defaults: Mapping[str, Any], folder: Path) -> Table:
    where = f"[tables.{name}]"
    table = mapping(where, given, 'for example source = "visits.parquet"')
    only(where, table, _TABLE)
    if not name.replace("_", "a").isalnum() or name[:1].isdigit():
        raise InvalidDeclaration(f"{where}: a table's name is letters, digits and _", hint="rename it")
    if name.lower().startswith("sfumato_"):
        raise InvalidDeclaration(f"{where}: names that start with sfumato_ are taken", hint="rename it")
    if "source" not in table:
        raise InvalidDeclaration(f"{where} has no source", hint='source = "visits.parquet"')
    keys = mapping(f"{where} foreign_keys", table.get("foreign_keys", {}), 'foreign_keys = { id = "users.id" }')
    columns = mapping(f"{where} columns", table.get("columns", {}), "columns = { age = { lower = 0, upper = 120 } }")
    materialise = truth(f"{where} materialise", table.get("materialise", False))
    if materialise and "rows_per_person" not in table:
        raise InvalidDeclaration(f"{where} materialise needs a number of rows", hint="rows_per_person = 20")
    return Table(
        name=name,
        source=source_of(name, table, folder),
        columns=tuple(column_of(key, value) for key, value in columns.items()),
        public=truth(f"{where} public", table.get("public", False)),
        foreign_keys=tuple((key, *dotted(f"{where} foreign key {key}", value)) for key, value in keys.items()),
        rows_per_group=_bound(where, "rows_per_group", table, defaults),
        groups_per_person=_bound(where, "groups_per_person", table, defaults),
        rows_per_person=_bound(where, "rows_per_person", table, defaults),
        excess=_bound(where, "excess", table, {}),
        materialise=materialise,
        unfilled=tuple(name for name in _BOUNDS if table.get(name) == _UNFILLED),
        hidden=names(f"{where} hidden", table.get("hidden", [])),
        impossible=names(f"{where} impossible", table.get("impossible", []), "age < 10 AND married = TRUE"),
        unreadable=one_of(f"{where} unreadable", table.get("unreadable", "refuse"), ("refuse", "null")),
    )


def _bound(where: str, name: str, table: Mapping[str, Any], defaults: Mapping[str, Any]) -> int | None:
    given = table.get(name, defaults.get(name))
    return None if given in (None, _UNFILLED) else whole(f"{where} {name}", given)


def column_of(name: str, given: Any) -> Column:
    """A column as declared; its kind is what its type, values or bounds say, else text until the source is seen."""
    where = f"column `{name}`"
    entry = mapping(where, given, _BOUND)
    only(where, entry, _COLUMN)
    values = public_values(where, entry.get("values"))
    lower, upper, grid, total = (
        signed(f"{where} {word}", entry.get(word)) for word in ("lower", "upper", "grid", "total")
    )
    null = truth(f"{where} null", entry.get("null", True))
    if "type" in entry:
        known = {kind.value: kind for kind in Kind}
        if not isinstance(entry["type"], str) or entry["type"] not in known:
            raise InvalidDeclaration(
                f"{where}: unknown type {said(entry['type'])}", hint=known_names(entry["type"], known)
            )
        kind = known[entry["type"]]
    elif any(number is not None for number in (lower, upper, grid)):
        fractions = any(number is not None and number.denominator != 1 for number in (lower, upper, grid))
        kind = Kind.REAL if fractions else Kind.INTEGER
    else:
        kind = kind_of_values(values or ())
    return Column(name, kind, lower, upper, grid, values, typed="type" in entry, total=total, null=null)


def _defaults(given: Mapping[str, Any]) -> Defaults:
    numbers = {
        name: exactly(f"[defaults] {name}", given[name]) for name in ("epsilon", "delta", "confidence") if name in given
    }
    if not 0 < numbers.get("confidence", Fraction(1, 2)) < 1:
        raise InvalidDeclaration("[defaults] confidence must lie between 0 and 1", hint="confidence = 0.95")
    return Defaults(
        epsilon=numbers.get("epsilon"),
        delta=numbers.get("delta"),
        confidence=numbers.get("confidence", Fraction(95, 100)),
        answer_every=seconds("[defaults] answer_every", given["answer_every"]) if "answer_every" in given else 0.0,
    )


def _rules(given: Mapping[str, Any]) -> Rules:
    only("[rules]", given, _RULES)
    known: dict[str, Any] = {}
    for name in ("least_epsilon", "least_rho"):
        if name in given:
            known[name] = exactly(f"[rules] {name}", given[name])
            if not known[name]:
                raise InvalidDeclaration(f"[rules] {name} must be positive", hint=f'{name} = "0.001"')
    for name in ("rows_per_row", "failures_per_analyst", "failures"):
        if name in given:
            most = _MOST_SPREAD if name == "rows_per_row" else 10**9
            known[name] = whole(f"[rules] {name}", given[name], most=most)
    return Rules(**known)
