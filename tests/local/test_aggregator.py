"""The server: replays, restarts, merges that meet, closed rounds, damaged files, and reprs without data."""

import hashlib
import json
import pickle
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.local import (
    Aggregator,
    Client,
    Condensed,
    DBitFlip,
    Devices,
    KAry,
    LocalHash,
    OneBitMean,
    Piecewise,
    PrefixTree,
    Protocol,
    Rappor,
    SubsetSelection,
    Unary,
    from_document,
    from_json,
    google,
    sum_of,
)
from sfumato.local.bitsums import column_sums
from sfumato.local.estimates import Frequencies
from sfumato.local.postprocess import METHODS
from sfumato.local.tags import SeenTags
from sources import SeededBits

PROTOCOL = KAry(name="browsers", domain=("fox", "globe", "compass"), epsilon=1)


def told(n: int, seed: int = 1) -> np.ndarray:
    return Devices(PROTOCOL).report(["fox"] * n, bits=SeededBits(seed))


def test_a_copy_is_counted_once_wherever_it_hides() -> None:
    server, rows = Aggregator(PROTOCOL), told(50)
    twice = np.concatenate([rows[:10], rows, rows[5:7]])
    assert server.add(twice).rejected == {"replayed": 12}
    assert server.add(rows[::-1].copy()).rejected == {"replayed": 50}
    assert server.people == 50
    assert server.add(told(20, 2)).accepted == 20


def test_a_device_that_reports_twice_is_heard_once() -> None:
    server, device = Aggregator(PROTOCOL), Client(PROTOCOL.document(), b"d" * 32)
    assert server.add([device.report("fox")]).accepted == 1
    assert server.add([device.report("globe")]).rejected == {"replayed": 1}


def test_a_report_of_another_round_or_protocol_is_not_counted() -> None:
    server = Aggregator(PROTOCOL)
    later, other = PROTOCOL.next_round(), KAry(name="browsers", domain=PROTOCOL.domain, epsilon=2)
    assert server.add(Devices(later).report(["fox"])).rejected == {"another round": 1}
    assert server.add(Devices(other).report(["fox"])).rejected == {"unknown protocol": 1}


def test_restarts_lose_nothing() -> None:
    whole, part = Aggregator(PROTOCOL), Aggregator(PROTOCOL)
    for seed in range(5):
        whole.add(told(100, seed))
        part = Aggregator.from_bytes(part.to_bytes())
        part.add(told(100, seed))
    part.add(told(100, 3))
    assert (part.counts == whole.counts).all()
    assert part.rejected == {"replayed": 100}
    assert part.people == 500


@pytest.mark.parametrize("at", [3, 30, 70, 100, -9, -1])
def test_damaged_bytes_are_refused(at: int) -> None:
    server = Aggregator(PROTOCOL)
    server.add(told(20))
    data = bytearray(server.to_bytes())
    data[at] ^= 1
    with pytest.raises(InvalidParameter, match="whole bytes of an aggregator"):
        Aggregator.from_bytes(bytes(data))
    with pytest.raises(InvalidParameter):
        Aggregator.from_bytes(server.to_bytes()[:-8])


def test_bytes_with_a_right_checksum_and_a_wrong_body_are_refused() -> None:
    magic = Aggregator(PROTOCOL).to_bytes()[:23]
    for body in (b"", b"\0" * 8, struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 10**9), b"\xff" * 40):
        with pytest.raises(InvalidParameter):
            Aggregator.from_bytes(magic + hashlib.sha256(body).digest() + body)


@pytest.mark.parametrize(
    "change",
    [
        {"people": -5},
        {"people": "many"},
        {"people": 1.5},
        {"doubled": None},
        {"tags": -1},
        {"tags": 3},
        {"closed": "no"},
        {"rejected": {"odd": 1}},
        {"rejected": {"replayed": -1}},
        {"rejected": [1]},
        {"check_replays": 2},
    ],
)
def test_numbers_that_no_aggregator_writes_are_refused(change: dict[str, Any]) -> None:
    data, start = Aggregator(PROTOCOL).to_bytes(), 23 + 32
    (length,) = struct.unpack_from("<Q", data, start)
    about = json.loads(data[start + 8 : start + 8 + length])

    def with_text(text: bytes) -> bytes:
        body = struct.pack("<Q", len(text)) + text + data[start + 8 + length :]
        return data[:23] + hashlib.sha256(body).digest() + body

    assert Aggregator.from_bytes(with_text(json.dumps(about).encode())).people == 0
    for text in (json.dumps(about | change).encode(), b"[" * 100_000):
        with pytest.raises(InvalidParameter):
            Aggregator.from_bytes(with_text(text))


