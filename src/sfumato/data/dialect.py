"""How a file of separated values is written: said by the owner, or RFC 4180; never guessed from its lines."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import InvalidDeclaration

_KNOWN = ("separator", "quote", "encoding")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The one character between fields, the one around them, and the encoding."""

    separator: str = ","
    quote: str = '"'
    encoding: str = "utf-8"

    @classmethod
    def declared(cls, where: str, given: Any, *, tabs: bool = False) -> "Dialect":
        """The dialect that a table of the declaration writes down; of a .tsv file, tabs unless it is said."""
        hint = 'for example dialect = { separator = ";", quote = "\'", encoding = "latin-1" }'
        if not isinstance(given, Mapping):
            raise InvalidDeclaration(f"{where} dialect must be a table: {given!r}", hint=hint)
        for name, value in given.items():
            if name not in _KNOWN:
                raise InvalidDeclaration(f"{where} dialect has an unknown entry `{name}`", hint=hint)
            if not isinstance(value, str):
                raise InvalidDeclaration(f"{where} dialect {name} must be text: {value!r}", hint=hint)
        made = cls(**{"separator": "\t" if tabs else ",", **given})
        return made._checked(where, hint)

    def _checked(self, where: str, hint: str) -> "Dialect":
        for name in ("separator", "quote"):
            value: str = getattr(self, name)
            if len(value) != 1 or not value.isascii() or value in "\r\n\0" or value.isalnum():
                raise InvalidDeclaration(f"{where} dialect {name} must be one ASCII sign: {value!r}", hint=hint)
        if self.separator == self.quote:
            raise InvalidDeclaration(f"{where} dialect separator and quote are the same: {self.quote!r}", hint=hint)
        try:
            name = codecs.lookup(self.encoding).name
            "a,\n".encode(name)
        except (LookupError, ValueError, TypeError):
            raise InvalidDeclaration(f"{where} dialect: unknown encoding {self.encoding!r}", hint=hint) from None
        return Dialect(self.separator, self.quote, name)
