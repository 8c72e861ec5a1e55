"""Reads the files of both sides as profiles and reports unreadable and empty files."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from profgate.compare.workloads import is_paired_by_content, workload_name
from profgate.errors import ProfileError
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.reason import Reason, ReasonCode
from profgate.model.sides import NotCompared
from profgate.model.source import SourceFile

if TYPE_CHECKING:
    from profgate.model.manifest import Manifest

Reader = Callable[[Sequence[SourceFile]], "list[Profile | ProfileError]"]


class Recordings(NamedTuple):
    """The profiles of both sides and of each base job, and the workloads whose files cannot be used."""

    baseline: list[Profile]
    target: list[Profile]
    noise: list[list[Profile]]
    unreadable: tuple[NotCompared, ...] = ()
    warnings: tuple[Reason, ...] = ()


class _Problem(NamedTuple):
    side: str
    file: str
    reason: Reason


def read_recordings(
    sides: tuple[Sequence[SourceFile], Sequence[SourceFile]],
    noise: Sequence[Sequence[SourceFile]],
    read: Reader,
    *,
    manifests: "Sequence[Manifest | None]" = (),
    named: bool = False,
) -> Recordings:
    """Read all files in a single call, which allows both sides to be read in parallel.

    ``manifests`` are those of both sides and of the base jobs, in this order; further ones are unknown. Raises
    ProfileError if a file that the user named (``named``) is unreadable.
    """
    stated = [*manifests, *[None] * (2 + len(noise))]
    results = iter(read([*sides[0], *sides[1], *(source for job in noise for source in job)]))
    problems: dict[str, list[_Problem]] = {}
    profiles: list[list[Profile]] = []
    for side, sources, manifest in zip(("baseline", "target"), sides, stated[:2], strict=True):
        profiles.append([])
        for source in sources:
            result = next(results)
            reason = _problem(source, result, named=named)
            if reason is None and not isinstance(result, ProfileError):
                profiles[-1].append(_with_facts(result, manifest, source))
            elif reason is not None:
                problems.setdefault(workload_name(source.name), []).append(_Problem(side, source.name, reason))
    jobs, warnings = list[list[Profile]](), list[Reason]()
    for number, (job, manifest) in enumerate(zip(noise, stated[2:], strict=False), start=1):
        jobs.append([])
        for source in job:
            result = next(results)
            if isinstance(result, ProfileError):
                warnings.append(Reason(ReasonCode.NOISE_UNREADABLE, {"number": number, "text": str(result)}))
            else:
                jobs[-1].append(_of_job(_with_facts(result, manifest, source), number))
    unreadable = tuple(_unreadable(workload, found) for workload, found in problems.items())
    return Recordings(profiles[0], profiles[1], jobs, unreadable, tuple(warnings))


def in_parts(groups: Sequence[Sequence[SourceFile]], most: int, count: int = 1) -> list[list[list[SourceFile]]]:
    """Divide the files of both sides and of the base jobs, so that each part has at most ``most`` workloads.

    There are at least ``count`` parts if there are that many workloads. All files with the same workload name are in
    the same part.
    """
    names = sorted({workload_name(source.name) for source in chain.from_iterable(groups)})
    most = max(min(most, len(names) // count), 1)
    part_of = {name: place // most for place, name in enumerate(names)}
    parts: list[list[list[SourceFile]]] = [[[] for _ in groups] for _ in range(0, max(len(names), 1), most)]
    for number, sources in enumerate(groups):
        for source in sources:
            parts[part_of[workload_name(source.name)]][number].append(source)
    return parts


def move_last(files: Recordings, last: Recordings) -> None:
    """Move all profiles of workloads that may have files in other parts to ``last``."""
    sides = [files.baseline, files.target, *files.noise]
    late = {workload_name(profile.name) for side in sides for profile in side if is_paired_by_content(profile)}
    for side, left in zip(sides, [last.baseline, last.target, *last.noise], strict=True) if late else ():
        left += [profile for profile in side if workload_name(profile.name) in late]
        side[:] = [profile for profile in side if workload_name(profile.name) not in late]


def _with_facts(profile: Profile, manifest: "Manifest | None", source: SourceFile) -> Profile:
    return profile if manifest is None else replace(profile, facts=manifest.facts_of(source.name, profile.facts))


def _problem(source: SourceFile, result: Profile | ProfileError, *, named: bool) -> Reason | None:
    """Return the reason why a file cannot be used, or None if it can be used."""
    if isinstance(result, ProfileError):
        if named:
            raise result
        return Reason(ReasonCode.TEXT, {"text": str(result).removeprefix(f"{source.name}: ")})
    empty = not source.size and result.stacks is not None and not len(result.stacks.leaf)
    return Reason(ReasonCode.EMPTY_FILE) if empty and not named else None


def _unreadable(workload: str, problems: Sequence[_Problem]) -> NotCompared:
    """Return an entry for a workload with unusable files. The entry describes the first of these files."""
    first, sides = problems[0], {problem.side for problem in problems}
    more = len({problem.file for problem in problems}) - 1
    side = "both" if len(sides) > 1 else first.side
    reason = Reason(ReasonCode.UNREADABLE, {"side": side, "file": first.file, "more": more}, (first.reason,))
    # if the side were "target", the file would count as a new workload, which does not fail the gate
    return NotCompared(workload, None, "both", reason)


def _of_job(profile: Profile, number: int) -> Profile:
    """Return the profile with a job. An unknown job is named by ``number``, which the files of a base run share."""
    return profile if profile.facts.job else replace(profile, facts=replace(profile.facts, job=f"base run {number}"))


def without_samples(comparisons: Iterable[Comparison]) -> list[NotCompared]:
    """Return the workloads without samples on one side. They are not compared, because the recording failed.

    Only a file of results without tests or benchmarks is valid, and has nothing to compare if both sides have none.
    """
    results = set[str]()
    held: dict[str, tuple[bool, bool]] = {}
    for comparison in comparisons:
        sums, split = comparison.run_totals, comparison.runs.baseline
        before, after = held.get(comparison.workload, (False, False))
        if comparison.tree is None and comparison.edges is None:
            results.add(comparison.workload)
        held[comparison.workload] = (before or bool(sums[:split].any()), after or bool(sums[split:].any()))
    empty = []
    for workload, (before, after) in held.items():
        if before and after:
            continue
        if before or after or workload not in results:
            reason = Reason(ReasonCode.NO_SAMPLES, {"side": "target" if before else "baseline" if after else "both"})
        else:
            reason = Reason(ReasonCode.NO_RESULTS)
        # if the side were "target", the recording would count as a new workload, which does not fail the gate
        empty.append(NotCompared(workload, None, "both", reason))
    return empty
