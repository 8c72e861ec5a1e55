"""Runs of the base that teach the noise, as columns."""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison

REPEATED = 2  # runs of a job that show its own scatter
STEADY_COUNTS = 25  # mean samples of a run from which a location can be tested, and tells what a run has in common
FEWEST_COUNTS = 5  # the same from which its scatter can be seen (Cochran 1954, on the smallest expected counts)
STEADY_SHARE = 0.001  # the same for timed values, as a share of the run


@dataclass(frozen=True, slots=True, eq=False)
class BaseRuns:
    """Base runs: float64[run, symbol] counts (weights of exact metrics), float64[run] totals, int64[run] jobs."""

    counts: FloatArray
    totals: FloatArray
    jobs: IntArray

    def first_of_each_job(self) -> "BaseRuns":
        """One reading a job."""
        rows = np.sort(np.unique(self.jobs, return_index=True)[1])
        return BaseRuns(self.counts[rows], self.totals[rows], self.jobs[rows])

    def repeated(self) -> "BaseRuns":
        """The jobs that hold two runs or more."""
        rows = (np.bincount(self.jobs) >= REPEATED)[self.jobs]
        return BaseRuns(self.counts[rows], self.totals[rows], np.unique(self.jobs[rows], return_inverse=True)[1])

    def by_job(self) -> "BaseRuns":
        """The sums of each job."""
        jobs = int(self.jobs.max()) + 1
        counts, totals = np.zeros((jobs, self.counts.shape[1])), np.zeros(jobs)
        np.add.at(counts, self.jobs, self.counts)
        np.add.at(totals, self.jobs, self.totals)
        return BaseRuns(counts, totals, np.arange(jobs))

    def only(self, locations: BoolArray) -> "BaseRuns":
        """Some of the locations."""
        return BaseRuns(self.counts[:, locations], self.totals, self.jobs)

    def shares(self) -> FloatArray:
        """float64[run, location]: parts of each run."""
        return np.asarray(self.counts / self.totals[:, None])

    def expected(self) -> FloatArray:
        """float64[run, location]: what a run would hold if it differed from all in nothing but its size.

        Its size is what most locations gained: a single one that was interrupted makes no run larger.
        """
        share, mean = self.counts.sum(axis=0) / self.totals.sum(), self.counts.mean(axis=0)
        steady = mean >= min(STEADY_COUNTS, float(np.median(mean)))
        common = np.median(self.shares()[:, steady] / share[steady], axis=1)
        return np.asarray((self.totals * np.where(common > 0, common, 1.0))[:, None] * share)

    def telling(self, *, sampled: bool) -> BoolArray:
        """bool[symbol]: locations with enough behind them to show their scatter."""
        if not sampled:
            return np.asarray((self.counts > 0).all(axis=0) & (self.shares().mean(axis=0) >= STEADY_SHARE))
        mean = self.counts.mean(axis=0)
        return np.asarray(mean >= FEWEST_COUNTS) if (mean >= STEADY_COUNTS).any() else np.zeros(len(mean), np.bool_)


def base_runs_of(comparison: Comparison, scales: tuple[FloatArray, FloatArray] | None) -> BaseRuns:
    """The baseline's own runs and those of other commits."""
    split = comparison.runs.baseline
    values = np.concatenate([comparison.self_value[:split], comparison.noise_self])
    totals = np.concatenate([comparison.run_totals[:split], comparison.noise_totals])
    scale = np.ones(len(totals)) if scales is None else np.concatenate([scales[0][:split], scales[1]])
    return BaseRuns(values * scale[:, None], totals * scale, np.array(comparison.runs.base_jobs, np.int64))
