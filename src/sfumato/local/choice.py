"""Which protocol for a domain and an ε: by variance, report size and the server's work."""

import math
from typing import Any

from sfumato.exact.parameters import Real, whole
from sfumato.local import thresholds
from sfumato.local.hadamard import Hadamard
from sfumato.local.k_ary import KAry
from sfumato.local.local_hash import LocalHash
from sfumato.local.protocol import Domain, Protocol, domain_of, size_of
from sfumato.local.unary import Unary

_HASHED = 1 << 16  # values up to which a server can try every one against every report


def choose(*, name: str, domain: Domain, epsilon: Real, most_bytes: int = 64, **options: Any) -> Protocol:
    """A protocol for frequencies: the least variance among those whose reports and servers stay small.

    k-ary response wins while the domain has fewer than 3·e^ε + 2 values (Wang, Blocki, Li, Jha 2017, §5). Beyond,
    optimised unary encoding while a report fits in `most_bytes`, then local hashing, which has the same variance, then
    Hadamard response, whose server does not look at every value for every report but whose variance is one more.

    >>> [choose(name="t", domain=d, epsilon=1).kind for d in (5, 128, 5000, 10**6)]
    ['k-ary', 'unary', 'local-hash', 'hadamard']
    """
    values = domain_of("domain", domain)
    size, exact = size_of(values), thresholds.budget(epsilon)
    common: dict[str, Any] = {"name": name, "domain": values, "epsilon": exact, **options}
    if size < 3 * math.exp(float(exact)) + 2:
        return KAry(**common)
    if size <= 8 * whole("most_bytes", most_bytes, least=1):
        return Unary(**common)
    return LocalHash(**common) if size <= _HASHED else Hadamard(**common)
