"""Every kind of protocol there is, and the way back from a document; what is not on the list is not a protocol."""

from typing import Any

from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.local import client
from sfumato.local.condensed import Condensed
from sfumato.local.d_bit import DBitFlip
from sfumato.local.hadamard import Hadamard
from sfumato.local.k_ary import KAry
from sfumato.local.local_hash import LocalHash
from sfumato.local.one_bit import OneBitMean
from sfumato.local.piecewise import Hybrid, Piecewise
from sfumato.local.prefix_tree import PrefixTree
from sfumato.local.protocol import Protocol
from sfumato.local.rappor import Rappor
from sfumato.local.subset import SubsetSelection
from sfumato.local.unary import Unary

KINDS: tuple[type[Protocol], ...] = (
    KAry,
    Unary,
    LocalHash,
    Hadamard,
    SubsetSelection,
    Rappor,
    OneBitMean,
    DBitFlip,
    Piecewise,
    Hybrid,
    Condensed,
    PrefixTree,
)
BY_NAME = {kind.kind: kind for kind in KINDS}


def from_document(document: Any) -> Protocol:
    """The protocol of a document; refused unless writing it again gives the document back."""
    if not isinstance(document, dict) or document.get("format") != client.FORMAT:
        found = document.get("format") if isinstance(document, dict) else type(document)
        raise InvalidParameter("document", f"must be of the format {client.FORMAT}", found)
    kind = BY_NAME.get(str(document.get("kind")))
    if kind is None:
        hint = "known kinds: " + ", ".join(BY_NAME)
        raise InvalidParameter("kind", "is not known", document.get("kind"), hint=hint)
    try:
        common = {name: document[name] for name in ("name", "round", "interaction", "memo")}
        made = kind.from_document(document, common | {"epsilon": client.rational(document["epsilon"])})
    except SfumatoError:
        raise
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, IndexError):
        raise InvalidParameter("document", "is malformed for its kind", document.get("kind")) from None
    if client.canonical(made.document()) != client.canonical(document):
        raise InvalidParameter("document", "has fields that its kind does not", document.get("kind"))
    return made


def from_json(text: str | bytes) -> Protocol:
    """The protocol that `to_json` wrote."""
    try:
        document = client.parsed(text)
    except client.ProtocolRefused:
        raise InvalidParameter(
            "document", "must be JSON that gives no key twice, found", f"{len(text)} characters of something else"
        ) from None
    return from_document(document)
