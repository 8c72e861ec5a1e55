"""Reasons for results as codes with parameters, the origin of a side, and what could not be compared."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal, TypeVar

from profgate.model.record import Record, field

Item = TypeVar("Item")
Parameter = str | int | float | bool | None


class ReasonCode(StrEnum):
    """Codes of reasons. The comment after a code lists its parameters; ``case`` selects one of its sentences."""

    # why a finding is red
    NO_SPLIT = "no_split"  # splits, runs
    BEYOND_JOBS = "beyond_jobs"  # jobs, bound, change
    EXACT = "exact"
    CALLS_ROSE = "calls_rose"  # before, after
    MEASURED = "measured"  # baseline, target, low, high, p, splits

    # why a finding is not red
    FEW_SPLITS = "few_splits"  # p, splits
    COUNTS_APART = "counts_apart"  # facts
    NEAR_JOBS = "near_jobs"  # jobs, bound, change
    FEW_JOBS = "few_jobs"  # jobs, needed
    ORDER_UNKNOWN = "order_unknown"
    UNLIKE_RUNS = "unlike_runs"  # factor
    EVERYTHING = "everything"  # factor
    OFFSET = "offset"  # relative, if the total improved
    UNCONFIRMED = "unconfirmed"  # baseline, target
    NOT_REACHABLE = "not_reachable"  # case
    STILL_POSSIBLE = "still_possible"  # baseline, target, low, high, p, splits; least or other_low, other_high, other_p
    WAITS = "waits"  # confirm
    CALLS = "calls"
    NO_DIRECTION = "no_direction"  # metric
    SUBSTITUTE_BASELINE = "substitute_baseline"  # distance
    SEVERITY = "severity"  # severity, value
    BELOW_MINIMUM = "below_minimum"
    ACCEPTED = "accepted"  # by, limit, reason
    ACCEPTED_PARTS = "accepted_parts"
    MODELS = "models"

    # why a finding is only a note
    NOT_TESTED = "not_tested"
    WITHIN_NOISE = "within_noise"
    NO_SELF_COST = "no_self_cost"
    SHARE_SHIFTED = "share_shifted"

    # reasons about a whole metric or report
    TOO_FEW_SAMPLES = "too_few_samples"  # workload, metric, samples, runs, factor
    TOO_FEW_RUNS = "too_few_runs"  # workload, metric, baseline, target, wanted
    CANNOT_SEE = "cannot_see"  # workload, metric, total, tenth, wanted
    OTHER_WORK = "other_work"  # case, workload, metric, share, function, before, after
    SUSPECT = "suspect"  # workload, metric, function, from, to, unit, share_from, share_to
    FINDING = "finding"  # workload, metric, function, direction, relative
    NOTHING_COMPARED = "nothing_compared"
    NOT_COMPARED = "not_compared"  # workload, metric; reasons
    NEW_WORKLOAD = "new_workload"  # workload; reasons
    NO_BASELINE = "no_baseline"  # reasons
    TOTAL_NOT_TESTED = "total_not_tested"  # workload, metric, relative
    FEW_SHARED_NAMES = "few_shared_names"  # workload, metric, share
    STRATEGY_FAILED = "strategy_failed"  # workload, metric
    DEPARTURE = "departure"  # workload; reasons
    MORE = "more"  # count
    COMMON_FACTOR = "common_factor"  # workload, metric, factor
    UNPROVEN = "unproven"  # workload, metric, function; reasons
    REMOVED = "removed"  # workload, by
    NO_CHANGE = "no_change"  # comparisons
    BLIND_SPOTS = "blind_spots"  # case, functions
    AFFECTED = "affected"  # case, file, function
    CARRIED = "carried"

    # why there is no baseline
    NEVER_RECORDED = "never_recorded"  # reasons
    NO_TRUSTED_RUN = "no_trusted_run"  # workflow, commits
    NO_ARTIFACT = "no_artifact"  # run, artifact
    ARTIFACT_EXPIRED = "artifact_expired"  # run, artifact
    ARTIFACT_UNUSABLE = "artifact_unusable"  # run, text
    BASELINE_RUNNING = "baseline_running"  # run
    NO_ASSET = "no_asset"  # release, asset

    # why a workload or a metric was not compared
    UNREADABLE = "unreadable"  # side, file, more; reasons
    EMPTY_FILE = "empty_file"
    NO_SAMPLES = "no_samples"  # side
    RUNS_UNCLEAR = "runs_unclear"  # programs
    NO_RESULTS = "no_results"
    NO_SUCH_METRIC = "no_such_metric"  # side
    MISSING_IN_TARGET = "missing_in_target"
    NOT_IN_BASELINE = "not_in_baseline"
    REQUIRED = "required"
    COMMITTED_PROFILES = "committed_profiles"  # case, file, more, text
    SHARD_FAILED = "shard_failed"  # results
    STRATEGY_UNTESTED = "strategy_untested"  # strategy; reasons

    # limitations of the comparability of both sides
    FACT_DIFFERS = "fact_differs"  # fact, baseline, target
    FACT_MISSING = "fact_missing"  # fact, side
    CPU_DIFFERS = "cpu_differs"  # baseline, target
    RATES_DIFFER = "rates_differ"  # baseline, target, rate (if counts are converted to it)
    TRUNCATED = "truncated"  # side
    CONFIGURATIONS_DIFFER = "configurations_differ"
    RUN_COUNTS_DIFFER = "run_counts_differ"  # baseline, target
    FOLDERS_PAIRED = "folders_paired"  # baseline, target
    NAMES_GROUPED = "names_grouped"  # name, functions
    SYSTEM_LIBRARY = "system_library"  # metric, names, moved, relative
    TOTALS_FAR_APART = "totals_far_apart"  # metric, factor
    NO_FRAMES = "no_frames"  # case, metric, side, share
    PROFILE_WARNING = "profile_warning"  # text, runs, file
    FAILED_RUNS = "failed_runs"  # text, file
    REAL_TIME = "real_time"
    STACKS_DROPPED = "stacks_dropped"

    # limitations of the whole report
    BENCHMARK_EDITED = "benchmark_edited"  # case, workload, file, function
    NO_FILE_PAIRS = "no_file_pairs"
    NOISE_UNREADABLE = "noise_unreadable"  # number, text
    POLICY_CHANGED = "policy_changed"  # file
    ACCEPTANCES_UNREAD = "acceptances_unread"  # text
    IGNORED_MANIFEST = "ignored_manifest"
    OLDER_TARGET = "older_target"  # distance, ref
    SOURCES_INCOMPLETE = "sources_incomplete"  # reasons
    SOURCES_UNPARSED = "sources_unparsed"  # files, more
    SAME_FILES = "same_files"  # baseline, target
    PAGE_FAILED = "page_failed"  # workload, metric, error
    NOT_MEASURED_AGAIN = "not_measured_again"  # text, side
    SHARD = "shard"  # shard; reasons
    BASELINES_DIFFER = "baselines_differ"  # baselines

    # why the source changes are not completely known
    DIFF_INCOMPLETE = "diff_incomplete"  # case, text, most, count, baseline

    # notes of an evolution over versions
    BENCHMARK_SOURCE = "benchmark_source"  # case, benchmarks, more

    # the result of an acceptance, or why the request for it is refused
    ACCEPTANCE = "acceptance"  # case, limit, growth, count, login, text

    # the result of a claim
    CLAIM = "claim"  # case, function, change, attempt, level, low, high, p, machines

    # messages from elsewhere, such as an error raised by a reader
    TEXT = "text"  # text
    SEVERAL = "several"  # reasons

    # strategies: why a comparison was not tested, and why a location has no result
    CANNOT_TEST = "cannot_test"  # case, baseline, target, error
    NO_RESULT = "no_result"  # case, side, r_square
    NO_MODEL = "no_model"  # baseline, target, baseline_records, target_records
    ORDER_NOT_TESTED = "order_not_tested"  # case, tests, runs, needed, mean
    ORDER = "order"  # case, direction


class Reason(Record):
    """A reason with the ``parameters`` of its sentence and the underlying ``reasons``."""

    code: ReasonCode
    parameters: dict[str, Parameter] = field(default_factory=dict)
    reasons: tuple["Reason", ...] = ()


def as_reason(value: Reason | str) -> Reason:
    """Return a reason unchanged, or convert a string to a reason that contains the string."""
    return value if isinstance(value, Reason) else Reason(ReasonCode.TEXT, {"text": value})


def combined_reason(reasons: Sequence[Reason]) -> Reason:
    """Combine several reasons into one."""
    return reasons[0] if len(reasons) == 1 else Reason(ReasonCode.SEVERAL, reasons=tuple(reasons))


def without_repeats(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items without duplicates, in order of first occurrence."""
    found: dict[str, Item] = {}
    for item in items:  # reasons cannot be hashed, because their parameters are dictionaries
        found.setdefault(repr(item), item)
    return tuple(found.values())


class NotCompared(Record):
    """A workload or metric that was not compared. ``side`` is the side that contains it, or "both"."""

    name: str
    metric: str | None
    side: Literal["baseline", "target", "both"]
    reason: Reason


class Side(Record):
    """The origin of one side. Unknown values are None, for example for files given on the command line."""

    label: str
    sha: str | None = None
    ref: str | None = None
    run_id: int | None = None
    distance: int | None = None
