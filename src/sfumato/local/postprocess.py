"""Estimated shares made consistent, by name: what a table reader expects, at the price of bias.

The names are those of Wang et al., "Locally differentially private frequency estimation with consistency" (NDSS 2020).
Nothing here looks at data again, so nothing is spent (Survey Proposition 3.7).
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.local.estimates import Frequencies, Reals


def raw(shares: Reals, errors: Reals) -> Reals:
    """As they are: unbiased."""
    return shares


def positive(shares: Reals, errors: Reals) -> Reals:
    """Negative shares become zero."""
    return np.maximum(shares, 0.0)


def cut(shares: Reals, errors: Reals, *, errors_kept: float = 2.0) -> Reals:
    """Shares within a number of standard errors of zero become zero."""
    return np.where(shares > errors_kept * errors, shares, 0.0)


def norm(shares: Reals, errors: Reals) -> Reals:
    """The same amount added to each so that they sum to one; some may stay negative."""
    return np.asarray(shares + (1.0 - shares.sum()) / len(shares))


def norm_mul(shares: Reals, errors: Reals) -> Reals:
    """Negative shares become zero and the rest is scaled to sum to one."""
    kept = np.maximum(shares, 0.0)
    total = kept.sum()
    return kept / total if total > 0 else np.full(len(shares), 1 / len(shares))


def norm_cut(shares: Reals, errors: Reals) -> Reals:
    """The smallest positive shares become zero until the rest sums to one at most."""
    order = np.argsort(-shares, kind="stable")
    ranked = np.maximum(shares[order], 0.0)
    kept = np.where(np.cumsum(ranked) <= 1.0, ranked, 0.0)
    if ranked.sum() <= 1.0:
        kept = ranked
    out = np.empty_like(shares)
    out[order] = kept
    return out


def norm_sub(shares: Reals, errors: Reals) -> Reals:
    """The nearest point of the simplex: the same amount off each, negative ones at zero."""
    ranked = np.sort(shares)[::-1]
    over = (np.cumsum(ranked) - 1.0) / np.arange(1, len(ranked) + 1)
    last = int(np.flatnonzero(ranked > over)[-1])
    return np.asarray(np.maximum(shares - over[last], 0.0))


METHODS: dict[str, Callable[..., Reals]] = {
    "raw": raw,
    "positive": positive,
    "cut": cut,
    "norm": norm,
    "norm-mul": norm_mul,
    "norm-cut": norm_cut,
    "norm-sub": norm_sub,
}


def process(estimate: Frequencies, method: str, **options: float) -> Frequencies:
    """The estimate with its shares made consistent; only raw shares may be processed."""
    if method not in METHODS:
        raise InvalidParameter("method", f"must be one of {', '.join(METHODS)}", method)
    if estimate.processed != "raw":
        raise InvalidParameter("estimate", "must be raw to be processed", estimate.processed)
    if estimate.people == 0 or method == "raw":
        return estimate
    try:
        shares = METHODS[method](estimate.shares, estimate.standard_errors, **options)
    except TypeError:
        raise InvalidParameter("options", f"are not those of {method}", sorted(options)) from None
    return replace(estimate, shares=shares, processed=method)
