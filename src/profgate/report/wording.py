"""Sentences for reason codes, evidence and measurements."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from string import Formatter
from typing import Any

from profgate.model.levels import RED
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.report import numbers, strategy_wording

Quote = Callable[[str], str]
Parameters = Mapping[str, Parameter]
MOST_SPLITS = 5000  # maximum number for one test; otherwise, a random sample is used
NAME_FIRST = frozenset({ReasonCode.DEPARTURE, ReasonCode.FINDING, ReasonCode.FIRST_EDITION, ReasonCode.TEXT})
RUNS_NEEDED = "record at least 5 runs of each side"


def reason_text(reason: Reason, quote: Quote) -> str:
    """Return the sentence for a reason, without a full stop. ``quote`` escapes names for the output format."""
    given = dict(reason.parameters)
    # reports of earlier versions store nested reasons as text
    given["reasons"] = "; ".join(reason_text(other, quote) for other in reason.reasons) or given.get("text", "")
    sentence = SENTENCES[reason.code]
    if isinstance(sentence, str):
        return _Sentence().vformat(sentence, (), {**given, "where": _where(given, quote)})
    return sentence(given, quote)


def full_sentence(reason: Reason, quote: Quote) -> str:
    """Return the text of `reason_text`, capitalized unless it begins with a name."""
    text = reason_text(reason, quote)
    return text if reason.code in NAME_FIRST else text[:1].upper() + text[1:]


def advice(reason: Reason) -> str:
    """Return a sentence on what to record for a conclusive comparison, or "" for reasons without advice."""
    return _Sentence().vformat(ADVICE.get(reason.code, ""), (), reason.parameters)


class _Sentence(Formatter):
    """Formatter for parameters: ``{change:size}`` uses a style of `STYLES`, ``{runs:run}`` adds a noun to a number."""

    def get_value(self, key: int | str, _args: Sequence[Any], kwargs: Mapping[str, Any]) -> Parameter:
        return kwargs.get(str(key))

    def format_field(self, value: Parameter, format_spec: str) -> str:
        number = _number(value)
        if format_spec in STYLES:
            return STYLES[format_spec](number)
        return numbers.counted(int(number or 0), format_spec) if format_spec else str(value)


def _number(value: Parameter) -> float | None:
    return float(value) if isinstance(value, int | float) and isfinite(value) else None


def _size(value: float | None) -> str:
    """Format a relative change as a percentage, or as a multiple if it is large."""
    return numbers.UNKNOWN if value is None else numbers.smallest_change(abs(value))


STYLES: dict[str, Callable[[float | None], str]] = {
    "count": lambda number: f"{number or 0:,.0f}",
    "factor": lambda number: f"{number or 0:.3g}",
    "rate": lambda number: f"{number or 0:g}",
    "whole": lambda number: f"{100 * (number or 0):.0f} %",
    "mean": lambda number: f"{number or 0:,.1f}",
    "percent": numbers.percent,
    "ratio": lambda number: numbers.ratio(1.0, number),
    "signed": numbers.signed_percent,
    "size": _size,
}


def _where(parameters: Parameters, quote: Quote) -> str:
    metric = parameters.get("metric")
    return quote(str(parameters.get("workload"))) + (f" {quote(str(metric))}" if metric else "")


def _beyond_jobs(parameters: Parameters, _quote: Quote) -> str:
    jobs, bound, change = parameters.get("jobs"), _number(parameters.get("bound")), _number(parameters.get("change"))
    if bound is None or change is None:
        return f"none of {jobs} base jobs has this function; this one does"
    return f"none of {jobs} base jobs differed by more than {_size(bound)}; this one differs by {_size(change)}"


def _near_jobs(parameters: Parameters, _quote: Quote) -> str:
    jobs, bound = parameters.get("jobs"), _number(parameters.get("bound"))
    if bound is None:
        return f"not certain: {jobs} base jobs are too few to separate the change from noise"
    change = _size(_number(parameters.get("change")))
    return f"not certain: this job differs by {change}, {jobs} base jobs differ by up to {_size(bound)}"


def _no_split(parameters: Parameters, _quote: Quote) -> str:
    splits = int(_number(parameters.get("splits")) or 0)
    ways = f"{splits - 1:,} random ways" if splits >= MOST_SPLITS else f"the other {splits - 1:,} ways"
    return f"none of {ways} to regroup these {parameters.get('runs')} runs shows as large a change for the worse"


def _few_splits(parameters: Parameters, _quote: Quote) -> str:
    p, splits = _number(parameters.get("p")) or 0.0, int(_number(parameters.get("splits")) or 0)
    if splits * RED < 1.0:
        return f"not certain: {splits:,} ways to regroup the runs are too few for a proof; {RUNS_NEEDED}"
    return f"not certain: {round(p * splits):,} of {splits:,} ways to regroup the runs differ as much"


def second_measurement(parameters: Parameters) -> str:
    """Return the result of a second measurement: ``20 + 20 interleaved runs (+247 %, p = 0.0002)``."""
    runs, change, p = (parameters.get(name) for name in ("runs", "change", "p"))
    if not runs:
        return "a second measurement"
    size = "new" if change in {None, "new"} else numbers.signed_percent(float(str(change)))
    return f"{runs} interleaved runs ({size}, p = {p})"


def _accepted(parameters: Parameters, _quote: Quote) -> str:
    by, limit = parameters.get("by"), numbers.signed_percent(_number(parameters.get("limit")))
    return f"accepted{f' by {by}' if by else ''} up to {limit}: {parameters.get('reason')}"


def _cannot_see(parameters: Parameters, _quote: Quote) -> str:
    total, tenth = _number(parameters.get("total")), _number(parameters.get("tenth"))
    seen = [f"{_size(total)} in the total"] if total is not None else []
    seen += [f"{_size(tenth)} in a function of 10 %"] if tenth is not None else []
    known = f"only changes of {' or '.join(seen)} would be visible" if seen else "no change would be visible"
    return f"too much noise to judge: {known}"


def _finding(parameters: Parameters, quote: Quote) -> str:
    name, relative = parameters.get("function"), _number(parameters.get("relative"))
    kinds = {"NotInBaseline": "is new", "NotInTarget": "is gone"}
    changed = "changed" if relative is None else f"changed by {numbers.signed_percent(relative)}"
    subject = quote(str(name)) if name else "the total"
    return f"{subject} {kinds.get(str(parameters.get('kind')), changed)} in {_where(parameters, quote)}"


def _not_compared(parameters: Parameters, quote: Quote) -> str:
    reasons = parameters.get("reasons")
    return f"not compared: {_where(parameters, quote)}{f': {reasons}' if reasons else ''}"


def _no_baseline(parameters: Parameters, _quote: Quote) -> str:
    return str(parameters.get("text") or f"no baseline: {parameters.get('reasons')}")


def _unreadable(parameters: Parameters, _quote: Quote) -> str:
    side, file, more = (parameters.get(name) for name in ("side", "file", "more"))
    sides = "baseline and the target" if side == "both" else side
    return f"unreadable in the {sides}: {file}{f' and {more} more' if more else ''}: {parameters.get('reasons')}"


def _no_samples(parameters: Parameters, _quote: Quote) -> str:
    side = parameters.get("side")
    return f"the {'profiles contain' if side == 'both' else f'{side} contains'} no samples; check the recording"


def _profile_warning(parameters: Parameters, _quote: Quote) -> str:
    runs = parameters.get("runs")
    return f"{parameters.get('text')}{f' (in {runs} runs)' if runs != 1 else ''}"


def _base_branch(parameters: Parameters, _quote: Quote) -> str:
    name, ours, shared, others, names = (parameters.get(key) for key in ("name", "ours", "shared", "others", "names"))
    return (
        f"changes compared with {name}: {ours} only in this pull request, {shared} in both, "
        f"{others} only in {name}{f' ({names})' if names else ''}"
    )


SENTENCES: dict[ReasonCode, str | Callable[[Parameters, Quote], str]] = {
    ReasonCode.NO_SPLIT: _no_split,
    ReasonCode.BEYOND_JOBS: _beyond_jobs,
    ReasonCode.EXACT: "exact counts: the {runs} runs hardly differ within each side",
    ReasonCode.CALLS_ROSE: "the number of its calls rose from {before:count} to {after:count}",
    ReasonCode.CONFIRMED: lambda given, _quote: f"confirmed by {second_measurement(given)}",
    ReasonCode.FEW_SPLITS: _few_splits,
    ReasonCode.NEAR_JOBS: _near_jobs,
    ReasonCode.FEW_JOBS: "not confirmed: the sides come from different jobs, and {jobs} of {needed} base jobs are "
    "stored",
    ReasonCode.UNLIKE_RUNS: "not confirmed: all functions of the target take {factor:ratio} the time; "
    "record both sides interleaved",
    ReasonCode.ORDER_UNKNOWN: "not confirmed: the total can fail only if one job recorded both sides interleaved",
    ReasonCode.EVERYTHING: "everything takes {factor:ratio} the time: another machine, or a change that affects "
    "everything",
    ReasonCode.OFFSET: "offset by improvements elsewhere in the run",
    ReasonCode.TOTAL_IMPROVED: "the total improved by {relative:size}, so this change does not fail",
    ReasonCode.UNCONFIRMED: f"not confirmed: {{baseline}} + {{target}} runs are too few; {RUNS_NEEDED}",
    ReasonCode.NOT_REACHABLE: "not reachable from the change",
    ReasonCode.NOT_REPEATED: lambda given, _quote: f"not confirmed by {second_measurement(given)}",
    ReasonCode.WAITS: "waits for confirmation (confirm: {confirm})",
    ReasonCode.CALLS: "call counts explain a change, but do not fail on their own",
    ReasonCode.NO_DIRECTION: "the profile does not state whether lower or higher is better",
    ReasonCode.SUBSTITUTE_BASELINE: "advisory: the baseline is {distance:commit} older than the merge base",
    ReasonCode.DEMOTED: "advisory: {reds} of {trials} comparisons of unchanged code were red, more than the budget of "
    "{budget:percent}",
    ReasonCode.SEVERITY: "severity {severity} does not fail ({setting}: {value})",
    ReasonCode.BELOW_MINIMUM: "the change is below the minimum size for the gate",
    ReasonCode.ACCEPTED: _accepted,
    ReasonCode.ACCEPTED_PARTS: "explained by accepted changes",
    ReasonCode.MODELS: "its cost grows differently with the input size; no test confirmed this",
    ReasonCode.NOT_TESTED: "no test could confirm the change",
    ReasonCode.WITHIN_NOISE: "within noise",
    ReasonCode.NO_SELF_COST: "the function has no cost of its own; it calls a changed function",
    ReasonCode.SHARE_SHIFTED: "only its share of the run changed",
    ReasonCode.TOO_FEW_SAMPLES: "too few samples to judge: {samples:count} in {runs:run}",
    ReasonCode.TOO_FEW_RUNS: "too few runs to judge: {baseline} + {target}",
    ReasonCode.CANNOT_SEE: _cannot_see,
    ReasonCode.FINDING: _finding,
    ReasonCode.NOTHING_COMPARED: "nothing was compared",
    ReasonCode.NOT_COMPARED: _not_compared,
    ReasonCode.NEW_WORKLOAD: "only in the target: {where}: {reasons}",
    ReasonCode.TOTAL_NOT_TESTED: "the total changed by {relative:signed} in {where} and could not be tested",
    ReasonCode.FEW_SHARED_NAMES: "both sides share only {share:percent} of the run in {where}: check whether names "
    "contain line numbers or ids",
    ReasonCode.STRATEGY_FAILED: "a strategy failed in {where}",
    ReasonCode.DEPARTURE: "{where}: {reasons}",
    ReasonCode.MORE: "and {count:more change}",
    ReasonCode.NO_CHANGE: "no change beyond noise in {comparisons:comparison}",
    ReasonCode.NO_BASELINE: _no_baseline,
    ReasonCode.FIRST_EDITION: "{text}",
    ReasonCode.NEVER_RECORDED: _no_baseline,
    ReasonCode.NO_TRUSTED_RUN: "{workflow} has no trusted run on the last {commits} commits",
    ReasonCode.NO_ARTIFACT: "run {run} stored no artifact {artifact}",
    ReasonCode.ARTIFACT_EXPIRED: "artifact {artifact} of run {run} has expired",
    ReasonCode.ARTIFACT_UNUSABLE: "run {run}: {text}",
    ReasonCode.NO_ASSET: "release {release} has no profiles ({asset})",
    ReasonCode.UNREADABLE: _unreadable,
    ReasonCode.EMPTY_FILE: "the file is empty; check the recording",
    ReasonCode.NO_SAMPLES: _no_samples,
    ReasonCode.NO_SUCH_METRIC: "the {side} has no such metric and unit",
    ReasonCode.MISSING_IN_TARGET: "missing in the target",
    ReasonCode.NOT_IN_BASELINE: "the baseline does not contain this workload",
    ReasonCode.SHARD_FAILED: "a shard ended with {results}, so its workloads are missing; see its log",
    ReasonCode.UNSTATED: "no reason was given",
    ReasonCode.STRATEGY_UNTESTED: "{strategy}: {reasons}",
    ReasonCode.FACT_DIFFERS: "{fact} differs: {baseline} against {target}",
    ReasonCode.MODE_DIFFERS: "sampling mode differs: {baseline} against {target}; record both sides in "
    "the same mode, because modes measure different times",
    ReasonCode.FACT_MISSING: "the {side} does not state its {fact}",
    ReasonCode.CPU_DIFFERS: "CPU model differs: {baseline} against {target}; totals are advisory",
    ReasonCode.RATES_CONVERTED: "sampling rate differs: {baseline} against {target}; sample counts are converted to "
    "{rate:rate} per second, and totals are advisory",
    ReasonCode.RATES_DIFFER: "sampling rate differs: {baseline} against {target}; some runs do not state "
    "theirs, so totals are advisory and counts are compared as shares of the run",
    ReasonCode.TRUNCATED: "the {side}'s profile is truncated",
    ReasonCode.CONFIGURATIONS_DIFFER: "the configurations differ",
    ReasonCode.RUN_COUNTS_DIFFER: "run counts differ: {baseline} against {target}; the side with a single run limits "
    "what can be detected",
    ReasonCode.FOLDERS_PAIRED: "files below {baseline} are compared with files below {target}",
    ReasonCode.UNDIRECTED: "the profiles do not state whether more or less {metric} is better, so none is red",
    ReasonCode.TOTALS_FAR_APART: "the {metric} totals of the sides differ by a factor of {factor:factor}: check that "
    "both recorded the same work",
    ReasonCode.NO_FRAMES: "{share:whole} of the {side}'s {metric} is in stacks without a frame and counts for the root",
    ReasonCode.UNRESOLVED: "{share:whole} of the {side}'s {metric} is in unresolved symbols: record with debug "
    "information",
    ReasonCode.PROFILE_WARNING: _profile_warning,
    ReasonCode.NO_SAMPLE: "no run contains a sample",
    ReasonCode.REAL_TIME: "totals and shares refer to real time, which includes user and sys time",
    ReasonCode.STACKS_DROPPED: "stacks were dropped by ignore or focus patterns",
    ReasonCode.FILE_WARNING: "{file}: {text}",
    ReasonCode.NO_FILE_PAIRS: "no file of the baseline has a counterpart in the target: use the same names on both "
    "sides for the runs of a workload, such as NAME.1.folded and NAME.2.folded, or NAME/run-1.folded",
    ReasonCode.NOISE_UNREADABLE: "base run {number} is not used to estimate the noise: {text}",
    ReasonCode.OPTION_WITHOUT_EFFECT: "the option {option} of {strategy} no longer has an effect; remove it",
    ReasonCode.KEY_WITHOUT_EFFECT: "the policy key {key} no longer has an effect; remove it",
    ReasonCode.SOURCES_INCOMPLETE: "the sources are not completely known: {text}",
    ReasonCode.SAME_FILES: "{baseline} and {target} contain the same files; compare two different recordings",
    ReasonCode.BASE_BRANCH: _base_branch,
    ReasonCode.NOT_MEASURED_AGAIN: "not measured again, so only the first measurement counts: {text}",
    ReasonCode.SHARD: "{shard}: {reasons}",
    ReasonCode.BASELINES_DIFFER: "the shards have different baselines: {baselines}; the farthest counts for all shards",
    ReasonCode.ACCEPTED_TOTAL: "a total cannot be accepted: accept its functions, or change fail-on-total on the "
    "base branch",
    ReasonCode.ACCEPTED_NOTHING: "no location with this name became worse",
    ReasonCode.ACCEPTED_SEVERAL: "is the name of {count} functions that became worse: add file=PATH",
    ReasonCode.ACCEPTED_UP_TO: "up to {limit:signed}",
    ReasonCode.ACCEPTED_LESS: "up to {limit:signed}, but the growth is now {growth:signed}",
    ReasonCode.TEXT: "{text}",
    ReasonCode.SEVERAL: "{reasons}",
    **strategy_wording.SENTENCES,
}
ADVICE = {
    ReasonCode.TOO_FEW_SAMPLES: "Record about {factor} times longer, or at a higher rate.",
    ReasonCode.TOO_FEW_RUNS: "Record at least {wanted} runs of each side.",
    ReasonCode.CANNOT_SEE: "Record more or longer runs.",
}
