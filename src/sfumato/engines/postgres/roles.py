"""Who asks, and who registers: a role that can only read, and one that writes in a schema of ours alone."""

from typing import Any

from sfumato.errors import InvalidDeclaration

_MINE = "pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')"
"""The roles r that somebody is, or may become by SET ROLE whether they inherit or not."""
_POWERS = f"""
    SELECT bool_or(r.rolsuper), bool_or(r.rolcreatedb), bool_or(r.rolcreaterole), bool_or(r.rolreplication),
           bool_or(r.rolbypassrls), bool_or(pg_catalog.has_database_privilege(r.oid, current_database(), 'CREATE'))
    FROM pg_catalog.pg_roles r WHERE {_MINE}
"""
_NAMES = ("is a superuser", "can make databases", "can make roles", "can replicate", "passes row security by",
          "can make schemas")  # fmt: skip
_WRITES = f"""
    SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname <> 'pg_catalog'
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_toast%%' AND n.nspname NOT LIKE 'pg\\_temp%%'
    AND n.nspname <> %(schema)s AND EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE {_MINE} AND CASE
        WHEN c.relowner = r.oid THEN TRUE
        WHEN c.relkind = 'S' THEN pg_catalog.has_sequence_privilege(r.oid, c.oid, 'USAGE, UPDATE')
        ELSE pg_catalog.has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
             OR pg_catalog.has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE') END) LIMIT 1
"""
_MAKES = f"""
    SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_temp%%'
    AND n.nspname NOT LIKE 'pg\\_toast%%' AND n.nspname <> %(schema)s AND EXISTS (SELECT 1 FROM pg_catalog.pg_roles r
        WHERE {_MINE} AND pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE')) LIMIT 1
"""
_SERVER = (
    "SELECT pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER') FROM pg_catalog.pg_roles r WHERE r.rolname = ANY(%s)"
)
_PREDEFINED = ["pg_write_all_data", "pg_write_server_files", "pg_execute_server_program", "pg_maintain"]


def check_reads_only(connection: Any, *, where: str, schema: str = "") -> None:
    """Refuse a role that could change anything; a schema of ours may be left out, for whoever registers."""
    powers = connection.execute(_POWERS).fetchone()
    found = [name for name, has in zip(_NAMES, powers, strict=True) if has]
    if any(has for (has,) in connection.execute(_SERVER, [_PREDEFINED]).fetchall()):
        found.append("may write everywhere")
    for query, what in ((_WRITES, "can write into {}"), (_MAKES, "can make tables in the schema {}")):
        row = connection.execute(query, {"schema": schema}).fetchone()
        if row is not None:
            found.append(what.format(row[0]))
    if found:
        raise InvalidDeclaration(
            f"{where}: the role {'that registers' if schema else 'that asks'} {found[0]}",
            hint=_for_writers(schema) if schema else _FOR_READERS,
        )


_FOR_READERS = "name a role that can only read: CREATE ROLE curator LOGIN; GRANT USAGE ON SCHEMA …; GRANT SELECT ON …"


def _for_writers(schema: str) -> str:
    return (
        f"name one that reads the tables and may write in {schema} alone: GRANT USAGE, CREATE ON SCHEMA {schema} TO …"
    )
