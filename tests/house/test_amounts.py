"""One meaning of a number: every public entry point that takes an amount reads it as it is written, or refuses it by name."""

import argparse
import importlib
import inspect
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato import accounting, audit, core, exact, local, mechanisms
from sfumato.accounting import events as e
from sfumato.cli.amounts import number
from sfumato.data import Allowance
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.amounts import amount
from sfumato.ledger import Budget
from sources import SeededBits

WATCHED = {"epsilon", "delta", "rho", "sigma", "scale", "beta", "confidence", "q"}
ROOMS = ("exact", "core", "accounting", "accounting.events", "mechanisms", "ledger", "local", "audit")
TENTHS = (
    0.1,
    "0.1",
    "1e-1",
    "1/10",
    Decimal("0.1"),
    Fraction(1, 10),
    np.float64(0.1),
    np.float32(0.1),
    np.float16(0.1),
)
REFUSED = (  # type: ignore[var-annotated]
    "1e999999999", "-1e999999999", "9" * 5000, 10**50_000, Decimal("1e99999999"), "nan", "inf", math.nan, np.float64("nan"),
    Decimal("NaN"), "١٢", " 1 ", "1_000", "0x1", "1.", "", "a tenth", "1/0", True, np.bool_(True), None, [1], (1,), {}, 1j, b"1",
)  # fmt: skip

NEAR = core.Neighbours()
L1, L2, LINF = (NEAR.histogram(norm) for norm in core.Norm)
HALVES = core.Distribution({1: "1/2", 0: "1/2"})
SKEWED = core.Distribution({1: 0.6, 0: 0.4})
ONE = accounting.total([e.Gaussian(4)])
ROWS = [1, 2, 3, 4, 5]

Call = Callable[[Any], Any]


def _plain(call: Callable[..., Any], *parameters: str, **rest: Any) -> dict[str, Call]:
    """The calls that give each of the parameters, and the rest as it stands."""
    return {name: lambda v, name=name: call(**{**rest, name: v}) for name in parameters}  # type: ignore[misc]


def _seeded(call: Callable[..., Any], parameter: str, **rest: Any) -> dict[str, Call]:
    return {parameter: lambda v: list(np.ravel(call(**{parameter: v}, **rest, bits=SeededBits(1))))}


def _made(kind: type, *parameters: str, **rest: Any) -> dict[str, Call]:
    """The constructor with each of the parameters, and its error bound with each β."""
    calls = _plain(kind, *parameters, **rest)
    if hasattr(kind, "error"):
        more = {"queries": 10} if issubclass(kind, mechanisms.SparseTechnique) else {}
        usual = {name: 1 if name in ("epsilon", "sigma") else "1/3" for name in parameters} | rest
        made = cache(lambda: kind(**usual))
        calls["error.beta"] = lambda v: made().error(v, **more)
    return calls


def _exact() -> Iterator[tuple[str, dict[str, Call]]]:
    for name in ("discrete_laplace", "geometric", "rounded_exponential", "rounded_gumbel", "rounded_laplace"):
        yield name, _seeded(getattr(exact, name), "scale", size=20)
    for name in ("censored_discrete_laplace", "truncated_discrete_laplace"):
        yield name, _seeded(getattr(exact, name), "scale", bound=9, size=20)
    yield "box_noise", _seeded(exact.box_noise, "scale", dimension=2, size=20)
    for name in ("discrete_gaussian", "rounded_gaussian"):
        yield name, _seeded(getattr(exact, name), "sigma", size=20)
    for name in ("exponential_mechanism", "permute_and_flip", "report_noisy_max"):
        yield name, _seeded(getattr(exact, name), "epsilon", scores=[1, 2, 3])
    yield "rounded_heavy_tail", _seeded(exact.rounded_heavy_tail, "scale", gamma=3, size=20)


