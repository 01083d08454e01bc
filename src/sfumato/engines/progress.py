"""Who is told how far registration is."""

from typing import Protocol


class Progress(Protocol):
    """Whoever is told what is read, and the share of it that is done."""

    def __call__(self, what: str, share: float, /) -> None:
        """Told now."""
        ...


def no_progress(what: str, share: float) -> None:
    """Nobody is looking."""
