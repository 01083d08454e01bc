"""AIM and MST on mbi's models: python mbi_synth.py METHOD CSV DOMAIN OUT EPSILON DELTA.

mbi ships the estimation of graphical models and the rows made of them, and neither mechanism. Both are written here from their papers against mbi's
public interface, and are named so: "AIM" from McKenna, Mullins, Sheldon and Miklau (2022), "MST" from McKenna, Miklau and Sheldon (2021). The workload
of AIM is all pairs of up to 10,000 cells, the size of its model 80 MB at most, estimation 1,000 steps a round, begun where the last round ended.
Noise is NumPy's, of floats.
"""

import itertools
import math
import warnings
from typing import Any

import jax
import networkx as nx
import numpy as np
import opt_einsum
from making import Table, report

warnings.filterwarnings("ignore")
from mbi import Dataset, Domain, LinearMeasurement  # noqa: E402
from mbi.estimation import MirrorDescent  # noqa: E402
from mbi.junction_tree import hypothetical_model_size  # noqa: E402

MOST_CELLS, MOST_MEGABYTES, STEPS = 10_000, 80, 1000
MEASURING = 0.9
"""The share of a round's price that is for measuring; the rest is for choosing."""
RANDOM = np.random.default_rng()


def zcdp(epsilon: float, delta: float) -> float:
    """The largest ρ of which (ε, δ) follows, by Proposition 12 of Canonne, Kamath and Steinke (2020)."""
    orders = 1 + np.logspace(-3, 5, 20_000)
    room = (np.log(delta) + np.log(orders - 1) - orders * np.log1p(-1 / orders)) / (orders - 1)
    return float(np.max((room + epsilon) / orders))


def data_of(table: Table) -> Any:
    columns = dict(zip(table.sizes, table.rows.T, strict=True))
    return Dataset(columns, Domain(tuple(table.sizes), tuple(table.sizes.values())))


def counts(source: Any, clique: tuple[str, ...]) -> Any:
    return np.asarray(source.project(clique).datavector(), dtype=float)


def modelled(model: Any, clique: tuple[str, ...]) -> Any:
    """What a model says of columns; of those of no one clique without JAX, which would compile for each of them in every round."""
    if model.marginals.supports(clique):
        return counts(model, clique)
    tables = [
        (np.asarray(each.values, dtype=float), each.domain.attributes) for each in model.potentials.tables.values()
    ]
    factors = [part for table, names in tables for part in (np.exp(table - table.max()), list(names))]
    found = opt_einsum.contract(*factors, list(clique)).ravel()
    return found * (float(model.total) / found.sum()) if found.sum() > 0 else counts(model, clique)


def measured(data: Any, clique: tuple[str, ...], sigma: float) -> Any:
    exact = counts(data, clique)
    return LinearMeasurement(exact + RANDOM.normal(0, sigma, exact.size), clique, sigma)


def chosen(scores: dict[Any, float], epsilon: float, sensitivity: float) -> Any:
    """The exponential mechanism, by Gumbel noise."""
    noise = RANDOM.gumbel(0, 2 * sensitivity / epsilon, len(scores))
    return max(zip(scores, noise, strict=True), key=lambda each: scores[each[0]] + each[1])[0]


def rows_of(made: Any, table: Table) -> Any:
    return np.stack([made.to_dict()[name] for name in table.sizes], axis=1)


# ---- AIM ----


