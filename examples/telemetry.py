"""Two collections from devices that trust nobody: browser homepages by RAPPOR, seconds of app use by one bit.

The data are made up, with shapes as telemetry has them; the reports, the counting and the decoding are the real thing.
"""

import sys
from fractions import Fraction

import numpy as np

from sfumato.exact import discrete_laplace, weighted
from sfumato.local import (
    Aggregator,
    Client,
    DBitFlip,
    Devices,
    OneBitMean,
    Rappor,
    decode,
    from_json,
    over_time,
)

DAY = 86_400
SITES = [f"https://{name}.example" for name in ("news", "mail", "search", "video", "shop", "wiki", "maps", "forum")]
SITES += [f"https://blog-{i}.example" for i in range(1, 41)]


def homepages(people: int) -> None:
    """Which homepages are common, when every browser adds its own noise and remembers it."""
    protocol = Rappor(name="homepages", f=Fraction(1, 4), p=Fraction(1, 4), q=Fraction(3, 4), interaction="full")
    year = over_time(protocol, reports=365, values=1)
    print(f"homepages: {people:,} browsers, {protocol.report_bytes} bytes each; a year at one homepage costs {year}")

    weights = [10_000 // (rank + 1) for rank in range(len(SITES))]
    truth = weighted(weights, people)
    # One device as it is deployed; the crowd goes through the vectorised client, of the same law.
    one = Client(protocol.to_json(), secret=bytes(range(32))).report(SITES[0])
    crowd = Devices(protocol).report([SITES[i] for i in truth])

    # Two servers count; one restarts from its bytes; one of them also receives a copy and some noise.
    first, second = Aggregator(from_json(protocol.to_json())), Aggregator(protocol)
    first.add([one])
    first.add(crowd[: people // 2])
    second.add(crowd[people // 2 :].tobytes())
    second.add(crowd[-100:])
    second.add([b"not a report", bytes(protocol.report_bytes)])
    first.merge(Aggregator.from_bytes(second.to_bytes()))
    print(f"  counted {first.people:,}; refused {dict(first.rejected)}")

    candidates = SITES + [f"https://guess-{i}.example" for i in range(400)]
    found = decode(first, candidates)
    shares = np.bincount(truth, minlength=len(SITES)) / people
    print(f"  {len(found.detected)} of {found.candidates} candidates found, above about {found.detection_limit:.2%}")
    for detected in found.detected[:8]:
        interval = f"{detected.low:6.2%} … {detected.high:6.2%}"
        actual = shares[SITES.index(detected.string)] if detected.string in SITES else 0.0
        print(f"    {detected.string:28} {detected.share:7.2%}   [{interval}]   truth {actual:6.2%}")


def seconds_of_use(people: int) -> None:
    """How long an app is used a day: the mean by one bit, the distribution by four bits of 32 buckets."""
    noise = np.abs(discrete_laplace(5400, people).astype(np.int64))
    seconds = np.minimum(DAY, noise)
    mean = OneBitMean(name="seconds", upper=DAY, epsilon=1, memo=True)
    server = Aggregator(mean)
    server.add(Devices(mean).report(seconds))
    found = server.estimate()
    low, high = found.interval()
    print(f"\nseconds of use: {people:,} devices, one bit each, ε = 1")
    print(f"  mean {found.value:,.0f} s   [{low:,.0f} … {high:,.0f}]   truth {seconds.mean():,.0f}")
    print(f"  {mean.error(0.05, people=people)} (Theorem 7.7)")

    buckets = np.minimum(31, seconds // 900)  # quarters of an hour
    histogram = DBitFlip(name="quarters", domain=32, bits=4, epsilon=2)
    counts = Aggregator(histogram)
    counts.add(Devices(histogram).report(buckets))
    estimate = counts.estimate().postprocess("norm-sub")
    truth = np.bincount(buckets, minlength=32) / people
    print("  quarters of an hour, 4 of 32 bits a device, ε = 2")
    for bucket in range(8):
        bar = "█" * round(200 * max(0.0, float(estimate.shares[bucket])))
        print(f"    {15 * bucket:3} min {float(estimate.shares[bucket]):6.1%}  truth {truth[bucket]:6.1%}  {bar}")


def main(people: int = 200_000) -> None:
    """Both collections."""
    homepages(people)
    seconds_of_use(people)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
