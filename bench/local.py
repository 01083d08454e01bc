"""Local privacy: devices and servers beside pure-ldp and multi-freq-ldpy at d = 128 and 1024, and beside plain NumPy.

Our devices draw exact coins from a cryptographic source and write whole reports (head, tag, payload); our servers check
heads and payloads, count and estimate, and once more with the replay check, which no peer has. The peers handle one
user at a time, with floats and insecure generators, and check nothing. The NumPy baseline is what a careful person
writes in a few vectorised lines, equally unchecked.
"""

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from multi_freq_ldpy.long_freq_est import dBitFlipPM
from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE
from pure_ldp.frequency_oracles import (
    DEClient,
    DEServer,
    HadamardMechClient,
    HadamardMechServer,
    LHClient,
    LHServer,
    RAPPORClient,
    RAPPORServer,
    UEClient,
    UEServer,
)

from report import Row, at_least, at_most, publish, speeds
from sfumato.local import (
    Aggregator,
    Client,
    DBitFlip,
    Devices,
    Hadamard,
    KAry,
    LocalHash,
    OneBitMean,
    Piecewise,
    Protocol,
    Rappor,
    SubsetSelection,
    Unary,
    decode,
)
from sfumato.local.bitsums import column_sums

warnings.filterwarnings("ignore")
RNG = np.random.default_rng(1)
EPSILON = 1.0
F = 0.5
SIZES = (128, 1024)
GOAL = 20.0
"""Times the users a second of each peer, for every protocol both have."""
NUMPY = 0.25
"""Times the users a second of plain NumPy, which draws insecure coins, writes no report, and checks none."""

Call = tuple[Callable[[], Any], int]


def zipf(d: int, n: int) -> Any:
    weights = 1 / np.arange(1, d + 1)
    return RNG.choice(d, n, p=weights / weights.sum())


OURS: dict[str, Callable[[int], Protocol]] = {
    "k-ary": lambda d: KAry(name="bench", domain=d, epsilon=EPSILON),
    "symmetric unary": lambda d: Unary(name="bench", domain=d, epsilon=EPSILON, coding="symmetric"),
    "optimised unary": lambda d: Unary(name="bench", domain=d, epsilon=EPSILON),
    "local hashing": lambda d: LocalHash(name="bench", domain=d, epsilon=EPSILON),
    "hadamard": lambda d: Hadamard(name="bench", domain=d, epsilon=EPSILON),
    "subset selection": lambda d: SubsetSelection(name="bench", domain=d, epsilon=EPSILON),
    "d-bit, 4 bits": lambda d: DBitFlip(name="bench", domain=d, bits=4, epsilon=EPSILON),
    "one-time rappor": lambda d: Rappor(name="bench", bits=d, cohorts=8, f=F).one_time(),
}


# ---- the peers, as their documentation uses them ---------------------------------------------------------------------


def pure_ldp(name: str, d: int) -> tuple[Any, Any] | None:
    same = {"index_mapper": lambda x: x}
    return {
        "k-ary": lambda: (DEClient(EPSILON, d, **same), DEServer(EPSILON, d, **same)),
        "symmetric unary": lambda: (
            UEClient(EPSILON, d, use_oue=False, **same),
            UEServer(EPSILON, d, use_oue=False, **same),
        ),
        "optimised unary": lambda: (
            UEClient(EPSILON, d, use_oue=True, **same),
            UEServer(EPSILON, d, use_oue=True, **same),
        ),
        "local hashing": lambda: (
            LHClient(EPSILON, d, use_olh=True, **same),
            LHServer(EPSILON, d, use_olh=True, **same),
        ),
        "one-time rappor": lambda: _rappor_peer(d),
        "hadamard": lambda: (HadamardMechClient(EPSILON, d, 1, **same), HadamardMechServer(EPSILON, d, 1, **same)),
    }.get(name, lambda: None)()


def _rappor_peer(bits: int) -> tuple[Any, Any]:
    server = RAPPORServer(F, bits, 2, bits, num_of_cohorts=8, index_mapper=lambda x: x)
    return RAPPORClient(F, bits, server.get_hash_funcs(), 8, index_mapper=lambda x: x), server


