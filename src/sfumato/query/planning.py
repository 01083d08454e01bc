"""From SQL text to a question: parsed, its relations planned, then read pass by pass."""

from sfumato.data import Dataset
from sfumato.query.parse import DIALECT, only, parse, refused
from sfumato.query.passes import PASSES, Draft
from sfumato.query.question import Question
from sfumato.query.relations import SELECT, Public, Relations


def plan_question(text: str, dataset: Dataset, public: Public, *, dialect: str = DIALECT) -> Question:
    """The question that a SQL text asks of a dataset."""
    draft = drafted(text, dataset, public, dialect=dialect)
    for each in PASSES:
        draft = each(draft)
    return draft.question()


def drafted(text: str, dataset: Dataset, public: Public, *, dialect: str = DIALECT) -> Draft:
    """The question before the first pass: its SELECT, and the rows of its FROM."""
    select, text = parse(text, dialect)
    relations = Relations(dataset, public, text)
    only(select, text, *SELECT, "offset")
    base = relations.source(select, relations.ctes(select, {}))
    if not base.plan.private:
        raise refused("the question reads public tables only", select, text, hint="they need no curator: read them")
    return Draft(select, relations, base)
