"""The declaration: a TOML or YAML file, or the same as a dictionary."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.data.budget import Allowance, exactly
from sfumato.data.column import Column, Kind
from sfumato.data.dataset import Dataset, Defaults, Rules, Table
from sfumato.data.dialect import Dialect
from sfumato.data.places import place_of, plain_path
from sfumato.errors import InvalidDeclaration

_TOP = {"name", "budget", "unit", "tables", "analysts", "defaults", "rules", "ledger", "anchor", "version"}
_TABLE = {
    "source", "format", "columns", "public", "foreign_keys", "rows_per_group", "groups_per_person",
    "rows_per_person", "hidden", "dialect", "unreadable",
}  # fmt: skip
_COLUMN = {"type", "lower", "upper", "grid", "values"}
_DEFAULTS = {
    "epsilon", "delta", "confidence", "timeout", "memory", "threads", "answer_every", "rows_per_group",
    "groups_per_person",
}  # fmt: skip
_REGISTRATION = ".registration"
_RULES = {"least_epsilon", "least_rho", "rows_per_row", "failures_per_analyst", "failures"}
_FORMATS = ("", "parquet", "csv", "duckdb")
_MEMORY = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})? ?([KMGT]i?B|%)", re.IGNORECASE)
_MOST_BOUND = 10**9
_MOST_SPREAD = 10**6


def read_declaration(path: Path | str) -> Dataset:
    """The dataset that a TOML or YAML file declares; sources are found beside the file."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidDeclaration(f"cannot read the declaration {file}", hint="sfumato init drafts one") from None
    return declared(
        _parsed(file, text), name=file.stem, folder=file.parent, registration=file.with_suffix(_REGISTRATION)
    )


def _parsed(file: Path, text: str) -> Any:
    if file.suffix.lower() in (".yaml", ".yml"):
        try:
            import yaml
        except ImportError:
            raise InvalidDeclaration("reading YAML needs PyYAML", hint="pip install pyyaml, or write TOML") from None
        try:
            return yaml.load(text, Loader=_strict_loader(file.name))
        except yaml.YAMLError as error:
            raise InvalidDeclaration(f"{file.name} is not YAML: {str(error).splitlines()[0]}") from None
        except RecursionError:
            raise _too_deep(file) from None
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InvalidDeclaration(f"{file.name} is not TOML: {error}") from None
    except RecursionError:
        raise _too_deep(file) from None


def _too_deep(file: Path) -> InvalidDeclaration:
    return InvalidDeclaration(f"{file.name} is nested too deeply", hint="a declaration is a few tables deep")


