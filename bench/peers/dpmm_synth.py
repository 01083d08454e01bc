"""dpmm's AIM and MST on coded columns: python dpmm_synth.py METHOD CSV DOMAIN OUT EPSILON DELTA.

Its defaults, without its own binning (columns are coded already) and in one process. The size of AIM's model is bounded by the 80 MB that its own
source names for comparisons: the pipeline's default is no bound.
"""

import warnings
from typing import Any

import pandas as pd
from dpmm.pipelines import AIMPipeline, MSTPipeline
from making import Table, report

warnings.filterwarnings("ignore")


def made(kind: Any, table: Table, **settings: Any) -> Any:
    frame = pd.DataFrame(table.rows, columns=list(table.sizes))
    pipeline = kind(epsilon=table.epsilon, delta=table.delta, disable_processing=True, n_jobs=1, **settings)
    pipeline.fit(frame, domain=table.sizes)
    return pipeline.generate(n_records=len(frame))[list(table.sizes)].to_numpy()


if __name__ == "__main__":
    report({
        "AIM": lambda table: made(AIMPipeline, table, max_model_size=80),
        "MST": lambda table: made(MSTPipeline, table),
    })  # fmt: skip
