"""Results of statistical tests, stored so that reports can be judged again and merged across shards."""

from typing import Literal

from profgate.model.bounded import Count, Positive
from profgate.model.record import Record

TestMode = Literal["runs", "jobs", "exact"]
Inconclusive = Literal["too_few_samples", "too_few_runs", "cannot_see", "other_work"]  # values of `ReasonCode`
FewerCalls = tuple[str, float, float]  # function, and its mean number of calls per run of each side
# what the runs of the sides differ in beside their costs, and its value on each side: uncaught exceptions, files with
# profiles, or bytes of output
OtherRuns = tuple[Literal["exceptions", "profiles", "output"], float, float]


class Calibration(Record):
    """The method and limits of a metric's test. Values are None if unknown or not applicable.

    ``mode`` is "runs" for a permutation test of comparable runs, or "jobs" for a comparison with base jobs. A
    permutation test uses ``splits`` splits and belongs to ``family``, all tests with the same number of runs per side,
    such as ``5+5``. For a comparison with
    ``base_jobs`` jobs, the threshold is their ``largest`` statistic times ``margin``. ``jobs_elsewhere`` is the number
    of further jobs, which ran on other CPU models. ``exact`` marks counts whose runs are equal on each side. ``unlike``
    names the facts because of which counts of both sides may differ without a change of the code. ``visible_total`` and
    ``visible_tenth`` are the smallest relative changes that can be detected in the total and in a function with a share
    of 10 %. ``inconclusive`` is the code of the reason why these runs do not allow a verdict. ``known_share`` is the
    share of the run spent in functions that occur on both sides, if it is small on both sides. ``measured`` is True if
    both sides were measured in turns. ``run_spread`` is the largest ratio between the totals of two runs
    of one side. ``cost_left`` is the part of the cost that is left in a workload that did other work, and
    ``fewer_calls`` is its most costly function with less than half of its calls. ``other_runs`` shows that a workload
    did other work, whatever it cost.
    """

    state: Literal["tested"] | None = None
    mode: TestMode | None = None
    family: str | None = None
    splits: Count | None = None
    interleaved: bool | None = None
    different_jobs: bool | None = None
    base_jobs: Count | None = None
    jobs_elsewhere: Count | None = None
    largest: float | None = None
    margin: float | None = None
    exact: bool | None = None
    unlike: str | None = None
    visible_total: float | None = None
    visible_tenth: float | None = None
    common_factor: Positive | None = None
    samples_baseline: float | None = None
    samples_target: float | None = None
    inconclusive: Inconclusive | None = None
    total_tested: bool | None = None
    known_share: float | None = None
    undirected: bool | None = None
    measured: bool | None = None
    run_spread: float | None = None
    cost_left: float | None = None
    fewer_calls: FewerCalls | None = None
    other_runs: OtherRuns | None = None
