"""Sentences for reasons: the only place where a code becomes a text."""

from collections.abc import Callable, Mapping
from math import isfinite

from profgate.model.levels import RED
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.report import numbers

Quote = Callable[[str], str]
MOST_SPLITS = 5000  # of a test; more ways are drawn at random
Parameters = Mapping[str, Parameter]
NAME_FIRST = frozenset({ReasonCode.DEPARTURE, ReasonCode.FINDING, ReasonCode.FIRST_EDITION})
RUNS_WANTED = "record at least 5 runs of each side"


def reason_text(reason: Reason, quote: Quote) -> str:
    """The sentence of a reason, without a full stop; ``quote`` makes names safe for the place it goes to."""
    return SENTENCES[reason.code](reason.parameters, quote)


def full_sentence(reason: Reason, quote: Quote) -> str:
    """The same with a capital letter, but for sentences that begin with a name."""
    text = reason_text(reason, quote)
    return text if reason.code in NAME_FIRST else text[:1].upper() + text[1:]


def advice(reason: Reason) -> str:
    """What to record so that an inconclusive comparison can be judged, as a sentence; empty for other reasons."""
    given = reason.parameters
    match reason.code:
        case ReasonCode.TOO_FEW_SAMPLES:
            return f"Record about {given.get('factor')} times longer, or at a higher rate."
        case ReasonCode.TOO_FEW_RUNS:
            return f"Record at least {given.get('wanted')} runs of each side."
        case ReasonCode.CANNOT_SEE:
            return "Record more or longer runs."
    return ""


def _fixed(text: str) -> Callable[[Parameters, Quote], str]:
    return lambda _parameters, _quote: text


def _number(value: Parameter) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _percent(value: Parameter) -> str:
    return numbers.percent(_number(value))


def _size(value: Parameter) -> str:
    """A relative change as percents, or as a multiple where percents are hard to read."""
    number = _number(value)
    return numbers.UNKNOWN if number is None else numbers.smallest_change(abs(number))


def _where(parameters: Parameters, quote: Quote) -> str:
    metric = parameters.get("metric")
    return quote(str(parameters.get("workload"))) + (f" {quote(str(metric))}" if metric else "")


def _jobs(parameters: Parameters, _quote: Quote) -> str:
    jobs, bound = parameters.get("jobs"), _number(parameters.get("bound"))
    change = _number(parameters.get("change"))
    if bound is None or not isfinite(bound) or change is None:
        return f"none of {jobs} base jobs has this function; this one does"
    return f"none of {jobs} base jobs differed by more than {_size(bound)}; this one differs by {_size(change)}"


def _near_jobs(parameters: Parameters, _quote: Quote) -> str:
    jobs, change = parameters.get("jobs"), _size(parameters.get("change"))
    bound = _number(parameters.get("bound"))
    if bound is None or not isfinite(bound):
        return f"not certain: {jobs} base jobs are too few to separate it from noise"
    return f"not certain: it differs by {change}, {jobs} base jobs by up to {_size(bound)}"


def _no_split(parameters: Parameters, _quote: Quote) -> str:
    splits = int(_number(parameters.get("splits")) or 0)
    ways = f"{splits - 1:,} random ways" if splits >= MOST_SPLITS else f"the other {splits - 1:,} ways"
    return f"none of {ways} to regroup these {parameters.get('runs')} runs shows as large a change for the worse"


def _few_splits(parameters: Parameters, _quote: Quote) -> str:
    p, splits = _number(parameters.get("p")) or 0.0, int(_number(parameters.get("splits")) or 0)
    if splits * RED < 1.0:
        return f"not certain: {splits:,} ways to regroup the runs are too few for a proof; {RUNS_WANTED}"
    return f"not certain: {round(p * splits):,} of {splits:,} ways to regroup the runs differ as much"


def _few_jobs(parameters: Parameters, _quote: Quote) -> str:
    jobs, needed = parameters.get("jobs"), parameters.get("needed")
    return f"not confirmed: the sides come from different jobs, and {jobs} of {needed} base jobs are stored"


def _everything(parameters: Parameters, _quote: Quote) -> str:
    factor = numbers.ratio(1.0, _number(parameters.get("factor")))
    return f"everything takes {factor} the time: another machine, or a change that touches everything"


def _unlike_runs(parameters: Parameters, _quote: Quote) -> str:
    factor = numbers.ratio(1.0, _number(parameters.get("factor")))
    return f"not confirmed: all functions of the target take {factor} the time; record both sides interleaved"