def test_views_of_memory_are_read_as_their_bytes() -> None:
    reports = told(4).tobytes()
    size, server = len(reports) // 4, Aggregator(PROTOCOL)
    doubled = bytes(b for byte in reports for b in (byte, 0))
    assert server.add(memoryview(doubled)[::2]).accepted == 4
    wide = memoryview(np.zeros(size, dtype=np.int32))  # type: ignore[arg-type]
    assert server.add(wide).rejected == {"wrong version": 4}
    assert server.add([wide, memoryview(reports)[:size]]).rejected == {"wrong length": 1, "replayed": 1}


def test_servers_that_counted_the_same_report_say_so() -> None:
    one, two = Aggregator(PROTOCOL), Aggregator(PROTOCOL)
    one.add(told(30))
    two.add(told(30)[20:])
    two.add(told(5, 9))
    one.merge(two)
    assert (one.people, one.doubled) == (45, 10)
    assert one.add(told(5, 9)).rejected == {"replayed": 5}
    with pytest.raises(InvalidParameter, match="same protocol and round"):
        one.merge(Aggregator(PROTOCOL.next_round()))
    with pytest.raises(InvalidParameter, match="at least one"):
        sum_of([])


def test_a_closed_round_counts_nothing_more_and_forgets_tags() -> None:
    server = Aggregator(PROTOCOL)
    server.add(told(30))
    full = len(server.to_bytes())
    server.close()
    assert server.add(told(4, 8)).rejected == {"round closed": 4}
    assert len(server.to_bytes()) < full - 200
    assert Aggregator.from_bytes(server.to_bytes()).closed
    with pytest.raises(InvalidParameter, match="closed"):
        Aggregator(PROTOCOL).merge(server)
    assert server.estimate().people == 30


@pytest.mark.parametrize("batch", [None, 7, "text", np.zeros(5), np.zeros((2, 3))])
def test_what_is_not_bytes_is_the_callers_mistake(batch: object) -> None:
    with pytest.raises(InvalidParameter, match="batch"):
        Aggregator(PROTOCOL).add(batch)


def test_lists_may_hold_strangers() -> None:
    added = Aggregator(PROTOCOL).add([b"", None, 7, "text", bytearray(told(1).tobytes())])
    assert (added.accepted, added.rejected) == (1, {"wrong length": 4})
    assert Aggregator(PROTOCOL).add(np.zeros((3, 5), dtype=np.uint8)).rejected == {"wrong length": 3}
    assert Aggregator(PROTOCOL).add(told(2).tobytes() + b"xy").rejected == {"wrong length": 1}
    assert Aggregator(PROTOCOL).add([]).accepted == 0


