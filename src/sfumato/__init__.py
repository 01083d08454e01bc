"""Sfumato: the trusted curator of differential privacy, as software.

Rooms are loaded when they are first named, so `import sfumato` costs almost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import (
        accounting,
        anonymity,
        attacks,
        audit,
        cli,
        core,
        curator,
        data,
        demo,
        engines,
        errors,
        exact,
        ledger,
        local,
        mechanisms,
        pictures,
        query,
        synth,
    )
    from sfumato.curator import open, open_curator, profile, register  # noqa: A004
    from sfumato.synth import Publication

__version__ = "0.2.0"

ROOMS = (
    "accounting",
    "anonymity",
    "attacks",
    "audit",
    "cli",
    "core",
    "curator",
    "data",
    "demo",
    "engines",
    "errors",
    "exact",
    "ledger",
    "local",
    "mechanisms",
    "pictures",
    "query",
    "synth",
)

__all__ = [
    "ROOMS",
    "Publication",
    "__version__",
    "accounting",
    "anonymity",
    "attacks",
    "audit",
    "cli",
    "core",
    "curator",
    "data",
    "demo",
    "engines",
    "errors",
    "exact",
    "ledger",
    "local",
    "mechanisms",
    "open",
    "open_curator",
    "pictures",
    "profile",
    "query",
    "register",
    "synth",
]


def __getattr__(name: str) -> Any:
    if name in ("open", "open_curator", "profile", "register"):
        return getattr(import_module("sfumato.curator"), name)
    if name == "Publication":
        return import_module("sfumato.synth").Publication
    if name in ROOMS:
        return import_module(f"sfumato.{name}")
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
