"""Recordings through the product's own stages, from profiles to the judged report."""

import lzma
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
from bench.field.cases import INTERLEAVED, MEASURED, SAME_COST, SLOWER_REWRITE, Case

from profgate import pipeline
from profgate.decide.judge.verdict import judge as verdict_of
from profgate.errors import ProfileError
from profgate.loading import read_sources
from profgate.measuring.decision import decided
from profgate.measuring.turns import Turns
from profgate.model.policy import Policy
from profgate.model.profile import Profile
from profgate.model.record import replace
from profgate.model.report import Finding, Report
from profgate.model.source import SourceFile, source_of, source_of_profile
from profgate.pipeline import PipelineInput

TOTAL = "total"
PLANTED = (0.6, 1.6)  # what a plant takes over what it was made for; others are not counted
LISTED = frozenset({"red", "yellow"})
SUFFIX = re.compile(r"::h[0-9a-f]{16}$|(\.(constprop|isra|part|cold|\d+))+$")
SAME = 1.02  # total of a rewrite over the program's, from which it does not cost the same


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the report of one case shows; ``red`` and ``listed`` are functions that got worse.

    ``named_red`` and ``named_listed``: whether the function that did is among them. ``total`` is the colour of the
    total where it got worse. ``achieved`` is what the function takes more, as a fraction of the run before.
    """

    program: str
    held_out: bool
    mode: str
    row: str
    variant: str
    conclusion: str
    red: tuple[str, ...]
    listed: tuple[str, ...]
    total: str
    named_red: bool
    named_listed: bool
    achieved: float | None


@cache
def profile_of(path: Path) -> Profile:
    """One recorded run. Raises ProfileError."""
    data = path.read_bytes()
    name = path.name
    if path.suffix == ".xz":
        data, name = lzma.decompress(data), path.stem
    (found,) = read_sources([source_of(f"w/{name}", data)])
    if isinstance(found, ProfileError):
        raise found
    return found


def as_source(run: int, profile: Profile) -> SourceFile:
    """A recorded run with its number."""
    return replace(source_of(f"run-{run}/w.x", b""), profile=profile)


class Replayed(Turns):
    """A measurement in turns of recorded runs, in which each pair takes a second and all fit into the budget."""

    def __init__(self, baseline: Sequence[Profile], target: Sequence[Profile]) -> None:
        pairs = float(min(len(baseline), len(target)))
        Turns.__init__(self, [], {}, budget=pairs, at_most=pairs, timeout=1.0)
        self.recorded = {"baseline": baseline, "target": target}

    def warm_up(self, repository: str = ".") -> Mapping[str, Sequence[SourceFile]]:
        """The first run of each side."""
        del repository
        return {side: [as_source(0, profiles[0])] for side, profiles in self.recorded.items()}

    def _record_pair(self) -> None:
        self.count += 1
        for side, profiles in self.recorded.items():
            self.took[side] += 0.5
            self.profiles[side] += [as_source(self.count, profiles[self.count - 1])]


def measured(baseline: Sequence[Profile], target: Sequence[Profile]) -> Report:
    """The report of `profgate measure` on runs that were recorded in turns."""
    given = PipelineInput((), (), policy=Policy(), pages=0)
    with redirect_stderr(StringIO()):
        decision = decided(Replayed(baseline, target), given, None)
    return verdict_of(replace(decision.built.report, measurement=decision.measurement), given.policy)


def judge(
    baseline: Sequence[Profile],
    target: Sequence[Profile],
    jobs: Sequence[Sequence[Profile]],
    *,
    interleaved: bool,
    apart: bool = False,
) -> Report:
    """The report on two sides; each of ``jobs`` is a further base job. ``apart``: each side is a job of its own."""
    groups = [baseline, target, *jobs]
    count = 0
    sources: list[list[SourceFile]] = []
    for number, group in enumerate(groups):
        sources.append([])
        for profile in group:
            # a name that is a number: all of them are runs of one workload
            job = f"job-{number}" if jobs or apart else "job-0"
            facts = replace(profile.facts, job=job)
            sources[-1].append(source_of_profile(replace(profile, name=f"w/{count}.x", facts=facts)))
            count += 1
    given = PipelineInput(sources[0], sources[1], sources[2:], pages=0, interleaved=interleaved)

    return pipeline.compare(given).report


def worse_findings(report: Report) -> list[Finding]:
    """Red and yellow findings that are not improvements."""
    return [
        finding
        for workload in report.workloads
        for metric in workload.metrics
        for finding in metric.findings
        if finding.colour in LISTED and finding.direction != "better"
    ]


def bare(name: str) -> str:
    """The name of a function without its arguments, namespaces, packages and what compilers append to it."""
    # parser.(*paragraph).Open, (anonymous namespace)::run(int)
    own = SUFFIX.sub("", re.sub(r"\(\*?([\w ]+)\)(\.|::)", r"\1\2", name).partition("(")[0])
    return re.split(r"\.|::", own)[-1]


def names(finding: Finding, function: str) -> bool:
    """Whether a row is the function's, or names it as the reason."""
    if bare(finding.location.name) == function:
        return True
    return (
        re.search(rf"\b{re.escape(function)}\b", repr((finding.reasons, finding.result, finding.attribution)))
        is not None
    )


