"""Publications: a plan, its price, what is measured of it, and what is made of that; then answers without data."""

from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.plan import PublicationPlan, read_plan
from sfumato.synth.publication.pricing import PricedPublication, price_publication
from sfumato.synth.publication.published import Publication, PublishedMarginal

__all__ = [
    "PricedPublication",
    "Publication",
    "PublicationPlan",
    "PublishedAnswer",
    "PublishedMarginal",
    "price_publication",
    "read_plan",
]
