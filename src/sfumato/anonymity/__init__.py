"""Anonymity: k-anonymity and its cousins, to describe data at hand and to see what they do not give."""

from sfumato.anonymity.composition import Composed, compose
from sfumato.anonymity.disclosure import inject_noise, shuffled, swap, top_code
from sfumato.anonymity.hierarchies import Groups, Hierarchy, Intervals, Prefixes
from sfumato.anonymity.k_anonymity import Anonymised, Check, anonymise, check, generalise
from sfumato.anonymity.l_diversity import Diversity, diversity
from sfumato.anonymity.tables import Microdata, Roles

__all__ = [
    "Anonymised",
    "Check",
    "Composed",
    "Diversity",
    "Groups",
    "Hierarchy",
    "Intervals",
    "Microdata",
    "Prefixes",
    "Roles",
    "anonymise",
    "check",
    "compose",
    "diversity",
    "generalise",
    "inject_noise",
    "shuffled",
    "swap",
    "top_code",
]
