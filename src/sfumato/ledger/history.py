"""What entries charged to an account, event by event."""

from collections.abc import Iterator

from sfumato.ledger.canon import canonical
from sfumato.ledger.state import Body

_CHARGES = {"reserve": 1, "share": 1, "refund": -1}
_WHOLE = {"reserve": [""], "share": [], "refund": [""]}
"""Whether the dataset is charged too."""


def charges(body: Body, dataset: str, principal: str) -> Iterator[tuple[str, int, int]]:
    """The events, as JSON, that an entry charges to a dataset or a principal on it; when; 1, or -1 if given back."""
    kind: str = body["kind"]
    if kind == "restore":
        for loss in body["lost"]:
            if loss["dataset"] == dataset and principal in ("", *loss.get("principals", ())):
                yield canonical(loss["event"]), body["time"], 1
    elif kind in _CHARGES and body["dataset"] == dataset and principal in (body["principal"], *_WHOLE[kind]):
        yield canonical(body["event"]), body["reserved"] if kind == "refund" else body["time"], _CHARGES[kind]
