"""Reports of several legs of one build (systems, runtimes, parts of the code) as one report that is judged anew."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from profgate.errors import ProfgateError
from profgate.judge.verdict import judge
from profgate.model.acceptance import Acceptance
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.report import NotCompared, Report, Side

Item = TypeVar("Item")


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
    draft = replace(
        legs[0].report,
        baseline=baseline,
        target=target,
        workloads=tuple(
            replace(one, name=_name(leg, one.name, shared)) for leg in legs for one in leg.report.workloads
        ),
        not_compared=(*lost, *_all_absences(legs, shared)),
        changes=tuple(one for leg in legs for one in leg.report.changes),
        warnings=_once((*doubts, *_warnings(legs), *told)),
        acceptances=_once(one for leg in legs for one in leg.report.acceptances)
        if acceptances is None
        else tuple(acceptances),
    )
    pages = {
        (_name(leg, workload, shared), metric): url
        for leg in legs
        for (workload, metric), url in leg.links.pages.items()
    }
    return judge(draft, policy), Links(pages=pages)


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
    return (NotCompared(leg.name, None, "both", "; ".join(leg.report.verdict.reasons) or "nothing was compared"),)


def _target(legs: Sequence[Leg]) -> Side:
    """The commit that all legs are about."""
    first = legs[0]
    for leg in legs[1:]:
        if leg.report.target.sha != first.report.target.sha:
            shas = f"{leg.report.target.sha}, {first.name} is of {first.report.target.sha}"
            raise ProfgateError(f"leg {leg.name}", f"is of commit {shas}; merge reports of one build only")
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
