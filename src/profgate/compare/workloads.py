"""Pairing: which files are runs of which workload, and what has no partner."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from profgate.model.profile import Profile
from profgate.model.report import NotCompared
from profgate.model.workload import Workload

_RUN = re.compile(r"^(?:run-)?\d+$")


@dataclass(frozen=True, slots=True)
class Paired:
    """Workloads both sides know, sorted by name, and what stands on one side only."""

    workloads: tuple[Workload, ...]
    alone: tuple[NotCompared, ...]
    warnings: tuple[str, ...] = ()


def workload_name(path: str) -> str:
    """The workload a file belongs to: its relative path without extensions, and without the part that names a run."""
    *folders, file = path.replace("\\", "/").split("/")
    stem = file.split(".", 1)[0] if not file.startswith(".") else file
    if _RUN.match(stem):
        return "/".join(folders) or "profile"
    return "/".join([*folders, stem])


def _key(profile: Profile, name: str) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    """Files of one workload that differ in format or unit stay apart."""
    configuration = profile.configuration
    command = f"{configuration.command} {configuration.arguments} {configuration.workload}".strip()
    units = tuple((metric.name, metric.unit) for metric in profile.metrics)
    said = f"{configuration.collector}:{command}" if command else name
    return said, profile.facts.format, ",".join(configuration.postprocessors), units


def _grouped(profiles: Iterable[Profile]) -> dict[object, list[Profile]]:
    groups: dict[object, list[Profile]] = {}
    for profile in profiles:
        groups.setdefault(_key(profile, workload_name(profile.name)), []).append(profile)
    return groups


def _titles(keys: Iterable[tuple[object, list[Profile]]]) -> dict[object, str]:
    """A name for each group; groups of one name are told apart by their format and unit."""
    names = {key: workload_name(profiles[0].name) for key, profiles in keys}
    titles: dict[object, str] = {}
    for key, name in names.items():
        shared = sum(other == name for other in names.values())
        titles[key] = name if shared == 1 else f"{name} ({key[1]}, {', '.join(unit for _, unit in key[3])})"  # type: ignore[index]
    return titles


def pair(baseline: Sequence[Profile], target: Sequence[Profile], noise: Sequence[Sequence[Profile]] = ()) -> Paired:
    """Workloads by configuration; two single files always pair."""
    if len(baseline) == len(target) == 1:
        one, other = baseline[0], target[0]
        name = workload_name(other.name)
        runs = tuple(profile for run in noise for profile in run)
        return Paired((Workload(name.rsplit("/", 1)[-1], other.configuration, (one,), (other,), runs),), ())
    sides = [_grouped(baseline), _grouped(target)]
    spread = _grouped(profile for run in noise for profile in run)
    titles = _titles({**sides[0], **sides[1]}.items())
    workloads, alone = [], []
    for key, title in titles.items():
        before, after = sides[0].get(key, []), sides[1].get(key, [])
        if before and after:
            workloads.append(
                Workload(title, after[0].configuration, tuple(before), tuple(after), tuple(spread.get(key, [])))
            )
        elif before:
            alone.append(NotCompared(title, None, "baseline", "missing in the target"))
        else:
            alone.append(NotCompared(title, None, "target", "no baseline: a new workload"))
    workloads.sort(key=lambda workload: workload.name)
    alone.sort(key=lambda item: (item.name, item.side))
    return Paired(tuple(workloads), tuple(alone))
