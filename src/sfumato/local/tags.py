"""The tags of reports already counted, so that a copy is counted once."""

import numpy as np
from numpy.typing import NDArray

Tags = NDArray[np.uint64]


class SeenTags:
    """A set of 64-bit tags as sorted runs, each at least twice as long as the next."""

    __slots__ = ("_runs",)

    def __init__(self, tags: Tags | None = None) -> None:
        self._runs: list[Tags] = []
        if tags is not None and len(tags):
            self._runs.append(np.unique(tags))

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def add(self, tags: Tags) -> NDArray[np.bool_]:
        """Remember tags; True where a tag was new, False for a copy, also of one earlier in the same batch."""
        if not len(tags):
            return np.zeros(0, dtype=np.bool_)
        order = None
        ranked = np.sort(tags)
        if (ranked[1:] == ranked[:-1]).any():
            order = np.argsort(tags, kind="stable")
            first = np.ones(len(tags), dtype=np.bool_)
            first[1:] = ranked[1:] != ranked[:-1]
            fresh = np.empty(len(tags), dtype=np.bool_)
            fresh[order] = first
            ranked = ranked[first]
        else:
            fresh = np.ones(len(tags), dtype=np.bool_)
        known = self._known(ranked)
        if known.any():
            copies = ranked[known]
            fresh &= ~_among(copies, tags)
            ranked = ranked[~known]
        self._keep(ranked)
        return fresh

    def overlap(self, other: "SeenTags") -> int:
        """How many tags both hold."""
        return int(self._known(other.all()).sum())

    def all(self) -> Tags:
        """Every tag, sorted."""
        return np.sort(np.concatenate(self._runs), kind="stable") if self._runs else np.zeros(0, dtype=np.uint64)

    def union(self, other: "SeenTags") -> None:
        """Hold the other's tags too."""
        theirs = other.all()
        self._keep(theirs[~self._known(theirs)])

    def _known(self, ranked: Tags) -> NDArray[np.bool_]:
        found = np.zeros(len(ranked), dtype=np.bool_)
        for run in self._runs:
            found |= _among(run, ranked)
        return found

    def _keep(self, ranked: Tags) -> None:
        if len(ranked):
            self._runs.append(ranked)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")  # merges sorted runs


def _among(run: Tags, tags: Tags) -> NDArray[np.bool_]:
    """Which tags a sorted run holds."""
    if not len(run):
        return np.zeros(len(tags), dtype=np.bool_)
    at = np.minimum(np.searchsorted(run, tags), len(run) - 1)
    return np.asarray(run[at] == tags)
