"""Our accountant against dp-accounting and prv-accountant, on the table of reference problems, in one run."""

import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from dp_accounting import pld as google

from report import Row, at_least, at_most, publish, speeds

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from accounting_cases import CASES, rows
from sfumato.accounting import PureFilter, RDPFilter, ZCDPFilter, events, total

warnings.filterwarnings("ignore")
DELTA = 1e-6


def google_law(event: events.Event) -> google.privacy_loss_distribution.PrivacyLossDistribution | None:
    """The same event as a distribution of dp-accounting's, at its default grid; None where it has none."""
    library = google.privacy_loss_distribution
    match event:
        case events.Laplace():
            return library.from_laplace_mechanism(1 / float(event.epsilon))
        case events.Gaussian():
            return library.from_gaussian_mechanism(float(event.sigma))
        case events.Subsampled(event=events.Gaussian() as inner):
            return library.from_gaussian_mechanism(float(inner.sigma), sampling_prob=float(event.rate))
        case events.RandomizedResponse():
            return library.from_randomized_response(2 / (1 + math.exp(float(event.epsilon))), 2)
        case events.DiscreteGaussian():
            return library.from_discrete_gaussian_mechanism(float(event.sigma))
        case events.Geometric():
            return library.from_discrete_laplace_mechanism(float(event.epsilon))
        case events.Pure():
            return library.from_privacy_parameters(google.common.DifferentialPrivacyParameters(float(event.epsilon)))
        case events.Approximate():
            parameters = google.common.DifferentialPrivacyParameters(float(event.epsilon), float(event.delta))
            return library.from_privacy_parameters(parameters)
        case _:
            return None


def google_epsilon(case: str) -> Callable[[], float] | None:
    """dp-accounting's privacy-loss distributions on a case; None where it has no price."""
    if any(isinstance(event, events.Exponential) for event, _ in CASES[case]):
        return None

    def run() -> float:
        whole = None
        for event, n in CASES[case]:
            law = google_law(event)
            assert law is not None
            part = law.self_compose(n) if n > 1 else law
            whole = part if whole is None else whole.compose(part)
        assert whole is not None
        return float(whole.get_epsilon_for_delta(DELTA))

    return run


def prv_epsilon(case: str) -> Callable[[], float] | None:
    """prv-accountant on a case; it knows subsampled Gaussians."""
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    parts = CASES[case]
    if len(parts) != 1 or not isinstance(parts[0][0], events.Subsampled):
        return None
    event, n = parts[0]
    inner = event.event

    def run() -> float:
        mechanism = PoissonSubsampledGaussianMechanism(
            noise_multiplier=float(inner.sigma), sampling_probability=float(event.rate)
        )
        accountant = PRVAccountant(prvs=[mechanism], max_self_compositions=[n], eps_error=0.01, delta_error=1e-10)
        return float(accountant.compute_epsilon(delta=DELTA, num_self_compositions=[n])[2])

    return run


def case_rows() -> list[Row]:
    table = {row["id"]: row for row in rows()}
    found: list[Row] = []
    ratios: list[float] = []
    for case, parts in CASES.items():
        print(f"… {case}", file=sys.stderr)
        sampled = any(isinstance(event, events.Subsampled) for event, _ in parts)
        for peer, make in (("dp-accounting", google_epsilon), ("prv-accountant", prv_epsilon)):
            try:
                theirs = make(case)
                if theirs is None:
                    continue
                their_epsilon = theirs()
            except Exception as error:  # a peer's failure is a finding, not ours to fix
                print(f"  {peer} fails: {type(error).__name__}", file=sys.stderr)
                continue
            speed = speeds({"ours": (lambda p=parts: total(p).epsilon(DELTA), 1), "theirs": (theirs, 1)}, rounds=3)
            row = at_least(
                f"{case}: totals/s", ours=speed["ours"], theirs=speed["theirs"], peer=peer, goal=5 if sampled else None
            )
            found.append(row)
            if peer == "dp-accounting":
                ratios.append(speed["ours"] / speed["theirs"])
            ours = total(parts).epsilon(DELTA)
            tight = float(table[case]["tight_upper"])
            found.append(
                Row(
                    f"{case}: epsilon over tight_upper",
                    ours / tight,
                    their_epsilon / tight,
                    peer,
                    None,
                    "<= 1.0005",
                    ours <= 1.0005 * tight,
                )
            )
    mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    found.append(Row("geometric mean of speed ratios", mean, 1.0, "dp-accounting", mean, ">= 100", mean >= 100))
    return found


def admission_rows() -> list[Row]:
    """One admission test after 10 000 earlier charges, in milliseconds."""
    event = events.Gaussian(100)
    found = []
    for name, budget, charge in (
        ("pure", PureFilter(10**6), events.Laplace(0.01)),
        ("zCDP", ZCDPFilter(10**6), event),
        ("RDP", RDPFilter(10**6, 1e-6), event),
    ):
        left = budget
        for _ in range(10_000):
            left = left.spend(charge)
        speed = speeds({"ours": (lambda b=left, c=charge: b.admits(c), 1)})
        found.append(at_most(f"{name} filter, admission after 10 000 charges: ms", ours=1000 / speed["ours"], goal=1.0))
    return found


if __name__ == "__main__":
    publish("accounting", case_rows() + admission_rows())
