"""The auditor audited: broken controls must be convicted and sound ones not, or nothing is reported."""

from collections.abc import Callable
from functools import lru_cache

from sfumato.audit.auditor import CONFIDENCE, Finding, audit
from sfumato.audit.rare_specimens import RARE_SPECIMENS
from sfumato.audit.specimens import SPECIMENS, Specimen
from sfumato.audit.targets import Target
from sfumato.errors import BrokenAudit

KNOWN: tuple[Specimen, ...] = (*SPECIMENS, *RARE_SPECIMENS)
"""Every specimen, for the command line and tests."""
CONTROLS = (
    "laplace-0.9",
    "no-noise",
    "response-3/4",
    "noisy-max-value",
    "svt-5",
    "laplace-exact",
    "clamped",
    "noisy-max",
)
"""Specimens that are quick to tell apart, convicted or let pass by a wide margin."""
RARE_CONTROLS = ("rare-shift", "cut-tails", "rare-text", "rare-error", "last-bit", "rare-shift-allowed")
"""Specimens that an auditor who is blind to what is rare gets wrong; they take more draws."""
_DRAWS, _RARE_DRAWS = 150_000, 300_000
Auditor = Callable[[Target], Finding]


def controls() -> tuple[Specimen, ...]:
    """The specimens that every report is preceded by."""
    return tuple(specimen for specimen in KNOWN if specimen.name in (*CONTROLS, *RARE_CONTROLS))


def self_check(auditor: Auditor | None = None) -> tuple[Finding, ...]:
    """The findings on the controls; BrokenAudit where one of them is wrong.

    A sound control is convicted wrongly with a probability of one in a million at most, as its confidence says.
    """
    judge = auditor or _quick
    findings: list[Finding] = []
    for specimen in controls():
        finding = judge(specimen.target(1))
        if finding.convicted == specimen.sound:
            what = "a sound mechanism was convicted" if specimen.sound else "a broken mechanism was not caught"
            raise BrokenAudit(
                f"the self-check failed, so nothing is reported: {what} ({specimen.name}: {specimen.what})",
                hint="the auditor or the randomness of this machine is broken; report it with this message",
            )
        findings.append(finding)
    return tuple(findings)


def _quick(target: Target) -> Finding:
    draws = _RARE_DRAWS if target.name in RARE_CONTROLS else _DRAWS
    return audit(target, draws=draws, confidence=max(CONFIDENCE, 1 - 1e-6))


@lru_cache(maxsize=1)
def checked() -> tuple[Finding, ...]:
    """The self-check, once a process."""
    return self_check()
