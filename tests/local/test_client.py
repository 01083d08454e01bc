"""The device: a bare interpreter suffices, the memo is real, and it trusts neither server nor protocol."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import statistics_of_samples as samples
from local_cases import SMALL, exact_law, worst_ratio
from sfumato.local import Aggregator, Client, KAry, OneBitMean, Rappor, Unary, client, from_document
from sfumato.local.client import Coins, ProtocolRefused
from sfumato.local.kinds import KINDS

FILE = Path(client.__file__)
SECRET = b"0123456789abcdef0123456789abcdef"


def test_the_file_runs_alone_under_a_bare_interpreter(tmp_path: Path) -> None:
    alone = tmp_path / "vendored_client.py"
    alone.write_bytes(FILE.read_bytes())
    protocol = Rappor(name="homepage")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import vendored_client as c\n"
        "told = c.Client(sys.argv[2], bytes(range(32))).report('https://example.org')\n"
        "foreign = {m.split('.')[0] for m in sys.modules} - set(sys.stdlib_module_names) - {'vendored_client'}\n"
        "print(told.hex(), sorted(foreign))"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(tmp_path), protocol.to_json()]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split(maxsplit=1)
    assert len(bytes.fromhex(out[0])) == protocol.report_bytes
    assert out[1].strip() == "['__main__']"


def test_the_file_imports_the_standard_library_only() -> None:
    import ast

    names = set()
    for node in ast.walk(ast.parse(FILE.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert names <= set(sys.stdlib_module_names)
    assert not names & {"random", "secrets"}


def year_of(protocol: Rappor, value: str, *, forget: bool = False, days: int = 365) -> list[bytes]:
    """A device's reports of one value for a year; a forgetful one draws its permanent noise anew each day."""
    document = protocol.document()
    out = []
    for day in range(days):
        today = document | {"round": day}
        secret = SECRET + day.to_bytes(2, "big") if forget else SECRET
        out.append(Client(today, secret).report(value)[18:])
    return out


