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


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; ``parameters`` are the numbers and names that its sentence needs."""

    code: ReasonCode
    parameters: dict[str, Parameter] = field(default_factory=dict)
