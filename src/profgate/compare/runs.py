"""Adds up the files of each run. A run is one start of a workload, which may write a file for each thread."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from profgate.compare.columns import checked, factor_of, place_of
from profgate.model.profile import FrameList, Profile
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, replace

if TYPE_CHECKING:
    from profgate.model.arrays import IntArray
    from profgate.model.source import SourceFile
    from profgate.model.units import Metric

# extensions that may precede another one, as in .pb.gz
EXTENSIONS = {
    "callgrind",
    "collapsed",
    "cpuprofile",
    "data",
    "folded",
    "heapprofile",
    "jfr",
    "json",
    "out",
    "pb",
    "perf",
    "prof",
    "raw",
    "speedscope",
}
_FRAME_NUMBERS = frozenset({"frame", "caller", "callee"})
_BY_METRIC = frozenset({"values", "root_values", "self_value", "total_value", "edge_total"})
_MARK = re.compile(
    r"""
    [-_. ]?(?<![0-9A-Za-z])(?:
      (?:run[-_]?(?=\d+(?![0-9A-Za-z]))|\((?=\d+\)))(?P<run>\d+)\)?    # browsers number downloads as in "name (2)"
    | (?P<part>gw\d+)(?![0-9A-Za-z])
    | pid[-_]?(?P<process>\d+)(?:-id-\d+)?(?![0-9A-Za-z])
    | (?P<beside>\d{1,7}(?=[-_]\d{10}(?!\d))|(?<!.)\d{1,7}(?=[-_]20\d\d[-_.]?[01]\d[-_.]?[0-3]\d))
    | (?P<start>
        [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}     # a UUID
      | (?:20\d\d[-_.]?[01]\d[-_.]?[0-3]\d|[0-3]\d[-_.][01]\d[-_.]20\d\d)     # a date, and the time of day
        (?:[T_. -][0-2]\d[-_:.]?[0-5]\d(?:[-_:.]?[0-5]\d)?(?:[-_.]\d{1,9}(?=Z))?(?:Z|\+\d\d:?\d\d|-\d\d:\d\d)?)?
      | \d{9,}(?:_\d{1,9})?                               # seconds since 1970, the number of a workflow run
      | (?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,64}            # the hash of a commit
      )(?![0-9A-Za-z])
    | (?:(?<=\d{6}-)|(?<![^.]))(?P<number>\d{1,20}(?:-\d{1,20}){0,4})(?![^.])
    )
    | (?<=[^.\d])(?P<version>\d{1,3}(?:\.\d{1,3}){2,})(?!\.?\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)


class RecordingName(Record):
    """What the path of a file states: its workload, its run, and which process and part of the run it recorded.

    ``run`` is empty if the path does not name a run. ``folder`` is the workload's name without that of the file.
    """

    folder: str
    workload: str
    run: tuple[str, ...]
    process: str
    part: tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def recording_name(path: str) -> RecordingName:
    """Return what a path states. All that counts or dates a recording is not a part of the workload's name.

    The run is ``run-N``, otherwise the first number between dots in the name of the file, which is that of a process
    or a run, otherwise a number that is a folder, otherwise what dates the recording.
    """
    *folders, file = path.replace("\\", "/").split("/")
    found: dict[str, list[str]] = {key: [] for key in _MARK.groupindex}
    words = list[str]()
    for component in (file, *reversed(folders)):
        rest = _MARK.sub(partial(_noted, found, is_file=not words), component)
        if not words:
            rest = _without_extensions(rest)
        words.append(rest if rest == component else rest.strip(" -_."))
    numbers = "-".join([*found["process"], *found["beside"], *found["number"]]).split("-")
    runs = [*reversed(found["run"]), *filter(None, numbers)]
    if not runs and (numbered := next(filter(str.isdecimal, words[1:]), "")):
        words.remove(numbered)
        runs = [numbered]
    folder = "/".join(filter(None, reversed(words[1:])))
    workload = "/".join(filter(None, (folder, words[0]))) or "profile"
    return RecordingName(folder, workload, tuple(runs[:1] or found["start"]), numbers[0], (*runs[1:], *found["part"]))


def _noted(found: Mapping[str, list[str]], match: re.Match[str], *, is_file: bool) -> str:
    """Add what a match states to ``found``, and return what remains in the name. Numbers of folders may be versions."""
    kind = str(match.lastgroup)
    if kind == "version" or (kind == "number" and not is_file):
        return match[0]
    found[kind].append(match[kind])
    return ""


def workload_name(path: str) -> str:
    """Return the workload of a file: its relative path without extensions and without what names the run."""
    return recording_name(path).workload


