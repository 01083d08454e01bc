"""Publications: a plan, its price, what is measured of it, and what is made of that; then answers without data."""

from sfumato.synth.publication.answers import Answer
from sfumato.synth.publication.plan import Plan, read_plan
from sfumato.synth.publication.pricing import PricedPublication, price_publication
from sfumato.synth.publication.published import Publication, PublishedMarginal

__all__ = [
    "Answer",
    "Plan",
    "PricedPublication",
    "Publication",
    "PublishedMarginal",
    "price_publication",
    "read_plan",
]
