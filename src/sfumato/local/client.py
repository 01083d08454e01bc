"""The device: one file of the standard library that turns a private value into a report. Copy it and it runs.

    client = Client(document, secret)      # the protocol as the server publishes it; 32 random bytes of one's own
    client.report("https://example.org")   # bytes to send; they are private before they leave

The device trusts nobody. It computes the ε of the published coins itself and refuses a protocol whose ε is above what
it states, or above what the device allows. Coins are integers from the operating system compared with exact
rationals. What a memo must remember is not stored: it is drawn again, the same, from a keyed hash (HMAC-SHA256) of the
secret.

A document cannot hang a device. Its text, the digits of its numbers and its sizes are capped before anything is
computed from them, and every step after that is linear in them, but for one: the ε of condensed privacy compares all
pairs of at most 1024 values. Reading a document takes at most `MOST_STEPS` steps, and so does a report.

Numbers of a document are fractions in text, and a device reads them itself (`rational`): the parser of amounts that
all other rooms share needs NumPy and is not here. The one number an owner of a device writes, `most_epsilon`, means
the same as there: a float is the decimal it is written as.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar, cast

VERSION = 1
FORMAT = f"sfumato-local/{VERSION}"
HEAD, TAG = 8, 8
"""Bytes of a report before its payload: version, protocol and round; then the tag that makes a copy recognisable."""

Word = TypeVar("Word")  # an int here, an array of them at the server
MOST_TEXT = 1 << 22
"""Characters of a document."""
MOST_DIGITS, COIN_DIGITS, WEIGHT_DIGITS = 512, 128, 64
"""Characters of a number, of a coin's probability ("n/d"), and of a weight of condensed privacy."""
MOST_WEIGHTS = 1 << 16
MOST_STEPS = 1 << 24
"""Lines run, numbers compared, words and bytes moved: a test counts them for the worst documents let through."""

HASH_NAMES = ("blake2b", "md5", "md5-java")
INTERACTIONS = ("non-interactive", "sequential", "full")
Document = dict[str, Any]


class ProtocolRefused(ValueError):
    """A document this device will not answer; nothing was reported."""


class NotInDomain(ValueError):
    """A value the protocol has no report for; the value is not shown."""


# ---- coins ------------------------------------------------------------------------------------------------------