def _core() -> Iterator[tuple[str, dict[str, Call]]]:
    pair = {"p": HALVES, "q": SKEWED}
    yield "approximate_max_divergence", {"delta": lambda v: core.approximate_max_divergence(HALVES, SKEWED, delta=v)}
    yield "hockey_stick", {"epsilon": lambda v: core.hockey_stick(HALVES, SKEWED, epsilon=v)}
    yield "is_private", _plain(core.is_private, "epsilon", "delta", **pair, epsilon="0.05", delta=0.01)


def _accounting() -> Iterator[tuple[str, dict[str, Call]]]:
    a = accounting
    yield "PureFilter", _plain(a.PureFilter, "epsilon", "delta", epsilon=1)
    yield "ZCDPFilter", _plain(a.ZCDPFilter, "rho", "delta", rho=1)
    yield "ZCDPFilter.epsilon", {"delta": lambda v: a.ZCDPFilter(1).spend(e.ZCDP(0.25)).epsilon(v)}
    yield "ZCDPFilter.for_target", _plain(a.ZCDPFilter.for_target, "epsilon", "delta", epsilon=1, delta=1e-6)
    yield "RDPFilter", _plain(a.RDPFilter, "epsilon", "delta", epsilon=1, delta=1e-6)
    yield "TicketBook.of", _plain(a.TicketBook.of, "epsilon", "delta", plan=[e.Pure("1/10")], epsilon=1, delta=0)
    for name in ("epsilon", "bounds", "lower_epsilon"):
        yield f"Total.{name}", {"delta": getattr(ONE, name)}
    yield "Total.delta", {"epsilon": ONE.delta}
    yield "Total.meets", _plain(ONE.meets, "epsilon", "delta", epsilon=1, delta=1e-6)
    use = {"epsilon": 1, "delta": 1e-6}
    yield "smallest_noise", _plain(a.smallest_noise, "epsilon", "delta", event=e.Gaussian, **use)
    yield "largest_epsilon", _plain(a.largest_epsilon, "epsilon", "delta", event=e.Pure, **use)
    yield "most_uses", _plain(a.most_uses, "epsilon", "delta", event=e.Pure("1/100"), **use)
    yield "advanced_composition", _plain(a.advanced_composition, "epsilon", "delta", k=3, slack=0.1, **use)
    yield "advanced_composition_inverse", _plain(a.advanced_composition_inverse, "epsilon", "delta", k=3, **use)
    yield "group_privacy", _plain(a.group_privacy, "epsilon", "delta", k=3, **use)
    yield "optimal_delta", _plain(a.optimal_delta, "epsilon", "delta", epsilon_total=1, k=3, **use)
    yield "probability_bound", _plain(a.probability_bound, "epsilon", k=3, probability=0.01)
    yield "rdp_probability_bound", _plain(a.rdp_probability_bound, "epsilon", alpha=3, probability=0.01)
    yield "dp_to_rdp", _plain(a.dp_to_rdp, "epsilon", alpha=3)
    yield "dp_to_zcdp", _plain(a.dp_to_zcdp, "epsilon")
    for name in ("rdp_to_dp", "rdp_to_dp_improved"):
        yield name, _plain(getattr(a, name), "epsilon", "delta", alpha=3, **use)
    for name in ("zcdp_to_dp", "zcdp_to_dp_improved"):
        yield name, _plain(getattr(a, name), "rho", "delta", rho=1, delta=1e-6)


def _events() -> Iterator[tuple[str, dict[str, Call]]]:
    only_epsilon = ("AboveThreshold", "Exponential", "Geometric", "Laplace", "NoisyMax", "PermuteAndFlip", "Pure")
    for name in (*only_epsilon, "RandomizedResponse"):
        yield name, _plain(getattr(e, name), "epsilon")
    yield "Approximate", _plain(e.Approximate, "epsilon", "delta", epsilon=1, delta=0)
    yield "CensoredGeometric", _plain(e.CensoredGeometric, "epsilon", bound=3)
    yield "Converted", _plain(e.Converted, "delta", inner=e.Gaussian(1))
    yield "Converted.aim", _plain(e.Converted.aim, "epsilon")
    yield "DiscreteGaussian", _plain(e.DiscreteGaussian, "sigma")
    yield "Gaussian", _plain(e.Gaussian, "sigma")
    yield "Gaussian.of_rho", _plain(e.Gaussian.of_rho, "rho")
    yield "Renyi", _plain(e.Renyi, "epsilon", alpha=2)
    yield "ShiftedZCDP", _plain(e.ShiftedZCDP, "rho", eta=0)
    yield "Shuffled", _plain(e.Shuffled, "epsilon", people=10)
    yield "Thresholded", _plain(e.Thresholded, "delta", event=e.Pure(1))
    yield "ZCDP", _plain(e.ZCDP, "rho")


