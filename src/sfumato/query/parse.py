"""SQL text into one checked SELECT: capped in size and depth first, one statement, nothing that is not listed."""

from typing import Any

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from sfumato.errors import InvalidQuestion

MOST_CHARACTERS = 20_000
MOST_TOKENS = 4_000
MOST_DEPTH = 120

_CLOSERS = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
    TokenType.L_BRACE: TokenType.R_BRACE,
}
_FORBIDDEN: dict[type, tuple[str, str]] = {
    exp.Window: ("window functions are not answered", "ask for aggregates with GROUP BY"),
    exp.Qualify: ("QUALIFY is not answered", "use HAVING on aggregates"),
    exp.Exists: ("EXISTS (…) is not answered", "join along the person instead"),
    exp.TableSample: ("samples are not taken", "leave TABLESAMPLE out"),
    exp.Lateral: ("lateral joins are not answered", "join along the person instead"),
    exp.Placeholder: ("parameters are not filled in", "write the value"),
    exp.Parameter: ("parameters are not filled in", "write the value"),
}


def parse(text: object) -> tuple[exp.Expression, str]:
    """The one SELECT (or UNION ALL in FROM) of a text; everything else is refused."""
    if not isinstance(text, str):
        raise InvalidQuestion("a question is SQL text", hint='session.sql("SELECT COUNT(*) FROM …", epsilon=0.5)')
    if len(text) > MOST_CHARACTERS:
        raise InvalidQuestion(f"the question is longer than {MOST_CHARACTERS} characters", hint="ask in parts")
    if not text.isprintable() and any(_unwritable(character) for character in text):
        raise InvalidQuestion("the question holds characters that are not text", hint="remove control characters")
    try:
        tokens = sqlglot.tokenize(text, read="duckdb")
        if len(tokens) > MOST_TOKENS:
            raise InvalidQuestion(f"the question has more than {MOST_TOKENS} words", hint="ask in parts")
        parsed = sqlglot.parse(text, read="duckdb")
    except SqlglotError as error:
        raise _not_sql(error) from None
    except RecursionError:
        raise _too_deep() from None
    statements = [each for each in parsed if each is not None]
    if len(statements) != 1:
        raise InvalidQuestion(
            f"one SELECT is answered at a time, found {len(statements)} statements",
            line=1,
            column=1,
            hint="ask one SELECT",
        )
    root = statements[0]
    while type(root) is exp.Subquery and not root.args.get("alias"):
        root = root.this
    match root:
        case exp.Select():
            _check(root, text)
            return root, text
        case exp.Union():
            hint = "put it in FROM (…) and aggregate over it"
            raise refused("a UNION at the top is not answered", root, text, hint=hint)
        case _:
            found = text.split(None, 1)[0].upper() if text.split() else "nothing"
            raise InvalidQuestion(f"only SELECT is answered, found {found[:40]}", line=1, column=1, hint="ask a SELECT")


def stands_alone(name: str, text: object) -> str:
    """A piece of a question that closes what it opens, and nothing else; then nothing around it can be closed by it."""
    if not isinstance(text, str):
        raise InvalidQuestion(f"{name} takes SQL text", hint='such as "day < 9"')
    if len(text) > MOST_CHARACTERS:
        raise InvalidQuestion(f"{name} is longer than {MOST_CHARACTERS} characters", hint="ask in parts")
    try:
        tokens = sqlglot.tokenize(text, read="duckdb")
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


def _unwritable(character: str) -> bool:
    """Whether a character is a control character that separates nothing, or half of one."""
    return (character < " " and character not in "\t\n\r\f\v") or "\ud800" <= character <= "\udfff"


def _check(root: exp.Expression, text: str) -> None:
    """Depth, and the nodes no clause may hold; iterative, so that depth cannot exhaust the stack."""
    waiting = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise _too_deep()
        for kind in type(node).__mro__:
            if kind in _FORBIDDEN:
                problem, hint = _FORBIDDEN[kind]
                raise refused(problem, node, text, hint=hint)
        for child in node.iter_expressions():
            chained = type(node) in (exp.And, exp.Or) and type(child) is type(node)
            waiting.append((child, depth if chained else depth + 1))


def _too_deep() -> InvalidQuestion:
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
    starts: list[int] = []
    while around is not None and not starts:
        starts = [each.meta["start"] for each in around.walk() if "start" in each.meta]
        around = around.parent
    if not starts:
        return 1, 1
    before = text[: min(starts)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def refused(problem: str, node: exp.Expression, text: str, *, hint: str = "") -> InvalidQuestion:
    """The refusal of a node, with its place."""
    line, column = place(node, text)
    return InvalidQuestion(problem, line=line, column=column, hint=hint)


def only(node: exp.Expression, text: str, *known: str) -> None:
    """Refuse a node that carries anything besides the known parts: what is not understood is not ignored."""
    for name, value in node.args.items():
        if name not in known and value not in (None, False, []) and not (isinstance(value, str) and name == "over"):
            clause = name.rstrip("_").replace("_", " ").upper()
            where = value if isinstance(value, exp.Expression) else node
            raise refused(f"{clause} is not answered in {word(node)}", where, text, hint="leave it out")


def word(node: exp.Expression) -> str:
    """What a node is called in a question."""
    if type(node) is exp.Anonymous:
        return f"{str(node.this).upper()}(…)"
    if isinstance(node, exp.Func):
        return f"{node.sql_name()}(…)"
    return {"Subquery": "a subquery", "Table": "FROM"}.get(type(node).__name__, type(node).__name__.upper())


def sql_of(node: exp.Expression) -> str:
    """A node as text, short, for names of columns."""
    return node.sql(dialect="duckdb", comments=False)[:60]