class Coins:
    """Exact draws from a stream of uniform bytes: whole numbers by rejection, coins by comparing them."""

    def __init__(self, stream: Callable[[int], bytes]) -> None:
        self._stream, self._held = stream, b""

    def _take(self, count: int) -> bytes:
        while len(self._held) < count:
            self._held += self._stream(max(512, count))
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def below(self, n: int) -> int:
        """Uniform on {0, …, n - 1}."""
        bits = (n - 1).bit_length()
        while True:
            value = int.from_bytes(self._take((bits + 7) // 8), "big") >> (-bits % 8)
            if value < n:
                return value

    def coin(self, p: Fraction) -> bool:
        """True with probability exactly p."""
        return self.below(p.denominator) < p.numerator

    def pick(self, weights: Sequence[int]) -> int:
        """An index, with probability exactly its weight over the sum."""
        left, at = self.below(sum(weights)), 0
        while left >= weights[at]:
            left, at = left - weights[at], at + 1
        return at


def system_coins() -> Coins:
    """Fresh coins of the operating system; made anew for every report, so that a fork cannot repeat them."""
    return Coins(os.urandom)


def keyed(key: bytes, label: bytes) -> bytes:
    """32 bytes that only the holder of the key can tell from random ones."""
    return hmac.new(key, label, hashlib.sha256).digest()


def keyed_coins(key: bytes, label: bytes) -> Coins:
    """The same coins every time for a key and a label: a memo with nothing to store (Survey Definition 7.3)."""
    seed, block = keyed(key, label), [0]

    def stream(_: int) -> bytes:
        block[0] += 1
        return keyed(seed, block[0].to_bytes(8, "big"))

    return Coins(stream)


# ---- hashes that devices and servers share ------------------------------------------------------------------------


def multiply_shift(a: Word, b: Word, x: Word, word: int) -> Word:
    """(a·x + b) mod 2^word; its upper half is pairwise independent in a and b for x below 2^(word/2).

    Dietzfelbinger (1996), Theorem 3: words of at least 2·(word/2) - 1 bits suffice. Takes integers or arrays.
    """
    product: Any = a
    return cast("Word", (product * x + b) & ((1 << word) - 1))


def bucket(a: int, b: int, x: int, word: int, buckets: int) -> int:
    """The upper half of `multiply_shift`, scaled to 0 … buckets - 1: interval y is the halves from ⌈y·2^(word/2)/g⌉."""
    half = word // 2
    return int(((multiply_shift(a, b, x, word) >> half) * buckets) >> half)


def word_of(text: bytes, key: bytes, size: int) -> int:
    """A keyed hash of a string to `size` bytes, as an integer: BLAKE2b, so anybody can compute it."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=size, key=key).digest(), "little")


def bloom_bits(text: bytes, cohort: int, bits: int, hashes: int, name: str) -> list[int]:
    """The positions that a string sets in its cohort's Bloom filter."""
    if name == "blake2b":
        digest = hashlib.blake2b(text, digest_size=8 * hashes, key=b"%d" % cohort).digest()
        return [int.from_bytes(digest[8 * i : 8 * i + 8], "little") % bits for i in range(hashes)]
    digest = hashlib.md5(cohort.to_bytes(4, "big") + text, usedforsecurity=False).digest()
    if name == "md5":  # as the Python and C++ clients of google/rappor: one byte a hash
        return [digest[i] % bits for i in range(hashes)]
    return [int.from_bytes(digest[2 * i : 2 * i + 2], "big") % bits for i in range(hashes)]  # "md5-java": two bytes


def hadamard_bit(row: int, column: int) -> int:
    """The entry of the Hadamard matrix: 0 for +1, 1 for -1."""
    return (row & column).bit_count() & 1


# ---- the document -------------------------------------------------------------------------------------------------


def canonical(document: Mapping[str, Any]) -> bytes:
    """The bytes that fingerprints are of: JSON with sorted keys and no blanks."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def parsed(document: str | bytes | Mapping[str, Any]) -> object:
    """The document of a text, or a copy; a key given twice is refused, as readers differ on which of the two counts."""
    try:
        text = document if isinstance(document, str | bytes) else json.dumps(document)
        if len(text) > MOST_TEXT:
            raise ProtocolRefused(f"the document has more than {MOST_TEXT} characters")
        return json.loads(text, object_pairs_hook=_once)
    except ProtocolRefused:
        raise
    except (TypeError, ValueError, RecursionError):
        raise ProtocolRefused("the document is not JSON, or gives a key twice") from None


def rational(text: Any, most: int = MOST_DIGITS) -> Fraction:
    """A number as documents write it, "n" or "n/d": an exponent could ask for more digits than a device can hold."""
    if not isinstance(text, str) or len(text) > most or not set(text) <= set("0123456789/-"):
        raise ProtocolRefused(f"the document is malformed: numbers must be fractions of at most {most} characters")
    return Fraction(text)


def fingerprint(document: Mapping[str, Any]) -> bytes:
    """32 bytes that name a protocol, whatever the round."""
    return hashlib.sha256(canonical({key: value for key, value in document.items() if key != "round"})).digest()


def head(document: Mapping[str, Any]) -> bytes:
    """The first 8 bytes of every report: version, five bytes of the fingerprint, the round."""
    return bytes([VERSION]) + fingerprint(document)[:5] + int(document["round"]).to_bytes(2, "little")


def width(n: int) -> int:
    """How many bytes hold the codes 0 … n - 1: 1, 2, 4 or 8."""
    return next(size for size in (1, 2, 4, 8) if n <= 1 << (8 * size))


def _size(document: Document) -> int:
    domain = document["domain"]
    return len(domain["values"]) if "values" in domain else int(domain["size"])


def _position(document: Document, value: Any) -> int:
    """Where a value stands in the domain; a stray one is refused without being shown."""
    values = document["domain"].get("values")
    if values is not None:
        if value in values:
            return int(values.index(value))
    elif isinstance(value, int) and not isinstance(value, bool) and 0 <= value < int(document["domain"]["size"]):
        return value
    raise NotInDomain("the value is not in the protocol's domain")


def _fraction_along(document: Document, value: Any) -> Fraction:
    """How far a number lies from the lower to the upper end; beyond them it counts as the end."""
    lower, upper = (rational(document["domain"][end]) for end in ("lower", "upper"))
    try:
        exact = Fraction(value)
    except (TypeError, ValueError, ArithmeticError):
        raise NotInDomain("the value is not a finite number") from None
    return (min(max(exact, lower), upper) - lower) / (upper - lower)


def _bytes_of(value: Any) -> bytes:
    try:
        return str.encode(value)
    except (TypeError, UnicodeEncodeError):
        raise NotInDomain("the value is not a string of characters") from None


def _packed(bits: Sequence[int]) -> bytes:
    """Bits as bytes, the first one lowest."""
    out = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        out[i >> 3] |= bit << (i & 7)
    return bytes(out)


# ---- what each kind sends -----------------------------------------------------------------------------------------

Memo = Callable[[bytes], Coins]
"""Coins for a label: the same each time where the protocol remembers, fresh ones where it does not."""


def _choice_of(coins: Coins, x: int, k: int, p: Fraction) -> int:
    """x with probability p, else one of the k - 1 others alike (Survey §4.1.3)."""
    if coins.coin(p):
        return x
    other = coins.below(k - 1)
    return other + (other >= x)


def _flags(coins: Coins, ones: set[int], count: int, p: Fraction, q: Fraction) -> list[int]:
    """A bit for each place: 1 with probability p where there is a one, with q elsewhere."""
    return [int(coins.coin(p if i in ones else q)) for i in range(count)]


def _k_ary(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    x, k = _position(doc, value), _size(doc)
    return _choice_of(memo(b"%d" % x), x, k, r["p"]).to_bytes(width(k), "little")


def _unary(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    x = _position(doc, value)
    return _packed(_flags(memo(b"%d" % x), {x}, _size(doc), r["p"], r["q"]))


def _local_hash(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    x, word, g = _position(doc, value), int(doc["hash"]["word"]), int(doc["hash"]["buckets"])
    coins = memo(b"%d" % x)
    a, b = coins.below(1 << word), coins.below(1 << word)
    said = _choice_of(coins, bucket(a, b, x, word, g), g, r["p"])
    return a.to_bytes(word // 8, "little") + b.to_bytes(word // 8, "little") + said.to_bytes(width(g), "little")


def _signed(coins: Coins, column: int, order: int, p: Fraction) -> bytes:
    """A row of the Hadamard matrix and its entry at the column, told truly with probability p."""
    row = coins.below(order)
    bit = hadamard_bit(row, column) ^ (not coins.coin(p))
    return (row << 1 | bit).to_bytes(width(2 * order), "little")


def _hadamard(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    x = _position(doc, value)
    return _signed(memo(b"%d" % x), x, int(doc["parameters"]["order"]), r["p"])


def _subset(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    x, d, k = _position(doc, value), _size(doc), int(doc["parameters"]["subset"])
    coins, chosen = memo(b"%d" % x), set[int]()
    inside = coins.coin(r["p"])
    for j in range(d - 1 - k + inside, d - 1):  # Floyd's subset of the d - 1 others, of k or k - 1 members
        other = coins.below(j + 1)
        chosen.add(j if other in chosen else other)
    members = {other + (other >= x) for other in chosen} | ({x} if inside else set())
    return _packed([int(i in members) for i in range(d)])


def _rappor(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    bits, cohorts = int(doc["parameters"]["bits"]), int(doc["parameters"]["cohorts"])
    cohort = memo(b"cohort").below(cohorts)
    if doc["hash"] is None:  # basic RAPPOR: one bit a value
        ones = {_position(doc, value)}
    else:
        ones = set(bloom_bits(_bytes_of(value), cohort, bits, int(doc["hash"]["hashes"]), doc["hash"]["name"]))
    label = _packed([int(i in ones) for i in range(bits)])
    permanent = _flags(memo(b"permanent" + label), ones, bits, 1 - r["f"] / 2, r["f"] / 2)
    told = {i for i, bit in enumerate(permanent) if bit}
    return cohort.to_bytes(2, "little") + _packed(_flags(memo(b""), told, bits, r["q"], r["p"]))


def _rounded(doc: Document, memo: Memo, along: Fraction) -> int:
    """The multiple of the granularity that a number is rounded to, at random without bias (Survey Lemma 7.8).

    It is this multiple whose mean is the number, and not the bit that is sent (errata E8). With memory the α-point
    decides, α uniform on {0, …, s - 1}: up if and only if x + α ≥ the next multiple (errata B19). Where x is not whole,
    α has a fraction of 32 bits.
    """
    steps, s = int(doc["parameters"]["steps"]), int(doc["parameters"]["granularity"])
    x = along * steps
    level = int(x // s)
    if not doc["memo"]:
        return level + memo(b"").coin(x / s - level)
    coins = memo(b"alpha")
    alpha = Fraction(coins.below(s))
    if x.denominator > 1:
        alpha += Fraction(coins.below(1 << 32), 1 << 32)
    return level + (x - level * s + alpha >= s)


def _one_bit(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    level = _rounded(doc, memo, _fraction_along(doc, value))
    levels = Fraction(int(doc["parameters"]["steps"]), int(doc["parameters"]["granularity"]))
    coins = memo(b"level %d" % level)
    return bytes([coins.coin(level / levels) ^ (not coins.coin(r["p"]))])


def _d_bit(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    k, d, x = _size(doc), int(doc["parameters"]["bits"]), _position(doc, value)
    coins, chosen = memo(b"buckets"), set[int]()
    for j in range(k - d, k):
        place = coins.below(j + 1)
        chosen.add(j if place in chosen else place)
    places = sorted(chosen)
    ones = {i for i, place in enumerate(places) if place == x}
    told = _packed(_flags(memo(b"%d" % x), ones, d, r["p"], r["q"]))
    return b"".join(place.to_bytes(2, "little") for place in places) + told


def _window(doc: Document, r: dict[str, Fraction], along: Fraction, coins: Coins) -> int:
    """The piecewise mechanism on cells: a window of them moves with the value and is hit with probability p."""
    grid, window = int(doc["parameters"]["grid"]), int(doc["parameters"]["window"])
    start = int(along * grid)
    start += coins.coin(along * grid - start)
    if coins.coin(r["p"]):
        return start + coins.below(window)
    place = coins.below(grid)
    return place + window * (place >= start)


def _piecewise(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    along = _fraction_along(doc, value)
    coins = memo(str(along).encode())
    cell = _window(doc, r, along, coins)
    if doc["kind"] == "hybrid" and not coins.coin(r["mix"]):
        cell = int(doc["parameters"]["grid"]) + int(doc["parameters"]["window"])
        cell += coins.coin(along) ^ (not coins.coin(r["p_bit"]))
    return cell.to_bytes(2, "little")


def _row(apart: Any, weights: Sequence[int], x: int, d: int) -> list[int]:
    """The weights of all reports for a value: by distance, along a line or in a table."""
    return [weights[abs(x - y)] for y in range(d)] if apart is None else [weights[apart[x][y]] for y in range(d)]


def _condensed(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    parameters, d = doc["parameters"], _size(doc)
    length, weights = int(parameters["length"]), [int(weight) for weight in parameters["weights"]]
    items = [_position(doc, item) for item in (value if length > 1 else [value])]
    if len(items) > length or (length > 1 and d - 1 in items):
        raise NotInDomain("the value is not a sequence of items within the protocol's length")
    items += [d - 1] * (length - len(items))  # the last item of the domain stands for nothing
    coins, told = memo(b",".join(b"%d" % item for item in items)), b""
    for x in items:
        told += coins.pick(_row(parameters["distances"], weights, x, d)).to_bytes(width(d), "little")
    return told


def _prefix(doc: Document, r: dict[str, Fraction], value: Any, memo: Memo) -> bytes:
    parameters = doc["parameters"]
    length, rows, order = (int(parameters[name]) for name in ("length", "rows", "order"))
    text = _bytes_of(value)[:length].ljust(length, b"\0")
    coins = memo(text)
    level, row = coins.below(length), coins.below(rows)
    column = word_of(text[: level + 1], b"%d|%d" % (level, row), 8) % order
    return bytes([level, row]) + _signed(coins, column, order, r["p"])


# ---- what a report costs ------------------------------------------------------------------------------------------


def _flag_odds(p: Fraction, q: Fraction, ones: int = 1) -> Fraction:
    """The likeliest against the least likely report when `ones` flags leave their places for others."""
    if not 0 < q <= p < 1:
        raise ProtocolRefused("the coins of the protocol are not 0 < q ≤ p < 1")
    return (p * (1 - q) / (q * (1 - p))) ** ones


def _two_sided(p: Fraction) -> Fraction:
    return max(p, 1 - p) / min(p, 1 - p)


def _window_odds(doc: Document, r: dict[str, Fraction]) -> Fraction:
    inside = r["p"] / int(doc["parameters"]["window"])
    outside = (1 - r["p"]) / int(doc["parameters"]["grid"])
    return max(inside / outside, outside / inside)


def _condensed_odds(doc: Document) -> Fraction:
    """The largest ratio of two likelihoods of one report, over the whole table; fractions are compared crosswise."""
    weights, d = [int(weight) for weight in doc["parameters"]["weights"]], _size(doc)
    rows = [_row(doc["parameters"]["distances"], weights, x, d) for x in range(d)]
    sums = [sum(row) for row in rows]
    worst, of = 1, 1
    for y in range(d):
        (high, high_sum), (low, low_sum) = (rows[0][y], sums[0]), (rows[0][y], sums[0])
        for row, total in zip(rows, sums, strict=True):
            if row[y] * high_sum > high * total:
                high, high_sum = row[y], total
            elif row[y] * low_sum < low * total:
                low, low_sum = row[y], total
        if high * low_sum * of > worst * low * high_sum:
            worst, of = high * low_sum, low * high_sum
    return Fraction(worst, of) ** int(doc["parameters"]["length"])


def _k_odds(p: Fraction, k: int) -> Fraction:
    ratio = p * (k - 1) / (1 - p)
    return max(ratio, 1 / ratio)


def _subset_odds(doc: Document, r: dict[str, Fraction]) -> Fraction:
    d, k = _size(doc), int(doc["parameters"]["subset"])
    ratio = r["p"] * (d - k) / ((1 - r["p"]) * k)
    return max(ratio, 1 / ratio)


def _rappor_odds(doc: Document, r: dict[str, Fraction], *, forever: bool) -> Fraction:
    """ε∞ if forever (Survey Theorem 7.4), else the ε₁ of one report, which the survey leaves out (errata C7)."""
    half, hashes = r["f"] / 2, int(doc["hash"]["hashes"]) if doc["hash"] else 1
    told, untold = (
        (1 - half, half) if forever else (r["q"] - half * (r["q"] - r["p"]), r["p"] + half * (r["q"] - r["p"]))
    )
    if untold == 0 or told == 1:
        raise ProtocolRefused("a report of this protocol may show a bit beyond doubt")
    return _flag_odds(told, untold, hashes)


def log_up(ratio: Fraction) -> Decimal:
    """ln(ratio), rounded up."""
    context = Context(prec=50, rounding=ROUND_CEILING)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    return Decimal(0) if ratio == 1 else context.next_plus(context.ln(quotient))


def coins_of(document: Document) -> dict[str, Fraction]:
    """The probabilities that the document states, each a rational in [0, 1]."""
    if frozenset(document["coins"]) != KINDS[document["kind"]].coins:
        raise ProtocolRefused("the document is malformed: its kind has other coins")
    coins = {name: rational(text, COIN_DIGITS) for name, text in document["coins"].items()}
    if not all(0 <= p <= 1 for p in coins.values()):
        raise ProtocolRefused("a probability of the protocol is not between 0 and 1")
    return coins


def epsilon_of(document: Document) -> Decimal:
    """The ε of what a device gives away, from the coins themselves, rounded up.

    Of one report; where the protocol remembers, of all reports of one value for ever.
    """
    return log_up(KINDS[document["kind"]].odds(document, coins_of(document)))


def _ends_in_order(document: Document) -> bool:
    return rational(document["domain"]["lower"]) < rational(document["domain"]["upper"])


def _keeps_alpha(document: Document) -> bool:
    """Weights a step apart differ by at most e^(α/2), so that with a metric the channel keeps α as well as its ε."""
    given, apart, d = document["parameters"]["weights"], document["parameters"]["distances"], _size(document)
    if not isinstance(given, list) or len(given) > MOST_WEIGHTS or not all(map(_is_weight, given)):
        return False
    if apart is not None and not _is_table(apart, d, len(given)):
        return False
    weights, high, low = [int(weight) for weight in given], 1, 1
    for one, other in pairwise(weights):
        if max(one, other) * low > high * min(one, other):
            high, low = max(one, other), min(one, other)
    return 2 * Fraction(log_up(Fraction(high, low))) <= rational(document["parameters"]["alpha"])


def _is_weight(text: object) -> bool:
    plain = isinstance(text, str) and len(text) <= WEIGHT_DIGITS and text.isascii() and text.isdecimal()
    return plain and int(str(text)) > 0


def _is_table(apart: Any, d: int, weights: int) -> bool:
    """d rows of d distances, each with a weight."""
    if not isinstance(apart, list) or len(apart) != d:
        return False
    square = all(isinstance(row, list) and len(row) == d for row in apart)
    return square and all(type(far) is int and 0 <= far < weights for row in apart for far in row)


def _known_bloom(document: Document) -> bool:
    spec = document["hash"]
    if spec is None:  # basic RAPPOR: a bit a value
        return _size(document) == int(document["parameters"]["bits"])
    return type(spec["hashes"]) is int and 1 <= spec["hashes"] <= 8 and spec["name"] in HASH_NAMES


# ---- the kinds ----------------------------------------------------------------------------------------------------

Range = tuple[str, str, int, int]
"""Where a whole number stands in a document, the least and the most it may be; without a name, the domain's size."""
_DOMAIN = ("domain", "")


@dataclass(frozen=True)
class DeviceKind:
    """All that a device knows of one kind of protocol."""

    encode: Callable[[Document, dict[str, Fraction], Any, Memo], bytes]
    odds: Callable[[Document, dict[str, Fraction]], Fraction]
    """The likeliest against the least likely value behind a report."""
    ranges: tuple[Range, ...]
    """The whole numbers a document must hold: outside them an encoder might hang, or fail for some values only."""
    coins: frozenset[str] = frozenset({"p"})
    holds: Callable[[Document], bool] = lambda document: True
    """What else must hold, where a kind has more to say."""
    pays_memory_apart: bool = False
    """Whether one report by itself costs less than all from memory."""


KINDS = {
    "k-ary": DeviceKind(_k_ary, lambda doc, r: _k_odds(r["p"], _size(doc)), ((*_DOMAIN, 2, 1 << 32),)),
    "unary": DeviceKind(
        _unary, lambda doc, r: _flag_odds(r["p"], r["q"]), ((*_DOMAIN, 2, 1 << 16),), frozenset({"p", "q"})
    ),
    "local-hash": DeviceKind(
        _local_hash,
        lambda doc, r: _k_odds(r["p"], int(doc["hash"]["buckets"])),
        ((*_DOMAIN, 2, 1 << 32), ("hash", "word", 32, 64), ("hash", "buckets", 2, 1 << 16)),
        holds=lambda doc: doc["hash"]["word"] in (32, 64),  # another would send buckets that nobody else can send
    ),
    "hadamard": DeviceKind(
        _hadamard,
        lambda doc, r: _two_sided(r["p"]),
        ((*_DOMAIN, 2, 1 << 24), ("parameters", "order", 2, 1 << 24)),
    ),
    "subset": DeviceKind(_subset, _subset_odds, ((*_DOMAIN, 2, 1 << 16), ("parameters", "subset", 1, 1 << 16))),
    "rappor": DeviceKind(
        _rappor,
        lambda doc, r: _rappor_odds(doc, r, forever=doc["memo"]),
        (("parameters", "bits", 2, 1 << 12), ("parameters", "cohorts", 1, 1 << 16)),
        frozenset({"f", "p", "q"}),
        holds=_known_bloom,
        pays_memory_apart=True,
    ),
    "one-bit": DeviceKind(
        _one_bit,
        lambda doc, r: _two_sided(r["p"]),
        (("parameters", "steps", 1, 1 << 32), ("parameters", "granularity", 1, 1 << 32)),
        holds=lambda doc: doc["parameters"]["steps"] % doc["parameters"]["granularity"] == 0 and _ends_in_order(doc),
    ),
    "d-bit": DeviceKind(
        _d_bit,
        lambda doc, r: _flag_odds(r["p"], r["q"]),
        ((*_DOMAIN, 2, 1 << 16), ("parameters", "bits", 1, 1 << 16)),
        frozenset({"p", "q"}),
        holds=lambda doc: doc["parameters"]["bits"] <= _size(doc),
    ),
    "piecewise": DeviceKind(
        _piecewise,
        _window_odds,
        (("parameters", "grid", 2, 1 << 14), ("parameters", "window", 1, 1 << 14)),
        holds=_ends_in_order,
    ),
    "hybrid": DeviceKind(
        _piecewise,
        lambda doc, r: max(_window_odds(doc, r), _two_sided(r["p_bit"])),
        (("parameters", "grid", 2, 1 << 14), ("parameters", "window", 1, 1 << 14)),
        frozenset({"p", "mix", "p_bit"}),
        holds=_ends_in_order,
    ),
    "condensed": DeviceKind(
        _condensed,
        lambda doc, r: _condensed_odds(doc),
        ((*_DOMAIN, 2, 1 << 10), ("parameters", "length", 1, 64)),
        frozenset(),
        holds=_keeps_alpha,
    ),
    "prefix-tree": DeviceKind(
        _prefix,
        lambda doc, r: _two_sided(r["p"]),
        (("parameters", "length", 1, 64), ("parameters", "rows", 1, 256), ("parameters", "order", 2, 1 << 15)),
    ),
}
"""Every kind a device answers; a kind is one record here, and one class at the server."""


FIELDS = {
    "format", "kind", "name", "domain", "epsilon", "coins", "parameters", "hash", "memo", "round", "interaction",
}  # fmt: skip


def _named(document: Document) -> bool:
    """A name, and values if there are any, that are text; what UTF-8 cannot write raises."""
    values = document["domain"].get("values", [])
    texts: list[object] = [document["name"], *values]
    plain = [text.encode() for text in texts if isinstance(text, str)]
    return isinstance(values, list) and len(plain) == len(texts)


def _in_range(document: Document) -> bool:
    kind, turn = KINDS[document["kind"]], document["round"]
    if not _named(document):
        return False
    for part, name, least, most in kind.ranges:
        number = document[part][name] if name else _size(document)
        if type(number) is not int or not least <= number <= most:
            return False
    plain = type(document["memo"]) is bool and type(turn) is int and 0 <= turn < 1 << 16
    return plain and kind.holds(document)


def checked(document: Any) -> Document:
    """The document, if its coins keep the ε it states."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ProtocolRefused(f"the document is not of the format {FORMAT}")
    if set(document) != FIELDS:
        raise ProtocolRefused("the document is malformed: it lacks a field or has a strange one")
    try:
        if document["kind"] not in KINDS or document["interaction"] not in INTERACTIONS:
            raise ProtocolRefused("the document names a kind or an interaction this client does not know")
        if len(canonical(document)) > MOST_TEXT or not _in_range(document):
            raise ProtocolRefused("a field of the document is outside the range of its kind")
        spent, stated = epsilon_of(document), rational(document["epsilon"])
    except (KeyError, TypeError, ValueError, ArithmeticError, IndexError, AttributeError) as error:
        raise error if isinstance(error, ProtocolRefused) else ProtocolRefused("the document is malformed") from None
    if Fraction(spent) > stated:
        raise ProtocolRefused("the coins of the protocol spend more than the ε it states")
    return document


# ---- the client ---------------------------------------------------------------------------------------------------


_OF_THE_DEVICE = {b"", b"cohort", b"alpha", b"buckets"}  # memories that do not depend on the value


class Client:
    """A device that answers one protocol; `report` gives the bytes to send."""

    def __init__(self, document: str | Document, secret: bytes, *, most_epsilon: float | str | None = None) -> None:
        given: object = secret
        if not isinstance(given, bytes) or len(given) < 16:
            raise ProtocolRefused("the secret must be at least 16 bytes, drawn once from the operating system")
        self.document = checked(parsed(document))
        if most_epsilon is not None and rational(self.document["epsilon"]) > Fraction(str(most_epsilon)):
            raise ProtocolRefused("the protocol's ε is above what this device allows")
        self._key = keyed(secret, b"sfumato-local/memo|" + fingerprint(self.document))
        self._tag_key = keyed(secret, b"sfumato-local/tag|" + str(self.document["name"]).encode())
        self._coins = coins_of(self.document)
        self._head = head(self.document)
        self._prices: tuple[Decimal, Decimal] | None = None

    def __repr__(self) -> str:
        return f"<Client of {self.document['name']!r}>"  # never the secret

    def report(self, value: Any) -> bytes:
        """A report of a value: head, tag, payload."""
        fresh = system_coins()
        encode = KINDS[self.document["kind"]].encode
        return self._head + self.tag() + encode(self.document, self._coins, value, self._memo(fresh))

    def tag(self) -> bytes:
        """The same for every copy of a report: one a device and collection, or one a round if interaction is full.

        It is a keyed hash of nothing private, and tags of different rounds cannot be told to be of one device.
        """
        of_round = b"%d" % self.document["round"] if self.document["interaction"] == "full" else b""
        return keyed(self._tag_key, of_round)[:TAG]

    @property
    def prices(self) -> tuple[Decimal, Decimal]:
        """ε of one report by itself, and of all reports of one value from memory."""
        if self._prices is None:
            alone = self.document | ({"memo": False} if KINDS[self.document["kind"]].pays_memory_apart else {})
            self._prices = epsilon_of(alone), epsilon_of(self.document)
        return self._prices

    def memory(self, value: Any) -> bytes | None:
        """A name for the memory that a report of the value would draw on, None without memory; the work of a report."""
        if not self.document["memo"]:
            return None
        used, memo = set[bytes](), self._memo(system_coins())

        def watched(label: bytes) -> Coins:
            used.add(label)
            return memo(label)

        KINDS[self.document["kind"]].encode(self.document, self._coins, value, watched)
        return keyed(self._key, b"name|" + b"|".join(sorted(used - _OF_THE_DEVICE)))[:16]

    def _memo(self, fresh: Coins) -> Memo:
        remembers = self.document["memo"]
        return lambda label: keyed_coins(self._key, label) if remembers and label else fresh
