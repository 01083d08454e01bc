"""How a file of separated values is written: said by the owner, or RFC 4180; never guessed from its lines."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sfumato.data.entries import said, text
from sfumato.errors import InvalidDeclaration

_KNOWN = ("separator", "quote", "encoding", "decimal")
_ENCODINGS = (
    "ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be",
    "iso8859", "cp", "koi8", "mac", "shift_jis", "euc_", "gbk", "gb2312", "gb18030", "big5",
)  # fmt: skip
"""Those in which a line end is a line end, whatever stands before it."""


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """The one character between fields, the one around them, the encoding, and the sign before a number's fraction."""

    separator: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    decimal: str = "."

    @classmethod
    def declared(cls, where: str, given: Any, *, tabs: bool = False) -> "CsvDialect":
        """The dialect that a table of the declaration writes down; of a .tsv file, tabs unless it is said."""
        hint = 'for example dialect = { separator = ";", encoding = "latin-1", decimal = "," }'
        if not isinstance(given, Mapping):
            raise InvalidDeclaration(f"{where} dialect must be a table: {said(given)}", hint=hint)
        for name, value in given.items():
            if name not in _KNOWN:
                raise InvalidDeclaration(f"{where} dialect has an unknown entry `{name}`", hint=hint)
            text(f"{where} dialect {name}", value, hint)
        made = cls(**{"separator": "\t" if tabs else ",", **given})
        return made._checked(where, hint)

    def _checked(self, where: str, hint: str) -> "CsvDialect":
        if self.decimal not in (".", ","):
            raise InvalidDeclaration(f"{where} dialect decimal must be . or ,: {said(self.decimal)}", hint=hint)
        for name in ("separator", "quote"):
            value: str = getattr(self, name)
            if len(value) != 1 or not value.isascii() or value in "\r\n\0" or value.isalnum():
                raise InvalidDeclaration(f"{where} dialect {name} must be one ASCII sign: {said(value)}", hint=hint)
        if self.quote == " ":  # readers leave out blanks before a quote, and would take it for one
            raise InvalidDeclaration(
                f"{where} dialect quote must be a sign that can be seen: {said(self.quote)}", hint=hint
            )
        if self.separator == self.quote:
            raise InvalidDeclaration(f"{where} dialect separator and quote are the same: {said(self.quote)}", hint=hint)
        try:
            name = codecs.lookup(self.encoding).name
            known = name in _ENCODINGS or name.startswith(_ENCODINGS[9:])
            if not known or "a,\n".encode(name).decode(name) != "a,\n":
                raise LookupError
        except (LookupError, ValueError, TypeError):
            raise InvalidDeclaration(f"{where} dialect: unknown encoding {said(self.encoding)}", hint=hint) from None
        return replace(self, encoding=name)
