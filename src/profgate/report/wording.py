"""Sentences for reason codes, evidence and measurements."""

from collections.abc import Callable, Mapping
from math import isfinite
from string import Formatter

from profgate.model.levels import RED
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.report import numbers

Quote = Callable[[str], str]
Parameters = Mapping[str, Parameter]
_PARTS_OF = Formatter().parse  # much faster than its other methods

NAME_FIRST = frozenset(
    {
        ReasonCode.SUSPECT,
        ReasonCode.OTHER_WORK,
        ReasonCode.DEPARTURE,
        ReasonCode.FINDING,
        ReasonCode.FAILED_RUNS,
        ReasonCode.TEXT,
    }
)
# why nothing can be decided; the headline adds what it concerns: "Too few samples to confirm: ..."
OBSTACLES = {
    ReasonCode.TOO_FEW_SAMPLES: "Too few samples",
    ReasonCode.TOO_FEW_RUNS: "Too few runs",
    ReasonCode.CANNOT_SEE: "Too much noise",
}
OTHER_RUNS = {
    "exceptions": "exceptions in the output of a run",
    "profiles": "files with profiles in each run",
    "output": "of output in each run",
}
LACKS = {
    "unfit": ": its models have too few points or fit no better than chance",
    "no_size": ": no record states its input size",
    "equal_sizes": ": all sizes are equal",
}


def reason_text(reason: Reason, quote: Quote) -> str:
    """Return the sentence for a reason, without a full stop. ``quote`` escapes names for the output format."""
    name, given = reason.parameters.get("function"), dict(reason.parameters)
    given["reasons"] = "; ".join(reason_text(other, quote) for other in reason.reasons)
    metric = given.get("metric")
    given["where"] = quote(str(given.get("workload"))) + (f" {quote(str(metric))}" if metric else "")
    given["subject"] = quote(str(name)) if name else "the total"
    sentence = SENTENCES[reason.code]
    if isinstance(sentence, dict):
        sentence = sentence.get(str(given.get("case")), "")
    return filled(sentence, given, quote) if isinstance(sentence, str) else sentence(given)


def full_sentence(reason: Reason, quote: Quote) -> str:
    """Return the result of `reason_text`, capitalized unless it begins with a name."""
    text = reason_text(reason, quote)
    return text if reason.code in NAME_FIRST else text[:1].upper() + text[1:]


def filled(text: str, parameters: Parameters, quote: Quote = str) -> str:
    """Fill in parameters. ``{change:size}`` applies a style, ``{by:name}`` quotes, and ``{runs:run}`` adds a noun."""
    return "".join(
        literal if name is None else literal + _formatted(parameters.get(name), style or "", quote)
        for literal, name, style, _ in _PARTS_OF(text)
    )


def _formatted(value: Parameter, style: str, quote: Quote) -> str:
    number = number_of(value)
    if style == "name":
        return quote(str(value))
    if style in OPTIONAL:
        return OPTIONAL[style].format(value) if value else ""
    if style in CHOICES:
        words = CHOICES[style]
        return words.get(str(value or None), words[""]).format(value or "")
    if style in FORMATS:
        return format(number or 0.0, FORMATS[style])
    if style in STYLES:
        return STYLES[style](number)
    return numbers.counted(int(number or 0), style) if style else str(value)


def number_of(value: Parameter) -> float | None:
    """Return a finite number, or None for any other value. Parameters of a report may be damaged."""
    return float(value) if isinstance(value, int | float) and isfinite(value) else None


def size(value: float | None) -> str:
    """Format a relative change as a percentage, or as a ratio (2.1x) if it is large."""
    return numbers.UNKNOWN if value is None else numbers.smallest_change(abs(value))


