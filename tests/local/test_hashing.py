"""The hashes that devices and servers share: vectors anybody can check, exact pairwise independence, one law."""

import hashlib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import statistics_of_samples as samples
from sfumato.local import Aggregator, Client, Devices, Hadamard, LocalHash, PrefixTree, client
from sfumato.local.hadamard import transform
from sources import SeededBits

# a, b, x, word, buckets -> bucket: for clients in other languages
VECTORS = [
    (0x9E3779B9, 0x7F4A7C15, 0, 32, 4, 1),
    (0x9E3779B9, 0x7F4A7C15, 1, 32, 4, 0),
    (0x9E3779B9, 0x7F4A7C15, 1000, 32, 7, 3),
    (0xDEADBEEF12345678, 0x0123456789ABCDEF, 12345, 64, 56, 9),
    (1, 0, 65535, 32, 3, 0),
    (0xFFFFFFFF, 0xFFFFFFFF, 0, 32, 3, 2),
]


@pytest.mark.parametrize("vector", VECTORS)
def test_multiply_shift_vectors(vector: tuple[int, ...]) -> None:
    a, b, x, word, buckets, expected = vector
    assert client.bucket(a, b, x, word, buckets) == expected
    top = ((a * x + b) % 2**word) / 2 ** (word // 2)
    assert expected == int(top) * buckets // 2 ** (word // 2)


def test_blake2b_vectors() -> None:
    assert client.word_of(b"abc", b"0|1", 8) == int.from_bytes(
        hashlib.blake2b(b"abc", digest_size=8, key=b"0|1").digest(), "little"
    )
    assert client.word_of(b"", b"", 4) == 0x25CF7112
    assert client.bloom_bits(b"example.org", 3, 128, 2, "blake2b") == [73, 110]


def test_every_pair_of_values_is_hashed_independently() -> None:
    """Over all seeds of a word of 8 bits, the upper halves of any two values take every pair equally often."""
    word, half = 8, 4
    a, b = (grid.reshape(-1) for grid in np.meshgrid(np.arange(2**word), np.arange(2**word)))
    for x, other in [(0, 1), (1, 2), (3, 11), (7, 15), (8, 12)]:
        tops = [client.multiply_shift(a, b, value, word) >> half for value in (x, other)]  # type: ignore[operator]
        together = np.bincount(tops[0] * 2**half + tops[1], minlength=4**half)
        assert (together == 2 ** (2 * word) // 4**half).all()


def test_a_word_one_bit_too_short_would_not_be_independent() -> None:
    """The broken variant: 6 bits of a 8-bit word for values of 4 bits (word < 4 + 6 - 1)."""
    word = 8
    a, b = (grid.reshape(-1) for grid in np.meshgrid(np.arange(2**word), np.arange(2**word)))
    tops = [client.multiply_shift(a, b, value, word) >> 2 for value in (0, 8)]
    together = np.bincount(tops[0] * 64 + tops[1], minlength=4096)
    assert (together != 2 ** (2 * word) // 4096).any()


@pytest.mark.parametrize(
    "protocol",
    [
        LocalHash(name="t", domain=40, epsilon=1),
        LocalHash(name="t", domain=9, epsilon=2, word=64),
        LocalHash(name="t", domain=9, epsilon=3, buckets=7),
    ],
)
def test_the_servers_fast_supports_are_those_of_the_devices_hash(protocol: LocalHash) -> None:
    told = Devices(protocol).report(np.arange(300) % protocol.size, bits=SeededBits(1))[:, 16:]
    word, g = int(protocol.word or 0), int(protocol.buckets or 0)
    expected = np.zeros(protocol.size, dtype=np.int64)
    for row in told:
        raw = row.tobytes()
        a, b = (int.from_bytes(raw[i * word // 8 : (i + 1) * word // 8], "little") for i in range(2))
        said = int.from_bytes(raw[word // 4 :], "little")
        for x in range(protocol.size):
            expected[x] += client.bucket(a, b, x, word, g) == said
    assert (protocol.tally(told) == expected).all()


def test_the_chance_of_a_false_match_is_exact() -> None:
    for buckets in (2, 3, 4, 7):
        protocol = LocalHash(name="t", domain=9, epsilon=1, buckets=buckets)
        p, q = protocol.chances()
        assert abs(q - Fraction(1, buckets)) < Fraction(buckets, 2**30)
        assert p > q
    even = LocalHash(name="t", domain=9, epsilon=1, buckets=4)
    assert even.chances()[1] == Fraction(1, 4)


@pytest.mark.parametrize(
    "protocol", [LocalHash(name="t", domain=6, epsilon=1), LocalHash(name="t", domain=6, epsilon=1, word=64)]
)
def test_the_bucket_is_told_with_the_stated_chance(protocol: LocalHash) -> None:
    n, word, g = 20_000, int(protocol.word or 0), int(protocol.buckets or 0)
    told = Devices(protocol).report(np.full(n, 3), bits=SeededBits(2))
    server = Aggregator(protocol)
    server.add(told)
    p, q = protocol.chances()
    assert samples.binomial(int(server.counts[3]), n, float(p)) > samples.THRESHOLD
    assert samples.binomial(int(server.counts[3]), n, float(p) * 0.9) < samples.THRESHOLD
    for other in (0, 1, 5):
        assert samples.binomial(int(server.counts[other]), n, float(q)) > samples.THRESHOLD
    seeds = Counter(int(x) for x in told[:, 16] >> 4)
    assert all(samples.binomial(seeds[i], n, 1 / 16) > samples.THRESHOLD for i in range(16))
    own = [Client(protocol.document(), bytes([i]) * 16).report(3)[16:] for i in range(200)]
    true = sum(
        client.bucket(
            int.from_bytes(r[: word // 8], "little"), int.from_bytes(r[word // 8 : word // 4], "little"), 3, word, g
        )
        == int.from_bytes(r[word // 4 :], "little")
        for r in own
    )
    assert samples.binomial(true, 200, float(p)) > samples.THRESHOLD


def test_columns_of_the_hadamard_matrix_are_orthogonal_and_the_transform_is_the_matrix() -> None:
    order = 16
    matrix = np.array([[(-1) ** client.hadamard_bit(i, j) for j in range(order)] for i in range(order)])
    assert (matrix @ matrix.T == order * np.eye(order)).all()
    values = np.arange(order, dtype=np.float64) ** 2
    assert transform(values).tolist() == (matrix @ values).tolist()
    assert Hadamard(name="t", domain=9, epsilon=1).order == 16


def test_a_prefix_is_hashed_alike_by_device_and_server() -> None:
    tree = PrefixTree(name="t", length=3, rows=4, order=64, epsilon=6)
    server = Aggregator(tree)
    server.add([Client(tree.document(), i.to_bytes(16, "big")).report("cat") for i in range(600)])
    for prefix in (b"c", b"ca", b"cat"):
        shares, errors = tree.look_up(server.counts, [prefix, b"dog"[: len(prefix)]])
        assert abs(shares[0] - 1) < 7 * errors[0]
        assert abs(shares[1]) < 7 * errors[1]