def _without_extensions(file: str) -> str:
    parts = file.split(".")
    # the last extension may be any word, because plug-ins read further formats
    if len(parts) > 1 and parts[-1][:1].isalpha():
        del parts[-1]
    while len(parts) > 1 and parts[-1].lower() in EXTENSIONS:
        del parts[-1]
    return ".".join(parts)


def in_run(name: str, number: int) -> str:
    """Return the name of a file with the number of its run, whatever else the name states."""
    return f"run-{number}/{name}"


def without_empty_parts(sources: Sequence[SourceFile]) -> list[SourceFile]:
    """Leave out empty files of processes that wrote others, as callgrind does if it separates threads."""
    full = {replace(recording_name(source.name), part=()) for source in sources if source.size}
    return [
        source
        for source in sources
        if source.size or source.profile or replace(recording_name(source.name), part=()) not in full
    ]


def nesting(names: Sequence[str], others: Sequence[str]) -> str:
    """Return the leading folders that all names share, and all others lack, if the others name the same workloads."""
    theirs = set(map(workload_name, others))
    folders = min(names, default="").split("/")[:-1]
    for prefix in accumulate((f"{folder}/" for folder in folders), initial=""):
        inside = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        if len(inside) < len(names) or (prefix and any(name.startswith(prefix) for name in others)):
            break
        if not theirs.isdisjoint(map(workload_name, inside)):
            return prefix
    return ""


def in_runs(sides: Sequence[Sequence[Profile]]) -> tuple[list[list[Profile]], dict[str, Reason]]:
    """Add up the files of each run. Return the runs of each side, and the workloads whose runs are not known.

    Files of one process are one run. Where names differ in the number of a process only, the programs decide: each
    program is a workload of its own. They do not if each run has a name and one process, because the file that Node
    executes first may be a module that the program imports. The runs are not known if the first two sides, which are
    compared, have different programs, if a program has more runs than another one, or if files that name one run have
    no function in common.
    Results are never added up.
    """
    programs = [_programs(side) for side in sides]
    counts: dict[str, tuple[Counter[str], Counter[str]]] = {}
    processes = Counter((place, *key[:2]) for place, of_side in enumerate(programs[:2]) for key in of_side)
    shared = {workload for (_, workload, _), count in processes.items() if count > 1}
    for place, of_side in enumerate(programs[:2]):
        deciding = {key for key in of_side if key[0] in shared or key[1] == key[2:]}
        for workload, _, program in {(*key[:2], of_side[key]) for key in deciding if of_side[key]}:
            counts.setdefault(workload, (Counter(), Counter()))[place][program] += 1
    several, unclear = set[str](), dict[str, Reason]()
    for workload, (before, after) in counts.items():
        # commands of which none is repeated contain random arguments
        if max(len(before), len(after)) > 1 and max((before + after).values()) > 1:
            alone = before and after and before.keys() != after.keys()
            if alone or len(set(before.values())) > 1 or len(set(after.values())) > 1:
                unclear[workload] = _unclear(before, after)
            else:
                several.add(workload)
    made = []
    for side, of_side in zip(sides, programs, strict=True):
        runs = list[tuple[str, dict[tuple[str, ...], Profile]]]()
        latest: dict[object, dict[tuple[str, ...], Profile]] = {}
        for profile in sorted(side, key=_order):
            name = recording_name(profile.name)
            program = of_side[name.workload, name.run, name.process] if name.workload in several else ""
            key = (name.workload, program, name.run, profile.facts.format, profile.facts.job)
            # a part that occurs again is of another run: in a container, a process has the same number each time
            if key not in latest or name.part in latest[key] or profile.measurements is not None:
                latest[key] = {}
                runs.append((f"{name.workload} ({program})/{len(runs)}" if program else profile.name, latest[key]))
            latest[key][name.part] = profile
            first = next(iter(latest[key].values()))
            if not profile.program and _is_apart(profile, first):
                unclear[name.workload] = _unclear(Counter([profile.name, first.name]))
        made.append([_added_up(title, [*files.values()]) for title, files in runs])
    known = [[profile for profile in side if workload_name(profile.name) not in unclear] for side in made]
    return known, unclear


def _order(profile: Profile) -> list[tuple[int, str]]:
    """Return the sort key of runs: run 10 comes after run 9, because neighbours are compared in blocks."""
    return [(len(number), number) for number in recording_name(profile.name).run]