FORMATS = {"count": ",.0f", "factor": ".3g", "mean": ",.1f"}
STYLES: dict[str, Callable[[float | None], str]] = {
    "converted": lambda rate: (
        "some runs do not state theirs, so totals are advisory and counts are compared as shares of the run"
        if rate is None
        else f"sample counts are converted to {rate:g} per second, and totals are advisory"
    ),
    "improved": lambda relative: "did not grow" if relative is None else f"improved by {size(relative)}",
    "whole": lambda number: f"{100 * (number or 0):.0f} %",
    "fit": lambda number: "" if number is None else f": R² {number:.2f}",
    "percent": numbers.percent,
    "probability": numbers.probability,
    "ratio": lambda number: numbers.ratio(1.0, number),
    "signed": numbers.signed_percent,
    "size": size,
}
# texts around a value, which are left out without a value
OPTIONAL = {
    "after": ": {}",
    "before": "{}: ",
    "by": " by {}",
    "more": " and {} more",
}
HEAP = ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space")  # metrics of Go
# texts for known values, and for any other value
CHOICES = {
    "advice": {
        "sampling mode": "; record both sides in the same mode, because modes measure different times",
        "": "",
    },
    "heap": {**dict.fromkeys(HEAP, ", or set a lower runtime.MemProfileRate"), "": ""},
    "in_runs": {"None": "", "1": "", "": " (in {} runs)"},
    "tests": {"slower": "tests became slower", "faster": "tests became faster", "": "no direction stands out"},
    "sides": {"both": "baseline and the target", "": "{}"},
    "holders": {"both": "profiles contain", "": "{} contains"},
}


def _few_jobs(parameters: Parameters) -> str:
    text = "possible: the sides come from different jobs"
    if parameters.get("confirm") not in {None, "off"}:
        return f"{text}; measuring both commits in turns decides"
    return f"{text}, and {parameters.get('jobs')} of {parameters.get('needed')} base jobs are stored"


def _beyond_jobs(parameters: Parameters) -> str:
    jobs, bound, change = (
        parameters.get("jobs"),
        number_of(parameters.get("bound")),
        number_of(parameters.get("change")),
    )
    if bound is None or change is None:
        return f"none of {jobs} base jobs has this function; this one does"
    return f"none of {jobs} base jobs differed by more than {size(bound)}; this one differs by {size(change)}"


def _near_jobs(parameters: Parameters) -> str:
    jobs, bound = parameters.get("jobs"), number_of(parameters.get("bound"))
    if bound is None:
        return f"possible: {jobs} base jobs are too few to separate the change from noise"
    change = size(number_of(parameters.get("change")))
    return f"possible: this job differs by {change}, {jobs} base jobs differ by up to {size(bound)}"


def _few_splits(parameters: Parameters) -> str:
    p, splits = number_of(parameters.get("p")) or 0.0, int(number_of(parameters.get("splits")) or 0)
    if splits * RED < 1.0:
        return f"possible: these runs give only {splits:,} comparisons, too few for a proof"
    return f"possible: chance does this in {round(p * splits):,} of {splits:,} comparisons"


def measured_change(parameters: Parameters) -> str:
    """Return the result of a measurement in turns: ``10 + 10 runs: +95 to +115 %, p = 0.0002``."""
    text = f"{parameters.get('baseline')} + {parameters.get('target')} runs: {_of_machine(parameters)}"
    if "other_p" in parameters:
        return f"{text}; on the other machine: {_of_machine(parameters, 'other_')}"
    least = number_of(parameters.get("least"))
    text += "" if least is None else f"; on another machine or build, unchanged code differs by up to {size(least)}"
    return text


def _of_machine(parameters: Parameters, prefix: str = "") -> str:
    low, high, p = (number_of(parameters.get(f"{prefix}{name}")) for name in ("low", "high", "p"))
    if p is None:
        return "not shown"
    change = "" if low is None or high is None else numbers.interval(low, high)
    change += " of the run" if change and parameters.get("new") else ""
    return f"{change}, p = {numbers.probability(p)}".removeprefix(", ")