MULTI: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "k-ary": (lambda x, d: GRR.GRR_Client(x, d, EPSILON), lambda r, d: GRR.GRR_Aggregator_MI(r, d, EPSILON)),
    "symmetric unary": (
        lambda x, d: UE.UE_Client(x, d, EPSILON, False),
        lambda r, d: UE.UE_Aggregator_MI(r, EPSILON, False),
    ),
    "optimised unary": (
        lambda x, d: UE.UE_Client(x, d, EPSILON, True),
        lambda r, d: UE.UE_Aggregator_MI(r, EPSILON, True),
    ),
    "local hashing": (lambda x, d: LH.LH_Client(x, d, EPSILON), lambda r, d: LH.LH_Aggregator_MI(r, d, EPSILON)),
    "subset selection": (lambda x, d: SS.SS_Client(x, d, EPSILON), lambda r, d: SS.SS_Aggregator_MI(r, d, EPSILON)),
    "d-bit, 4 bits": (
        lambda x, d: dBitFlipPM.dBitFlipPM_Client(x, d, d, 4, EPSILON),
        lambda r, d: dBitFlipPM.dBitFlipPM_Aggregator_MI(r, d, 4, EPSILON),
    ),
}


# ---- plain NumPy ------------------------------------------------------------------------------------------------------


def numpy_client(name: str, d: int, values: Any) -> Callable[[], Any] | None:
    n, grown = len(values), np.exp(EPSILON)
    if name == "k-ary":
        p = grown / (grown + d - 1)

        def k_ary() -> Any:
            other = RNG.integers(0, d - 1, n)
            other += other >= values
            return np.where(RNG.random(n) < p, values, other)

        return k_ary
    if name.endswith("unary"):
        half = np.exp(EPSILON / 2)
        p, q = (0.5, 1 / (grown + 1)) if name == "optimised unary" else (half / (half + 1), 1 / (half + 1))

        def unary() -> Any:
            bits = RNG.random((n, d)) < q
            bits[np.arange(n), values] = RNG.random(n) < p
            return bits

        return unary
    if name == "hadamard":
        flip = 1 / (grown + 1)
        return lambda: (rows := RNG.integers(0, d, n), (np.bitwise_count(rows & values) & 1) ^ (RNG.random(n) < flip))
    return None


def numpy_server(name: str, d: int, values: Any) -> Callable[[], Any] | None:
    made = numpy_client(name, d, values)
    if made is None:
        return None
    told = made()
    if name == "k-ary":
        return lambda: np.bincount(told, minlength=d)
    if name == "hadamard":
        rows, bits = told
        return lambda: np.bincount(rows, weights=1 - 2.0 * bits, minlength=d)
    return lambda: told.sum(axis=0)


# ---- rows -------------------------------------------------------------------------------------------------------------


def served(protocol: Protocol, told: Any, *, check_replays: bool = False) -> Any:
    server = Aggregator(protocol, check_replays=check_replays)
    server.add(told)
    return server.estimate()


def peer_calls(name: str, d: int) -> tuple[dict[str, Call], dict[str, Call]]:
    """Clients and servers of the peers, on as many users as take about a tenth of a second."""
    clients: dict[str, Call] = {}
    servers: dict[str, Call] = {}
    n = 200 if name == "local hashing" else 1000
    values = [int(x) for x in zipf(d, n)]
    pair = pure_ldp(name, d)
    if pair is not None:
        client, server = pair
        told = [_kept(client.privatise(x)) for x in values]

        def serve() -> Any:
            server.reset()
            server.aggregate_all(told)
            return None if name == "one-time rappor" else server.estimate_all(range(d), suppress_warnings=True)

        clients["pure-ldp"] = (lambda: [client.privatise(x) for x in values], n)
        servers["pure-ldp"] = (serve, n)
    if name in MULTI:
        one, many = MULTI[name]
        reports = [one(x, d) for x in values]  # compiles, too
        clients["multi-freq-ldpy"] = (lambda: [one(x, d) for x in values], n)
        servers["multi-freq-ldpy"] = (lambda: many(reports, d), n)
    return clients, servers


def _kept(told: Any) -> Any:
    """pure-ldp's Hadamard client may hand out an iterator that is good for one reading."""
    return list(told) if type(told) is zip else told


