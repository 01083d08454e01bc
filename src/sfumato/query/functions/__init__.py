"""The functions a row expression may use: one record each, total, the same for an engine and for released values.

What is not listed is refused. Every engine writes each operation so that no cell can make it fail: what has no value
(a division by zero, the root of a negative number, text that is not a number) is NULL. A new function is a record in
one of the lists below.
"""

from sqlglot import exp

from sfumato.query.functions.casts import CASTS
from sfumato.query.functions.choices import CHOICES
from sfumato.query.functions.comparisons import COMPARISONS
from sfumato.query.functions.days import DAYS
from sfumato.query.functions.numbers import NUMBERS
from sfumato.query.functions.record import Function, Node, Sort
from sfumato.query.functions.texts import TEXTS

FUNCTIONS: dict[str, Function] = {
    function.op: function for function in (*NUMBERS, *TEXTS, *DAYS, *CASTS, *COMPARISONS, *CHOICES)
}
"""Every operation by its name in the closed tree."""
NODES: dict[type[exp.Expression], tuple[Function, Node]] = {
    node.type: (function, node) for function in FUNCTIONS.values() for node in function.nodes
}
"""By the nodes that the parser makes of them."""
NAMES: dict[str, Function] = {name: function for function in FUNCTIONS.values() for name in function.names}
"""By names that the parser does not know."""
PARTS: dict[str, Function] = {word: f for f in DAYS if not f.op.startswith("trunc_") for word in f.words}
"""By the word in EXTRACT(word FROM …)."""
UNITS: dict[str, Function] = {word: f for f in DAYS if f.op.startswith("trunc_") for word in f.words}
"""By the word in DATE_TRUNC('word', …)."""
TYPES: dict[str, Function] = {word: function for function in CASTS for word in function.words}
"""By the type in CAST(… AS type)."""
CALLED: tuple[str, ...] = tuple(
    dict.fromkeys(
        name.upper()
        for function in FUNCTIONS.values()
        for name in (function.called or "", *function.names)
        if name.replace("_", "").isalnum()
    )
)
"""What a question may call, for those who ask for something that is not there."""

__all__ = ["CALLED", "FUNCTIONS", "NAMES", "NODES", "PARTS", "TYPES", "UNITS", "Function", "Node", "Sort"]