def _strict_loader(name: str) -> Any:
    """YAML as it reads: a key stands once, and a number with a leading zero is no octal."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Safe, and strict."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            """A mapping whose keys all differ."""
            found: set[Any] = set()
            for key, _ in node.value:
                named = self.construct_object(key, deep=True)
                if not isinstance(named, str | int | float | bool):
                    raise InvalidDeclaration(f"{name}, line {key.start_mark.line + 1}: a name must be text")
                if named in found:
                    raise InvalidDeclaration(
                        f"{name}, line {key.start_mark.line + 1}: `{named}` stands there twice",
                        hint="keep one of them: YAML would silently take the last",
                    )
                found.add(named)
            made: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            return made

        def construct_yaml_int(self, node: Any) -> int:
            """A whole number without a leading zero, a base or sixties."""
            text = str(self.construct_scalar(node))
            if not re.fullmatch(r"[+-]?(0|[1-9][0-9_]*)", text):
                raise InvalidDeclaration(
                    f"{name}, line {node.start_mark.line + 1}: {text} is not a plain whole number",
                    hint=f'write it without a leading zero, or as text: "{text}"',
                )
            return int(text.replace("_", ""))

    Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
    return Loader


def declared(given: Any, *, name: str = "", folder: Path | None = None, registration: Path | None = None) -> Dataset:
    """The dataset that a dictionary declares, as the file would; a source may be a DataFrame or Arrow table."""
    top = _mapping("the declaration", given)
    _only("the declaration", top, _TOP)
    if "budget" not in top:
        raise InvalidDeclaration("no [budget] is declared", hint='[budget] epsilon = "3"')
    defaults = _mapping("[defaults]", top.get("defaults", {}))
    _only("[defaults]", defaults, _DEFAULTS)
    unit = _unit(top.get("unit"))
    tables = _mapping("[tables]", top.get("tables", {}))
    place = Path(plain_path("the declaration's folder", folder)) if folder is not None else Path()
    made = Dataset(
        name=_text("name", top.get("name", name or "dataset")),
        tables=tuple(
            # what holds for tables in general is not said of the one where a person is a row
            _table(name, value, {} if unit is not None and name.lower() == unit[0].lower() else defaults, place)
            for name, value in tables.items()
        ),
        unit=unit,
        budget=Allowance.declared("budget", top["budget"]),
        analysts={
            str(key): Allowance.declared(f"analysts.{key}", value)
            for key, value in _mapping("[analysts]", top.get("analysts", {})).items()
        },
        defaults=_defaults(defaults),
        rules=_rules(_mapping("[rules]", top.get("rules", {}))),
        ledger=_beside("ledger", place, _text("ledger", top.get("ledger", ""))),
        anchor=_beside("anchor", place, _text("anchor", top.get("anchor", ""))),
        version=_text("version", str(top.get("version", ""))),
        cache="" if folder is None else str(Path(place_of(folder)) / ".sfumato"),
        registration="" if registration is None else str(Path(place_of(registration.parent)) / registration.name),
    )
    return made.spelled().check()


def _mapping(where: str, given: Any) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping):
        raise InvalidDeclaration(f"{where} must be a table of names and values, found {type(given).__name__}")
    return given


def _only(where: str, given: Mapping[Any, Any], known: Iterable[str]) -> None:
    for entry in given:
        if entry not in known:
            raise InvalidDeclaration(
                f"{where} has an unknown entry `{entry}`", hint=f"known: {', '.join(sorted(known))}"
            )


def _text(where: str, given: Any) -> str:
    if not isinstance(given, str):
        raise InvalidDeclaration(f"{where} must be text: {given!r}")
    return given


def _beside(where: str, folder: Path, path: str) -> str:
    return path if not path or "://" in path else plain_path(where, folder / path)


def _unit(given: Any) -> tuple[str, str] | None:
    unit = _mapping("[unit]", given if given is not None else {})
    _only("[unit]", unit, ("person", "rows"))
    hint = 'person = "users.user_id" protects people; rows = true protects single rows'
    rows = _truth("[unit] rows", unit.get("rows", False))
    if ("person" in unit) == rows:
        raise InvalidDeclaration("[unit] must say what one person is", hint=hint)
    if rows:
        return None
    return _dotted("[unit] person", unit["person"])


def _dotted(where: str, given: Any) -> tuple[str, str]:
    parts = _text(where, given).split(".")
    if len(parts) != 2 or not all(parts):
        raise InvalidDeclaration(f"{where} must be table.column: {given!r}", hint='for example "users.user_id"')
    return parts[0], parts[1]


def _table(name: str, given: Any, defaults: Mapping[Any, Any], folder: Path) -> Table:
    where = f"[tables.{name}]"
    table = _mapping(where, given)
    _only(where, table, _TABLE)
    if not name.replace("_", "a").isalnum() or name[:1].isdigit():
        raise InvalidDeclaration(f"{where}: a table's name is letters, digits and _")
    if name.lower().startswith("sfumato_"):
        raise InvalidDeclaration(f"{where}: names that start with sfumato_ are taken", hint="rename it")
    if "source" not in table:
        raise InvalidDeclaration(f"{where} has no source", hint='source = "visits.parquet"')
    source = _source(where, table["source"], folder)
    keys = _mapping(f"{where} foreign_keys", table.get("foreign_keys", {}))
    columns = _mapping(f"{where} columns", table.get("columns", {}))
    cut = table.get("rows_per_person")
    return Table(
        name=name,
        source=source,
        columns=tuple(column_of(str(key), value) for key, value in columns.items()),
        public=_truth(f"{where} public", table.get("public", False)),
        foreign_keys=tuple((str(key), *_dotted(f"{where} foreign key {key}", value)) for key, value in keys.items()),
        rows_per_group=_bound(where, "rows_per_group", table, defaults),
        groups_per_person=_bound(where, "groups_per_person", table, defaults),
        rows_per_person=None if cut is None else _bound(where, "rows_per_person", table, {}),
        hidden=_names(f"{where} hidden", table.get("hidden", [])),
        format=_one_of(f"{where} format", table.get("format", ""), _FORMATS),
        dialect=Dialect.declared(where, table.get("dialect", {}), tabs=_has_tabs(source)),
        unreadable=_one_of(f"{where} unreadable", table.get("unreadable", "refuse"), ("refuse", "null")),
    )


def _source(where: str, given: Any, folder: Path) -> Any:
    """The path of a file beside the declaration, the paths of several, or what is given in memory."""
    if isinstance(given, str):
        return str(folder / plain_path(f"{where} source", given))
    if isinstance(given, list | tuple):
        if not given or not all(isinstance(each, str) for each in given):
            raise InvalidDeclaration(
                f"{where} source must be a file or a list of files", hint='source = ["2025.csv", "2026.csv"]'
            )
        paths = tuple(str(folder / plain_path(f"{where} source", each)) for each in given)
        if len(set(map(place_of, paths))) < len(paths):
            raise InvalidDeclaration(
                f"{where} source lists a file twice", hint="list each once, and no link to another"
            )
        return paths
    return given


def _has_tabs(source: Any) -> bool:
    files = (source,) if isinstance(source, str) else source
    return isinstance(files, tuple) and all(name.lower().endswith((".tsv", ".tsv.gz")) for name in files)


def _names(where: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple):
        raise InvalidDeclaration(f"{where} must be a list: {given!r}", hint=f'for example hidden = ["{given}"]')
    return tuple(_text(where, each) for each in given)


def _one_of(where: str, given: Any, known: Iterable[str]) -> str:
    if given not in tuple(known):
        named = ", ".join(each for each in known if each)
        raise InvalidDeclaration(f"{where} must be one of {named}: {given!r}", hint=f"known: {named}")
    return str(given)


def _truth(where: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise InvalidDeclaration(f"{where} must be true or false: {given!r}")
    return given


def _bound(where: str, name: str, table: Mapping[Any, Any], defaults: Mapping[Any, Any]) -> int:
    given = table.get(name, defaults.get(name, 1))
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= _MOST_BOUND:
        raise InvalidDeclaration(f"{where} {name} must be a whole number from 1 on: {given!r}")
    return given


def column_of(name: str, given: Any) -> Column:
    """A column as declared; its kind is what its type, values or bounds say, else text until the source is seen."""
    where = f"column `{name}`"
    entry = _mapping(where, given)
    _only(where, entry, _COLUMN)
    values = entry.get("values")
    if values is not None:
        if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
            raise InvalidDeclaration(f"{where}: values must be a list: {values!r}")
        values = tuple(float(value) if isinstance(value, Decimal) else value for value in values)
    lower, upper, grid = (signed(f"{where} {word}", entry.get(word)) for word in ("lower", "upper", "grid"))
    kind = _kind(where, entry, values, (lower, upper, grid))
    return Column(name, kind, lower, upper, grid, values, typed="type" in entry)


def signed(where: str, given: Any) -> Fraction | None:
    """A bound: an exact number that may be negative."""
    if given is None:
        return None
    if isinstance(given, str) and given.startswith("-"):
        return -exactly(where, given[1:])
    if isinstance(given, int | float | Decimal | Fraction) and given < 0:
        return -exactly(where, -given)
    return exactly(where, given)


def _kind(where: str, entry: Mapping[Any, Any], values: Any, numbers: tuple[Fraction | None, ...]) -> Kind:
    if "type" in entry:
        try:
            return Kind(entry["type"])
        except ValueError:
            known = ", ".join(kind.value for kind in Kind)
            raise InvalidDeclaration(f"{where}: unknown type {entry['type']!r}", hint=f"known: {known}") from None
    if any(number is not None for number in numbers):
        return Kind.INTEGER if all(n is None or n.denominator == 1 for n in numbers) else Kind.REAL
    order = (
        (bool, Kind.BOOLEAN),
        (int, Kind.INTEGER),
        (float, Kind.REAL),
        (datetime, Kind.TIMESTAMP),
        (date, Kind.DATE),
    )
    for value in values or ():
        for python, kind in order:
            if isinstance(value, python):
                return Kind.REAL if kind is Kind.INTEGER and any(isinstance(v, float) for v in values) else kind
    return Kind.TEXT


def _defaults(given: Mapping[Any, Any]) -> Defaults:
    numbers = {
        name: exactly(f"[defaults] {name}", given[name]) for name in ("epsilon", "delta", "confidence") if name in given
    }
    if not 0 < numbers.get("confidence", Fraction(1, 2)) < 1:
        raise InvalidDeclaration("[defaults] confidence must lie between 0 and 1", hint="confidence = 0.95")
    times = {
        name: float(exactly(f"[defaults] {name}", given[name])) for name in ("timeout", "answer_every") if name in given
    }
    threads = given.get("threads", 0)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 0:
        raise InvalidDeclaration(f"[defaults] threads must be a whole number: {threads!r}")
    return Defaults(
        epsilon=numbers.get("epsilon"),
        delta=numbers.get("delta"),
        confidence=numbers.get("confidence", Fraction(95, 100)),
        timeout=times.get("timeout", 600.0),
        answer_every=times.get("answer_every", 0.0),
        memory=_memory(given.get("memory", "")),
        threads=threads,
    )


def _memory(given: Any) -> str:
    text = _text("[defaults] memory", given)
    if text and not _MEMORY.fullmatch(text):
        raise InvalidDeclaration(f"[defaults] memory must be an amount: {text!r}", hint='memory = "4GB"')
    return text


def _rules(given: Mapping[Any, Any]) -> Rules:
    _only("[rules]", given, _RULES)
    known: dict[str, Any] = {}
    for name in ("least_epsilon", "least_rho"):
        if name in given:
            known[name] = exactly(f"[rules] {name}", given[name])
            if not known[name]:
                raise InvalidDeclaration(f"[rules] {name} must be positive", hint='least_epsilon = "0.001"')
    for name in ("rows_per_row", "failures_per_analyst", "failures"):
        if name in given:
            value, most = given[name], _MOST_SPREAD if name == "rows_per_row" else _MOST_BOUND
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InvalidDeclaration(f"[rules] {name} must be a whole number from 1 to {most}: {value!r}")
            known[name] = value
    return Rules(**known)


def draft(
    source: str,
    table: str,
    columns: Iterable[tuple[str, Kind]],
    *,
    person: str = "",
    epsilon: str = "3",
    known: Mapping[str, str] | None = None,
    typed: bool = True,
    dialect: Mapping[str, str] | None = None,
) -> str:
    """A declaration to fill in, made from the names and types of columns alone.

    `known` holds what the owner already said of a column, as TOML. A source that is not `typed` holds text alone, and
    its owner says what that is.
    """
    rows = 'rows = true                   # or, for a person with several rows: person = "table.column"'
    lines = [
        "# Drafted from the names and types of the columns; no row was read. Fill in what is marked.",
        "",
        "[budget]                      # of the whole dataset; [analysts.<name>] may hold a smaller one each",
        f"{f'epsilon = {json.dumps(epsilon)}':<30}# how much may be learned in all; smaller is more private",
        'delta = "1e-7"                # only groups whose names are not public need it',
        "",
        "[unit]",
        f'person = "{table}.{person}"' if person else rows,
        "",
        f"[tables.{table}]",
        f"source = {json.dumps(source, ensure_ascii=False)}",
    ]
    if dialect:
        lines.append(f"dialect = {{ {', '.join(f'{name} = {json.dumps(sign)}' for name, sign in dialect.items())} }}")
    if person:
        lines += [
            "rows_per_group = 1            # how many rows of one person count in a group",
            "groups_per_person = 1",
        ]
    lines += ["", f"[tables.{table}.columns]"]
    for name, kind in columns:
        if name == person and typed:
            continue
        key = name if name.replace("_", "a").isalnum() and name.isascii() else json.dumps(name, ensure_ascii=False)
        said = (known or {}).get(name, "")
        hint = "lower and upper, before it can be summed" if kind.is_number else "values = [...], if they are public"
        if name == person:
            hint = "or integer: 7, 07 and 7.0 are then one person, and abc is nobody"
        elif not typed:
            hint = f"or integer, real, boolean, date, timestamp; {hint}"
        entry = f'{key} = {{ type = "{kind.value}"{f", {said}" if said else ""} }}'
        lines.append(entry if said else f"{entry:<40}# {hint}")
    return "\n".join(lines) + "\n"