def _programs(side: Sequence[Profile]) -> dict[tuple[str, tuple[str, ...], str], str]:
    """Return the command of each process without folders and numbers. That of the first thread is the program."""
    found: dict[tuple[str, tuple[str, ...], str], str] = {}
    for profile in side:
        name = recording_name(profile.name)
        words = [word.rpartition("/")[2] for word in profile.program.split()] if name.process else ()
        process = name.workload, name.run, name.process
        found[process] = found.get(process) or _MARK.sub("", " ".join(words))
    return found


def _is_apart(one: Profile, other: Profile) -> bool:
    """Return whether two files are of different processes and have no function in common."""
    names = one.frames.names, other.frames.names
    same = recording_name(one.name).process == recording_name(other.name).process
    return not same and all(names) and set(names[0]).isdisjoint(names[1])


def _unclear(*programs: Counter[str]) -> Reason:
    texts = []
    for of_side in programs:
        texts += [", ".join(f"{count} of {program}" for program, count in sorted(of_side.items()))]
    return Reason(ReasonCode.RUNS_UNCLEAR, {"programs": " against ".join(texts)})


def _added_up(name: str, files: Sequence[Profile]) -> Profile:
    """Return one profile with the values of all files of a run. A metric that a file lacks is 0 there.

    Raises ComparisonError if values overflow.
    """
    if len(files) == 1:
        return files[0] if files[0].name == name else replace(files[0], name=name)
    files = sorted(files, key=_weight, reverse=True)  # the facts and periods of the largest are the most reliable
    metrics: dict[object, Metric] = {}
    counts, added = Counter[str](), f"{len(files)} files of processes and threads are one run"
    for profile in files:
        counts.update(profile.warning_counts)
        for metric in profile.metrics:
            known = metrics.setdefault((metric.name, metric.unit, metric.better), metric)
            smallest = min(known.exponent, metric.exponent)
            metrics[metric.name, metric.unit, metric.better] = replace(known, exponent=smallest)
    largest, total = files[0], tuple(metrics.values())
    join, periods = partial(_joined, files, total), enumerate(largest.periods)
    return replace(
        largest,
        name=name,
        metrics=total,
        frames=_joined_frames([profile.frames for profile in files]),
        stacks=join([profile.stacks for profile in files]),
        graph=join([profile.graph for profile in files]),
        periods=tuple(period and period * factor_of(largest, place, total[place]) for place, period in periods),
        facts=replace(largest.facts, truncated=any(profile.facts.truncated for profile in files) or None),
        warnings=(added, *dict.fromkeys(chain.from_iterable(profile.warnings for profile in files))),
        warning_counts=counts,
    )


def _weight(profile: Profile) -> int:
    return 0 if profile.stacks is None else int(profile.stacks.values[:1].sum())


def _joined_frames(frames: Sequence[FrameList]) -> FrameList:
    """Return the frames of all files, one file after the other."""
    names, files, lines, modules = map(list, map(chain.from_iterable, zip(*(each[:4] for each in frames), strict=True)))
    sources = {}
    for each, end in zip(frames, accumulate(len(each.names) for each in frames), strict=True):
        sources.update({end - len(each.names) + place: source for place, source in each.sources.items()})
    executed = list(chain.from_iterable(each.executed or () for each in frames))
    return FrameList(names, files, lines, modules, executed if len(executed) == len(names) else None, sources)


def _joined(files: Sequence[Profile], metrics: Sequence[Metric], parts: Sequence[Any]) -> Any:  # noqa: ANN401 - columns
    """Return the columns of all files, one file after the other, or None if a file lacks them."""
    if any(part is None for part in parts):
        return None
    starts = list(accumulate((len(profile.frames.names) for profile in files[:-1]), initial=0))
    columns = []
    for name, values in zip(parts[0]._fields, zip(*parts, strict=True), strict=True):
        if name == "lines" or any(value is None for value in values):
            columns.append(_joined(files, metrics, values))
        elif name in _BY_METRIC:
            tables = list(map(_of_metrics, values, files, repeat(metrics)))
            columns.append(np.sum(tables, axis=0) if name == "root_values" else np.concatenate(tables, axis=-1))
        else:
            columns.append(np.concatenate([*map(np.add, values, starts)] if name in _FRAME_NUMBERS else values))
    return type(parts[0])(*columns)


def _of_metrics(table: IntArray, profile: Profile, metrics: Sequence[Metric]) -> IntArray:
    """Return the rows of a table for these metrics. Metrics that the profile lacks are 0."""
    rows = np.zeros((len(metrics), *table.shape[1:]), np.int64)
    for number, metric in enumerate(metrics):
        place = place_of(profile, metric)
        if place is not None:
            rows[number] = checked(table[place], factor_of(profile, place, metric), profile.name)
    return rows
