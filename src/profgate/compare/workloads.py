"""Pairs the files of both sides into workloads, and reports files without a counterpart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Literal, NamedTuple

from profgate.compare.runs import in_runs, recording_name, workload_name
from profgate.compare.scenarios import scenario_of, taken_apart, warnings_of
from profgate.model.profile import Profile, Workload
from profgate.model.reason import NotCompared, Reason, ReasonCode


class Paired(NamedTuple):
    """The workloads that occur on both sides, sorted by name, and the workloads that occur on only one side.

    ``lost`` contains the profiles of those that only the baseline has.
    """

    workloads: tuple[Workload, ...]
    alone: tuple[NotCompared, ...]
    warnings: tuple[Reason, ...] = ()
    lost: Mapping[str, Sequence[Profile]] = {}


class SeriesKey(NamedTuple):
    """The properties that all runs of a workload share. Files with different formats or units are never paired."""

    source: str
    scenario: str | None
    format: str
    postprocessors: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()


def is_paired_by_content(profile: Profile) -> bool:
    """Return whether the content of the file, and not only its path, determines to which workloads it belongs."""
    return scenario_of(profile) is not None or bool(_command(profile))


def _command(profile: Profile) -> str:
    configuration = profile.configuration
    return f"{configuration.command} {configuration.arguments} {configuration.workload}".strip()


def series_key(profile: Profile, only: str | None = None) -> SeriesKey:
    """Return the key of a profile. Profiles with the same key are repeated runs, even if their file names differ.

    ``only`` replaces the path if each side has a single file.
    """
    configuration, scenario = profile.configuration, scenario_of(profile)
    if scenario is not None:
        # the key does not include units, so a benchmark with an additional metric remains the same benchmark
        return SeriesKey(recording_name(profile.name).folder if only is None else only, scenario, profile.facts.format)
    name = workload_name(profile.name) if only is None else only
    command = _command(profile)
    units = tuple((metric.name, metric.unit) for metric in profile.metrics)
    source = f"{configuration.collector}:{command}" if command else name
    return SeriesKey(source, None, profile.facts.format, configuration.postprocessors, units)


def _grouped(profiles: Iterable[Profile], only: str | None = None) -> dict[SeriesKey, list[Profile]]:
    """Return the profiles by key. ``only`` replaces the path if each side has a single file."""
    groups: dict[SeriesKey, list[Profile]] = {}
    for profile in profiles:
        groups.setdefault(series_key(profile, only), []).append(profile)
    return groups


def _titles(groups: Mapping[SeriesKey, Sequence[Profile]], others: Collection[str]) -> dict[SeriesKey, str]:
    """Return a unique name for each group. To equal names, the folder, the format and unit, or a number are added.

    ``others`` are the names of groups with other files.
    """
    names = {key: key.scenario or workload_name(profiles[0].name) for key, profiles in groups.items()}
    times = Counter([*names.values(), *others])
    names = {
        key: name if times[name] == 1 or key.scenario is None or not key.source else f"{key.source}: {name}"
        for key, name in names.items()
    }
    times = Counter([*names.values(), *others])
    titles: dict[str, SeriesKey] = {}
    further: dict[str, Iterator[int]] = {}  # the numbers that were not yet added to a name
    for key, name in sorted(names.items(), key=lambda item: (item[1], repr(item[0]))):
        units = [key.format, *(unit for _, unit in key.units)]
        first = name if times[name] == 1 else f"{name} ({', '.join(units)})"
        numbers = further.setdefault(first, count(2))
        title = first
        while title in titles or title in others:
            title = f"{first} {next(numbers)}"
        titles[title] = key
    return {key: title for title, key in titles.items()}


def pair(
    baseline: Sequence[Profile],
    target: Sequence[Profile],
    noise: Sequence[Sequence[Profile]] = (),
    others: Collection[str] | None = None,
) -> Paired:
    """Pair workloads by configuration, benchmarks by name. If each side has a single file, both are always paired.

    ``others`` contains the names of the workloads of other files, or is None if there are no other files.
    """
    single = len(baseline) == len(target) == 1 and others is None
    only = workload_name(target[0].name).rsplit("/", 1)[-1] if single else None
    warnings = warnings_of([*baseline, *target])
    (before, after, *base_runs), unclear = in_runs([baseline, target, *noise])
    sides = [taken_apart(before), taken_apart(after)]
    spread = taken_apart(chain.from_iterable(base_runs))
    stages = [chain.from_iterable(of_stage) for of_stage in (sides, (before, after))]
    held, read = ({workload_name(profile.name) for profile in profiles} for profiles in stages)
    unclear |= dict.fromkeys(read - held, Reason(ReasonCode.NO_RESULTS))
    if only is not None and len(sides[0]) == len(sides[1]) == 1:
        (old,), (new,) = sides
        workload = Workload(scenario_of(new) or only, new.configuration, (old,), (new,), tuple(spread))
        return Paired((workload,), (), warnings)
    groups, noises = [_grouped(side, only) for side in sides], _grouped(spread, only)
    workloads, alone = [], [NotCompared(name, None, "both", reason) for name, reason in unclear.items()]
    lost = dict[str, Sequence[Profile]]()
    for key, title in _titles({**groups[0], **groups[1]}, others or ()).items():
        before, after = groups[0].get(key, []), groups[1].get(key, [])
        if before and after:
            workloads.append(
                Workload(title, after[0].configuration, tuple(before), tuple(after), tuple(noises.get(key, [])))
            )
            continue
        side: Literal["baseline", "target"] = "baseline" if before else "target"
        code = ReasonCode.MISSING_IN_TARGET if before else ReasonCode.NOT_IN_BASELINE
        alone.append(NotCompared(title, None, side, Reason(code)))
        if before:
            lost[title] = before
    workloads.sort(key=lambda workload: workload.name)
    alone.sort(key=lambda entry: (entry.name, entry.side))
    return Paired(tuple(workloads), tuple(alone), warnings, lost)