def _suspect(parameters: Parameters) -> str:
    before, after, *shares = (number_of(parameters.get(name)) for name in ("from", "to", "share_from", "share_to"))
    values = f"{numbers.from_to(before, after, str(parameters.get('unit')))} ({numbers.growth(before, after)})"
    return f"{parameters['subject']}: {values}, {numbers.share_from_to(*shares)} of the run, not tested"


def _other_work(parameters: Parameters) -> str:
    share, before, after = (number_of(parameters.get(name)) for name in ("share", "before", "after"))
    where, left = parameters["where"], numbers.percent(share)
    if case := parameters.get("case"):
        values = numbers.from_to(before, after, "bytes" if case == "output" else "count")
        return f"{where} did other work: {values} {OTHER_RUNS[str(case)]}"
    if not parameters.get("function"):
        sides = number_of(parameters.get("from")), number_of(parameters.get("to"))
        values = numbers.from_to(*sides, str(parameters.get("unit")))
        change = numbers.signed_percent(None if share is None else share - 1.0)
        return f"{where} {change} ({values}), but nothing shows that it did the same work"
    calls = f"{numbers.from_to(before, after, 'count')} calls of {parameters['subject']}"
    return f"{where} did {left} of the work: {calls}"


def _finding(parameters: Parameters) -> str:
    relative = number_of(parameters.get("relative"))
    kinds = {"NotInBaseline": " is new", "NotInTarget": " is gone"}
    changed = " changed" if relative is None else f": {numbers.relative_growth(relative)}"
    return f"{parameters['subject']}{kinds.get(str(parameters.get('kind')), changed)} in {parameters['where']}"


# the beginning and the end of the sentence on a claim
CLAIM, NOT_PROVEN = "{subject} {change:signed}", "claim not proven: {subject} {change:signed}; "
MEASURED = "; measured {low:signed} to {high:signed} on {machines:machine}, p = {p:probability}"
NEEDED = "; attempt {attempt} needs {level:probability}"


def _no_baseline(parameters: Parameters) -> str:
    return str(parameters.get("text") or f"no baseline: {parameters.get('reasons')}")


def _no_model(parameters: Parameters) -> str:
    sentences = []
    for side in ("baseline", "target"):
        if lack := parameters.get(side):
            records = numbers.counted(int(parameters.get(f"{side}_records") or 0), "record")
            text = LACKS.get(
                str(lack), f": {records} with a size, but a model needs three" if lack == "few_sizes" else ""
            )
            sentences.append(f"the {side} has no model to compare{text}")
    return "; ".join(sentences)


