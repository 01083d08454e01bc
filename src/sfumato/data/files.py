"""A declaration's file: TOML, or YAML as it reads, where nothing is taken silently for something else."""

import re
import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from sfumato.core.libraries import library
from sfumato.errors import InvalidDeclaration

_WORDS = frozenset({"yes", "no", "on", "off", "y", "n"})
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9_]{0,99})")
_REAL = re.compile(r"[+-]?([0-9][0-9_]{0,99}(\.[0-9_]{0,99})?|\.[0-9][0-9_]{0,99})([eE][+-]?[0-9]{1,3})?")
_TAG = "tag:yaml.org,2002:"
_SEE = "sfumato init drafts one that can be read"


def parsed(file: Path) -> object:
    """What a TOML or YAML file says."""
    try:
        content = file.read_bytes()
    except OSError:
        raise InvalidDeclaration(f"cannot read the declaration {file}", hint="sfumato init drafts one") from None
    try:
        text = content.decode("utf-8-sig")  # editors of some systems write a mark of the byte order
    except UnicodeDecodeError:
        raise InvalidDeclaration(
            f"cannot read the declaration {file}: it is not UTF-8", hint="save it as UTF-8; sfumato init drafts one"
        ) from None
    try:
        return _yaml(file, text) if file.suffix.lower() in (".yaml", ".yml") else _toml(file, text)
    except RecursionError:
        raise InvalidDeclaration(
            f"{file.name} is nested too deeply", hint="a declaration is a few tables deep"
        ) from None


def _toml(file: Path, text: str) -> Any:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InvalidDeclaration(f"{file.name} is not TOML: {error}", hint=f"mend that line; {_SEE}") from None
    except ValueError:  # a number of thousands of digits
        raise InvalidDeclaration(
            f"{file.name} is not TOML: a value in it is out of range", hint=f"write it shorter; {_SEE}"
        ) from None


def _yaml(file: Path, text: str) -> Any:
    yaml = library("yaml", f"reading the YAML of {file.name}")
    try:
        return yaml.load(text, Loader=_strict_loader(file.name))
    except yaml.YAMLError as error:
        raise InvalidDeclaration(
            f"{file.name} is not YAML: {str(error).splitlines()[0]}", hint=f"mend it, or write TOML; {_SEE}"
        ) from None


def _strict_loader(name: str) -> Any:
    """YAML as it reads: a name is the text that stands there, once, and a number is one in plain digits."""
    import yaml

    loader: Any = type("Loader", (_Strict, yaml.SafeLoader), {"file": name})
    for tag in ("int", "float", "timestamp"):
        loader.add_constructor(f"{_TAG}{tag}", getattr(loader, f"plain_{tag}"))
    return loader


class _Strict:
    """What a safe loader of YAML is told besides: nothing is taken silently for something else."""

    file: str

    def _refused(self, node: Any, problem: str, hint: str) -> InvalidDeclaration:
        return InvalidDeclaration(f"{self.file}, line {node.start_mark.line + 1}: {problem}", hint=hint)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        """A mapping whose names are text as it is written, and all differ."""
        if node.id != "mapping":
            raise self._refused(node, "no mapping stands there", "take the sign !!map away")
        made: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag == f"{_TAG}merge":
                raise self._refused(key, "<< is not read", "write out what it stands for")
            if key.id != "scalar" or (key.tag == f"{_TAG}null" and key.value != "null"):  # an entry of columns
                raise self._refused(key, "a name must be text", 'write it in quotes, such as "visits"')
            named = str(key.value)
            if named in made:
                raise self._refused(
                    key, f"`{named}` stands there twice", "keep one of them: YAML would silently take the last"
                )
            made[named] = self._loader.construct_object(value, deep=True)
        return made

    def construct_sequence(self, node: Any, deep: bool = False) -> list[Any]:
        """A list in which `no` is not false: it may be Norway."""
        if node.id != "sequence":
            raise self._refused(node, "no list stands there", "take the sign !!seq away")
        for each in node.value:
            if each.tag == f"{_TAG}bool" and str(each.value).lower() in _WORDS:
                raise self._refused(
                    each, f"`{each.value}` is a text or a truth", f'write "{each.value}", or true or false'
                )
        return [self._loader.construct_object(each, deep=True) for each in node.value]

    def plain_int(self, node: Any) -> int:
        """A whole number without a leading zero, a base or sixties."""
        text = str(self._loader.construct_scalar(node))
        if not _WHOLE.fullmatch(text):
            raise self._refused(
                node, f"{text[:40]} is not a plain whole number", "write it in plain digits, without a leading zero"
            )
        return int(text.replace("_", ""))

    def plain_float(self, node: Any) -> Decimal:
        """A decimal number, exactly as it is written."""
        text = str(self._loader.construct_scalar(node))
        if text.lower().lstrip("+-") in (".inf", ".nan"):
            return Decimal(text.replace(".", ""))
        if not _REAL.fullmatch(text):
            raise self._refused(node, f"{text[:40]} is not a plain number", "write it in plain digits, such as 90.5")
        return Decimal(text.replace("_", ""))

    def plain_timestamp(self, node: Any) -> date:
        """A day or a moment that is in the calendar."""
        try:
            found: date = self._loader.construct_yaml_timestamp(node)
        except (ValueError, OverflowError):
            raise self._refused(node, f"{node.value} is not in the calendar", "mend it, or write it as text") from None
        return found

    @property
    def _loader(self) -> Any:
        """This, as the loader it is mixed into."""
        return self
