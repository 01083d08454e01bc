"""Questions: SQL into a plan, a bounded plan and a priced plan, without looking at data."""

from sfumato.query.planning import plan_question
from sfumato.query.price import PricedQuery, Spend, price
from sfumato.query.question import Question

__all__ = ["PricedQuery", "Question", "Spend", "plan_question", "price"]