def _mechanisms() -> Iterator[tuple[str, dict[str, Call]]]:
    m = mechanisms
    yield "Laplace", _made(m.Laplace, "epsilon", sensitivity=L1, grid="1/2")
    yield "Geometric", _made(m.Geometric, "epsilon", sensitivity=L1)
    yield "TruncatedGeometric", _made(m.TruncatedGeometric, "epsilon", sensitivity=L1, bound=5)
    yield "Gaussian", _made(m.Gaussian, "sigma", sensitivity=L2, grid=1)
    yield "DiscreteGaussian", _made(m.DiscreteGaussian, "sigma", sensitivity=L2)
    for kind, moved in ((m.Gaussian, L2), (m.DiscreteGaussian, L2), (m.TruncatedGeometric, L1)):
        rest = {"epsilon": 1, "delta": "1/100", "sensitivity": moved, "grid": 1}
        yield f"{kind.__name__}.calibrated", _plain(kind.calibrated, "epsilon", "delta", **rest)
    yield "GaussianNoise", _plain(m.GaussianNoise, "sigma")
    yield "DiscreteGaussianNoise", _plain(m.DiscreteGaussianNoise, "sigma")
    yield "GeometricNoise", _plain(m.GeometricNoise, "scale")
    yield "LaplaceNoise", _plain(m.LaplaceNoise, "scale")
    yield "BoxNoise", _plain(m.BoxNoise, "scale", dimension=2)
    yield "BoxNoise.weighted_reach", _plain(m.BoxNoise(Fraction(9), 2).weighted_reach, "beta", weights=[1, 2])
    stream: dict[str, Any] = {"threshold": 100, "sensitivity": L1}
    yield "AboveThreshold", _made(m.AboveThreshold, "epsilon", **stream)
    for kind in (m.Sparse, m.NumericSparse):  # type: ignore[assignment]
        yield kind.__name__, _made(kind, "epsilon", "delta", **stream, epsilon=1, cutoff=2)
    yield "NonNegativeSparseVector", _made(m.NonNegativeSparseVector, "sigma", **stream, query_sigma=80)
    staged = m.StagewiseSparseVector.gaussian(
        sigma=40, query_sigma=80, cutoff=2, stage_cutoff=1, length=9, threshold=900, sensitivity=L1
    )
    bare = m.NonNegativeSparseVector(**stream, sigma=40, query_sigma=80)
    yield "StagewiseSparseVector", {"event_by_stages.delta": staged.event_by_stages, "error.beta": staged.error}
    yield "NonNegativeSparseVector", {"event_by_stages.delta": bare.event_by_stages}
    hybrid = m.SparseVector.hybrid(sigma=8, scale=16, **stream)
    yield "SparseVector", {"error.beta": lambda v: hybrid.error(v, queries=9)}
    for kind, more in ((m.SparseVector, {}), (m.StagewiseSparseVector, {"stage_cutoff": 1})):  # type: ignore[assignment]
        both: dict[str, Any] = {"sigma": 8, **stream, **more}
        yield f"{kind.__name__}.hybrid", _plain(kind.hybrid, "sigma", "scale", **both, scale=16)  # type: ignore[union-attr]
        yield f"{kind.__name__}.gaussian", _plain(kind.gaussian, "sigma", **both, query_sigma=16, length=9)  # type: ignore[union-attr]
    for kind in (m.ExponentialMechanism, m.OneSidedNoisyMax, m.ReportNoisyMax):  # type: ignore[assignment]
        yield kind.__name__, _made(kind, "epsilon", candidates="abc", sensitivity=LINF)
    yield "TopK", _made(m.TopK, "epsilon", k=2, candidates="abc", sensitivity=LINF)
    rest = {"epsilon": 1, "delta": 1e-6, "k": 2, "candidates": "abc", "sensitivity": LINF}
    yield "TopK.calibrated", _plain(m.TopK.calibrated, "epsilon", "delta", **rest)
    quantile = {"q": "1/2", "epsilon": 1, "lower": 0, "upper": 9, "grid": 1, "neighbours": NEAR}
    yield "Quantile", _plain(m.Quantile, "q", "epsilon", **quantile) | {"error.beta": m.Quantile(**quantile).error}  # type: ignore[arg-type]
    bar = m.QuantileBar(of=m.Quantile(**quantile), beta=0.05)  # type: ignore[arg-type]
    yield "QuantileBar", {"beta": lambda v: m.QuantileBar(of=bar.of, beta=v), "error.beta": bar.error}
    yield "Quantiles", {"error.beta": m.Quantiles(qs=(0.25, 0.5), of=m.Quantile(**quantile)).error}  # type: ignore[arg-type]
    yield "RandomizedResponse", _made(m.RandomizedResponse, "epsilon")
    yield "Warner", {"error.beta": m.Warner().error}
    median = m.Median(lower=0, upper=9)
    yield "SmoothSensitivity", _made(m.SmoothSensitivity, "epsilon", "delta", epsilon=1, bound=median)
    yield "Median", {"measure.beta": lambda v: median.measure(ROWS, v)}
    yield "OrderStatistic", {"measure.beta": lambda v: m.OrderStatistic(lower=0, upper=9, rank=2).measure(ROWS, v)}
    tree = m.SpanningTree(edges=(("a", "b"), ("b", "c"), ("c", "a")), upper=10)
    yield "SpanningTree", {"measure.beta": lambda v: tree.measure([1, 2, 3], v)}
    yield "smooth_sensitivity", _plain(m.smooth_sensitivity, "beta", at_distance=[0, 1, 5])
    for kind in (m.LaplaceKeys, m.TruncatedGeometricKeys, m.GaussianKeys):  # type: ignore[assignment]
        yield kind.__name__, _made(kind, "epsilon", "delta", epsilon=1, delta="1/1000")
    yield "best_key_selection", _plain(m.best_key_selection, "epsilon", "delta", epsilon=1, delta="1/1000")
    yield from _accuracies()


