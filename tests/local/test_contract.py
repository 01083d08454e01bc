"""One contract for every local protocol: exact ε, no bias, exact variance, one law on both clients, bytes that never crash."""

import json
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import statistics_of_samples as samples
from local_cases import SEEDS, SMALL, exact_law, worst_ratio
from property_profile import examples
from sfumato.errors import InvalidParameter
from sfumato.local import (
    Aggregator,
    Client,
    Devices,
    Frequencies,
    Mean,
    Protocol,
    Rappor,
    client,
    from_document,
    from_json,
    sum_of,
)
from sources import SeededBits

SECRET = bytes(range(32))
every = pytest.mark.parametrize("name", SMALL)
HASHED = {"local hashing", "binary local hashing", "local hashing, 64 bits", "prefix tree"}
LOOSE = {
    "item condensed",
    "d-bit",
    "rappor",
    "one-time rappor",
    "hybrid, small ε",
}  # small domains do not reach their worst case


def bloom(protocol: Protocol) -> bool:
    return isinstance(protocol, Rappor) and protocol.domain is None


def plain(values: list[Any]) -> Any:
    """Values as the vectorised client takes them."""
    if isinstance(values[0], int | Fraction) and not all(isinstance(v, int) for v in values):
        return np.array([float(v) for v in values])
    return np.array(values) if isinstance(values[0], int) else values