@pytest.mark.parametrize("n", [0, 1, 47, 48, 49, 200, 5000])
@pytest.mark.parametrize("columns", [1, 7, 8, 128, 131])
def test_bit_sums_are_the_sums_of_the_bits(n: int, columns: int) -> None:
    rng = np.random.default_rng(n * 1000 + columns)
    rows = rng.integers(0, 256, (n, -(-columns // 8)), dtype=np.uint8)
    plain = np.unpackbits(rows, axis=1, bitorder="little")[:, :columns].sum(axis=0)
    assert column_sums(rows, columns).tolist() == plain.tolist()
    assert column_sums(rows[::2], columns).sum() <= plain.sum()


def test_tags_are_a_set() -> None:
    rng, seen, model = np.random.default_rng(5), SeenTags(), set[int]()
    for _ in range(60):
        tags = rng.integers(0, 400, rng.integers(0, 60)).astype(np.uint64)
        fresh = seen.add(tags)
        for tag, new in zip(tags.tolist(), fresh.tolist(), strict=True):
            assert new == (tag not in model)
            model.add(tag)
        assert len(seen) == len(model)
    assert set(seen.all().tolist()) == model


def test_names_and_errors_show_no_counts_or_values() -> None:
    server = Aggregator(PROTOCOL)
    server.add(told(30))
    assert repr(server) == "<Aggregator of 'browsers', round 1: 30 reports>"
    with pytest.raises(InvalidParameter) as refused:
        Devices(PROTOCOL).report(["fox", "SECRET"])
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KAry(name="", domain=3, epsilon=1), "name"),
        (lambda: KAry(name="t", domain=1, epsilon=1), "between 2"),
        (lambda: KAry(name="t", domain=("a", "a"), epsilon=1), "twice"),
        (lambda: KAry(name="t", domain=("a", 1), epsilon=1), "names"),  # type: ignore[arg-type]
        (lambda: KAry(name="t", domain=3, epsilon=0), "positive"),
        (lambda: KAry(name="t", domain=3, epsilon=40), "between 1e-6 and 32"),
        (lambda: KAry(name="t", domain=3, epsilon=float("nan")), "finite"),
        (lambda: KAry(name="t", domain=3, epsilon=1, p=Fraction(9, 10)), "cannot be kept"),
        (lambda: KAry(name="t", domain=3, epsilon=1, round=1 << 16), "round"),
        (lambda: KAry(name="t", domain=3, epsilon=1, interaction="chatty"), "interaction"),
        (lambda: Unary(name="t", domain=3, epsilon=1, coding="morse"), "coding"),
        (lambda: LocalHash(name="t", domain=3, epsilon=1, buckets=1), "buckets"),
        (lambda: Rappor(name="t", f=0), "remembered"),
        (lambda: Rappor(name="t", p=0.75, q=0.5), "below q"),
        (lambda: Rappor(name="t", bits=512, hash_name="md5"), "at most 256"),
        (lambda: Rappor(name="t", hash_name="rot13"), "one of"),
        (lambda: Rappor(name="t", cohorts=0), "cohorts"),
        (lambda: OneBitMean(name="t", lower=5, upper=5, epsilon=1), "below upper"),
        (lambda: OneBitMean(name="t", upper=10, epsilon=1, granularity=3), "must divide"),
        (lambda: DBitFlip(name="t", domain=4, bits=5, epsilon=1), "between 1 and the 4 buckets"),
        (lambda: SubsetSelection(name="t", domain=4, subset=4, epsilon=1), "smaller than the domain"),
        (lambda: Piecewise(name="t", upper=1, grid=1, epsilon=1), "grid"),
        (lambda: Piecewise(name="t", upper=1, grid=8, window=9, epsilon=1), "window"),
        (lambda: PrefixTree(name="t", length=0, epsilon=1), "length"),
        (lambda: PrefixTree(name="t", order=100, epsilon=1), "power of two"),
        (lambda: Condensed(name="t", domain=4, alpha=1, length=65), "length"),
        (lambda: google.cohort(b"s", 100), "power of two"),
        (lambda: google.permanent(b"s", 1, 33, 0.5), "between 1 and 32"),
        (lambda: Devices(OneBitMean(name="t", upper=1, epsilon=1)).report([float("nan")]), "finite"),
        (lambda: Devices(OneBitMean(name="t", upper=1, epsilon=1)).report(["1"]), "row of numbers"),
        (lambda: Devices(KAry(name="t", domain=3, epsilon=1)).report(np.zeros((2, 2), dtype=int)), "row of whole"),
    ],
)
def test_a_protocol_that_cannot_be_is_refused_in_the_callers_words(make: object, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "[]",
        "{}",
        '{"format": "sfumato-local/9"}',
        '{"format": "sfumato-local/1", "kind": "odd"}',
        "nonsense",
        "[" * 100_000,
    ],
)
def test_what_is_not_a_document_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter):
        from_json(text)


