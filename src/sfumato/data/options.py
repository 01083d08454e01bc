"""Options of an engine: [engine] of a declaration, and the places in [defaults] where they stood before."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.data.entries import mapping, only, said, text, truth
from sfumato.data.numbers import seconds, whole
from sfumato.data.places import place_of, plain_path
from sfumato.errors import InvalidDeclaration

_MEMORY = re.compile(r"(?P<amount>[0-9]{1,9}(\.[0-9]{1,6})?) ?(?P<unit>[KMGT]i?B|%)", re.IGNORECASE)
_LEAST_MEMORY, _MOST_MEMORY = 16 * 10**6, 10**16
_TIMEOUT = 600.0
_MOST_THREADS = 1024
_LONGEST_NAME = 40
_KNOWN = ("name", "timeout", "memory", "threads", "cache", "schema", "copy")
_SCHEMA = re.compile(r"[a-z][a-z0-9_]{0,62}(\.[a-z][a-z0-9_]{0,62})?")
_SCHEMA_HINT = 'schema = "sfumato", small letters, digits and _; or a folder by its whole path'
MOVED = ("timeout", "memory", "threads")
"""What stood in [defaults] before, and is still read there."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Which engine, how long a statement may take, what it may use, and where registered copies are kept."""

    name: str = ""
    """As declared; else the one that reads the sources."""
    timeout: float = _TIMEOUT
    memory: str = ""
    threads: int = 0
    cache: str = ""
    """A folder, as declared; else `.sfumato` beside the declaration holds the copies."""
    schema: str = ""
    """On a server: the schema, database or folder of Sfumato's own, in which registration writes and nobody else."""
    copy: bool | None = None
    """Whether registration copies the rows, in order of people; None as the engine does unless it is told."""
    old_lines: tuple[str, ...] = field(default=(), compare=False)
    """What stands in [defaults] and is better written in [engine], as lines of TOML."""

    @classmethod
    def declared(cls, given: Any, defaults: Mapping[str, Any], folder: Path | None) -> "EngineOptions":
        """The options that [engine] says, or [defaults] for those that stood there; both for one are refused."""
        here = mapping("[engine]", given, "for example timeout = 600")
        only("[engine]", here, _KNOWN)
        old = {name: defaults[name] for name in MOVED if name in defaults}
        for name in old:
            if name in here:
                raise InvalidDeclaration(
                    f"{name} stands in [engine] and in [defaults]", hint=f"leave it out of [defaults]: [engine] {name}"
                )
        found = {**here, **old}
        where = {name: f"{'[defaults]' if name in old else '[engine]'} {name}" for name in _KNOWN}
        return cls(
            name=_name(where["name"], found["name"]) if "name" in found else "",
            timeout=seconds(where["timeout"], found["timeout"]) if "timeout" in found else _TIMEOUT,
            memory=_memory(where["memory"], found.get("memory", "")),
            threads=whole(where["threads"], found.get("threads", 0), least=0, most=_MOST_THREADS),
            cache=_cache(where["cache"], found["cache"], folder) if "cache" in found else "",
            schema=_schema(where["schema"], found["schema"]) if "schema" in found else "",
            copy=truth(where["copy"], found["copy"]) if "copy" in found else None,
            old_lines=tuple(f"{name} = {_toml(value)}" for name, value in old.items()),
        )


def _name(where: str, given: Any) -> str:
    name = text(where, given, 'name = "duckdb"')
    if not name.isidentifier() or len(name) > _LONGEST_NAME:
        raise InvalidDeclaration(f"{where} must be a word: {said(name)}", hint='name = "duckdb", or leave it out')
    return name


def _schema(where: str, given: Any) -> str:
    """A name, or a folder by its whole path."""
    name = text(where, given, _SCHEMA_HINT)
    if name.startswith("/"):
        return plain_path(where, name)
    if not _SCHEMA.fullmatch(name):
        raise InvalidDeclaration(f"{where} must be a name of its own: {said(name)}", hint=_SCHEMA_HINT)
    return name


def _cache(where: str, given: Any, folder: Path | None) -> str:
    path = plain_path(where, text(where, given, 'cache = "/var/lib/clinic"'))
    if folder is None:
        raise InvalidDeclaration(
            f"{where} is for declarations that are files: what a dictionary declares is registered at every opening",
            hint="leave it out, or write the declaration into a file",
        )
    return place_of(folder / path)


def _memory(where: str, given: Any) -> str:
    """An amount of memory, or a share of what there is, that an engine can start with."""
    amount = text(where, given, 'memory = "4GB"')
    if not amount:
        return amount
    found = _MEMORY.fullmatch(amount)
    if found is None:
        raise InvalidDeclaration(f"{where} must be an amount: {said(amount)}", hint='memory = "4GB"')
    number, unit = Fraction(found["amount"]), found["unit"].upper()
    size = number * 10 ** (3 * (1 + "KMGT".index(unit[0]))) if unit != "%" else number
    if not (0 < size <= 100 if unit == "%" else _LEAST_MEMORY <= size <= _MOST_MEMORY):
        raise InvalidDeclaration(f"{where} must be 16MB or more, or up to 100%: {said(amount)}", hint='memory = "4GB"')
    return amount


def _toml(value: Any) -> str:
    """A value that was read and is good, as it is written."""
    return json.dumps(value) if isinstance(value, str) else str(value)