def _second(parameters: Parameters) -> str:
    """What a second measurement found: ``20 + 20 interleaved runs (+247 %, p = 0.0002)``."""
    runs, change, p = (parameters.get(name) for name in ("runs", "change", "p"))
    if not runs:
        return "a second measurement"
    size = "new" if change in {None, "new"} else numbers.signed_percent(float(str(change)))
    return f"{runs} interleaved runs ({size}, p = {p})"


def _demoted(parameters: Parameters, _quote: Quote) -> str:
    seen = f"{parameters.get('reds')} of {parameters.get('trials')} comparisons of unchanged code were red"
    return f"advisory: {seen}, more than the budget of {_percent(parameters.get('budget'))} allows"


def _accepted(parameters: Parameters, _quote: Quote) -> str:
    by, reason = parameters.get("by"), parameters.get("reason")
    limit = numbers.signed_percent(_number(parameters.get("limit")))
    return f"accepted{f' by {by}' if by else ''} up to {limit}: {reason}"


def _too_few_samples(parameters: Parameters, _quote: Quote) -> str:
    samples, runs = int(_number(parameters.get("samples")) or 0), int(_number(parameters.get("runs")) or 0)
    return f"too few samples to judge: {samples:,} in {numbers.counted(runs, 'run')}"


def _too_few_runs(parameters: Parameters, _quote: Quote) -> str:
    return f"too few runs to judge: {parameters.get('baseline')} + {parameters.get('target')}"


def _cannot_see(parameters: Parameters, _quote: Quote) -> str:
    total, tenth = _number(parameters.get("total")), _number(parameters.get("tenth"))
    seen = [f"{_size(total)} in the total"] if total is not None else []
    seen += [f"{_size(tenth)} in a function of 10 %"] if tenth is not None else []
    known = f"only changes of {' or '.join(seen)} would be visible" if seen else "no change would be visible"
    return f"too much noise to judge: {known}"


def _finding(parameters: Parameters, quote: Quote) -> str:
    name = parameters.get("function")
    subject = quote(str(name)) if name else "the total"
    relative = _number(parameters.get("relative"))
    kinds = {"NotInBaseline": "is new", "NotInTarget": "is gone"}
    changed = kinds.get(str(parameters.get("kind")))
    if changed is None:
        changed = "changed" if relative is None else f"changed by {numbers.signed_percent(relative)}"
    return f"{subject} {changed} in {_where(parameters, quote)}"


def _not_compared(parameters: Parameters, quote: Quote) -> str:
    text = parameters.get("text")
    return f"not compared: {_where(parameters, quote)}{f': {text}' if text else ''}"


def _few_shared_names(parameters: Parameters, quote: Quote) -> str:
    share, where = _percent(parameters.get("share")), _where(parameters, quote)
    return f"both sides share only {share} of the run in {where}: check whether names contain line numbers or ids"


def _total_not_tested(parameters: Parameters, quote: Quote) -> str:
    relative = numbers.signed_percent(_number(parameters.get("relative")))
    return f"the total changed by {relative} in {_where(parameters, quote)} and could not be tested"