def test_a_document_with_strange_fields_is_refused() -> None:
    document = PROTOCOL.document()
    assert from_document(document) == PROTOCOL
    for change in ({"extra": 1}, {"parameters": {"odd": 1}}, {"domain": {"values": []}}, {"round": "x"}, {"coins": {}}):  # type: ignore[var-annotated]
        with pytest.raises(InvalidParameter):
            from_document(json.loads(json.dumps(document | change)))
    assert pickle.loads(pickle.dumps(PROTOCOL)) == PROTOCOL


def frequencies(*shares: float) -> Frequencies:
    return Frequencies(range(len(shares)), np.array(shares), np.full(len(shares), 0.05), 1000)


def test_post_processing_does_what_its_name_says() -> None:
    raw = frequencies(0.7, 0.5, 0.06, -0.1)
    assert raw.postprocess("raw") is raw
    assert raw.postprocess("positive").shares.tolist() == [0.7, 0.5, 0.06, 0]
    assert raw.postprocess("cut").shares.tolist() == [0.7, 0.5, 0, 0]
    assert raw.postprocess("cut", errors_kept=1).shares.tolist() == [0.7, 0.5, 0.06, 0]
    assert raw.postprocess("norm").shares == pytest.approx([0.66, 0.46, 0.02, -0.14])
    assert raw.postprocess("norm-mul").shares == pytest.approx(np.array([0.7, 0.5, 0.06, 0]) / 1.26)
    assert raw.postprocess("norm-cut").shares == pytest.approx([0.7, 0, 0, 0])
    assert raw.postprocess("norm-sub").shares == pytest.approx([0.6, 0.4, 0, 0])
    for method in set(METHODS) - {"raw", "positive", "cut"}:
        assert raw.postprocess(method).shares.sum() <= 1 + 1e-9
    with pytest.raises(InvalidParameter, match="one of"):
        raw.postprocess("magic")
    with pytest.raises(InvalidParameter, match="raw"):
        raw.postprocess("norm").postprocess("norm")
    with pytest.raises(InvalidParameter, match="raw"):
        raw.postprocess("norm").interval()
    with pytest.raises(InvalidParameter, match="options"):
        raw.postprocess("norm", errors_kept=1)


def test_norm_sub_is_the_nearest_point_of_the_simplex() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        shares = rng.normal(0.1, 0.2, 6)
        nearest = frequencies(*shares).postprocess("norm-sub").shares
        assert nearest.sum() == pytest.approx(1)
        assert (nearest >= 0).all()
        others = rng.dirichlet(np.ones(6), 200)
        assert ((nearest - shares) ** 2).sum() <= ((others - shares) ** 2).sum(axis=1).min() + 1e-12


def test_an_estimate_reads_as_a_table() -> None:
    server = Aggregator(PROTOCOL)
    server.add(Devices(PROTOCOL).report(["fox"] * 600 + ["globe"] * 300, bits=SeededBits(1)))
    estimate = server.estimate()
    assert [label for label, _ in estimate] == list(PROTOCOL.domain)  # type: ignore[arg-type]
    assert estimate.top(1)[0][0] == "fox"
    assert estimate["fox"].value == estimate.shares[0]
    assert estimate.counts == pytest.approx(estimate.shares * 900)
    low, high = estimate.interval(0.99)
    assert (low < estimate.interval(0.9)[0]).all()
    assert ((low < estimate.shares) & (estimate.shares < high)).all()


def test_protocols_are_values() -> None:
    protocols: list[Protocol] = [KAry(name="t", domain=3, epsilon=1), KAry(name="t", domain=3, epsilon=1)]
    assert protocols[0] == protocols[1]
    with pytest.raises(AttributeError):
        protocols[0].name = "other"  # type: ignore[misc]


def test_a_server_behind_a_gateway_may_leave_replays_to_it() -> None:
    server, rows = Aggregator(PROTOCOL, check_replays=False), told(30)
    server.add(rows)
    server.add(rows)
    assert (server.people, dict(server.rejected)) == (60, {})
    assert not Aggregator.from_bytes(server.to_bytes()).check_replays
    with pytest.raises(InvalidParameter, match="True or False"):
        Aggregator(PROTOCOL, check_replays="no")  # type: ignore[arg-type]
