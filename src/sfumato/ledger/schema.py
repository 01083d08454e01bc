"""Tables and how they change: a tuple of steps, each applied once, in order, for ever.

The tables are the same in both stores. Amounts are digits in text, because they have more of them than any
integer column; the CHECKs compare them as numbers. Entries cannot be changed or removed.
"""

from collections.abc import Callable
from functools import reduce

from sfumato.errors import LedgerUnavailable

APPLICATION_ID = 0x5F00A70  # marks an SQLite file as a ledger


_KEYED = (
    "open_keys",
    "closed_keys",
    "accounts",
    "failures",
    "declarations",
    "releases",
    "memberships",
    "registrations",
    "approvals",
)  # in SQLite: rows found by their key alone


def _number(column: str) -> str:
    """Digits only, and no zero in front unless it is the number."""
    stripped = f"length(ltrim({column}, '0123456789')) = 0"
    return f"{stripped} AND length({column}) BETWEEN 1 AND 200 AND ({column} = '0' OR substr({column}, 1, 1) <> '0')"


def _at_most(column: str, cap: str) -> str:
    """Two numbers without zeros in front compare by length, then as text."""
    return f"length({column}) < length({cap}) OR (length({column}) = length({cap}) AND {column} <= {cap})"


_TABLES = f"""
CREATE TABLE identity (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  name TEXT NOT NULL CHECK (length(name) = 32)
) STRICT;
CREATE TABLE entries (
  sequence BIGINT PRIMARY KEY CHECK (sequence >= 1),
  body TEXT NOT NULL CHECK (length(body) > 0),
  head TEXT NOT NULL CHECK (length(head) = 64)
) STRICT;
CREATE TABLE accounts (
  dataset TEXT NOT NULL CHECK (dataset <> ''),
  principal TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('', 'hour', 'day', 'month', 'year')),
  budget TEXT NOT NULL,
  turn TEXT NOT NULL,
  spent TEXT NOT NULL CHECK ({_number("spent")}),
  cap TEXT NOT NULL CHECK ({_number("cap")}),
  delta_spent TEXT NOT NULL CHECK ({_number("delta_spent")}),
  delta_cap TEXT NOT NULL CHECK ({_number("delta_cap")}),
  curve TEXT NOT NULL,
  PRIMARY KEY (dataset, principal, period),
  CHECK ({_at_most("spent", "cap")}),
  CHECK ({_at_most("delta_spent", "delta_cap")})
) STRICT;
CREATE TABLE open_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence BIGINT NOT NULL REFERENCES entries (sequence)
) STRICT;
CREATE TABLE closed_keys (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence BIGINT NOT NULL REFERENCES entries (sequence)
) STRICT;
INSERT INTO identity VALUES (1, '{{identity}}')
"""
_FAILURES = """
CREATE TABLE failures (
  dataset TEXT NOT NULL CHECK (dataset <> ''),
  principal TEXT NOT NULL,
  number BIGINT NOT NULL CHECK (number >= 1),
  PRIMARY KEY (dataset, principal)
) STRICT
"""  # how many questions failed since the owner last looked, of a principal and (principal '') of a dataset

_DECLARATIONS = """
CREATE TABLE declarations (
  dataset TEXT NOT NULL PRIMARY KEY CHECK (dataset <> ''),
  sequence BIGINT NOT NULL REFERENCES entries (sequence)
) STRICT
"""  # the entry that says what is declared of a dataset now


_BESIDE = """
CREATE TABLE releases (
  sequence BIGINT NOT NULL REFERENCES entries (sequence),
  part BIGINT NOT NULL CHECK (part >= 0),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 65536),
  PRIMARY KEY (sequence, part)
) STRICT;
CREATE TABLE memberships (
  dataset TEXT NOT NULL CHECK (dataset <> ''),
  whole TEXT NOT NULL CHECK (whole <> ''),
  sequence BIGINT NOT NULL REFERENCES entries (sequence),
  PRIMARY KEY (dataset, whole)
) STRICT;
CREATE TABLE registrations (
  dataset TEXT NOT NULL PRIMARY KEY CHECK (dataset <> ''),
  sequence BIGINT NOT NULL REFERENCES entries (sequence)
) STRICT;
CREATE TABLE approvals (
  name BLOB PRIMARY KEY CHECK (length(name) = 16),
  sequence BIGINT NOT NULL REFERENCES entries (sequence)
) STRICT
"""  # releases in pieces; the groups (`whole`) a dataset is in; the entries that hold for a dataset or a request now