SENTENCES: dict[ReasonCode, Callable[[Parameters, Quote], str]] = {
    ReasonCode.NO_SPLIT: _no_split,
    ReasonCode.BEYOND_JOBS: _jobs,
    ReasonCode.EXACT: lambda given, _quote: (
        f"exact counts: within each side the {given.get('runs')} runs hardly differ"
    ),
    ReasonCode.CALLS_ROSE: lambda given, _quote: (
        f"its calls rose from {_number(given.get('before')) or 0:,.0f} to {_number(given.get('after')) or 0:,.0f}"
    ),
    ReasonCode.CONFIRMED: lambda given, _quote: f"confirmed by {_second(given)}",
    ReasonCode.FEW_SPLITS: _few_splits,
    ReasonCode.NEAR_JOBS: _near_jobs,
    ReasonCode.FEW_JOBS: _few_jobs,
    ReasonCode.UNLIKE_RUNS: _unlike_runs,
    ReasonCode.ORDER_UNKNOWN: _fixed(
        "not confirmed: the total can fail only where one job recorded both sides interleaved"
    ),
    ReasonCode.EVERYTHING: _everything,
    ReasonCode.OFFSET: _fixed("offset by improvements elsewhere in the run"),
    ReasonCode.TOTAL_IMPROVED: lambda given, _quote: (
        f"the total improved by {_size(given.get('relative'))}, so it does not fail"
    ),
    ReasonCode.UNCONFIRMED: lambda given, _quote: (
        f"not confirmed: {given.get('baseline')} + {given.get('target')} runs are too few; {RUNS_WANTED}"
    ),
    ReasonCode.NOT_REACHABLE: _fixed("not reachable from the change"),
    ReasonCode.NOT_REPEATED: lambda given, _quote: f"not confirmed by {_second(given)}",
    ReasonCode.WAITS: lambda given, _quote: f"waits for confirmation (confirm: {given.get('confirm')})",
    ReasonCode.CALLS: _fixed("call counts explain a change and never fail alone"),
    ReasonCode.NO_DIRECTION: _fixed("the profile does not state whether lower or higher is better"),
    ReasonCode.SUBSTITUTE_BASELINE: lambda given, _quote: (
        f"advisory: the baseline is {numbers.counted(int(_number(given.get('distance')) or 0), 'commit')} older than "
        "the merge base"
    ),
    ReasonCode.DEMOTED: _demoted,
    ReasonCode.SEVERITY: lambda given, _quote: (
        f"severity {given.get('severity')} does not fail ({given.get('setting')}: {given.get('value')})"
    ),
    ReasonCode.BELOW_MINIMUM: _fixed("below the minimum size for the gate"),
    ReasonCode.ACCEPTED: _accepted,
    ReasonCode.ACCEPTED_PARTS: _fixed("explained by accepted changes"),
    ReasonCode.MODELS: _fixed("its cost grows differently with the size of the input; not confirmed by a test"),
    ReasonCode.NOT_TESTED: _fixed("no test could confirm it"),
    ReasonCode.WITHIN_NOISE: _fixed("within noise"),
    ReasonCode.NO_SELF_COST: _fixed("it has no cost of its own: a caller of what changed"),
    ReasonCode.SHARE_SHIFTED: _fixed("its share of the run shifted, and nothing else shows a change"),
    ReasonCode.TOO_FEW_SAMPLES: _too_few_samples,
    ReasonCode.TOO_FEW_RUNS: _too_few_runs,
    ReasonCode.CANNOT_SEE: _cannot_see,
    ReasonCode.FINDING: _finding,
    ReasonCode.NOTHING_COMPARED: _fixed("nothing was compared"),
    ReasonCode.NOT_COMPARED: _not_compared,
    ReasonCode.NEW_WORKLOAD: lambda given, quote: f"only in the target: {_where(given, quote)}: {given.get('text')}",
    ReasonCode.TOTAL_NOT_TESTED: _total_not_tested,
    ReasonCode.FEW_SHARED_NAMES: _few_shared_names,
    ReasonCode.STRATEGY_FAILED: lambda given, quote: f"a strategy failed in {_where(given, quote)}",
    ReasonCode.DEPARTURE: lambda given, quote: f"{_where(given, quote)}: {given.get('text')}",
    ReasonCode.MORE: lambda given, _quote: (
        f"and {numbers.counted(int(_number(given.get('count')) or 0), 'more change')}"
    ),
    ReasonCode.NO_CHANGE: lambda given, _quote: (
        f"no change beyond noise in {numbers.counted(int(_number(given.get('comparisons')) or 0), 'comparison')}"
    ),
    ReasonCode.NO_BASELINE: lambda given, _quote: str(given.get("text") or ""),
    ReasonCode.FIRST_EDITION: lambda given, _quote: str(given.get("text") or ""),
    ReasonCode.NEVER_RECORDED: lambda given, _quote: str(given.get("text") or ""),
    ReasonCode.NO_TRUSTED_RUN: lambda given, _quote: (
        f"no trusted run of {given.get('workflow')} on the last {given.get('commits')} commits"
    ),
    ReasonCode.NO_ARTIFACT: lambda given, _quote: f"run {given.get('run')} stored no artifact {given.get('artifact')}",
    ReasonCode.ARTIFACT_EXPIRED: lambda given, _quote: (
        f"artifact {given.get('artifact')} of run {given.get('run')} has expired"
    ),
    ReasonCode.ARTIFACT_UNUSABLE: lambda given, _quote: f"run {given.get('run')}: {given.get('text')}",
    ReasonCode.NO_ASSET: lambda given, _quote: (
        f"release {given.get('release')} has no profiles attached ({given.get('asset')})"
    ),
}
