"""Sfumato: the trusted curator of differential privacy, as software.

Rooms are loaded when they are first named, so `import sfumato` costs almost nothing.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato import accounting, anonymity, attacks, audit, cli, core, errors, exact, ledger, mechanisms

__version__ = "0.1.0"

ROOMS = ("accounting", "anonymity", "attacks", "audit", "cli", "core", "errors", "exact", "ledger", "mechanisms")

__all__ = [
    "ROOMS",
    "__version__",
    "accounting",
    "anonymity",
    "attacks",
    "audit",
    "cli",
    "core",
    "errors",
    "exact",
    "ledger",
    "mechanisms",
]


def __getattr__(name: str) -> ModuleType:
    if name in ROOMS:
        return import_module(f"sfumato.{name}")
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