def _sqlite(script: str) -> list[str]:
    kept = [
        statement.strip().replace("BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY").replace("BIGINT", "INTEGER")
        for statement in script.split(";\n")
    ]
    keyed = tuple(f"CREATE TABLE {name}" for name in _KEYED)
    return [text + ", WITHOUT ROWID" if text.startswith(keyed) else text for text in kept]


def _postgres(script: str) -> list[str]:
    return [statement.strip().removesuffix(" STRICT").replace(" BLOB ", " BYTEA ") for statement in script.split(";\n")]


def _sqlite_guards(table: str) -> list[str]:
    return [
        f"""CREATE TRIGGER {table}_never_{verb} BEFORE {verb.upper()} ON {table}
    BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"""
        for verb in ("update", "delete")
    ]


def _postgres_guard(table: str) -> str:
    return f"""CREATE TRIGGER {table}_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.ledger_refuse()"""


_POSTGRES_GUARDS = [
    """CREATE FUNCTION {schema}.ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$""",
    _postgres_guard("entries"),
    "CREATE TABLE turnstile ()",
]

_REFUSE = " BEGIN RAISE EXCEPTION 'the ledger is append-only'; END "
_CHECKED = {
    "identity": ("one", "name"),
    "entries": ("sequence", "body", "head"),
    "accounts": ("dataset", "period", "spent", "cap", "delta_spent", "delta_cap"),
    "open_keys": ("name",),
    "closed_keys": ("name",),
    "failures": ("dataset", "number"),
    "declarations": ("dataset",),
    "releases": ("part", "content"),
    "memberships": ("dataset", "whole"),
    "registrations": ("dataset",),
    "approvals": ("name",),
}
_REFERRING = ("open_keys", "closed_keys", "declarations", "releases", "memberships", "registrations", "approvals")
POSTGRES_GUARDS = """
SELECT relname, conname, contype::text, '' FROM pg_constraint JOIN pg_class t ON t.oid = conrelid
WHERE t.relnamespace = current_schema()::regnamespace AND contype IN ('c', 'f', 'p')
UNION ALL
SELECT relname, tgname, tgenabled::text || tgtype, prosrc
FROM pg_trigger JOIN pg_class t ON t.oid = tgrelid JOIN pg_proc p ON p.oid = tgfoid
WHERE t.relnamespace = current_schema()::regnamespace AND NOT tgisinternal
UNION ALL
SELECT tablename::name, rulename, 'rule', '' FROM pg_rules WHERE schemaname = current_schema()"""
"""What keeps the tables as they are: constraints, triggers (enabled, and when they fire), rules."""
POSTGRES_AS_MADE = frozenset(
    {(table, f"{table}_{column}_check", "c", "") for table, columns in _CHECKED.items() for column in columns}
    | {(table, f"{table}_pkey", "p", "") for table in _CHECKED}
    | {(table, f"{table}_sequence_fkey", "f", "") for table in _REFERRING}
    | {("accounts", f"accounts_check{n}", "c", "") for n in ("", "1")}
    # enabled; before update, delete and truncate
    | {(table, f"{table}_never_change", "O58", _REFUSE) for table in ("entries", "releases")}
)

Steps = tuple[list[str], ...]
SQLITE: Steps = (
    _sqlite(_TABLES) + _sqlite_guards("entries"),
    _sqlite(_FAILURES),
    _sqlite(_DECLARATIONS),
    _sqlite(_BESIDE) + _sqlite_guards("releases"),
)
POSTGRES: Steps = (
    _postgres(_TABLES) + _POSTGRES_GUARDS,
    _postgres(_FAILURES),
    _postgres(_DECLARATIONS),
    [*_postgres(_BESIDE), _postgres_guard("releases")],
)


def migrate(version: int, steps: Steps, run: Callable[[str], object], **words: str) -> int:
    """Apply the steps that a ledger of some version lacks; a ledger from the future is refused."""
    if version > len(steps):
        raise LedgerUnavailable(
            f"the ledger has schema version {version} and this program knows {len(steps)}",
            hint="use the newer program that wrote it",
        )
    for step in steps[version:]:
        for statement in step:
            run(reduce(lambda text, word: text.replace("{" + word + "}", words[word]), words, statement))
    return len(steps)
