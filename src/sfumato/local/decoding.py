"""Which strings are behind RAPPOR's bit counts: screening, constrained least squares, significance.

The share of each bit in each cohort is a sum over strings of their shares, where the string sets the bit. Candidates
that stand out are fitted by least squares without negative shares, together with an even background for strings that
are not on the list; what is left over may bring in further candidates. A string is detected if its share, fitted again
without the constraint, is significant after Bonferroni's correction for all candidates.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import open_probability, whole
from sfumato.local.aggregator import Aggregator
from sfumato.local.estimates import quantile
from sfumato.local.rappor import Rappor

Reals = NDArray[np.float64]
_FIRST, _MORE, _MOST = 400, 100, 1200  # candidates fitted at first, let in at a time, and at most
_ROUNDS = 6


@dataclass(frozen=True)
class Detected:
    """A string that is there, and how often."""

    string: str
    share: float
    standard_error: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Decoded:
    """The strings found among the candidates, and how rare a string could have been and still be found."""

    detected: tuple[Detected, ...]
    detection_limit: float
    unlisted: float
    """The estimated share of people whose string is not among the detected."""
    people: int
    candidates: int

    def __getitem__(self, string: str) -> Detected:
        for found in self.detected:
            if found.string == string:
                return found
        raise KeyError(string)


def detection_limit(protocol: Rappor, people: int, candidates: int, *, significance: Any = 0.05) -> float:
    """The share that stands out: z(1 - α/S)·√(p*(1 - p*)/N)/(q* - p*) (Erlingsson, Pihur, Korolova 2014, §5).

    >>> sample = Rappor(name="sample", cohorts=8, f=0, p=0.5, q=0.75, memo=False)
    >>> round(detection_limit(sample, 10**7, 300), 7)
    0.0022692
    """
    from scipy.special import ndtri

    alpha = float(open_probability("significance", significance))
    one, zero = (float(c) for c in protocol.effective)
    z = float(-ndtri(alpha / whole("candidates", candidates, least=1)))
    return z * math.sqrt(zero * (1 - zero) / whole("people", people, least=1)) / (one - zero)


def design(protocol: Rappor, candidates: Sequence[str]) -> NDArray[np.bool_]:
    """Which (cohort, bit) each candidate sets: a row a bit, a column a candidate."""
    places = [protocol.bits_of(name, cohort) for name in candidates for cohort in range(protocol.cohorts)]
    bits = np.array(places).reshape(len(candidates), protocol.cohorts, -1)
    rows = bits + protocol.bits * np.arange(protocol.cohorts)[None, :, None]  # (candidate, cohort, hash) -> row
    table = np.zeros((protocol.cohorts * protocol.bits, len(candidates)), dtype=np.bool_)
    table[rows.reshape(len(candidates), -1), np.arange(len(candidates))[:, None]] = True
    return table


def decode(
    aggregator: Aggregator, candidates: Sequence[str], *, significance: Any = 0.05, confidence: Any = 0.95
) -> Decoded:
    """Detected strings with shares and intervals, largest first."""
    protocol, names = _checked(aggregator, candidates)
    alpha = float(open_probability("significance", significance))
    limit = detection_limit(protocol, max(1, aggregator.people), len(names), significance=alpha)
    if aggregator.people == 0:
        return Decoded((), math.inf, 1.0, 0, len(names))
    shares, weights = _bit_shares(protocol, aggregator.counts)
    fit = _Fit(design(protocol, names), shares, weights)
    found = _significant(fit, names, _fitted(fit), alpha=alpha, confidence=confidence)
    left = 1.0 - sum(one.share for one in found)
    return Decoded(found, limit, min(1.0, max(0.0, left)), aggregator.people, len(names))


def _checked(aggregator: Aggregator, candidates: Sequence[str]) -> tuple[Rappor, list[str]]:
    protocol = aggregator.protocol
    if not isinstance(protocol, Rappor) or protocol.domain is not None:
        hint = "protocols with a declared domain are read by `estimate`"
        raise InvalidParameter("aggregator", "must count RAPPOR over strings", protocol.kind, hint=hint)
    names = list(dict.fromkeys(candidates))
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidParameter("candidates", "must be at least one string, found", len(names))
    return protocol, names


def _bit_shares(protocol: Rappor, counts: NDArray[np.int64]) -> tuple[Reals, Reals]:
    """The estimated share of each bit, and one over its variance; bits of empty cohorts weigh nothing."""
    one, zero = (float(c) for c in protocol.effective)
    reports = counts[:, -1:].astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = counts[:, :-1] / reports
    rates = np.where(reports > 0, rates, zero)
    spread = np.maximum(rates * (1 - rates), zero * (1 - zero) * 0.05)
    weights = np.broadcast_to(reports, rates.shape) * (one - zero) ** 2 / spread
    return ((rates - zero) / (one - zero)).reshape(-1), weights.reshape(-1)


@dataclass(frozen=True)
class _Fit:
    """Weighted least squares over chosen columns and an even background."""

    table: NDArray[np.bool_]
    shares: Reals
    weights: Reals

    def columns(self, chosen: Sequence[int]) -> Reals:
        return np.concatenate([self.table[:, list(chosen)].astype(np.float64), np.ones((len(self.table), 1))], axis=1)

    def normal(self, chosen: Sequence[int]) -> tuple[Reals, Reals]:
        """XᵀWX and XᵀWy, with a ridge far below the noise for candidates that set the same bits."""
        x = self.columns(chosen)
        weighted = x * self.weights[:, None]
        gram = x.T @ weighted
        gram[np.diag_indices_from(gram)] *= 1 + 1e-9
        return gram, weighted.T @ self.shares


def _non_negative(gram: Reals, target: Reals) -> Reals:
    """min ‖Xβ - y‖ for β ≥ 0 from the normal equations; shares that would sum to more than one are held to it."""
    found = _pivoted(gram, target)
    if found[:-1].sum() <= 1:
        return found
    heavy = 1e6 * float(np.max(np.diag(gram)))
    ones = np.append(np.ones(len(found) - 1), 0.0)
    return _pivoted(gram + heavy * np.outer(ones, ones), target + heavy * ones)


def _pivoted(gram: Reals, target: Reals) -> Reals:
    """Block principal pivoting (Kim and Park 2011): exchange all that is infeasible, one at a time if that stalls."""
    n = len(target)
    inside = np.zeros(n, dtype=np.bool_)
    found, slope = np.zeros(n), -target
    fewest, patience, tolerance = n + 1, 3, 1e-10 * float(np.abs(target).max(initial=1e-300))
    for _ in range(30 * n + 100):
        wrong = np.where(inside, found < 0, slope < -tolerance)
        count = int(wrong.sum())
        if count == 0:
            break
        if count < fewest:
            fewest, patience = count, 3
        elif patience:
            patience -= 1
        else:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        inside ^= wrong
        found = np.zeros(n)
        found[inside] = np.linalg.solve(gram[np.ix_(inside, inside)], target[inside])
        slope = gram @ found - target
    return np.maximum(found, 0.0)


def _fitted(fit: _Fit) -> list[int]:
    """The candidates that keep a positive share: the best at first, then those that what is left over speaks for."""
    shares, weights = fit.shares, fit.weights
    single, light = fit.table.astype(np.float32), fit.weights.astype(np.float32)
    lengths = np.sqrt(np.maximum(single.T @ light, 1e-30))
    chosen: list[int] = []
    rest = shares - np.average(shares, weights=weights)
    for _ in range(_ROUNDS):
        scores = single.T @ (weights * rest).astype(np.float32) / lengths
        scores[chosen] = -np.inf
        room = min(_FIRST if not chosen else _MORE, _MOST - len(chosen))
        entering = [int(i) for i in np.argsort(-scores, kind="stable")[:room] if scores[i] > 1.0]
        if not entering:
            break
        tried = chosen + entering
        found = _non_negative(*fit.normal(tried))
        kept = [at for at, share in zip(tried, found[:-1], strict=True) if share > 0]
        rest = shares - fit.columns(tried) @ found
        if set(kept) == set(chosen):
            break
        chosen = kept
    return chosen


def _significant(
    fit: _Fit, names: list[str], chosen: list[int], *, alpha: float, confidence: Any
) -> tuple[Detected, ...]:
    """Fit the chosen again without a constraint, and keep what is significant."""
    from scipy.special import ndtr

    gram, target = fit.normal(chosen)
    inverse = np.linalg.inv(gram)
    found = inverse @ target
    rest = fit.shares - fit.columns(chosen) @ found
    freedom = max(1, len(fit.shares) - len(found))
    # What the model leaves beyond the coins' noise (strings not listed) makes errors larger, never smaller.
    excess = max(1.0, float((fit.weights * rest**2).sum()) / freedom)
    errors = np.sqrt(np.diag(inverse) * excess)
    reach, out = quantile(confidence), []
    for at, share, error in zip(chosen, found, errors, strict=False):
        p_value = float(ndtr(-share / error))
        if p_value < alpha / len(names):
            low, high = float(share - reach * error), float(share + reach * error)
            out.append(Detected(names[at], float(share), float(error), low, high, p_value))
    return tuple(sorted(out, key=lambda one: -one.share))
