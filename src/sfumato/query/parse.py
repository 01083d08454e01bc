"""SQL text into one checked SELECT: capped in size and depth first, one statement, nothing that is not listed."""

import logging
import re
from typing import Any

from sqlglot import Dialect, TokenType, exp
from sqlglot.errors import SqlglotError

from sfumato.errors import InvalidQuestion
from sfumato.query.dialects import DIALECT, DIALECTS, reader_of
from sfumato.query.rewritten import rewrite

logging.getLogger("sqlglot").addHandler(logging.NullHandler())  # what a parser warns of is refused in our words

MOST_CHARACTERS = 20_000
MOST_TOKENS = 4_000
MOST_DEPTH = 120

_NOT_TEXT = "the question holds characters that are not text"
_CLOSERS = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
    TokenType.L_BRACE: TokenType.R_BRACE,
}
_INSTEAD = {
    "distinct": "SELECT DISTINCT takes the keys: SELECT DISTINCT x, or GROUP BY x; COUNT(DISTINCT x) counts them",
    "all": "name the columns",
    "position": "TRIM(x) cuts both sides",
}
_CLAUSES = {
    "db": "a schema", "catalog": "a database", "except_": "EXCLUDE", "pivots": "PIVOT", "locks": "FOR UPDATE",
    "when": "AT (…)", "limit_options": "PERCENT or WITH TIES", "decimals": "a number of digits",
    "truncate": "a third operand", "position": "one side alone", "on": "ON",
}  # fmt: skip
"""Parts of a node by the words of SQL, where the parser has others."""
_NODES = {
    "Subquery": "a subquery", "Table": "FROM", "CTE": "WITH", "Column": "a column", "Star": "*", "Group": "GROUP BY",
    "Order": "ORDER BY", "Ordered": "ORDER BY", "GroupingSets": "GROUPING SETS", "Tuple": "(x, y)", "Bracket": "x[…]",
    "Struct": "{…}", "Array": "[…]", "ToMap": "MAP", "Lambda": "->", "SimilarTo": "SIMILAR TO", "RegexpLike": "~",
    "BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "XOR", "BitwiseNot": "~", "BitwiseLeftShift": "<<",
    "BitwiseRightShift": ">>", "IgnoreNulls": "IGNORE NULLS", "RespectNulls": "RESPECT NULLS", "Collate": "COLLATE",
    "LimitOptions": "FETCH",
}  # fmt: skip
"""Nodes by the words of SQL."""
_FORBIDDEN = {
    exp.Window: ("window functions are not answered", "ask for aggregates with GROUP BY"),
    exp.Qualify: ("QUALIFY is not answered", "use HAVING on aggregates"),
    exp.Exists: ("EXISTS (…) is not answered", "join along the person instead"),
    exp.TableSample: ("samples are not taken", "leave TABLESAMPLE out"),
    exp.Lateral: ("lateral joins are not answered", "join along the person instead"),
    exp.Placeholder: ("parameters are not filled in", "write the value"),
    exp.Parameter: ("parameters are not filled in", "write the value"),
}


def parse(text: object, dialect: str = DIALECT) -> tuple[exp.Select, str]:
    """The one SELECT (or UNION ALL in FROM) of a text in a dialect; everything else is refused."""
    reader, written = reader_of(dialect), _readable(text)
    root = _one_select(_statements(written, reader), written)
    _check(root, written, dialect)
    rewrite(root)
    return root, written


def _readable(text: object) -> str:
    """The text, if it is one of a size and of characters that are read."""
    if not isinstance(text, str):
        raise InvalidQuestion("a question is SQL text", hint='session.sql("SELECT COUNT(*) FROM …", epsilon=0.5)')
    if len(text) > MOST_CHARACTERS:
        raise InvalidQuestion(f"the question is longer than {MOST_CHARACTERS} characters", hint="ask in parts")
    if not _is_written(text):
        raise InvalidQuestion(_NOT_TEXT, hint="remove control characters")
    return text


