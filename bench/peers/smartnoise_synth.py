"""SmartNoise Synth's AIM and MST on coded columns: python smartnoise_synth.py METHOD CSV DOMAIN OUT EPSILON DELTA.

Its defaults. Labels are those of the declared domain, known before, so that no budget goes into finding them and none are taken from the data.
"""

import contextlib
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from making import Table, report

warnings.filterwarnings("ignore")
from snsynth import Synthesizer  # noqa: E402
from snsynth.transform import LabelTransformer, TableTransformer  # noqa: E402


def labels(table: Table) -> Any:
    """A transformer that has seen every value of every column."""
    values = np.arange(max(table.sizes.values()))
    known = pd.DataFrame({name: values % size for name, size in table.sizes.items()})
    transformer = TableTransformer([LabelTransformer(nullable=False) for _ in table.sizes])
    transformer.fit(known)
    return transformer


def made(name: str, table: Table) -> Any:
    frame = pd.DataFrame(table.rows, columns=list(table.sizes))
    with contextlib.redirect_stdout(sys.stderr):  # it prints as it goes
        synthesiser = Synthesizer.create(name, epsilon=table.epsilon, delta=table.delta)
        synthesiser.fit(frame, transformer=labels(table))
        rows = synthesiser.sample(len(frame))
    return np.asarray(rows).astype(np.int64)


if __name__ == "__main__":
    report({"AIM": lambda table: made("aim", table), "MST": lambda table: made("mst", table)})
