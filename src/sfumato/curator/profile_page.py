"""A profile in words and pictures: what the terminal and the page share, and the page itself."""

from collections.abc import Iterable, Sequence

from sfumato.core.printing import for_page
from sfumato.curator.profiling import QUANTILES, AverageTrade, Profile, TableProfile, Trade
from sfumato.curator.words import exact_text
from sfumato.data.drafted import toml_key
from sfumato.engines.figures import ColumnFigures, Spread, candidates
from sfumato.pictures import Bars, Curve, Curves, DrawnBar, Role, as_svg

COLUMNS = ("column", "kind", "NULL", "keys", "from", "to")
SPREADS = ("a person has", *QUANTILES, "max")
COUNTS = ("R", "people above", "rows kept", "bias", "noise ±", "error", "")
AVERAGES = ("R", "average", "bias", "noise ±", "error", "")
BEST = "◀ best"
WARNING = (
    "These figures are exact and not private: show them to nobody.",
    "A bound that is read off the data is itself a release, and not a private one.",
    "Take what you know from elsewhere first, and round numbers.",
)
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:56rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem;margin-bottom:.2rem} h2{font-size:1.2rem;margin-top:2.2rem} svg{max-width:36rem;height:auto}
table{border-collapse:collapse;font-size:.86rem;margin:.6rem 0} th{text-align:left;border-bottom:2px solid #222}
td,th{padding:.25rem .9rem .25rem 0} td{border-bottom:1px solid #e6e6e6}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.warning{border-left:4px solid #b34700;padding:.2rem .8rem} pre{background:#f5f5f5;padding:.6rem .8rem;overflow:auto}
"""


# ---- words ----


def number(value: float) -> str:
    """A number for people: whole from a thousand on, else three digits.

    >>> number(12345.6), number(-0.01234), number(0.0), number(3.0)
    ('12,346', '-0.0123', '0', '3')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def share(value: float) -> str:
    """A share in percent, which is 100 only if it is all, and 0 only if it is nothing.

    >>> share(1.0), share(0.99996), share(0.1234), share(0.00012)
    ('100 %', '99.996 %', '12.3 %', '0.012 %')
    """
    digits = 1
    while digits < 9 and round(100 * value, digits) in (0.0, 100.0) and value not in (0.0, 1.0):
        digits += 1
    more = digits + 1 if digits > 1 else digits
    return f"{100 * value:.{more if value < 0.5 else digits}f}".rstrip("0").rstrip(".") + " %"


def headline(table: TableProfile, *, rows: bool) -> str:
    """How many rows there are, of how many people."""
    figures = table.figures
    if rows or figures.a_person is None:
        return f"{figures.name}: {figures.rows:,} rows, each protected by itself: no bound is needed"
    return f"{figures.name}: {figures.rows:,} rows of {figures.a_person.people:,} people"


def nobody(table: TableProfile) -> str:
    """What becomes of rows that lead to no person; nothing if there are none."""
    lost = table.figures.nobody
    told = "1 row" if lost == 1 else f"{lost:,} rows"
    return f"{told} of nobody: NULL, or a key that leads nowhere; such rows are never counted" if lost else ""


def spreads(table: TableProfile) -> list[tuple[str, ...]]:
    """How many rows and groups a person has, as lines of a table."""
    figures, by = table.figures, table.figures.groups
    found = [("rows", figures.a_person)]
    found += [(f"groups of {each.name}", each.keys_a_person) for each in figures.columns]
    if by is not None:
        if by.column not in [each.name for each in figures.columns if each.keys_a_person is not None]:
            found.append((f"groups of {by.column}", by.groups_a_person))
        found.append((f"rows in a group of {by.column}", by.rows_in_a_group))
    return [
        (name, *(f"{spread.quantile(at):,}" for at in QUANTILES.values()), f"{spread.most:,}")
        for name, spread in found
        if spread is not None and spread.lines
    ]


def column_cells(column: ColumnFigures) -> tuple[str, ...]:
    """A column as a line of a table."""
    keys = "" if column.keys is None else f"{column.keys:,}"
    ends = ("", "") if column.is_key else (_end(column.least), _end(column.greatest))
    return (column.name, column.kind.value, f"{column.nulls:,}" if column.nulls else "", keys, *ends)


def _end(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}" if isinstance(value, float) else str(value)


def count_title(trade: Trade, profile: Profile, table: TableProfile) -> str:
    """What the table of bounds for counts is about."""
    by = table.figures.groups
    what = "COUNT(*)" if by is None else f"COUNT(*) by {by.column} ({trade.groups:,} groups)"
    return f"{what}, at ε = {exact_text(profile.epsilon)}, where R rows of a person count"


def count_cells(trade: Trade) -> list[tuple[str, ...]]:
    """Bounds for counts as lines of a table."""
    return [
        (
            f"{each.rows:,}", f"{each.people_above:,}", share(each.kept), number(-each.bias) if each.bias else "0",
            number(each.noise), share(each.error), BEST if each is trade.best else "",
        )
        for each in trade.bounds
    ]  # fmt: skip


def average_title(trade: AverageTrade, profile: Profile, groups: int) -> str:
    """What the table of bounds for an average is about."""
    ends = f"from {number(float(trade.lower))} to {number(float(trade.upper))}"
    ends += "" if trade.is_declared else " in the data"
    where = "" if groups == 1 else " in a group of mean size"
    return f"AVG({trade.column}){where}, at ε = {exact_text(profile.epsilon)} ({ends})"


def average_cells(trade: AverageTrade) -> list[tuple[str, ...]]:
    """Bounds for an average as lines of a table."""
    return [
        (
            f"{each.rows:,}", number(each.weighted), number(each.bias), number(each.noise), number(each.error),
            BEST if each is trade.best else "",
        )
        for each in trade.bounds
    ]  # fmt: skip


def rule(trade: Trade) -> str:
    """The rule of thumb, and what it says here."""
    of = "" if trade.groups == 1 else "·groups"
    return (
        f"by rule the best R leaves about √2{of}/ε = {number(trade.left_above)} people above it: "
        f"R = {trade.by_rule.rows:,}"
    )


def suggestion(table: TableProfile, *, own: bool) -> list[str]:
    """Lines to paste into the declaration; of the person's own table none, if nobody is in it twice."""
    trade, name = table.trade, table.figures.name
    if trade is None:
        return []
    if table.one_row_a_person and own:
        return ["nobody has two rows: no bound is needed"]
    best, average = trade.best, trade.average
    told = f"counts: {share(best.kept)} of the rows count, error {share(best.error)}"
    lines = [f"[tables.{toml_key(name)}]", f"{f'rows_per_person = {best.rows}':<26}# {told}"]
    if average is not None and average.best.rows != best.rows:
        told = f"AVG({average.column}): error {number(average.best.error)}, if averages matter most"
        lines.append(f"{f'# rows_per_person = {average.best.rows}':<26}# {told}")
    return lines


def is_own(profile: Profile, table: TableProfile) -> bool:
    """Whether a table is the person's own."""
    return profile.dataset.unit is not None and table.figures.name == profile.dataset.unit[0]


# ---- pictures ----


def histogram(spread: Spread, title: str = "") -> Bars:
    """How many people have how many rows, in bins that end at the candidate bounds."""
    ends = candidates(spread.most)
    bars = []
    for before, end in zip((0, *ends), ends, strict=False):
        people = spread.above(before) - spread.above(end)
        name = f"{end:,}" if end - before == 1 else f"{before + 1:,} to {end:,}"
        bars.append(DrawnBar(name, people, words=f"{people:,}"))
    return Bars(title, bars)


def curves(trade: Trade, title: str) -> Curves:
    """Bias, noise and error of counts against the bound."""
    x = [each.rows for each in trade.bounds]
    return Curves(
        title,
        [
            Curve("bias: rows that do not count", x, [each.bias or None for each in trade.bounds], Role.ALARM),
            Curve("noise", x, [each.noise for each in trade.bounds], Role.PLAIN),
        ],
        x_label="rows_per_person",
        y_label="rows",
        log_x=True,
        log_y=True,
    )


# ---- the page ----


def page(profile: Profile) -> str:
    """The whole profile as HTML."""
    title = f"Profile of {profile.dataset.name}"
    body = [f"<h1>{_text(title)}</h1>", f'<p class="warning">{_text(" ".join(WARNING))}</p>']
    for table in profile.tables:
        body += _section(profile, table)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body>{''.join(body)}</body></html>\n"
    )


def _section(profile: Profile, table: TableProfile) -> Iterable[str]:
    yield f"<h2>{_text(headline(table, rows=profile.dataset.unit is None))}</h2>"
    if told := nobody(table):
        yield f"<p>{_text(_sentence(told))}</p>"
    yield _table(COLUMNS, [column_cells(each) for each in table.figures.columns], numbers=range(2, 6))
    if lines := spreads(table):
        yield _table(SPREADS, lines, numbers=range(1, 5))
    rows, trade = table.figures.a_person, table.trade
    if rows is None or trade is None or table.one_row_a_person:
        yield from _lines(profile, table)
        return
    yield as_svg(histogram(rows, "people by how many rows they have"))
    title = count_title(trade, profile, table)
    yield f"<h3>{_text(title)}</h3>"
    yield as_svg(curves(trade, "bias against noise"))
    yield _table(COUNTS, count_cells(trade), numbers=range(6))
    yield f"<p>{_text(_sentence(rule(trade)))}</p>"
    if trade.average is not None:
        yield f"<h3>{_text(average_title(trade.average, profile, trade.groups))}</h3>"
        yield _table(AVERAGES, average_cells(trade.average), numbers=range(5))
    yield from _lines(profile, table)


def _lines(profile: Profile, table: TableProfile) -> Iterable[str]:
    lines = suggestion(table, own=is_own(profile, table))
    if lines:
        yield f"<pre>{chr(10).join(map(_text, lines))}</pre>"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _text(text: str) -> str:
    return for_page(text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int]) -> str:
    right = set(numbers)

    def line(cells: Sequence[str], tag: str) -> str:
        made = (f"<{tag}{' class=n' if i in right else ''}>{_text(cell)}</{tag}>" for i, cell in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    return f"<table>{line(head, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"