def oracle_rows() -> list[Row]:
    rows = []
    for d in SIZES:
        for name, make in OURS.items():
            print(f"… {name}, d = {d}", file=sys.stderr)
            protocol = make(d)
            n = 50_000 if protocol.payload <= 10 else 20_000 if d < 500 else 4_000
            values = [str(x) for x in zipf(d, n)] if name == "one-time rappor" else zipf(d, n)
            devices = Devices(protocol)
            told = devices.report(values)
            clients, servers = peer_calls(name, d)
            clients["ours"] = (lambda devices=devices, values=values: devices.report(values), n)
            servers["ours"] = (lambda protocol=protocol, told=told: served(protocol, told), n)
            checked = (lambda protocol=protocol, told=told: served(protocol, told, check_replays=True), n)
            for plain, calls in ((numpy_client, clients), (numpy_server, servers)):
                baseline = plain(name, d, values)
                if baseline is not None:
                    calls["NumPy"] = (baseline, n)
            with_checks = {**servers, "ours": checked}
            kinds = (
                ("clients", clients, True),
                ("server", servers, True),
                ("server with replay check", with_checks, False),
            )
            for what, calls, aimed in kinds:
                found = speeds(calls, rounds=15, budget=0.02)
                for peer in [peer for peer in found if peer != "ours"]:
                    rows.append(
                        at_least(
                            f"{name}, d = {d}: users a second, {what}",
                            ours=found["ours"],
                            theirs=found[peer],
                            peer=peer,
                            goal=(NUMPY if peer == "NumPy" else GOAL) if aimed else None,
                        )
                    )
    return rows


def mean_rows() -> list[Row]:
    print("… means", file=sys.stderr)
    n = 500_000
    values = RNG.random(n) * 2 - 1
    grown = np.exp(EPSILON)
    found = speeds(
        {
            "one bit": (lambda: Devices(OneBitMean(name="bench", lower=-1, upper=1, epsilon=1)).report(values), n),
            "piecewise": (lambda: Devices(Piecewise(name="bench", lower=-1, upper=1, epsilon=1)).report(values), n),
            "NumPy": (lambda: RNG.random(n) < 1 / (grown + 1) + (values + 1) / 2 * (grown - 1) / (grown + 1), n),
        },
        rounds=5,
        budget=0.2,
    )
    return [
        at_least(
            f"{name} mean: users a second, clients",
            ours=found[name],
            theirs=found["NumPy"],
            peer="NumPy one-bit",
            goal=None,
        )
        for name in ("one bit", "piecewise")
    ]


def rappor_rows() -> list[Row]:
    print("… RAPPOR", file=sys.stderr)
    protocol, n = Rappor(name="bench", bits=128, cohorts=32), 1_000_000
    names = [f"https://site-{i}.example" for i in range(2000)]
    told = Devices(protocol).report([names[i] for i in zipf(100, n)])
    bare = np.ascontiguousarray(told[:, 18:])
    device = Client(protocol.document(), bytes(32))
    found = speeds(
        {
            "sums": (lambda: column_sums(bare, 128), n),
            "unpacked": (lambda: np.unpackbits(bare[:100_000], axis=1).sum(axis=0), 100_000),
            "copy": (bare.copy, n),
            "server": (lambda: served(protocol, told), n),
            "checked": (lambda: served(protocol, told, check_replays=True), n),
            "device": (lambda: device.report(names[0]), 1),
        },
        rounds=7,
        budget=0.2,
    )
    server = Aggregator(protocol)
    server.add(told)
    start = time.perf_counter()
    decode(server, names)
    took = time.perf_counter() - start
    return [
        at_least(
            "RAPPOR bit sums, 128 bits: reports a second", ours=found["sums"], theirs=15e6, peer="the goal", goal=1
        ),
        at_least(
            "RAPPOR bit sums, 128 bits: reports a second",
            ours=found["sums"],
            theirs=found["unpacked"],
            peer="NumPy unpackbits",
            goal=1,
        ),
        at_least(
            "RAPPOR bit sums, 128 bits: reports a second",
            ours=found["sums"],
            theirs=found["copy"],
            peer="memory copy",
            goal=None,
        ),
        at_least(
            "RAPPOR server, 32 cohorts: reports a second",
            ours=found["server"],
            theirs=found["sums"],
            peer="our own bit sums",
            goal=None,
        ),
        at_least(
            "RAPPOR server with replay check, 32 cohorts: reports a second",
            ours=found["checked"],
            theirs=found["sums"],
            peer="our own bit sums",
            goal=None,
        ),
        Row("RAPPOR device, standard library: reports a second", found["device"], None, "", None, "", None),
        at_most("decoding 2 000 candidates, 1e6 reports: seconds", ours=took, goal=10.0),
    ]


if __name__ == "__main__":
    publish("local", oracle_rows() + mean_rows() + rappor_rows())
