"""Questions: SQL into a plan, a bounded plan and a priced plan, without looking at data."""

from sfumato.query.price import PricedQuery, Spend, price
from sfumato.query.question import Question, question

__all__ = ["PricedQuery", "Question", "Spend", "price", "question"]