def reports(protocol: Protocol, value: Any, n: int) -> list[bytes]:
    document = protocol.document()
    return [Client(document, bytes([i % 256, i // 256]) + SECRET).report(value) for i in range(n)]


def payload_rows(payloads: list[bytes]) -> Any:
    return np.frombuffer(b"".join(payloads), dtype=np.uint8).reshape(len(payloads), -1)


@every
def test_epsilon_is_that_of_the_whole_channel_and_never_above_what_is_stated(name: str) -> None:
    protocol, values = SMALL[name]
    for seed in SEEDS if name in HASHED else SEEDS[:1]:
        laws = [exact_law(protocol, value, seed=seed) for value in values]
        assert all(sum(law.values()) == 1 for law in laws)
        worst = worst_ratio(laws)
        assert worst is not None
        if name == "rappor" or (protocol.memo and protocol.kind == "one-bit"):
            # One report of a device that remembers: within the price of all its reports.
            assert client.log_up(worst) <= protocol.spent
        elif name in LOOSE | HASHED:
            assert client.log_up(worst) <= protocol.spent
        else:
            assert abs(client.log_up(worst) - one_report(protocol)) < 1e-40
    assert Fraction(protocol.spent) <= Fraction(protocol.epsilon)  # type: ignore[arg-type]
    assert float(protocol.spent) > float(protocol.epsilon) * (1 - 1e-4)
    assert protocol.event.pure() == Fraction(protocol.spent)


def one_report(protocol: Protocol) -> Any:
    """ε of one report, which for RAPPOR with memory is less than that of all."""
    if protocol.kind != "rappor":
        return protocol.spent
    document = protocol.document() | {"memo": False}
    return client.epsilon_of(document)


@pytest.mark.parametrize("name", [n for n in SMALL if SMALL[n][0].coins()])
def test_a_coin_moved_by_one_in_a_thousand_is_refused(name: str) -> None:
    protocol, _ = SMALL[name]
    document = protocol.document()
    worse = dict(document["coins"])
    for coin in ("p", "q", "p_bit"):
        if coin in worse and protocol.kind != "rappor":
            p = Fraction(worse[coin])
            towards = 1 if coin != "q" else 0
            worse[coin] = str(p + (towards - p) / 1000)
    if protocol.kind == "rappor":
        worse["f"] = str(Fraction(worse["f"]) * Fraction(999, 1000))
    with pytest.raises(client.ProtocolRefused, match="spend more"):
        Client(document | {"coins": worse}, SECRET)
    with pytest.raises(InvalidParameter, match="cannot be kept"):
        from_document(document | {"coins": worse})


# Those that hash are unbiased over the hash: see test_hashing and test_statistics.
@pytest.mark.parametrize("name", [n for n in SMALL if n not in HASHED and not bloom(SMALL[n][0])])
def test_one_report_estimates_without_bias_and_with_the_stated_variance(name: str) -> None:
    """Estimates are sums over reports, so what holds for one person holds for any number of them."""
    protocol, values = SMALL[name]
    for at, value in enumerate(values):
        law = exact_law(protocol, value)
        found = []
        for told in law:
            counts = protocol.tally(payload_rows([told]))
            found.append(protocol.estimate(counts, 1))
        chances = np.array([float(p) for p in law.values()])
        if isinstance(found[0], Mean):
            estimates = np.array([one.value for one in found])  # type: ignore[union-attr]
            assert chances @ estimates == pytest.approx(float(value), abs=1e-9)
            low, high = float(protocol.lower), float(protocol.upper)  # type: ignore[attr-defined]
            if not protocol.memo:
                spread = chances @ estimates**2 - float(value) ** 2
                share = (float(value) - low) / (high - low)
                on_grid = protocol.kind == "one-bit" or float(share * getattr(protocol, "grid", 1)).is_integer()
                stated = protocol.variance(share)
                assert spread == pytest.approx(stated, rel=1e-6) if on_grid else spread >= stated * 0.98
            continue
        shares = np.stack([one.shares for one in found])  # type: ignore[union-attr]
        truth = expected_shares(protocol, value, at)
        assert chances @ shares == pytest.approx(truth, abs=1e-7)
        if protocol.kind not in ("condensed", "d-bit"):
            spread = chances @ (shares - truth) ** 2
            other = (at + 1) % len(values)
            assert spread[at] == pytest.approx(protocol.variance(1.0), rel=1e-6, abs=1e-9)
            assert spread[other] == pytest.approx(protocol.variance(0.0), rel=1e-6)
        if protocol.kind == "d-bit":  # as if people were drawn: f(1 - f) less for those who are who they are
            spread = chances @ (shares - truth) ** 2
            assert spread[at] == pytest.approx(protocol.variance(1.0), rel=1e-6)
            assert spread[(at + 1) % len(values)] == pytest.approx(protocol.variance(0.0), rel=1e-6)


def expected_shares(protocol: Protocol, value: Any, at: int) -> Any:
    if protocol.kind == "condensed" and protocol.length > 1:  # type: ignore[attr-defined]
        size, length = protocol.size, protocol.length  # type: ignore[attr-defined]
        truth = np.zeros((length, size))
        for i in range(length):
            truth[i, value[i] if i < len(value) else size - 1] = 1
        return truth.reshape(-1)
    return np.eye(protocol.size)[at]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [n for n in SMALL if n not in HASHED])  # there the seed is part of the report
def test_both_clients_have_the_exact_law(name: str) -> None:
    protocol, values = SMALL[name]
    value, n = values[1], 6000
    law = exact_law(protocol, value)
    told = Devices(protocol).report(plain([value] * n), bits=SeededBits(7))
    counts = Counter(bytes(row[16:]) for row in told)
    assert fits(law, counts, n) > samples.THRESHOLD
    # Power: the same sample rejects the law of another value, so it is not blind.
    assert fits(exact_law(protocol, values[0]), counts, n) < samples.THRESHOLD or name == "k-ary, small ε"


def fits(law: dict[bytes, Fraction], counts: Counter[bytes], n: int) -> float:
    from scipy import stats

    if not set(counts) <= set(law):
        return 0.0
    statistic, cells, rest_e, rest_o = 0.0, 0, 0.0, 0
    for told, p in law.items():
        expected = n * float(p)
        if expected < 20:
            rest_e, rest_o = rest_e + expected, rest_o + counts[told]
            continue
        statistic += (counts[told] - expected) ** 2 / expected
        cells += 1
    if rest_e > 5:
        statistic, cells = statistic + (rest_o - rest_e) ** 2 / rest_e, cells + 1
    return float(stats.chi2.sf(statistic, max(1, cells - 1)))


@pytest.mark.parametrize("name", ["binary", "hadamard", "basic rappor", "one bit with an α-point", "piecewise"])
def test_the_devices_own_coins_have_the_exact_law(name: str) -> None:
    """The client as it is shipped; its keyed coins stand for independent ones over many secrets."""
    protocol, values = SMALL[name]
    n = 1500
    counts = Counter(told[16:] for told in reports(protocol, values[1], n))
    assert fits(exact_law(protocol, values[1]), counts, n) > samples.THRESHOLD


@every
def test_a_protocol_survives_json(name: str) -> None:
    protocol, _ = SMALL[name]
    again = from_json(protocol.to_json())
    assert again == protocol
    assert again.document() == protocol.document()
    assert protocol.next_round() != protocol
    assert client.fingerprint(protocol.next_round().document()) == client.fingerprint(protocol.document())


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@every
def test_a_mutilated_document_is_a_protocol_or_a_refusal_and_nothing_else(name: str) -> None:
    protocol, _ = SMALL[name]

    @examples(12)
    @given(st.data())
    def try_it(data: st.DataObject) -> None:
        document = json.loads(protocol.to_json())
        field = data.draw(st.sampled_from(sorted(document)))
        inner = document[field]
        if isinstance(inner, dict) and inner and data.draw(st.booleans()):
            inner[data.draw(st.sampled_from(sorted(inner)))] = data.draw(anything)
        else:
            document[field] = data.draw(anything)
        try:
            Client(document, SECRET)
            sound = True
        except client.ProtocolRefused:
            sound = False
        try:
            made = from_document(document)
        except InvalidParameter:
            return
        assert sound, "a server may not publish what a device refuses"
        assert Fraction(made.spent) <= Fraction(made.epsilon)  # type: ignore[arg-type]

    try_it()


@every
def test_reports_have_the_stated_size_and_are_counted(name: str) -> None:
    protocol, values = SMALL[name]
    server = Aggregator(protocol)
    sent = [Client(protocol.to_json(), bytes([i]) + SECRET).report(value) for i, value in enumerate(values)]
    assert {len(told) for told in sent} == {protocol.report_bytes}
    assert server.add(sent).accepted == len(sent)
    assert server.add(b"".join(sent)).rejected == {"replayed": len(sent)}


@every
def test_merged_servers_are_one_server(name: str) -> None:
    protocol, values = SMALL[name]
    told = Devices(protocol).report(plain([values[i % len(values)] for i in range(240)]), bits=SeededBits(3))
    whole, parts = Aggregator(protocol), [Aggregator(protocol) for _ in range(3)]
    whole.add(told)
    for i, part in enumerate(parts):
        part.add(told[80 * i : 80 * i + 80].tobytes())
        part.add(b"short")
    merged = sum_of(parts)
    assert (merged.counts == whole.counts).all()
    assert (merged.people, merged.doubled) == (240, 0)
    assert merged.rejected == {"wrong length": 3}
    assert same(merged.estimate(), whole.estimate())
    assert merged.add(told[:5]).rejected == {"replayed": 5}
    again = Aggregator.from_bytes(merged.to_bytes())
    assert same(again.estimate(), whole.estimate())
    assert again.to_bytes() == merged.to_bytes()


def same(one: Any, other: Any) -> bool:
    if isinstance(one, Frequencies):
        return list(one.labels) == list(other.labels) and np.array_equal(one.shares, other.shares, equal_nan=True)
    return bool(one == other)


@every
def test_no_bytes_crash_the_server(name: str) -> None:
    protocol, values = SMALL[name]
    good = Devices(protocol).report(plain(values), bits=SeededBits(5))
    server = Aggregator(protocol)

    @examples(20)
    @given(st.data())
    def try_it(data: st.DataObject) -> None:
        row = good[data.draw(st.integers(0, len(good) - 1))].copy()
        for _ in range(data.draw(st.integers(1, 3))):
            row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.integers(0, 255))
        before = server.people
        added = server.add([row.tobytes(), data.draw(st.binary(max_size=60))])
        assert added.accepted + sum(added.rejected.values()) == 2
        assert server.people == before + added.accepted

    try_it()
    estimate = server.estimate()
    assert isinstance(estimate, Frequencies | Mean)


@every
def test_each_kind_of_wrong_report_is_counted_under_its_reason(name: str) -> None:
    protocol, values = SMALL[name]
    told = Devices(protocol).report(plain([values[0]] * 4), bits=SeededBits(9))
    told[0, 0] ^= 1  # version
    told[1, 3] ^= 1  # protocol
    told[2, 6] ^= 1  # round
    told[3, -1] = 255  # payload, unless all bits of the last byte mean something
    server = Aggregator(protocol)
    added = server.add([*(row.tobytes() for row in told), told[3].tobytes()[:-1], b"", told[3].tobytes() + b"x"])
    assert added.rejected["wrong version"] == 1
    assert added.rejected["unknown protocol"] == 1
    assert added.rejected["another round"] == 1
    assert added.rejected["wrong length"] == 3
    assert added.accepted == 1 - added.rejected.get("malformed payload", 0)
    if name not in ("local hashing, 64 bits",):
        assert added.rejected.get("malformed payload") == 1
    assert server.rejected == added.rejected


def test_an_empty_server_says_that_it_knows_nothing() -> None:
    for protocol, _ in SMALL.values():
        estimate = Aggregator(protocol).estimate()
        if isinstance(estimate, Mean):
            assert math.isnan(estimate.value)
            assert estimate.standard_error == math.inf
        else:
            assert estimate.people == 0
            assert np.isinf(estimate.standard_errors).all()


@every
def test_a_stray_value_is_refused_without_being_shown(name: str) -> None:
    protocol, values = SMALL[name]
    stray: Any = (
        "SECRET-77" if not isinstance(values[0], str) or ("domain" in protocol.__dict__ and protocol.domain) else 77  # type: ignore[attr-defined]
    )
    with pytest.raises(client.NotInDomain) as refused:
        Client(protocol.document(), SECRET).report(stray)
    assert "77" not in str(refused.value)
    with pytest.raises((InvalidParameter, TypeError)) as also:
        Devices(protocol).report([stray])
    assert "77" not in str(also.value)
