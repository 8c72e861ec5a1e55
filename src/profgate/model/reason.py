"""Why something was decided, as a code with parameters; `report.wording` makes the sentences."""

from dataclasses import dataclass, field
from enum import StrEnum

Parameter = str | int | float | bool | None


class ReasonCode(StrEnum):
    """Codes of reasons; the comment behind each names its parameters."""

    # why a finding is red
    NO_SPLIT = "no_split"  # splits, runs
    BEYOND_JOBS = "beyond_jobs"  # jobs, bound, change
    EXACT = "exact"  # runs
    CALLS_ROSE = "calls_rose"  # before, after
    CONFIRMED = "confirmed"  # runs, change, p

    # why a finding is not red
    FEW_SPLITS = "few_splits"  # p, splits
    NEAR_JOBS = "near_jobs"  # jobs, bound, change
    FEW_JOBS = "few_jobs"  # jobs, needed
    ORDER_UNKNOWN = "order_unknown"
    UNLIKE_RUNS = "unlike_runs"  # factor
    EVERYTHING = "everything"  # factor
    OFFSET = "offset"
    TOTAL_IMPROVED = "total_improved"  # relative
    UNCONFIRMED = "unconfirmed"  # baseline, target
    NOT_REACHABLE = "not_reachable"
    NOT_REPEATED = "not_repeated"  # runs, change, p
    WAITS = "waits"  # confirm
    CALLS = "calls"
    NO_DIRECTION = "no_direction"
    SUBSTITUTE_BASELINE = "substitute_baseline"  # distance
    DEMOTED = "demoted"  # reds, trials, budget
    SEVERITY = "severity"  # severity, setting, value
    BELOW_MINIMUM = "below_minimum"
    ACCEPTED = "accepted"  # by, limit, reason
    ACCEPTED_PARTS = "accepted_parts"
    MODELS = "models"

    # why a finding is only a note
    NOT_TESTED = "not_tested"
    WITHIN_NOISE = "within_noise"
    NO_SELF_COST = "no_self_cost"
    SHARE_SHIFTED = "share_shifted"

    # of a whole metric or report
    TOO_FEW_SAMPLES = "too_few_samples"  # workload, metric, samples, runs, factor, rate
    TOO_FEW_RUNS = "too_few_runs"  # workload, metric, baseline, target, wanted
    CANNOT_SEE = "cannot_see"  # workload, metric, total, tenth
    FINDING = "finding"  # workload, metric, function, direction, relative
    NOTHING_COMPARED = "nothing_compared"
    NOT_COMPARED = "not_compared"  # workload, metric, text
    NEW_WORKLOAD = "new_workload"  # workload, text
    NO_BASELINE = "no_baseline"  # text
    TOTAL_NOT_TESTED = "total_not_tested"  # workload, metric, relative
    FEW_SHARED_NAMES = "few_shared_names"  # workload, metric, share
    STRATEGY_FAILED = "strategy_failed"  # workload, metric
    DEPARTURE = "departure"  # workload, text
    MORE = "more"  # count
    NO_CHANGE = "no_change"  # comparisons
    FIRST_EDITION = "first_edition"  # text

    # why no baseline is compared with
    NEVER_RECORDED = "never_recorded"  # text
    NO_TRUSTED_RUN = "no_trusted_run"  # workflow, commits
    NO_ARTIFACT = "no_artifact"  # run, artifact
    ARTIFACT_EXPIRED = "artifact_expired"  # run, artifact
    ARTIFACT_UNUSABLE = "artifact_unusable"  # run, text
    NO_ASSET = "no_asset"  # release, asset

    # texts that are no sentences of ours, such as the error of a reader
    TEXT = "text"  # text

    # strategies: why a comparison is not tested
    STRATEGY_RAISED = "strategy_raised"  # error
    RATES_APART = "rates_apart"  # baseline, target
    ZERO_TOTAL = "zero_total"
    NEGATIVE_VALUES = "negative_values"
    NO_AMOUNTS = "no_amounts"
    NOTHING_PASSES = "nothing_passes"
    NO_STACKS = "no_stacks"
    NO_SHARES = "no_shares"
    ZERO_BASELINE = "zero_baseline"
    NO_MODELS = "no_models"
    HISTORY_NEEDED = "history_needed"
    REPORT_NEEDED = "report_needed"
    # strategies: why a location has no result
    TOTAL_UNCHANGED = "total_unchanged"
    NO_LINE = "no_line"  # sides
    SIZES_APART = "sizes_apart"
    NO_DIFFERENCE = "no_difference"
    POOR_FIT = "poor_fit"  # r_square
    NO_AREA = "no_area"
    NO_WINDOW = "no_window"
    NO_MODEL = "no_model"  # baseline, target, baseline_records, target_records
    # strategies: stable ranks
    NO_TARGET_RUN = "no_target_run"
    NO_COMMON_TEST = "no_common_test"
    ONE_TEST = "one_test"
    FEW_TESTS = "few_tests"  # tests, needed
    FEW_BASELINE_RUNS = "few_baseline_runs"  # runs, needed
    FEW_STABLE_RANKS = "few_stable_ranks"  # mean
    SAME_MEASUREMENTS = "same_measurements"
    ORDER_STABLE = "order_stable"
    ORDER_STEADIER = "order_steadier"
    ORDER_CHANGED = "order_changed"  # direction


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; ``parameters`` are the numbers and names of its sentence, ``reasons`` what it rests on."""

    code: ReasonCode
    parameters: dict[str, Parameter] = field(default_factory=dict)
    reasons: tuple["Reason", ...] = ()


def as_reason(value: Reason | str) -> Reason:
    """The reason itself, or one that holds a text."""
    return value if isinstance(value, Reason) else Reason(ReasonCode.TEXT, {"text": value})