def log_likelihood(protocol: Rappor, reports: list[bytes], value: str, cohort: int) -> float:
    """ln Pr[all reports | value], over what the device may remember: exact up to floats."""
    ones = set(protocol.bits_of(value, cohort))
    p, q, half = float(protocol.p), float(protocol.q), float(protocol.f) / 2
    total = 0.0
    for i in range(protocol.bits):
        told = sum(report[i // 8] >> i % 8 & 1 for report in reports)
        n = len(reports)
        remembered = [told * math.log(r) + (n - told) * math.log(1 - r) for r in (p, q)]  # B' = 0, B' = 1
        chance = 1 - half if i in ones else half
        top = max(remembered)
        total += top + math.log((1 - chance) * math.exp(remembered[0] - top) + chance * math.exp(remembered[1] - top))
    return total


STRINGS = [f"site-{i}" for i in range(12)]


def test_a_year_of_reports_of_one_value_leaks_no_more_than_epsilon_infinity() -> None:
    protocol = Rappor(name="year", bits=32, hashes=2, cohorts=1, interaction="full")
    worst = 0.0
    for value in STRINGS[:3]:
        reports = year_of(protocol, value)
        logs = [log_likelihood(protocol, reports, other, 0) for other in STRINGS]
        worst = max(worst, max(logs) - min(logs))
    assert worst <= protocol.epsilon_infinity + 1e-9
    assert worst > 0.2 * protocol.epsilon_infinity, "an audit that sees nothing proves nothing"


def test_a_device_that_forgets_is_caught_by_the_same_audit() -> None:
    protocol = Rappor(name="year", bits=32, hashes=2, cohorts=1, interaction="full")
    reports = year_of(protocol, STRINGS[0], forget=True)
    one, zero = (float(c) for c in protocol.effective)

    def log_fresh(value: str) -> float:
        ones, total = set(protocol.bits_of(value, 0)), 0.0
        for i in range(protocol.bits):
            told = sum(report[i // 8] >> i % 8 & 1 for report in reports)
            r = one if i in ones else zero
            total += told * math.log(r) + (len(reports) - told) * math.log(1 - r)
        return total

    logs = [log_fresh(value) for value in STRINGS]
    assert max(logs) - min(logs) > 2 * protocol.epsilon_infinity


def test_the_loss_of_every_history_is_bounded_exactly_for_short_ones() -> None:
    """All histories of three reports of two bits: no ratio above e^ε∞, and with fresh noise there is one."""
    protocol = Rappor(name="t", domain=("a", "b"), f=Fraction(3, 4), p=Fraction(1, 4), q=Fraction(3, 4))
    half = Fraction(protocol.f) / 2  # type: ignore[arg-type]

    def chance(history: list[tuple[int, int]], value: int, *, fresh: bool) -> Fraction:
        total = Fraction(1)
        for bit in range(2):
            stay = 1 - half if bit == value else half

            def said(remembered: int, told: int) -> Fraction:
                rate = protocol.q if remembered else protocol.p
                return Fraction(rate) if told else 1 - Fraction(rate)  # type: ignore[arg-type]

            if fresh:
                for day in history:
                    total *= stay * said(1, day[bit]) + (1 - stay) * said(0, day[bit])
            else:
                total *= sum(
                    weight * math.prod(said(memory, day[bit]) for day in history)
                    for memory, weight in ((1, stay), (0, 1 - stay))
                )
        return total

    days = [(i, j) for i in (0, 1) for j in (0, 1)]
    worst = {True: Fraction(1), False: Fraction(1)}
    for history in ([a, b, c] for a in days for b in days for c in days):
        for fresh, so_far in worst.items():
            ratio = chance(history, 0, fresh=fresh) / chance(history, 1, fresh=fresh)
            worst[fresh] = max(so_far, ratio)
    assert client.log_up(worst[False]) <= protocol.spent
    assert client.log_up(worst[True]) > protocol.spent


def test_a_drifting_number_shows_only_its_crossing_of_the_alpha_point() -> None:
    """Two memoised answers, one change at most, wherever the number wanders on one side (errata B19)."""
    protocol = OneBitMean(name="age", upper=100, epsilon=1, memo=True, interaction="full")
    changes, crossed = [], 0
    for device in range(60):
        secret = device.to_bytes(16, "big")
        told = [Client(protocol.document() | {"round": day}, secret).report(day)[16] for day in range(101)]
        moved = [day for day in range(1, 101) if told[day] != told[day - 1]]
        assert len(moved) <= 1
        changes += moved
        crossed += bool(moved)
    assert crossed > 10  # both answers differ with probability 2·p·(1 - p) ≈ 0.39 and more
    assert len(set(changes)) > 5  # devices cross at points of their own


def test_rounding_without_memory_shows_more_than_one_crossing() -> None:
    protocol = OneBitMean(name="age", upper=100, epsilon=1, interaction="full")
    told = [Client(protocol.document() | {"round": day}, SECRET).report(day)[16] for day in range(101)]
    assert sum(told[day] != told[day - 1] for day in range(1, 101)) > 5


@pytest.mark.parametrize("s", [6, 3, 2, 1])
def test_alpha_rounding_is_unbiased_for_every_number_by_enumeration_of_alpha(s: int) -> None:
    document: dict[str, Any] = OneBitMean(name="t", upper=6, epsilon=1, granularity=s, memo=True).document()
    for x in range(7):
        levels = [
            client._rounded(document, lambda label, alpha=alpha: Fixed(alpha), Fraction(x, 6))  # type: ignore[misc]
            for alpha in range(s)
        ]
        assert sum(levels) * s == x * s
        assert max(levels) - min(levels) <= 1


def test_alpha_rounding_is_unbiased_between_whole_numbers_too() -> None:
    """A number between two steps meets an α with a fraction: the share of devices that round up is the number's own."""
    document = OneBitMean(name="t", upper=4, epsilon=1, memo=True).document()
    n, up = 3000, 0
    for device in range(n):
        memo = partial(client.keyed_coins, device.to_bytes(16, "big"))
        up += client._rounded(document, memo, Fraction(9, 16))  # 2.25 of 4
    assert samples.binomial(up, n, 9 / 16) > samples.THRESHOLD
    assert samples.binomial(up, n, 1 / 2) < samples.THRESHOLD  # as if the fraction were cut off


def test_the_printed_alpha_rule_is_biased() -> None:
    """Survey §7.4.3 prints α in {1, …, m - 1} and x + α > m; the errata have the rule that is unbiased."""
    m, x = 10, 1
    assert sum(x + alpha > m for alpha in range(1, m)) == 0
    assert sum(x + alpha >= m for alpha in range(m)) == x


class Fixed(Coins):
    def __init__(self, value: int) -> None:
        super().__init__(lambda n: b"")
        self.value = value

    def below(self, n: int) -> int:
        return self.value


def test_the_same_value_has_the_same_memory_and_another_device_another() -> None:
    protocol = Unary(name="t", domain=64, epsilon=1, memo=True)
    one, again, other = (Client(protocol.document(), secret) for secret in (SECRET, SECRET, SECRET[::-1]))
    assert one.report(5) == again.report(5)
    assert one.report(5)[16:] != one.report(6)[16:]
    assert one.report(5)[16:] != other.report(5)[16:]
    fresh = Client(Unary(name="t", domain=64, epsilon=1).document(), SECRET)
    assert len({fresh.report(5) for _ in range(5)}) == 5


def test_tags_name_a_device_once_a_collection_or_once_a_round() -> None:
    for interaction, differ in (("non-interactive", False), ("sequential", False), ("full", True)):
        document = KAry(name="t", domain=2, epsilon=1, interaction=interaction).document()
        tags = {Client(document | {"round": r}, SECRET).tag() for r in range(4)}
        assert (len(tags) == 4) == differ
        assert Client(document, SECRET[::-1]).tag() not in tags
    other = KAry(name="another", domain=2, epsilon=1).document()
    assert Client(other, SECRET).tag() != Client(KAry(name="t", domain=2, epsilon=1).document(), SECRET).tag()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(format="sfumato-local/2"), "format"),
        (lambda d: d.update(kind="telepathy"), "does not know"),
        (lambda d: d.update(interaction="whenever"), "does not know"),
        (lambda d: d.update(epsilon="9/10"), "spend more"),
        (lambda d: d["coins"].update(p="3/2"), "between 0 and 1"),
        (lambda d: d["coins"].update(p="1"), "malformed"),
        (lambda d: d["coins"].update(p="x"), "malformed"),
        (lambda d: d.pop("coins"), "malformed"),
        (lambda d: d["domain"].clear(), "malformed"),
    ],
)
def test_a_device_refuses_a_document_it_cannot_vouch_for(change: Callable[[Any], Any], words: str) -> None:
    document = json.loads(KAry(name="t", domain=3, epsilon=1).to_json())
    change(document)
    with pytest.raises(ProtocolRefused, match=words):
        Client(document, SECRET)


MALICE: list[tuple[str, Callable[[Any], Any]]] = [
    ("local hashing", lambda d: d["hash"].update(word=33)),  # buckets above g, which name their sender's value
    ("local hashing", lambda d: d["hash"].update(word=-32)),
    ("local hashing", lambda d: d["hash"].update(buckets=True)),
    ("k-ary", lambda d: d["domain"].update(size=1 << 40)),
    ("optimised", lambda d: d["domain"].update(size=1 << 30)),
    ("hadamard", lambda d: d["parameters"].update(order=1 << 60)),
    ("subset", lambda d: d["parameters"].update(subset=6)),
    ("subset", lambda d: d["parameters"].update(subset=-1)),
    ("rappor", lambda d: d["parameters"].update(bits=1 << 40)),
    ("rappor", lambda d: d["hash"].update(hashes=100)),
    ("rappor", lambda d: d["hash"].update(name="identity")),
    ("basic rappor", lambda d: d.update(domain={"strings": True})),
    ("basic rappor", lambda d: d["parameters"].update(bits=2)),
    ("one bit", lambda d: d["parameters"].update(granularity=-1)),
    ("one bit", lambda d: d["parameters"].update(granularity=3)),
    ("one bit", lambda d: d["domain"].update(upper="0")),
    ("d-bit", lambda d: d["parameters"].update(bits=6)),
    ("d-bit", lambda d: d["parameters"].update(bits=0)),
    ("piecewise", lambda d: d["parameters"].update(window=1 << 16)),
    ("piecewise", lambda d: d["parameters"].update(window=-3)),
    ("ordinal condensed", lambda d: d["parameters"].update(weights=["5", "-4", "3", "2", "1", "1"])),
    ("ordinal condensed", lambda d: d["parameters"].update(weights=["1", "0", "0", "0", "0", "0"])),
    ("ordinal condensed", lambda d: d["parameters"].update(weights=["1"])),
    ("item condensed", lambda d: d["parameters"].update(distances=[[0, 1, 3]])),
    ("ordinal condensed", lambda d: d["parameters"].update(alpha="1/1000")),  # less than the weights have
    ("prefix tree", lambda d: d["parameters"].update(rows=0)),
    ("k-ary", lambda d: d["coins"].update(p="1e-99999999")),  # a number of that many digits
    ("k-ary", lambda d: d.update(epsilon="1e99999999")),
    ("k-ary", lambda d: d.update(domain={"values": {"a": 1, "b": 2, "c": 3}})),
    ("k-ary", lambda d: d.update(domain={"values": "abc"})),
    ("k-ary", lambda d: d.update(name=["t"])),
    ("k-ary", lambda d: d.update(name="\ud800")),
    ("k-ary", lambda d: d.update(comment="another memory")),
    ("one bit", lambda d: d["domain"].update(upper="1e99999999")),
    ("binary", lambda d: d.update(memo="no")),
    ("binary", lambda d: d.update(round=1 << 16)),
    ("binary", lambda d: d.update(parameters=None, hash=3, domain=[])),
]


@pytest.mark.parametrize(("name", "change"), MALICE, ids=[f"{name} {i}" for i, (name, _) in enumerate(MALICE)])
def test_a_malicious_document_is_refused_before_any_value_is_touched(name: str, change: Callable[[Any], Any]) -> None:
    """Whatever a server publishes, the device neither hangs, nor fails for some values only, nor spends more."""
    document = json.loads(SMALL[name][0].to_json())
    assert Client(document, SECRET)  # type: ignore[truthy-bool]
    change(document)
    with pytest.raises(ProtocolRefused):
        Client(document, SECRET)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"format": 1, "format": 2}', "\ud800"])
