"""From SQL text to a question: parsed, its relations planned, then read pass by pass."""

from sfumato.data import Dataset
from sfumato.query.context import Context, Public
from sfumato.query.dialects import DIALECT
from sfumato.query.parse import parse, too_deep
from sfumato.query.passes import PASSES, Draft
from sfumato.query.question import Question
from sfumato.query.relations import SELECT, FromClause


def plan_question(text: str, dataset: Dataset, public: Public, *, dialect: str = DIALECT) -> Question:
    """The question that a SQL text asks of a dataset."""
    try:
        draft = drafted(text, dataset, public, dialect=dialect)
        for each in PASSES:
            draft = each(draft)
        return draft.question()
    except RecursionError:  # a last net: what nests is bounded when it is parsed
        raise too_deep() from None


def drafted(text: str, dataset: Dataset, public: Public, *, dialect: str = DIALECT) -> Draft:
    """The question before the first pass: its SELECT, and the rows of its FROM."""
    select, text = parse(text, dialect)
    context = Context(dataset, public, text)
    context.only(select, *SELECT, "offset")
    clause = FromClause(context)
    base = clause.source(select, clause.ctes(select, {}))
    if not base.plan.private:
        problem = "the question reads public tables only"
        raise context.refused(
            problem,
            select,
            hint="session.sql answers it as it is, for nothing, if it is plain SQL over them; here private rows count",
        )
    return Draft(select, context, base)
