"""Reports of several legs of one build (systems, runtimes, parts of the code) as one report that is judged anew."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from profgate.errors import ProfgateError
from profgate.judge.verdict import judge
from profgate.model.acceptance import Acceptance
from profgate.model.change import Change
from profgate.model.levels import RED
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.report import FIRST_SCHEMA, MetricReport, NotCompared, Report, Side, Verdict
from profgate.model.tests import Maxima, TestFamily

Item = TypeVar("Item")
ROUNDED = 1e-5  # maxima are stored with six digits


@dataclass(frozen=True, slots=True)
class Leg:
    """What one leg stored; ``name`` tells it from the others."""

    name: str
    report: Report
    links: Links = field(default_factory=Links)


def as_one(
    legs: Sequence[Leg],
    policy: Policy,
    lost: Sequence[NotCompared] = (),
    told: Sequence[str] = (),
    acceptances: Sequence[Acceptance] | None = None,
) -> tuple[Report, Links]:
    """One judged report and the links of all; ``lost`` are legs that said nothing, ``told`` further warnings.

    ``acceptances`` take the place of those that the reports hold. A workload that several legs have carries the name of
    its leg. The number of everything that was compared counts, as if one job had compared it all. Raises
    `ProfgateError` where the legs are not about the same commit.
    """
    if not legs:
        raise ProfgateError("legs", "there is no report to merge; give at least one")
    target = _target(legs)
    names = Counter(name for leg in legs for name in _all_names(leg))
    shared = {name for name, times in names.items() if times > 1}
    baseline, doubts = _baseline(legs)
    tests, standing = _tests(legs), _standing(legs)
    draft = replace(
        legs[0].report,
        baseline=baseline,
        target=target,
        workloads=tuple(
            replace(one, name=_name(leg, one.name, shared), metrics=_together(leg, standing, one.metrics))
            for leg in legs
            for one in leg.report.workloads
        ),
        not_compared=(*lost, *_all_absences(legs, shared)),
        changes=tuple(one for leg in legs for one in leg.report.changes),
        warnings=_once((*doubts, *_warnings(legs), *told)),
        acceptances=_once(one for leg in legs for one in leg.report.acceptances)
        if acceptances is None
        else tuple(acceptances),
        tests=tests,
    )
    if any(leg.report.schema == FIRST_SCHEMA for leg in legs):
        draft = replace(draft, schema=FIRST_SCHEMA, verdict=_worst(legs))
    pages = {
        (_name(leg, workload, shared), metric): url
        for leg in legs
        for (workload, metric), url in leg.links.pages.items()
    }
    return judge(draft, policy), Links(pages=pages)


def _tests(legs: Sequence[Leg]) -> tuple[TestFamily, ...]:
    """The families of all, those of one name as one. Raises `ProfgateError` where their splits differ."""
    by_name: dict[str, list[TestFamily]] = {}
    for leg in legs:
        for family in leg.report.tests:
            same = by_name.setdefault(family.name, [])
            same.append(family)
            splits = {len(side) for other in same for maxima in (other.first, other.last) for side in maxima}
            if len(splits) != 1 or 0 in splits:
                problem = f"the tests {family.name} have another number of splits than those of the other reports"
                raise ProfgateError(f"leg {leg.name}", f"{problem}; merge reports of one version of profgate")
    return tuple(
        TestFamily(name, _largest([one.first for one in same]), _largest([one.last for one in same]))
        for name, same in by_name.items()
    )


def _largest(maxima: Sequence[Maxima]) -> Maxima:
    worse, better = (tuple(map(max, zip(*side, strict=True))) for side in zip(*maxima, strict=True))
    return worse, better


Standing = dict[tuple[str, str], Maxima]  # by the names of a leg and a family


def _together(leg: Leg, standing: Standing, metrics: tuple[MetricReport, ...]) -> tuple[MetricReport, ...]:
    """The metrics with p among the tests of all; base jobs bound the differences of all alike."""
    return tuple(replace(metric, changes=_with_p(metric, leg, standing)) for metric in metrics)


def _standing(legs: Sequence[Leg]) -> Standing:
    """The maxima of all legs: without what a leg found itself as soon as all of it is found among the tests of all."""
    families = [(leg, family) for leg in legs for family in leg.report.tests]
    standing: Standing = {(leg.name, family.name): family.first for leg, family in families}
    waiting = families
    while waiting:
        settled = [
            (leg, family) for leg, family in waiting if all(p <= RED for p in _p_of_found(leg, family.name, standing))
        ]
        if not settled:
            break
        standing |= {(leg.name, family.name): family.last for leg, family in settled}
        waiting = [pair for pair in waiting if pair not in settled]
    return standing


def _p_of_found(leg: Leg, family: str, standing: Standing) -> list[float]:
    metrics = [metric for load in leg.report.workloads for metric in load.metrics]
    tested = [metric for metric in metrics if metric.calibration.family == family]
    changes = [change for metric in tested for change in metric.changes if _by_rank(change)]
    return [_p(change, leg, family, standing) for change in changes if _number(change, "p") <= RED]


def _by_rank(change: Change) -> bool:
    return change.family == "T" and _number(change, "p") > 0.0 and not math.isnan(_number(change, "t"))


def _number(change: Change, name: str) -> float:
    value = change.evidence.get(name)
    return float(value) if isinstance(value, int | float) else math.nan


def _p(change: Change, leg: Leg, family: str, standing: Standing) -> float:
    """P among the tests of all legs; no smaller than among those of its own."""
    p, t = _number(change, "p"), _number(change, "t")
    own = next(every for every in leg.report.tests if every.name == family)
    others = [maxima for (name, every), maxima in standing.items() if every == family and name != leg.name]
    maxima = [own.last if p <= RED else own.first, *others]
    largest: list[float] = [max(values) for values in zip(*(sides[int(t < 0)] for sides in maxima), strict=True)]
    reached = 1 + sum(value >= abs(t) * (1.0 - ROUNDED) for value in largest[1:])  # the recorded split always does
    return max(p, reached / len(largest))


def _with_p(metric: MetricReport, leg: Leg, standing: Standing) -> tuple[Change, ...]:
    family = str(metric.calibration.family)
    if (leg.name, family) not in standing:
        return metric.changes
    return tuple(
        replace(change, evidence={**change.evidence, "p": _p(change, leg, family, standing)})
        if _by_rank(change)
        else change
        for change in metric.changes
    )


def _worst(legs: Sequence[Leg]) -> Verdict:
    """The verdict of reports that are not judged again: the gravest of all, with the reasons of each."""
    order = ("fail", "not_compared", "inconclusive", "warn", "pass")
    gravest = min((leg.report.verdict for leg in legs), key=lambda verdict: order.index(verdict.conclusion))
    return replace(gravest, reasons=_once(reason for leg in legs for reason in leg.report.verdict.reasons))


def _all_names(leg: Leg) -> set[str]:
    return {one.name for one in leg.report.workloads} | {one.name for one in _absences(leg)}


def _name(leg: Leg, workload: str, shared: set[str]) -> str:
    return f"{workload} [{leg.name}]" if workload in shared else workload


def _all_absences(legs: Sequence[Leg], shared: set[str]) -> list[NotCompared]:
    found = [replace(one, name=_name(leg, one.name, shared)) for leg in legs for one in _absences(leg)]
    return sorted(found, key=lambda one: (one.name, one.side, one.metric or ""))


def _absences(leg: Leg) -> tuple[NotCompared, ...]:
    """What a leg could not compare; one that held nothing at all is an absence by itself."""
    if leg.report.workloads or leg.report.not_compared:
        return leg.report.not_compared
    return (NotCompared(leg.name, None, "both", "nothing was compared"),)


def _target(legs: Sequence[Leg]) -> Side:
    """The commit that all legs are about."""
    first = legs[0]
    for leg in legs[1:]:
        if leg.report.target.sha != first.report.target.sha:
            own, other = (one.report.target.sha or "an unknown commit" for one in (leg, first))
            what = f"is a report of {own}, {first.name} of {other}; merge reports of one build only"
            raise ProfgateError(f"shard {leg.name}", what)
    return first.report.target


def _baseline(legs: Sequence[Leg]) -> tuple[Side, list[str]]:
    """The baseline of all, or the farthest one with a warning that names each."""
    sides = {leg.name: leg.report.baseline for leg in legs}
    farthest = max(sides.values(), key=lambda side: (side.sha is not None, side.distance or 0))
    if len({(side.sha, side.distance) for side in sides.values()}) == 1:
        return farthest, []
    told = [f"{name} {(side.sha or 'none')[:12]} (distance {side.distance or 0})" for name, side in sides.items()]
    return farthest, [f"the legs have different baselines: {', '.join(told)}; the farthest counts for all"]


def _warnings(legs: Sequence[Leg]) -> list[str]:
    """Every warning once; one that not all legs share with the name of its leg."""
    times = Counter(text for leg in legs for text in dict.fromkeys(leg.report.warnings))
    common = [text for text, count in times.items() if count == len(legs)]
    own = [f"{leg.name}: {text}" for leg in legs for text in _once(leg.report.warnings) if times[text] < len(legs)]
    return [*common, *own]


def _once(items: Iterable[Item]) -> tuple[Item, ...]:
    kept: list[Item] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return tuple(kept)