def _accuracies() -> Iterator[tuple[str, dict[str, Call]]]:
    m = mechanisms
    usual: dict[str, Any] = {"queries": 9, "beta": "1/20", "epsilon": 1}
    yield "above_threshold_accuracy", _plain(m.above_threshold_accuracy, "beta", "epsilon", **usual)
    for name in ("sparse_accuracy", "numeric_sparse_accuracy"):
        yield name, _plain(getattr(m, name), "beta", "epsilon", "delta", **usual, cutoff=2)
    rest = {"epsilon": "1/2", "delta": 1e-6, "sensitivity": L2}
    yield "classical_sigma", _plain(m.classical_sigma, "epsilon", "delta", **rest)
    usual |= {"types": 16, "people": 10**6}
    yield "small_database_accuracy", _plain(m.small_database_accuracy, "beta", "epsilon", **usual, alpha=0.05)
    yield "small_database_best_accuracy", _plain(m.small_database_best_accuracy, "beta", "epsilon", **usual)
    capped = {"sigma": 20, "query_sigma": 40, "cutoff": 1, "length": 9, "delta": 1e-6}
    yield "length_capped_epsilon", _plain(m.length_capped_epsilon, "sigma", "delta", **capped)
    yield "longest_stage_for", _plain(m.longest_stage_for, "delta", stage_cutoff=1)
    yield "stage_cutoff_for", _plain(m.stage_cutoff_for, "delta", length=5)
    planned = {"sigma": 40, "query_sigma": 80, "threshold": 100, "delta": 1e-9}
    yield "non_negative_stage_cutoff_for", _plain(m.non_negative_stage_cutoff_for, "sigma", "delta", **planned)


