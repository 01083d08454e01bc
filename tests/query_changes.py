"""Small changes of the question's room, one at a time: what `query_mutants` makes and tests should notice.

A comparison is turned or moved by one, a condition is always or never met, one of several is left out, + is -, min is
max, a check is not made, a method is its parent's, SQL counts other rows. Words for people are left alone.
"""

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOM = Path(__file__).parents[1] / "src" / "sfumato" / "query"
MODULES = (
    "price", "priced", "bounds", "contributions", "weights", "measured", "measures/*", "reach", "plan", "joins", "unions",
    "relations", "per_person", "person_aggregates", "own_kinds", "fields", "planted", "over_released", "aggregates/*",
    "passes/*",
)  # fmt: skip

FLIPPED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
CALLED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "sum": "max", "prod": "sum", "ceil": "floor",
    "floor": "ceil", "sqrt_up": "sqrt_down", "sqrt_down": "sqrt_up", "abs": "int", "sorted": "list", "set": "list",
}  # fmt: skip
DROPPED = {"lower", "upper", "copy"}  # x.lower() -> x
IN_SQL = (
    (" AND ", " OR "), (" < ", " <= "), (" > ", " >= "), (" > 0", " > 1"), (" * ", " + "), (" - ", " + "), (" / ", " * "),
    ("THEN 1", "THEN 2"), ("count(", "sum("), ("sum(", "count("), ("DISTINCT ", ""), ("(*)", "(p)"), (" = 1", " = 2"),
    ("min(", "max("), ("max(", "min("), (", 0)", ", 1)"), ("TRUE", "FALSE"),
)  # fmt: skip
LEFT_ALONE = {"refused", "assert_never", "TypeVar", "deque", "dataclass", "InvalidQuestion"}
WORDS = {"hint", "words", "problem", "shown", "__all__"}


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the function it is in, its line and words, and what is put where in its tree."""

    module: str
    within: str
    line: int
    change: str
    at_import: bool
    """Whether it is in what is computed as the module is imported, and not in a function."""
    whole: ast.Module
    place: tuple[tuple[str, int | None], ...] = ()
    put: ast.AST | None = None

    def tree(self) -> ast.Module:
        """The module's tree with the change; without a place as it is."""
        made = copy.deepcopy(self.whole)
        if self.place:
            holder, (name, at) = _at(made, self.place[:-1]), self.place[-1]
            if at is None:
                setattr(holder, name, copy.deepcopy(self.put))
            else:
                getattr(holder, name)[at] = copy.deepcopy(self.put)
        return ast.fix_missing_locations(made)

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is listed by."""
        return self.module, self.within, self.change

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line} {self.within}: {self.change}"


@dataclass(frozen=True)
class _Site:
    path: tuple[tuple[str, int | None], ...]
    within: str
    at_import: bool


def paths(words: Sequence[str] = ()) -> list[Path]:
    """The modules that are changed."""
    found = [path for name in MODULES for path in sorted(ROOM.glob(f"{name}.py"))]
    return [path for path in found if not words or any(word in name_of(path) for word in words)]


def name_of(path: Path) -> str:
    """A module's name within the room."""
    return str(path.relative_to(ROOM).with_suffix(""))


def mutants(path: Path, known: "Ancestors | None" = None) -> Iterator[Mutant]:
    """Every change of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for site in _sites(tree):
        node = _at(tree, site.path)
        for put in _changes(node, site, tree, known or Ancestors([tree])):
            change = f"{_shown(node)} -> {_shown(put)}"
            yield Mutant(name_of(path), site.within, node.lineno, change, site.at_import, tree, site.path, put)


def _shown(node: ast.AST) -> str:
    if isinstance(node, ast.Pass):
        return "nothing"
    if isinstance(node, ast.FunctionDef):
        return f"def {node.name}"
    return ast.unparse(node).partition("\n")[0][:150]


def _at(tree: ast.AST, path: Iterable[tuple[str, int | None]]) -> Any:
    node: Any = tree
    for name, at in path:
        node = getattr(node, name) if at is None else getattr(node, name)[at]
    return node


def _sites(tree: ast.Module) -> Iterator[_Site]:
    """Every place of the tree that may be changed, from the outside in."""

    def inside(
        node: ast.AST, path: tuple[tuple[str, int | None], ...], within: str, at_import: bool
    ) -> Iterator[_Site]:
        for name, value in ast.iter_fields(node):
            if _is_left_alone(node, name):
                continue
            many = isinstance(value, list)
            for at, each in enumerate(value if many else [value]):
                if not isinstance(each, ast.AST) or _is_words(each):
                    continue
                here = (*path, (name, at if many else None))
                late = isinstance(node, ast.FunctionDef | ast.Lambda) and name == "body"
                yield _Site(here, within, at_import and not late)
                named = each.name if isinstance(each, ast.FunctionDef | ast.ClassDef) else ""
                yield from inside(each, here, ".".join(filter(None, (within, named))), at_import and not late)

    yield from inside(tree, (), "", True)


def _is_left_alone(node: ast.AST, name: str) -> bool:
    """Whether a field holds no computation: types, decorators, and what only type checkers read."""
    if name in ("annotation", "returns", "decorator_list", "type_params", "ctx", "type_comment"):
        return True
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _is_words(node: ast.AST) -> bool:
    """Whether a node is for people, or for those who read types."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Raise() | ast.Assert() | ast.Delete():
            words = True
        case ast.Expr(value=ast.Constant()) | ast.Subscript(value=ast.Name(id="Callable")):
            words = True
        case (
            ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))
            | ast.Expr(value=ast.Call(func=ast.Name(id=name)))
        ):
            words = name in LEFT_ALONE
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            words = name in WORDS or name.startswith(("_BOUND", "HINT"))
        case ast.keyword(arg=name):
            words = name in WORDS
        case ast.ClassDef(bases=bases):
            words = any(ast.unparse(base) == "Protocol" for base in bases)
        case _:
            words = False
    return words