def _statements(text: str, reader: Dialect) -> list[Any]:
    try:
        words = reader.tokenize(text)
        if len(words) > MOST_TOKENS:
            raise InvalidQuestion(f"the question has more than {MOST_TOKENS} words", hint="ask in parts")
        for each in words:  # sqlglot lets comments write into what it notes of nodes, such as their places
            each.comments.clear()
        return [each for each in reader.parser().parse(words, text) if each is not None]
    except SqlglotError as error:
        raise _not_sql(error) from None
    except RecursionError:
        raise too_deep() from None


def _one_select(statements: list[Any], text: str) -> exp.Select:
    if len(statements) != 1:
        raise InvalidQuestion(f"one SELECT is answered at a time, found {len(statements)} statements",
                              line=1, column=1, hint="ask one SELECT")  # fmt: skip
    root = statements[0]
    while type(root) is exp.Subquery and not root.alias:
        root = root.this
    match root:
        case exp.Select():
            return root
        case exp.Union():
            raise refused("a UNION at the top is not answered", root, text,
                          hint="put it in FROM (…) and aggregate over it")  # fmt: skip
        case exp.Except() | exp.Intersect():
            raise refused(f"{word(root, text)} is not answered", root, text, hint="use WHERE, or join along the person")
        case _:
            found = text.split(None, 1)[0].upper()[:40]
            raise InvalidQuestion(f"only SELECT is answered, found {found}", line=1, column=1, hint="ask a SELECT")


def stands_alone(name: str, text: object, dialect: str = DIALECT) -> str:
    """A piece of a question that closes what it opens, and nothing else; then nothing around it can be closed by it."""
    if not isinstance(text, str):
        raise InvalidQuestion(f"{name} takes SQL text", hint='such as "day < 9"')
    if len(text) > MOST_CHARACTERS:
        raise InvalidQuestion(f"{name} is longer than {MOST_CHARACTERS} characters", hint="ask in parts")
    try:
        tokens = reader_of(dialect).tokenize(text)
    except SqlglotError as error:
        raise _not_sql(error) from None
    if any(token.comments for token in tokens):
        raise InvalidQuestion(f"{name} holds a comment: {text[:60]}", hint="leave it out")
    open_ones: list[TokenType] = []
    for token in tokens:
        if token.token_type in _CLOSERS:
            open_ones.append(token.token_type)
        elif token.token_type in _CLOSERS.values():
            if not open_ones or _CLOSERS[open_ones.pop()] is not token.token_type:
                raise InvalidQuestion(f"{name} closes what it did not open: {text[:60]}", hint="balance its brackets")
        elif token.token_type is TokenType.SEMICOLON:
            raise InvalidQuestion(f"{name} is one piece of a question: {text[:60]}", hint="leave the semicolon out")
    if open_ones or not tokens:
        problem = "does not close what it opens" if open_ones else "is empty"
        raise InvalidQuestion(f"{name} {problem}: {text[:60]}", hint="balance its brackets")
    return text


def _is_written(text: str) -> bool:
    """Whether a text has no control characters but those that separate, and no halves of characters."""
    return text.isprintable() or not any(
        (each < " " and each not in "\t\n\r\f\v") or "\ud800" <= each <= "\udfff" for each in text
    )


def _check(root: exp.Expression, text: str, dialect: str) -> None:
    """Depth, and the nodes no clause may hold; iterative, so that depth cannot exhaust the stack."""
    waiting = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise too_deep()
        for rule in (_forbidden, _unwritten, *DIALECTS[dialect]):
            found = rule(node)
            if found is not None:
                raise refused(found[0], node, text, hint=found[1])
        for child in node.iter_expressions():
            chained = type(node) in (exp.And, exp.Or) and type(child) is type(node)
            waiting.append((child, depth if chained else depth + 1))


def _forbidden(node: exp.Expression) -> tuple[str, str] | None:
    for kind, said in _FORBIDDEN.items():
        if isinstance(node, kind):
            return said
    return None