def _ledger() -> Iterator[tuple[str, dict[str, Call]]]:
    yield "Budget.pure", _plain(Budget.pure, "epsilon", "delta", epsilon=1)
    yield "Budget.zcdp", _plain(Budget.zcdp, "rho", "delta", rho=1)
    yield "Budget.rdp", _plain(Budget.rdp, "epsilon", "delta", epsilon=1, delta=1e-6, orders=(9000.0,))


def _local() -> Iterator[tuple[str, dict[str, Call]]]:
    kinds: dict[str, dict[str, Any]] = {
        "DBitFlip": {"domain": 8, "bits": 4}, "Hadamard": {"domain": 8}, "KAry": {"domain": 8}, "LocalHash": {"domain": 8},
        "SubsetSelection": {"domain": 8}, "Unary": {"domain": 8}, "Hybrid": {"upper": 1}, "OneBitMean": {"upper": 1},
        "Piecewise": {"upper": 1}, "PrefixTree": {"length": 2},
    }  # fmt: skip
    for name, about in kinds.items():
        yield name, _plain(getattr(local, name), "epsilon", name="a", **about)
    yield "Rappor", _plain(local.Rappor, "q", name="a", p="1/20", epsilon=0)
    mean = local.OneBitMean(name="a", upper=1, epsilon=1)
    flips = local.DBitFlip(name="a", domain=8, bits=4, epsilon=1)
    noisy = local.LaplaceMean(upper=9, epsilon=1)
    yield "OneBitMean", {"error.beta": lambda v: mean.error(v, people=9)}
    yield "DBitFlip", {"error.beta": lambda v: flips.error(v, people=9)}
    yield "LaplaceMean", _plain(local.LaplaceMean, "epsilon", upper=9)
    yield "LaplaceMean", {"error.beta": lambda v: noisy.error(v, people=9), "report_bits.beta": noisy.report_bits}
    yield "choose", _plain(local.choose, "epsilon", name="a", domain=8)
    yield "duchi", _plain(local.duchi, "epsilon", name="a")
    yield "compare", _plain(local.compare, "epsilon", "beta", epsilon=1, people=9)
    yield "compare_means", _plain(local.compare_means, "epsilon", "beta", epsilon=1, people=9, upper=9)
    yield "people_needed", _plain(local.people_needed, "epsilon", "beta", epsilon=1, error=0.1)
    coins = local.KAry(name="a", domain=3, epsilon="1/100")
    yield "enforce", _plain(local.enforce, "epsilon", protocol=coins, reports=3)
    yield "most_reports", _plain(local.most_reports, "epsilon", protocol=coins)
    yield "epsilon_one", _plain(local.epsilon_one, "q", f="1/2", p="1/20")
    server = local.Aggregator(coins)
    yield "Frequencies.interval", {"confidence": lambda v: repr(server.estimate().interval(v))}
    sums = local.Aggregator(mean)
    yield "Mean.interval", {"confidence": lambda v: repr(sums.estimate().interval(v))}


def _audit() -> Iterator[tuple[str, dict[str, Call]]]:
    yield "Claim", _plain(audit.Claim, "epsilon", "delta", epsilon=1)
    pair = [audit.Pair(0, 1)]
    yield (
        "target_of",
        {
            "epsilon": lambda v: audit.target_of(abs, pair, epsilon=v).claim,
            "delta": lambda v: audit.target_of(abs, pair, epsilon=1, delta=v).claim,
        },
    )
    yield (
        "exact_audit",
        {
            "epsilon": lambda v: audit.exact_audit(lambda _, bits: exact.bernoulli(0.5, bits=bits), pair[0], epsilon=v),
            "delta": lambda v: audit.exact_audit(
                lambda _, bits: exact.bernoulli(0.5, bits=bits), pair[0], epsilon=1, delta=v
            ),
        },
    )


