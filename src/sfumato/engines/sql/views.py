"""Tables as questions see them: the visible columns, and whose row it is."""

from collections.abc import Mapping, Sequence

from sfumato.data import Dataset, Kind, Table
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.hashing import ORDER, Hashed, in_order, number_of, ordered
from sfumato.engines.sql.relations import FIRST, NUMBER, ORDERING, PERSON, marked

_ROW, _MANY, _STEP, _OURS = "sfumato_row", "sfumato_many", "sfumato_step_", "sfumato_"
"""Names of ours beside columns of a source: no column or table of anybody's begins with sfumato_."""


class Views:
    """Writes the SELECT of every table; `readers` give the registered columns, keys among them of one kind each."""

    def __init__(
        self,
        dataset: Dataset,
        readers: Mapping[str, str],
        seed: int,
        dialect: Dialect,
        *,
        person: Kind = Kind.INTEGER,
    ) -> None:
        self._dataset, self._readers, self._seed, self._person = dataset, readers, seed, person
        self._dialect, self._quoted = dialect, dialect.quoted

    def is_private(self, table: Table) -> bool:
        """Whether its rows are people's."""
        return self._dataset.unit is not None and not table.public

    def rows(self, table: Table) -> str:
        """All rows with the visible columns and, where people are protected, the person."""
        if not self.is_private(table):
            return f"SELECT {self._columns(table) or '1 AS nothing'} FROM {self._readers[table.name]}"
        return f"SELECT {self._columns(table)} FROM ({self.owned(table)}) {_ROW}"

    def _columns(self, table: Table) -> str:
        shown = [self._quoted(column.name) for column in table.columns]
        return ", ".join([*shown, *([PERSON] if self.is_private(table) else [])])

    def owned(self, table: Table) -> str:
        """Rows with the person they belong to; a row that leads to several belongs to each of them."""
        path = self._dataset.path(table)
        assert path is not None
        if len(path) <= 1:
            person = self._dataset.person(table)
            assert person is not None
            return f"SELECT *, {self._quoted(person)} AS {PERSON} FROM {self._readers[table.name]} {_ROW}"
        text = f"SELECT {_ROW}.*, {_STEP}{len(path) - 1}.{self._quoted(path[-1][0])} AS {PERSON} "
        text += f"FROM {self._readers[table.name]} {_ROW}"
        before = _ROW
        for step, (column, target, there) in enumerate(path[:-1], 1):
            onward = path[step][0]
            keys = f"SELECT DISTINCT {self._quoted(there)}, {self._quoted(onward)} FROM {self._readers[target]}"
            text += (
                f" JOIN ({keys}) {_STEP}{step} ON {before}.{self._quoted(column)} = {_STEP}{step}.{self._quoted(there)}"
            )
            before = f"{_STEP}{step}"
        return text

    def cut(self, table: Table, most: int) -> str:
        """The table with at most so many rows of each person, the first in our order of all that questions see of them.

        Rows are put in order for those people alone who have more. Columns that may become keys get a mark on each
        person's first row with a value: where all rows are grouped by such a column, marks count people.
        """
        known = f"FROM ({self.owned(table)}) {_ROW}"
        columns = self._columns(table)
        hashed = [Hashed(self._quoted(each.name), each.kind, each.step if each.lower is not None else None)
                  for each in table.columns]  # fmt: skip
        is_many = f"EXISTS (SELECT 1 FROM {_MANY} WHERE {_MANY}.{PERSON} = {_ROW}.{PERSON})"
        many = f"SELECT {columns} {known} WHERE {is_many}"
        hashed.append(Hashed(PERSON, self._person))
        ranked = in_order(many, hashed, self._seed, self._dialect, prefix=_OURS)
        order = ordered([_OURS + ORDER, *(each.sql for each in hashed[:-1])])
        rank = f"row_number() OVER (PARTITION BY {PERSON} ORDER BY {order})"
        people = f"SELECT {PERSON} {known} WHERE {PERSON} IS NOT NULL GROUP BY {PERSON} HAVING count(*) > {most}"
        kept = (
            f"WITH {self._dialect.common(_MANY, people, twice=False)} "
            f"SELECT {columns} {known} WHERE {PERSON} IS NOT NULL AND NOT {is_many} UNION ALL "
            f"SELECT {columns} FROM ({self._dialect.ranked(ranked, rank, most)}) {_ROW}"
        )
        marks = [
            f"row_number() OVER (PARTITION BY {PERSON}, {self._quoted(name)} ORDER BY {PERSON}) = 1 "
            f"AS {self._quoted(FIRST + name)}"
            for name in marked(table, self._dataset.person(table))
        ]
        return f"SELECT {', '.join(['*', *marks])} FROM ({kept}) {_ROW}"

    def people(self, tables: Sequence[str]) -> str:
        """All people of some tables, once each, with their numbers; `tables` are their rows."""
        every = " UNION ".join(f"SELECT {PERSON} FROM {rows} WHERE {PERSON} IS NOT NULL" for rows in tables)
        number = f"row_number() OVER (ORDER BY {PERSON}) - 1 AS {NUMBER}"
        hashed = f"{number_of(Hashed(PERSON, self._person), self._dialect)} AS {ORDERING}"
        return f"SELECT {PERSON}, {number}, {hashed} FROM ({every}) {_ROW}"

    def numbered(self, rows: str, people: str) -> str:
        """Rows of people with their numbers, in order of people; rows of nobody are in no question."""
        numbers = ", ".join(f"CAST({_MANY}.{name} AS INTEGER) AS {name}" for name in (NUMBER, ORDERING))
        return (
            f"SELECT {_ROW}.*, {numbers} FROM {rows} {_ROW} JOIN {people} {_MANY} "
            f"ON {_ROW}.{PERSON} = {_MANY}.{PERSON} ORDER BY {NUMBER}"
        )

    def twice(self, rows: str, columns: tuple[str, ...]) -> str:
        """A statement that finds something if two rows agree on columns."""
        known = " AND ".join(f"{column} IS NOT NULL" for column in columns)
        return f"SELECT 1 FROM {rows} WHERE {known} GROUP BY {', '.join(columns)} HAVING count(*) > 1 LIMIT 1"
