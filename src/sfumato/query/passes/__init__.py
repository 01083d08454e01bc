"""The passes by which a question is read, in order: each is one function in one file, with a fixture of its name."""

from sfumato.query.draft import Draft, Pass
from sfumato.query.passes.group_by import group_by
from sfumato.query.passes.having import having
from sfumato.query.passes.limit import limit
from sfumato.query.passes.no_rows import no_rows
from sfumato.query.passes.order_by import order_by
from sfumato.query.passes.outputs import outputs
from sfumato.query.passes.public_groups import public_groups
from sfumato.query.passes.within_work import within_work

PASSES: tuple[Pass, ...] = (group_by, outputs, having, order_by, limit, no_rows, public_groups, within_work)

__all__ = ["PASSES", "Draft", "Pass"]