SOURCES = (_exact, _core, _accounting, _events, _mechanisms, _ledger, _local, _audit)
CONTRACT: dict[str, Call] = {
    f"{room}.{label}.{parameter}": call
    for room, source in zip(ROOMS, SOURCES, strict=True)
    for label, calls in source()
    for parameter, call in calls.items()
}

EXEMPT = {
    "a distribution, not a number": ("core.*.q",),
    "a promise, without a body": ("core.Mechanism.*", "core.PrivacyLoss.*", "mechanisms.SmoothBound.*", "mechanisms.Noise.*"),
    "abstract: its kinds are listed": (
        "mechanisms.Additive.*", "mechanisms.Selection.*", "mechanisms.KeySelection.*", "mechanisms.SparseTechnique.*",
        "local.Protocol.*",
    ),
    "what was found, made by the house": (
        "core.Accuracy.beta", "local.Comparison.*", "audit.Finding.*", "audit.GameFinding.*", "audit.LawFinding.*", "audit.AuditedMechanism.*",
    ),
    "a Fraction by its type, handed on by a method that is listed": (
        "mechanisms.*Noise.reach.beta", "mechanisms.*.draw.epsilon", "local.*.derive.epsilon", "audit.Specimen.target.epsilon",
    ),
    "a coin that must fit its ε": ("local.DBitFlip.q", "local.Unary.q"),
    "ε follows from the coins": ("local.Rappor.epsilon",),
    "needs a longer form": ("local.Condensed.epsilon",),
    "statistics in floats": (
        "audit.audit.*", "audit.epsilon_at_least.*", "audit.game.*", "audit.greatest_advantage.*", "audit.hostile.*", "audit.leaks.*",
        "audit.smallest_violation.*", "local.decode.confidence",
    ),
}  # fmt: skip


def _parameters(label: str, call: Any) -> Iterator[str]:
    try:
        names = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return
    yield from (f"{label}.{name}" for name in names if name in WATCHED)


