"""Publications: a plan, its price, what is measured of it, and what is made of that; then answers without data."""

from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.plan import PublicationPlan, read_plan
from sfumato.synth.publication.pricing import PricedPublication, price_publication
from sfumato.synth.publication.published import Publication, PublishedMarginal
from sfumato.synth.publication.range_answers import PublishedQuantile

__all__ = [
    "PricedPublication",
    "Publication",
    "PublicationPlan",
    "PublishedAnswer",
    "PublishedMarginal",
    "PublishedQuantile",
    "price_publication",
    "read_plan",
]