def test_a_text_that_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(ProtocolRefused):
        Client(text, SECRET)


def test_a_device_keeps_a_copy_of_what_it_vouched_for() -> None:
    document = json.loads(Rappor(name="t").to_json())
    device = Client(document, SECRET)
    document["hash"]["hashes"] = 8
    assert device.document["hash"]["hashes"] == 2


@pytest.mark.parametrize(
    ("protocol", "value"),
    [
        (Rappor(name="t"), "\ud800 private"),
        (Rappor(name="t"), 7),
        (OneBitMean(name="t", upper=9, epsilon=1), "1/0"),
        (OneBitMean(name="t", upper=9, epsilon=1), "private"),
    ],
)
def test_a_value_without_a_report_is_refused_and_not_shown(protocol: Any, value: Any) -> None:
    with pytest.raises(client.NotInDomain) as caught:
        Client(protocol.document(), SECRET).report(value)
    assert "private" not in repr(caught.value)


def test_devices_and_servers_know_the_same_kinds() -> None:
    assert set(client.KINDS) == {kind.kind for kind in KINDS}


def test_a_word_of_33_bits_would_have_broken_the_promise() -> None:
    """What the ranges are for: the same encoder with such a word tells some values apart for certain."""
    protocol, values = SMALL["local hashing"]

    def longer(document: Any, coins: Any, value: Any, memo: Any) -> bytes:
        return client._local_hash(document | {"hash": document["hash"] | {"word": 33}}, coins, value, memo)

    seed = (0xFFFFFFFF, 0xFFFFFFFF)
    assert worst_ratio([exact_law(protocol, value, seed=seed) for value in values]) is not None
    assert worst_ratio([exact_law(protocol, value, seed=seed, encode=longer) for value in values]) is None


