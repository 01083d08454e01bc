"""Which of three ways each column of a plan becomes one of a synthetic table: by what is declared, and by the plan."""

from sfumato.data import Kind
from sfumato.errors import InvalidDeclaration
from sfumato.query.context import Public
from sfumato.query.question import Question
from sfumato.query.recoded import missing_in
from sfumato.synth.publication.parts import Columns
from sfumato.synth.publication.table_columns import BinnedColumn, FoundColumn, ListedColumn, TableColumn
from sfumato.synth.publication.table_recipe import TableRecipe
from sfumato.synth.tables.grids import PublicGrid

_BINS, _TEXTS, _FEW = 32, 100, 128


def columns_by(recipe: TableRecipe, names: Columns, asked: Question, public: Public) -> tuple[TableColumn, ...]:
    """How every column is coded; refused where nothing is declared that it could be coded by."""
    missing = missing_in(asked, public)
    return tuple(_column(recipe, name, asked, place, missing=missing[place]) for place, name in enumerate(names))


def _column(recipe: TableRecipe, name: str, asked: Question, place: int, *, missing: bool) -> TableColumn:
    key, domain = asked.keys[place], asked.domains[place]
    known = key.range
    if name in recipe.texts and key.kind is not Kind.TEXT:
        raise InvalidDeclaration(f"texts are found of text, and `{name}` is none", hint=f"[bins] {name} = 32")
    can_bin = key.kind.is_number and known.lower is not None and known.upper is not None and known.lower < known.upper
    if name in recipe.bins and not can_bin:
        raise InvalidDeclaration(
            f"bins are made of numbers with declared bounds, and `{name}` is no such column",
            hint=f"have the owner declare {name} = {{ lower = 0, upper = 100 }}",
        )
    asked_for = name in recipe.bins or name in recipe.texts
    if domain is not None and not asked_for and (len(domain) <= _FEW or not can_bin):
        if len(domain) < 2:
            raise InvalidDeclaration(f"`{name}` has one value alone", hint="leave it out of columns")
        return ListedColumn(name, key.kind, domain)
    if can_bin:
        assert known.lower is not None
        assert known.upper is not None
        grid = PublicGrid.between(known.lower, known.upper, whole=key.kind is Kind.INTEGER)
        return BinnedColumn(name, key.kind, grid, min(recipe.bins.get(name, _BINS), grid.cells), missing)
    if key.kind is Kind.TEXT:
        return FoundColumn(name, recipe.texts.get(name, _TEXTS))
    raise InvalidDeclaration(
        f"`{name}` has neither public values nor bounds, and is no text",
        hint="have the owner declare values or bounds; of a day publish a part, such as EXTRACT(year FROM day)",
    )