def closure(workload: list[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """What may be measured, by how much it says of the workload."""
    parts = {
        part for each in workload for size in range(1, len(each) + 1) for part in itertools.combinations(each, size)
    }
    return {
        part: sum(len(set(part) & set(each)) for each in workload) for part in sorted(parts, key=lambda p: (len(p), p))
    }


def aim(table: Table) -> Any:
    data, rho = data_of(table), zcdp(table.epsilon, table.delta)
    domain = data.domain
    pairs = itertools.combinations(domain.attributes, 2)
    weights = closure([pair for pair in pairs if domain.size(pair) <= MOST_CELLS])
    exact = {clique: counts(data, clique) for clique in weights}
    rounds = 16 * len(domain.attributes)
    sigma, epsilon = math.sqrt(rounds / (2 * MEASURING * rho)), math.sqrt(8 * (1 - MEASURING) * rho / rounds)
    log = [measured(data, clique, sigma) for clique in weights if len(clique) == 1]
    used = len(log) / (2 * sigma**2)
    model = MirrorDescent().estimate(domain, log, iters=STEPS)
    while used < rho * (1 - 1e-9):
        if len(log) % 10 == 0:  # what JAX compiled for earlier rounds is of no use, and fills the process's memory maps
            jax.clear_caches()
        if rho - used < 2 * (1 / (2 * sigma**2) + epsilon**2 / 8):  # all that is left, at once
            sigma, epsilon = 1 / math.sqrt(2 * MEASURING * (rho - used)), math.sqrt(8 * (1 - MEASURING) * (rho - used))
        used += 1 / (2 * sigma**2) + epsilon**2 / 8
        have = list(dict.fromkeys(each.clique for each in log))
        fitting = [
            clique
            for clique in weights
            if any(set(clique) <= set(each) for each in have)
            or hypothetical_model_size(domain, [*have, clique]) <= MOST_MEGABYTES * used / rho
        ]
        expected = math.sqrt(2 / math.pi) * sigma  # of noise, a cell
        scores = {
            clique: weights[clique]
            * (np.abs(exact[clique] - modelled(model, clique)).sum() - expected * exact[clique].size)
            for clique in fitting
        }
        clique = chosen(scores, epsilon, max(weights[each] for each in fitting))
        before = modelled(model, clique)
        log.append(measured(data, clique, sigma))
        model = MirrorDescent().estimate(domain, log, iters=STEPS, warm_start=model)
        if np.abs(modelled(model, clique) - before).sum() <= expected * before.size:  # nothing learnt but noise
            sigma, epsilon = sigma / 2, epsilon * 2
    return rows_of(model.synthetic_data(), table)


# ---- MST ----


def compressed(log: list[Any]) -> dict[str, Any]:
    """Values of which too few are seen through the noise are one value: where each value of a column goes."""
    mapping = {}
    for each in log:
        seen = np.asarray(each.noisy_measurement) >= 3 * each.stddev
        if not seen.all():
            mapping[each.clique[0]] = np.where(seen, np.cumsum(seen) - 1, seen.sum())
    return mapping


def tree(data: Any, model: Any, rho: float) -> list[tuple[str, str]]:
    """Pairs that connect all columns, those first that the model knows least."""
    graph: Any = nx.Graph()
    graph.add_nodes_from(data.domain.attributes)
    pairs = list(itertools.combinations(data.domain.attributes, 2))
    far = {pair: float(np.abs(counts(data, pair) - modelled(model, pair)).sum()) for pair in pairs}
    epsilon = math.sqrt(8 * rho / (len(data.domain.attributes) - 1))
    while not nx.is_connected(graph):
        joining = {pair: far[pair] for pair in pairs if not nx.has_path(graph, *pair)}
        graph.add_edge(*chosen(joining, epsilon, 1))
    return [pair for pair in pairs if graph.has_edge(*pair)]


def mst(table: Table) -> Any:
    data, rho = data_of(table), zcdp(table.epsilon, table.delta)
    columns = len(table.sizes)
    first = [measured(data, (name,), math.sqrt(3 * columns / (2 * rho))) for name in table.sizes]
    mapping = compressed(first)
    small = data.compress(mapping)
    first = [each.compress(mapping, data.domain) for each in first]
    pairs = tree(small, MirrorDescent().estimate(small.domain, first, iters=STEPS), rho / 3)
    second = [measured(small, pair, math.sqrt(3 * len(pairs) / (2 * rho))) for pair in pairs]
    model = MirrorDescent().estimate(small.domain, first + second, iters=5 * STEPS)
    made = rows_of(model.synthetic_data(), table)
    for place, name in enumerate(table.sizes):  # a merged value becomes any of those it was made of
        if name in mapping:
            kept = [np.flatnonzero(mapping[name] == value) for value in range(mapping[name].max() + 1)]
            made[:, place] = [RANDOM.choice(kept[value]) for value in made[:, place]]
    return made


if __name__ == "__main__":
    report({"AIM": aim, "MST": mst})