def test_a_device_has_limits_of_its_own() -> None:
    document = KAry(name="t", domain=3, epsilon=2).document()
    assert Client(document, SECRET, most_epsilon=2).document == document
    with pytest.raises(ProtocolRefused, match="above what this device allows"):
        Client(document, SECRET, most_epsilon=1)
    with pytest.raises(ProtocolRefused, match="16 bytes"):
        Client(document, b"short")
    assert "0123" not in repr(Client(document, SECRET))


def test_a_report_that_could_be_told_for_certain_is_refused() -> None:
    document = Rappor(name="t", bits=8, f=Fraction(1, 2)).document()
    document["coins"]["f"] = "0"
    with pytest.raises(ProtocolRefused, match="beyond doubt"):
        Client(document, SECRET)


def test_whole_numbers_are_uniform_and_coins_exact_over_all_bytes() -> None:
    for n in (2, 3, 5, 200, 256):
        seen = [0] * n
        for byte in range(256):
            once = iter([bytes([byte])])
            try:
                seen[Coins(lambda count, once=once: next(once)).below(n)] += 1  # type: ignore[misc]
            except StopIteration:
                continue  # rejected, and would be drawn again
        assert len(set(seen)) == 1
        assert seen[0] > 0
    assert not Coins(lambda n: b"\0" * n).coin(Fraction(0))
    assert Coins(lambda n: b"\xff" * n).coin(Fraction(1))


VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['case']}: {vector['value']}")
def test_whole_reports_are_those_of_the_vectors(vector: dict[str, Any]) -> None:
    """Reports from memory are a function of document, secret and value: vectors for clients in other languages."""
    told = Client(vector["document"], bytes.fromhex(vector["secret"])).report(vector["value"])
    assert told.hex() == vector["report"]
    server = Aggregator(from_document(vector["document"]))
    assert server.add([told]).accepted == 1


def test_the_vectors_hold_every_kind() -> None:
    assert {vector["document"]["kind"] for vector in VECTORS} == set(client.KINDS)