def self_cost(profile: Profile, function: str | None) -> float:
    """Self cost of the functions of that name (None: of all) in the first metric."""
    chosen = np.array([function is None or bare(name) == function for name in profile.frames.names])
    if profile.stacks is not None:
        leaf = profile.stacks.leaf
        picked = chosen[profile.stacks.frame[leaf]]
        return float(profile.stacks.values[0][picked].sum())
    return float(profile.graph.self_value[0][chosen].sum()) if profile.graph is not None else 0.0


def report_of(case: Case) -> Report:
    """The report on one case. Raises ProfileError."""
    sides = [[profile_of(path) for path in side] for side in (case.baseline, case.target, *case.jobs)]
    if case.mode == MEASURED:
        return measured(*sides)
    return judge(sides[0], sides[1], sides[2:], interleaved=case.mode == INTERLEAVED)


def achieved(case: Case) -> float | None:
    """What a planted function takes more, as a fraction of the run before, by medians."""
    if not case.percent:
        return None

    def over_others(paths: Sequence[Path]) -> float:
        """Cost of the function over that of all others: a faster or slower run does not change it."""
        costs = [[self_cost(profile_of(path), name) for name in (case.functions[0], None)] for path in paths]
        return float(np.median([own / max(total - own, 1.0) for own, total in costs]))

    before, after = over_others(case.unchanged), over_others(case.target)
    return (after - before) / (1.0 + before)


def run_total(profile: Profile) -> float:
    """Everything in the first metric, with what has no frame."""
    return self_cost(profile, None) + (float(profile.stacks.root_values[0]) if profile.stacks is not None else 0.0)


def costs_more(case: Case) -> bool:
    """Whether a rewrite makes the whole program slower, by medians of run totals."""
    before, after = (
        float(np.median([run_total(profile_of(path)) for path in side])) for side in (case.unchanged, case.target)
    )
    return after > SAME * before


def outcome_of(program: str, case: Case, *, held_out: bool) -> Outcome:
    """Judge one case. Raises ProfileError."""
    report = report_of(case)
    found = worse_findings(report)
    functions = [finding for finding in found if finding.location.name != TOTAL]
    totals = [finding.colour for finding in found if finding.location.name == TOTAL]
    hits = [finding for finding in functions if any(names(finding, name) for name in case.functions)]
    growth = achieved(case)
    fits = growth is None or PLANTED[0] <= 100.0 * growth / case.percent <= PLANTED[1]
    row = case.row if fits else f"{case.row}, not as planted"
    if case.row == SAME_COST and costs_more(case):
        row = SLOWER_REWRITE
    return Outcome(
        program,
        held_out,
        case.mode,
        row,
        case.variant,
        report.verdict.conclusion,
        tuple(finding.location.name for finding in functions if finding.colour == "red"),
        tuple(finding.location.name for finding in functions),
        min(totals, default=""),
        any(finding.colour == "red" for finding in hits),
        bool(hits),
        growth,
    )