def _changes(node: Any, site: _Site, tree: ast.Module, known: "Ancestors") -> Iterator[ast.AST]:
    """What may stand in a node's place."""
    field, holder = site.path[-1][0], _at(tree, site.path[:-1])
    if type(node) in CHANGES:
        yield from CHANGES[type(node)](node)
    if isinstance(node, ast.Constant):
        yield from _constants(node.value, in_text=isinstance(holder, ast.JoinedStr))
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and _is_list(holder, field, site):
        yield from _shorter(node)
    if isinstance(node, ast.FunctionDef) and isinstance(holder, ast.ClassDef) and known.concrete(holder, node.name):
        yield ast.Pass()
    if isinstance(node, ast.expr) and field in ("test", "ifs", "guard") and not isinstance(holder, ast.IfExp):
        yield ast.Constant(True)
        yield ast.Constant(False)


def _is_list(holder: ast.AST, field: str, site: _Site) -> bool:
    """Whether a tuple is a list of alike things rather than a record."""
    if isinstance(holder, ast.Compare) or (isinstance(holder, ast.Call) and field == "args"):
        return True
    return site.at_import and isinstance(holder, ast.Assign | ast.AnnAssign | ast.keyword)


def _compared(node: ast.Compare) -> Iterator[ast.Compare]:
    for i, op in enumerate(node.ops):
        for other in FLIPPED.get(type(op), ()):
            yield ast.Compare(node.left, [*node.ops[:i], other(), *node.ops[i + 1 :]], node.comparators)


def _constants(value: object, *, in_text: bool) -> Iterator[ast.Constant]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value == 1:
            yield ast.Constant(0)
    elif isinstance(value, str):
        sql = [value.replace(old, new) for old, new in IN_SQL if old in value]
        yield from (ast.Constant(each) for each in sql)
        if not sql and not in_text and value:
            yield ast.Constant(f"{value}_")
        elif not sql and in_text and len(value) == 1 and value.isalpha():  # a column's letter, before its number
            yield ast.Constant(chr(ord(value) + 1))


def _called(node: ast.Call) -> Iterator[ast.AST]:
    match node.func:
        case ast.Name(id=name) if name in CALLED:
            rest = [] if name == "sorted" else node.keywords
            yield ast.Call(ast.Name(CALLED[name], ast.Load()), node.args, rest)
        case ast.Attribute(attr=name, value=value) if name in DROPPED and not node.args:
            yield value


def _either(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for i in range(len(node.values)):
        rest = node.values[:i] + node.values[i + 1 :]
        yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]


def _signed(node: ast.UnaryOp) -> Iterator[ast.expr]:
    if isinstance(node.op, ast.Not):
        yield ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    elif isinstance(node.op, ast.USub):
        yield node.operand


def _computed(node: ast.BinOp) -> Iterator[ast.expr]:
    if type(node.op) in COMPUTED:
        yield ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)


def _added(node: ast.AugAssign) -> Iterator[ast.stmt]:
    if type(node.op) in COMPUTED:
        yield ast.AugAssign(node.target, COMPUTED[type(node.op)](), node.value)


def _chosen(node: ast.IfExp) -> Iterator[ast.expr]:
    yield from (node.body, node.orelse)


def _left_out(node: ast.Expr) -> Iterator[ast.stmt]:
    if isinstance(node.value, ast.Call):
        yield ast.Pass()


def _shorter(node: ast.List | ast.Tuple) -> Iterator[ast.expr]:
    if len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
        yield from (type(node)(node.elts[:i] + node.elts[i + 1 :], ast.Load()) for i in range(len(node.elts)))


CHANGES: dict[type[ast.AST], Callable[[Any], Iterator[ast.AST]]] = {
    ast.Compare: _compared, ast.BoolOp: _either, ast.UnaryOp: _signed, ast.BinOp: _computed, ast.AugAssign: _added,
    ast.IfExp: _chosen, ast.Call: _called, ast.Expr: _left_out, ast.List: _shorter,
}  # fmt: skip
"""What may stand in the place of a node of a type."""


class Ancestors:
    """Which classes of the room are made of which, and which methods they have."""

    def __init__(self, trees: Iterable[ast.Module]) -> None:
        classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
        self._bases = {node.name: [ast.unparse(base) for base in node.bases] for node in classes}
        self._methods = {
            node.name: {each.name for each in node.body if isinstance(each, ast.FunctionDef) and _is_concrete(each)}
            for node in classes
        }

    def concrete(self, node: ast.ClassDef, name: str) -> bool:
        """Whether a class has a method of its own and would have its parent's without it."""
        return any(self._has(ast.unparse(base), name) for base in node.bases)

    def _has(self, cls: str, name: str) -> bool:
        return name in self._methods.get(cls, ()) or any(self._has(base, name) for base in self._bases.get(cls, ()))


def _is_concrete(method: ast.FunctionDef) -> bool:
    return not any("abstractmethod" in ast.unparse(each) for each in method.decorator_list)


def every(words: Sequence[str] = ()) -> list[Mutant]:
    """Every change of the modules chosen."""
    known = Ancestors(ast.parse(path.read_text(encoding="utf-8")) for path in paths())
    return [mutant for path in paths(words) for mutant in mutants(path, known)]
