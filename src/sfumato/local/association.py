"""How two variables go together when each is told by RAPPOR: expectation-maximisation (Fanti, Pihur, Erlingsson 2016).

Each device sends two reports, one a variable, and both are paid for. The joint law of the candidates that makes the
pairs of reports most likely is climbed to step by step; matrices do all people at once.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.local import wire
from sfumato.local.k_ary import labels_of
from sfumato.local.protocol import Bytes
from sfumato.local.rappor import Rappor

Reals = NDArray[np.float64]
OTHER = "(other)"
_MOST_CELLS = 400  # beyond, no standard errors: they need a matrix of cells by cells


@dataclass(frozen=True)
class Association:
    """The estimated joint law of two variables."""

    rows: tuple[Hashable, ...]
    columns: tuple[Hashable, ...]
    joint: Reals
    standard_errors: Reals | None
    """Asymptotic, from the reports' own information; None for tables of more than 400 cells."""
    people: int
    steps: int
    log_likelihood_ratio: float
    p_value: float
    """How likely so strong an association would be if the variables were independent."""

    def __getitem__(self, cell: tuple[Hashable, Hashable]) -> float:
        return float(self.joint[self.rows.index(cell[0]), self.columns.index(cell[1])])


@dataclass(frozen=True)
class Variable:
    """A RAPPOR protocol, the reports of all devices in order, and the strings to look for."""

    protocol: Rappor
    reports: Any
    candidates: Sequence[str] = ()
    other: bool = False
    """Whether to allow for strings that are not candidates."""

    def labels(self) -> tuple[Hashable, ...]:
        """The values of this variable in the joint law."""
        names = tuple(self.candidates) if self.protocol.domain is None else tuple(labels_of(self.protocol.domain))
        return names + ((OTHER,) if self.other else ())

    def likelihoods(self) -> Reals:
        """Pr[report | value] for each device and value, up to a factor a device."""
        rows, strays = wire.rows_of(self.reports, self.protocol.report_bytes)
        payloads = wire.payloads_of(rows)
        heads = wire.heads_of(rows) == wire.head_number(self.protocol)
        if strays or not heads.all() or not self.protocol.valid(payloads).all():
            hint = "pairs must stay together: drop both reports of a device if either is malformed"
            raise InvalidParameter("reports", "must all be well-formed reports of the protocol", len(rows), hint=hint)
        return _likelihoods(self.protocol, payloads, self.labels(), other=self.other)


def _likelihoods(protocol: Rappor, payloads: Bytes, labels: tuple[Hashable, ...], *, other: bool) -> Reals:
    one, zero = (float(c) for c in protocol.effective)
    cohorts = np.ascontiguousarray(payloads[:, :2]).view("<u2").reshape(-1)
    bits = np.unpackbits(payloads[:, 2:], axis=1, count=protocol.bits, bitorder="little").astype(np.float64)
    told, silent = np.log(one / zero), np.log((1 - one) / (1 - zero))
    names = labels[:-1] if other else labels
    logs = np.empty((len(payloads), len(labels)))
    for cohort in np.unique(cohorts):
        here = cohorts == cohort
        sets = np.zeros((protocol.bits, len(names)))
        for at, name in enumerate(names):
            sets[at if protocol.domain is not None else protocol.bits_of(str(name), int(cohort)), at] = 1
        logs[here, : len(names)] = bits[here] @ sets * (told - silent) + sets.sum(axis=0) * silent
    if other:  # a string not listed sets each bit with the chance that its hashes hit it
        hit = 1 - (1 - 1 / protocol.bits) ** protocol.hashes
        rate = zero + (one - zero) * hit
        logs[:, -1] = bits.sum(axis=1) * np.log(rate / zero)
        logs[:, -1] += (protocol.bits - bits.sum(axis=1)) * np.log((1 - rate) / (1 - zero))
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def associate(first: Variable, second: Variable, *, most_steps: int = 2000, tolerance: float = 1e-7) -> Association:
    """The joint law of two variables that the same devices reported, in the same order."""
    one, two = first.likelihoods(), second.likelihoods()
    if len(one) != len(two) or not len(one):
        hint = "the i-th reports must be of one device"
        raise InvalidParameter(
            "reports", f"must be as many for both variables, found {len(one)} and", len(two), hint=hint
        )
    joint, steps = _climb(one, two, most_steps, tolerance)
    alone = [_climb(likely, np.ones((len(likely), 1)), most_steps, tolerance)[0][:, 0] for likely in (one, two)]
    ratio = 2 * (_log_likelihood(one, two, joint) - _log_likelihood(one, two, np.outer(*alone)))
    return Association(
        first.labels(),
        second.labels(),
        joint,
        _errors(one, two, joint),
        len(one),
        steps,
        float(max(0.0, ratio)),
        _p_value(ratio, joint),
    )


def _climb(one: Reals, two: Reals, most_steps: int, tolerance: float) -> tuple[Reals, int]:
    """Steps of expectation and maximisation at once: joint ∘ oneᵀ(two / evidence) / n."""
    joint = np.full((one.shape[1], two.shape[1]), 1 / (one.shape[1] * two.shape[1]))
    for step in range(1, most_steps + 1):
        evidence = ((one @ joint) * two).sum(axis=1)
        grown = joint * (one.T @ (two / evidence[:, None])) / len(one)
        moved = float(np.abs(grown - joint).max())
        joint = grown
        if moved < tolerance:
            return joint, step
    return joint, most_steps


def _log_likelihood(one: Reals, two: Reals, joint: Reals) -> float:
    return float(np.log(((one @ joint) * two).sum(axis=1)).sum())


def _errors(one: Reals, two: Reals, joint: Reals) -> Reals | None:
    """From the inverse of the information about directions that keep the sum at one."""
    cells = joint.size
    if cells > _MOST_CELLS:
        return None
    information = np.zeros((cells, cells))
    for start in range(0, len(one), 4096):
        a, b = one[start : start + 4096], two[start : start + 4096]
        scores = (a[:, :, None] * b[:, None, :]).reshape(len(a), cells)
        scores /= (scores @ joint.reshape(-1))[:, None]
        information += scores.T @ scores
    keeps_sum = np.eye(cells) - 1 / cells
    covariance = np.linalg.pinv(keeps_sum @ information @ keeps_sum, hermitian=True)
    return np.sqrt(np.maximum(0.0, np.diag(covariance))).reshape(joint.shape)


def _p_value(ratio: float, joint: Reals) -> float:
    from scipy.stats import chi2

    freedom = (joint.shape[0] - 1) * (joint.shape[1] - 1)
    return float(chi2.sf(max(0.0, ratio), max(1, freedom)))