def public_amounts() -> Iterator[str]:
    """Every parameter of a public constructor, function or method that is named as amounts are."""
    for room in ROOMS:
        module = importlib.import_module(f"sfumato.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                yield from _parameters(f"{room}.{name}", thing)
            if inspect.isclass(thing):
                for method, body in inspect.getmembers(thing, inspect.isroutine):
                    if not method.startswith("_"):
                        yield from _parameters(f"{room}.{name}.{method}", body)


def _is_exempt(label: str) -> bool:
    from fnmatch import fnmatchcase

    return any(fnmatchcase(label, pattern) for patterns in EXEMPT.values() for pattern in patterns)


def test_every_public_amount_is_in_the_contract() -> None:
    missing = [label for label in public_amounts() if label not in CONTRACT and not _is_exempt(label)]
    assert not missing, "add them to the contract of amounts, or say why they are none"


def test_the_contract_names_nothing_that_is_gone() -> None:
    known = set(public_amounts())
    assert not [label for label in CONTRACT if label not in known]


@pytest.mark.parametrize("label", CONTRACT)
def test_a_tenth_is_a_tenth_however_it_is_written(label: str) -> None:
    call = CONTRACT[label]
    meant = _outcome(call, Fraction(1, 10))
    for tenth in TENTHS:
        assert _outcome(call, tenth) == meant, repr(tenth)


def _outcome(call: Call, value: Any) -> Any:
    """What comes of it; a refusal is one outcome too, if it is the same for all."""
    try:
        return call(value)
    except InvalidParameter as error:
        return error.name, error.problem.partition(":")[0]


@pytest.mark.parametrize("label", CONTRACT)
def test_what_is_no_amount_is_refused_by_name(label: str) -> None:
    call, name = CONTRACT[label], label.rpartition(".")[2]
    for bad in REFUSED:
        with pytest.raises(InvalidParameter) as caught:
            call(bad)
        assert caught.value.name == name, str(caught.value)
        assert len(str(caught.value)) < 400


def test_infinity_is_no_amount_but_a_price_may_be_infinite() -> None:
    assert e.Renyi(math.inf, 1).pure() == 1
    assert ONE.delta(math.inf) < 1e-300
    for call in (e.Pure, e.Laplace, accounting.PureFilter):
        with pytest.raises(InvalidParameter, match="must be finite"):
            call(math.inf)


@pytest.mark.parametrize(
    "tenth",
    [each for each in TENTHS if not isinstance(each, np.generic) or isinstance(each, float)],  # type: ignore[unreachable]
)
def test_a_declared_tenth_is_a_tenth(tenth: Any) -> None:
    assert Allowance.declared("budget", {"epsilon": tenth, "delta": tenth}).epsilon == Fraction(1, 10)
    assert Allowance.declared("budget", {"rho": tenth}).rho == Fraction(1, 10)


@pytest.mark.parametrize("bad", [bad for bad in REFUSED if bad is not None], ids=lambda bad: type(bad).__name__)
def test_what_is_no_amount_is_no_declaration(bad: Any) -> None:
    for name in ("epsilon", "rho"):
        with pytest.raises(InvalidDeclaration, match=name):
            Allowance.declared("budget", {name: bad})


# ---- one parser ---------------------------------------------------------------------------------------------------


SOURCE = Path(__file__).parents[2] / "src" / "sfumato"
OWN_GRAMMAR = {
    "local/client.py": "a device has the standard library only",
    "local/allowance.py": "likewise",
    "query/aggregates/reading.py": "a literal of SQL",
}
EXACT_READING = {
    "exact/parameters.py", "exact/rounding.py", "accounting/events/boxes.py", "mechanisms/linear.py", "local/one_bit.py", "audit/pairs.py", "audit/sums.py",
    "audit/leaks.py",
}  # fmt: skip
"""Where numbers are data, or floats that were computed here: they are exactly what they are."""


def _sources() -> dict[str, str]:
    return {str(path.relative_to(SOURCE)): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}


def test_no_other_file_reads_numbers_that_callers_write() -> None:
    reads = re.compile(r"Fraction\((repr|str)\(|Fraction\(Decimal\(|Decimal\(repr")
    found = {name for name, text in _sources().items() if reads.search(text)}
    assert found <= set(OWN_GRAMMAR), "use sfumato.exact.amounts.amount"


def test_the_exact_reading_is_for_data_and_computed_floats() -> None:
    imports = re.compile(r"from sfumato\.exact\.parameters import [^)]*?\brational\b")
    found = {name for name, text in _sources().items() if imports.search(text)} | {"exact/parameters.py"}
    assert found == EXACT_READING, "what callers write is an amount; add a file here only for data"


# ---- devices and the command line -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.1, "1/3"])
def test_a_device_reads_its_own_limit_as_the_server_reads_its_epsilon(epsilon: Any) -> None:
    document = local.KAry(name="a", domain=3, epsilon=epsilon).document()
    assert local.Client(document, bytes(32), most_epsilon=epsilon)  # type: ignore[truthy-bool]
    less = amount("epsilon", epsilon) - Fraction(1, 10**30)
    with pytest.raises(local.client.ProtocolRefused, match="above what this device allows"):
        local.Client(document, bytes(32), most_epsilon=str(less))


@pytest.mark.parametrize("cap", [0.1, 0.3, "0.3", "3/10", 3])
def test_a_device_reads_its_own_cap_as_it_is_written(cap: Any) -> None:
    kept = local.DeviceAllowance(cap)
    assert kept.cap == Fraction(str(cap))
    assert local.DeviceAllowance.from_json(kept.to_json()).cap == kept.cap


def test_numbers_on_the_command_line_are_amounts() -> None:
    assert number("0.1") == number("1/10") == number("1e-1") == Fraction(1, 10)
    for bad in ("1e999999999", "nan", "1_000", " 1", "ten", "9" * 5000):
        with pytest.raises(argparse.ArgumentTypeError, match="must be a number such as"):
            number(bad)