def _unwritten(node: exp.Expression) -> tuple[str, str] | None:
    """Some dialects write characters by escapes: those that no text may hold, no word of it may hold either."""
    written = type(node) not in (exp.Literal, exp.Identifier) or _is_written(node.name)
    return None if written else (_NOT_TEXT, "remove escapes")


def too_deep() -> InvalidQuestion:
    """The refusal of a question that nests too deeply."""
    return InvalidQuestion("the question is nested too deeply", hint="ask in parts")


def _not_sql(error: SqlglotError) -> InvalidQuestion:
    found = getattr(error, "errors", None) or [{}]
    first = found[0]
    said = str(first.get("description") or "")
    return InvalidQuestion(
        f"the question is not SQL: {said if said and '<' not in said else 'it could not be read'}",
        line=first.get("line"),
        column=first.get("col"),
        hint="see docs/sql.md for what is answered",
    )


def place(node: exp.Expression, text: str) -> tuple[int | None, int | None]:
    """Line and column of the first word of a node, or of what it stands in, from 1 on."""
    around: Any = node
    found: dict[str, int] = {}
    while around is not None and not found:
        found = first_word(around)
        around = around.parent
    if not found:
        return 1, 1
    before = text[: found["start"]]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def first_word(node: exp.Expression) -> dict[str, int]:
    """Where the first word of a node stands in the text, as its parser noted it; empty if no word of it has a place."""
    noted = [each.meta for each in node.walk() if "start" in each.meta]
    return dict(min(noted, key=lambda meta: int(meta["start"]))) if noted else {}


def refused(problem: str, node: exp.Expression, text: str, *, hint: str = "") -> InvalidQuestion:
    """The refusal of a node, with its place."""
    line, column = place(node, text)
    return InvalidQuestion(problem, line=line, column=column, hint=hint)


def only(node: exp.Expression, text: str, *known: str) -> None:
    """Refuse a node that carries anything besides the known parts: what is not understood is not ignored."""
    for name, value in node.args.items():
        if name not in known and value not in (None, False, []) and not (name == "over" and type(value) is str):
            clause = _CLAUSES.get(name, name.rstrip("_").replace("_", " ").upper())
            where = value if isinstance(value, exp.Expression) else node
            hint = _INSTEAD.get(name, "leave it out")
            raise refused(f"{clause} is not answered in {word(node, text)}", where, text, hint=hint)


def word(node: exp.Expression, text: str = "") -> str:
    """What a node is called in a question: a function as it is written there, if that can be found."""
    if type(node) is exp.Anonymous:
        return f"{str(node.this).upper()}(…)"
    written = _written_name(node, text) if isinstance(node, exp.Func) else ""
    name = type(node).__name__
    if not written and name in _NODES:
        return _NODES[name]
    return f"{written or node.sql_name()}(…)" if isinstance(node, exp.Func) else name.upper()


def _written_name(node: exp.Expression, text: str) -> str:
    """The name before a function's bracket, if its first word is that name or stands behind the bracket."""
    found = first_word(node)
    at = found.get("start", -1)
    here = re.match(r"(\w+)\s*\(", text[at:]) if at >= 0 else None
    found_name = here or (re.search(r"(\w+)\s*\(\s*$", text[:at]) if at >= 0 else None)
    return found_name[1].upper()[:40] if found_name else ""


def sql_of(node: exp.Expression) -> str:
    """A node as text, short, for names of columns."""
    return node.sql(dialect=DIALECT, comments=False)[:60]


def whole_number(node: exp.Expression) -> int | None:
    """The number that a node writes in digits, if it is a small one."""
    digits = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def without_alias(node: exp.Expression) -> exp.Expression:
    """What an alias stands for, or the node itself."""
    inner: exp.Expression = node.this if type(node) is exp.Alias else node
    return inner


def name_of(node: exp.Expression) -> str:
    """What a column of SELECT is called: its alias, the column it is, or its text."""
    inner = without_alias(node)
    return node.alias or (inner.name if type(inner) is exp.Column else sql_of(inner))
