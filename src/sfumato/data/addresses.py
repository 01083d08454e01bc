"""Addresses of databases and clusters, read strictly: nothing in them is guessed, and no password is taken or shown."""

import re

from sfumato.errors import InvalidDeclaration, shown

_LONGEST, _LONGEST_NAME, _MOST_PARTS = 1000, 128, 3
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_WHOLE = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]{0,30})://"
    r"(?:(?P<user>[A-Za-z0-9_.~!$&'()*+,;=%-]{1,200})@)?"
    r"(?P<host>[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,50}\])?"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[A-Za-z0-9_.~%/-]*)?"
    r"(?:\?(?P<options>[A-Za-z0-9_.~%/=&,-]*))?"
)
_FOLDER = re.compile(r"/[A-Za-z0-9_.~%/=-]{1,500}")
"""A folder of Parquet files, by its whole path."""
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PASSWORD = re.compile(r"(password|passwd|passphrase|pwd)\s*=", re.IGNORECASE)
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.*:.*@", re.DOTALL)
"""An address without its slashes: scheme, somebody, something, and where."""
OPTIONS = ("application_name", "connect_timeout", "host", "port", "sslmode", "sslrootcert", "target_session_attrs")
"""What may stand behind the question mark: a closed list, in which nothing is secret."""


def relation_name(where: str, name: str) -> str:
    """The name of a relation, with a schema before it or none; what no database could be asked for is refused."""
    if name.startswith("/") and _FOLDER.fullmatch(name):
        return name
    parts = name.split(".")
    if len(parts) > _MOST_PARTS or not all(_is_name(part) for part in parts):
        raise InvalidDeclaration(
            f"{where} must be a name, with a schema before it or none{_shown(name)}",
            hint='for example relation = "clinic.visits"',
        )
    return name


def _is_name(part: str) -> bool:
    plain = part.isprintable() and part == part.strip() and not any(sign in part for sign in "\"'`\\")
    return plain and 1 <= len(part) <= _LONGEST_NAME


def _shown(name: str) -> str:
    return "" if has_password(name) else f": {shown(name)}"


def is_address(text: str) -> bool:
    """Whether a source is meant as an address, well written or not.

    >>> is_address("postgresql://db/clinic"), is_address("visits.parquet"), is_address("postgresql:/ada:secret@db")
    (True, False, True)
    """
    return "://" in text or _ADDRESS.match(text) is not None


def has_password(text: str) -> bool:
    """Whether a text has a password in it, or something like one: such a text is shown nowhere.

    >>> has_password("postgresql://ada:secret@db/clinic"), has_password("postgresql://ada@db/clinic")
    (True, False)
    """
    asks = text.partition("//")[2].rpartition("@")[0].lower()
    return ":" in asks or "%3a" in asks or _PASSWORD.search(text) is not None or _BARE.match(text) is not None


def check_no_password(where: str, text: str, entry: str = "source") -> None:
    """Refuse an entry of a declaration that has a password in it, without a word of it."""
    if has_password(text):
        raise InvalidDeclaration(
            f"{where} has a password in it, or something like one",
            hint=f'write {entry} = "postgresql://ada@host/db", and the password in ~/.pgpass or PGPASSWORD',
        )


def address(where: str, text: str) -> str:
    """The address, if it is one; an error shows the word before :// at most."""
    check_no_password(where, text)
    found = _WHOLE.fullmatch(text) if len(text) <= _LONGEST and not _BARE_PERCENT.search(text) else None
    if found is None or not (found["host"] or found["path"]) or not 0 < int(found["port"] or 1) < 2**16:
        raise InvalidDeclaration(
            f"{where} is not an address that can be read",
            hint='for example source = "postgresql://ada@db.example:5432/clinic", other signs as %20 and the like',
        )
    for option in filter(None, (found["options"] or "").split("&")):
        if option.partition("=")[0] not in OPTIONS:
            raise InvalidDeclaration(
                f"{where} has an option behind its ? that nothing reads", hint=f"known: {', '.join(OPTIONS)}"
            )
    return text