# a code with several cases has a sentence for each value of its parameter "case"
SENTENCES: dict[ReasonCode, str | dict[str, str] | Callable[[Parameters], str]] = {
    ReasonCode.NO_SPLIT: "chance does this in at most 1 of {splits:count} comparisons",
    ReasonCode.BEYOND_JOBS: _beyond_jobs,
    ReasonCode.EXACT: "exact counts: the runs of each side are equal",
    ReasonCode.COUNTS_APART: "counts of the same code can differ between these recordings (different or unknown: "
    "{facts}); measure both commits in turns",
    ReasonCode.CALLS_ROSE: "the number of its calls rose from {before:count} to {after:count}",
    ReasonCode.MEASURED: lambda given: f"confirmed: measured in turns, {measured_change(given)}",
    ReasonCode.FEW_SPLITS: _few_splits,
    ReasonCode.NEAR_JOBS: _near_jobs,
    ReasonCode.FEW_JOBS: _few_jobs,
    ReasonCode.UNLIKE_RUNS: "possible: all functions of the target take {factor:ratio} the time",
    ReasonCode.ORDER_UNKNOWN: "not certain; only profgate confirm can fail it",
    ReasonCode.EVERYTHING: "everything takes {factor:ratio} the time: another machine, or a change that affects "
    "everything",
    ReasonCode.OFFSET: "the total {relative:improved}, so this does not fail",
    ReasonCode.UNCONFIRMED: "possible: {baseline} + {target} runs are too few",
    ReasonCode.NOT_REACHABLE: {
        "no_effect": "not reachable from the change",
        "same_code": "placement or machine: both sides ran the same machine code on the same files",
    },
    ReasonCode.STILL_POSSIBLE: lambda given: f"measured again, still possible: {measured_change(given)}",
    ReasonCode.WAITS: "waits for confirmation (confirm: {confirm})",
    ReasonCode.CALLS: "call counts explain a change, but do not fail on their own",
    ReasonCode.NO_DIRECTION: "the profiles do not state whether more or less {metric} is better, so none is red",
    ReasonCode.SUBSTITUTE_BASELINE: "advisory: the baseline is {distance:commit} older than the merge base",
    ReasonCode.SEVERITY: "severity {severity} does not fail (fail-on: {value})",
    ReasonCode.BELOW_MINIMUM: "too small to fail",
    ReasonCode.ACCEPTED: "accepted{by:by} up to {limit:signed}: {reason}",
    ReasonCode.ACCEPTED_PARTS: "explained by accepted changes",
    ReasonCode.MODELS: "its cost grows differently with the input size; no test confirmed this",
    ReasonCode.NOT_TESTED: "no test could confirm the change",
    ReasonCode.WITHIN_NOISE: "within noise",
    ReasonCode.NO_SELF_COST: "the function has no cost of its own; it calls a changed function",
    ReasonCode.SHARE_SHIFTED: "only its share of the run changed",
    ReasonCode.TOO_FEW_SAMPLES: "too few samples to judge: {samples:count} in {runs:run}",
    ReasonCode.TOO_FEW_RUNS: "too few runs to judge: {baseline} + {target}",
    ReasonCode.CANNOT_SEE: "too much noise to judge: only a change above {total:size} in the total would be visible",
    ReasonCode.OTHER_WORK: _other_work,
    ReasonCode.SUSPECT: _suspect,
    ReasonCode.CLAIM: {
        "proven": f"claim proven: {CLAIM}{MEASURED}{NEEDED}",
        "contradicted": f"claim contradicted: {CLAIM}{MEASURED}",
        "unmeasured": f"{NOT_PROVEN}only a measurement of both commits in turns can prove it",
        "absent": f"{NOT_PROVEN}no workload measures it, or it takes less than 0.25 % of the run",
        "several": f"{NOT_PROVEN}several functions have this name, so add file=PATH to the claim",
        "machines": f"{NOT_PROVEN}not every machine has one result",
        "other_work": f"{NOT_PROVEN}nothing shows that the target did the same work{MEASURED}",
        "attempts": f"{NOT_PROVEN}the number of attempts is unknown{MEASURED}",
        "level": f"{NOT_PROVEN}the runs do not show half of it{MEASURED}{NEEDED}",
        "placement": f"{NOT_PROVEN}another placement of the same code can show as much{MEASURED}",
        "moved": f"{NOT_PROVEN}the total does not show it, so the cost moved{MEASURED}",
        "form": "claim not proven: {subject}; write profgate: claim NAME -10%, in at most {most} lines",
    },
    ReasonCode.FINDING: _finding,
    ReasonCode.NOTHING_COMPARED: "nothing was compared",
    ReasonCode.NOT_COMPARED: "not compared: {where}{reasons:after}",
    ReasonCode.NEW_WORKLOAD: "only in the target: {where}: {reasons}",
    ReasonCode.TOTAL_NOT_TESTED: "the total changed by {relative:signed} in {where} and could not be tested",
    ReasonCode.FEW_SHARED_NAMES: "both sides share only {share:percent} of the run in {where}",
    ReasonCode.STRATEGY_FAILED: "a strategy failed in {where}",
    ReasonCode.DEPARTURE: "{where}: {reasons}",
    ReasonCode.MORE: "and {count:more change}",
    ReasonCode.COMMON_FACTOR: "everything costs {factor:ratio} as much in {where}, more than machines differ; measure "
    "both commits in turns",
    ReasonCode.UNPROVEN: "{subject} became worse in {where}, which is not decided: {reasons}",
    ReasonCode.REMOVED: "{workload:name} is no longer measured, accepted by {by:name}",
    ReasonCode.NO_CHANGE: "no change beyond noise in {comparisons:comparison}",
    ReasonCode.BLIND_SPOTS: {
        "missed": "no workload measured {functions:changed function} (on-blind-spots in the policy)",
        "unknown": "whether a workload measured {functions:changed function} is unknown (on-blind-spots in the policy)",
        "incomplete": "the changed functions are not all known, so one may not be measured (on-blind-spots in the "
        "policy)",
    },
    ReasonCode.AFFECTED: {
        "incomplete": "the changed files are not completely known",
        "other_file": "{file:name} changed, which may be read by any program or its build",
        "unread": "{file:name} changed and could not be parsed",
        "function": "calls {function:name} of {file:name}",
        "file": "can load {file:name}",
        "computed": "{file:name} loads modules by computed names",
        "no_entry": "{file:name} changed, and the profiles do not show the file in which the program begins",
        "no_sources": "the sources of the repository are not all known",
        "not_recorded": "the history has no run of the base commit",
        "shallow": "the clone is shallow, so the base commit is uncertain",
    },
    ReasonCode.CARRIED: "carried from the base: the change cannot reach this workload",
    ReasonCode.NO_BASELINE: _no_baseline,
    ReasonCode.NEVER_RECORDED: _no_baseline,
    ReasonCode.NO_TRUSTED_RUN: "{workflow} has no trusted run on the last {commits} commits",
    ReasonCode.NO_ARTIFACT: "run {run} stored no artifact {artifact}",
    ReasonCode.ARTIFACT_EXPIRED: "artifact {artifact} of run {run} has expired",
    ReasonCode.ARTIFACT_UNUSABLE: "run {run}: {text}",
    ReasonCode.BASELINE_RUNNING: "run {run} has not recorded the baseline yet; run this job again when it has ended",
    ReasonCode.NO_ASSET: "release {release} has no profiles ({asset})",
    ReasonCode.UNREADABLE: "unreadable in the {side:sides}: {file}{more:more}: {reasons}",
    ReasonCode.EMPTY_FILE: "the file is empty; check the recording",
    ReasonCode.NO_SAMPLES: "the {side:holders} no samples; check the recording",
    ReasonCode.RUNS_UNCLEAR: "which files are one run is unknown, because their programs differ ({programs:name}). "
    "Store each run in a folder run-1, run-2, ..., and each program under its own name",
    ReasonCode.NO_RESULTS: "neither side has results",
    ReasonCode.NO_SUCH_METRIC: "the {side} has no such metric and unit",
    ReasonCode.MISSING_IN_TARGET: "missing in the target",
    ReasonCode.NOT_IN_BASELINE: "the baseline does not contain this workload",
    ReasonCode.REQUIRED: "the policy requires this workload, but nothing contains it",
    ReasonCode.COMMITTED_PROFILES: {
        "committed": "the commit contains {file}{more:more}, which would count as a profile of this job. Remove the "
        "file, or store it elsewhere",
        "unknown": "it is not known whether the commit contains profiles, so run this job again: {text}",
        "truncated": "GitHub does not list all files of the commit. Store the profiles in a folder in the top folder "
        "that the repository does not contain",
    },
    ReasonCode.SHARD_FAILED: "a shard ended with {results}, so its workloads are missing; see its log",
    ReasonCode.STRATEGY_UNTESTED: "{strategy}: {reasons}",
    ReasonCode.FACT_DIFFERS: "{fact} differs: {baseline} against {target}{fact:advice}",
    ReasonCode.FACT_MISSING: "the {side} does not state its {fact}",
    ReasonCode.CPU_DIFFERS: "CPU model differs: {baseline} against {target}; totals are advisory",
    ReasonCode.RATES_DIFFER: "sampling rate differs: {baseline} against {target}; {rate:converted}",
    ReasonCode.TRUNCATED: "the {side}'s profile is truncated",
    ReasonCode.CONFIGURATIONS_DIFFER: "the configurations differ",
    ReasonCode.RUN_COUNTS_DIFFER: "run counts differ: {baseline} against {target}; the side with a single run limits "
    "what can be detected",
    ReasonCode.FOLDERS_PAIRED: "files below {baseline} are compared with files below {target}",
    ReasonCode.TOTALS_FAR_APART: "the {metric} totals of the sides differ by a factor of {factor:factor}: check that "
    "both recorded the same work",
    ReasonCode.NAMES_GROUPED: "{name:name} stands for all functions of such a name ({functions} in the target). "
    "Neither their calls nor their order distinguish them",
    ReasonCode.SYSTEM_LIBRARY: "system libraries ({names}) account for {moved:signed} of the change of {metric} by "
    "{relative:signed}. The loader chooses their routines by the CPU",
    ReasonCode.PROFILE_WARNING: "{file:before}{text}{runs:in_runs}",
    ReasonCode.FAILED_RUNS: "{file:before}{text}",
    ReasonCode.REAL_TIME: "totals and shares refer to real time, which includes user and sys time",
    ReasonCode.STACKS_DROPPED: "stacks were dropped by ignore patterns",
    ReasonCode.NO_FILE_PAIRS: "no file of the baseline has a counterpart in the target. Use the same names on both "
    "sides for the runs of a workload, such as NAME/run-1.folded",
    ReasonCode.NOISE_UNREADABLE: "base run {number} is not used to estimate the noise: {text}",
    ReasonCode.POLICY_CHANGED: "{file} is changed by this pull request; the change counts after the merge",
    ReasonCode.ACCEPTANCES_UNREAD: "nothing counts as accepted, because the comments could not be read: {text}",
    ReasonCode.IGNORED_MANIFEST: "profgate-manifest.json in the workspace was ignored; remove it",
    ReasonCode.OLDER_TARGET: "the target's profiles are of {distance} commits before {ref}",
    ReasonCode.SOURCES_INCOMPLETE: "the sources are not completely known: {reasons}",
    ReasonCode.SOURCES_UNPARSED: "the sources are not completely known. The lines of the diff decide for "
    "{files}{more:more}, which could not be parsed (too long, too complex or missing)",
    ReasonCode.SAME_FILES: "{baseline} and {target} contain the same files; compare two different recordings",
    ReasonCode.PAGE_FAILED: "the flame graph of {where} was not drawn ({error})",
    ReasonCode.NOT_MEASURED_AGAIN: "the commits could not be measured in turns: {text}",
    ReasonCode.SHARD: "{shard}: {reasons}",
    ReasonCode.BASELINES_DIFFER: "the shards have different baselines: {baselines}; the farthest counts for all shards",
    ReasonCode.ACCEPTANCE: {
        "accepted_nothing": "no function with this name became worse; a total cannot be accepted",
        "accepted_several": "is the name of {count} functions that became worse: add file=PATH",
        "accepted_workload": "it is no longer measured, or does other work",
        "limit_needed": "no workload with this name is missing or does other work; for a function, add max=+40%",
        "accepted_up_to": "up to {limit:signed}",
        "accepted_less": "up to {limit:signed}, but the growth is now {growth:signed}",
        "command_form": "is incomplete: write /profgate accept NAME max=+40%: REASON",
        "comment_edited": "the comment was edited, perhaps by another person: write a new one",
        "no_owner": "{login} is not one of the owners in the policy",
        "no_writer": "{login} may not write to this repository",
        "rights_unknown": "the rights of {login} are not known: {text}",
    },
    ReasonCode.NO_FRAMES: {
        "no_stack": "{share:whole} of the {side}'s {metric} has no call stack, so it counts only in the "
        "total. Check the options of the profiler",
        "unresolved": "{share:whole} of the {side}'s {metric} is in unresolved symbols: record debug information",
    },
    ReasonCode.TEXT: "{text}",
    ReasonCode.SEVERAL: "{reasons}",
    ReasonCode.CANNOT_TEST: {
        "raised": "the strategy failed: {error}",
        "zero_total": "the total of a run is zero",
        "negative_values": "there are negative values",
        "no_amounts": "no location has an amount",
        "nothing_passes": "no location with exclusive cost passes the filter",
        "no_stacks": "this format has no stacks, so there are no calling contexts",
        "no_shares": "the total of a side is not positive, so there are no shares",
        "zero_baseline": "the baseline's total is zero",
        "no_models": "no location has a model, and no record states its input size",
        "history_needed": "a change point needs later commits; 'profgate trends' and base runs search for it",
        "report_needed": "stable ranks are computed for all workloads together",
        "rates_apart": "sampling rate differs: {baseline} against {target}, so more samples do not mean more cost",
    },
    ReasonCode.NO_RESULT: {
        "total_unchanged": "the total is unchanged",
        "no_line": "there is no linear model in the {side:sides}",
        "sizes_apart": "the ranges of sizes do not overlap",
        "no_difference": "the models have no values over most of the range",
        "poor_fit": "the fit is too poor{r_square:fit}",
        "no_area": "an area under a model is not positive",
        "no_window": "no window has positive values on both sides",
    },
    ReasonCode.ORDER_NOT_TESTED: {
        "no_target_run": "there is no run to check",
        "no_common_test": "no test is in all runs",
        "one_test": "the order of a single test cannot change",
        "few_tests": "{tests:test} in all runs, but at least {needed} are needed",
        "few_baseline_runs": "{runs:baseline run}, but at least {needed} are needed to count stable ranks",
        "few_stable_ranks": "only {mean:mean} ranks are stable among the baseline runs, too few to detect a decrease",
        "same_measurements": "both sides contain the same measurements",
    },
    ReasonCode.ORDER: {
        "stable": "the order of the durations is as stable as in the baseline",
        "steadier": "the order is more stable than before: fewer tests change ranks than among the baseline runs",
        "changed": "the order of the durations changed: {direction:tests}",
    },
    ReasonCode.DIFF_INCOMPLETE: {
        "pull_files_unlisted": "GitHub did not list the pull request's files: {text}",
        "pull_files_limited": "GitHub lists only {most:count} files of a pull request",
        "commit_files_unlisted": "GitHub did not list the commit's files: {text}",
        "commit_files_limited": "GitHub listed {count:file} of the commit and omitted others",
        "changed_files_unread": "GitHub did not return the changed files: {text}",
        "diff_starts_elsewhere": "the pull request's diff does not start at the baseline ({baseline})",
        "no_tracked_files": "git lists no files here, so only functions in changed files are known. Run profgate "
        "in the checkout of the repository",
    },
    ReasonCode.BENCHMARK_SOURCE: {
        "changed": "not compared, because the source of the benchmark changed: {benchmarks}{more:more}",
        "unknown": "source unknown, so a change of it is not noticed: {benchmarks}{more:more}",
    },
    ReasonCode.BENCHMARK_EDITED: {
        "workload_changed": "the change edits {file}, where {function} contains the whole run, so both sides may "
        "do different work",
        "new_benchmark": "new benchmark in {workload}: {function} of {file} is not in the baseline. The totals "
        "are not those of the same work",
    },
    ReasonCode.NO_MODEL: _no_model,
}
