"""Reads the files of both sides as profiles and reports unreadable and empty files."""

from collections.abc import Iterable, Sequence
from itertools import chain, starmap, zip_longest
from typing import TYPE_CHECKING

from profgate.compare.runs import workload_name
from profgate.compare.workloads import is_paired_by_content
from profgate.errors import ProfileError
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.reason import NotCompared, Reason, ReasonCode
from profgate.model.record import Record, replace
from profgate.model.source import SourceFile

if TYPE_CHECKING:
    from profgate.model.manifest import Manifest


class Recordings(Record):
    """The profiles of both sides and of each base job, and the workloads whose files cannot be used."""

    profiles: list[list[Profile]]
    unreadable: tuple[NotCompared, ...] = ()
    warnings: tuple[Reason, ...] = ()


class _Problem(Record):
    side: str
    file: str
    reason: Reason


def read_recordings(
    files: Sequence[Sequence[SourceFile]],
    read: Iterable[Profile | ProfileError],
    *,
    manifests: "Sequence[Manifest | None]" = (),
    named: bool = False,
) -> Recordings:
    """Return the profiles of both sides and of the base jobs, and report the files that cannot be used.

    ``read`` are the results of reading all files, one group after the other. ``manifests`` are those of the groups;
    further ones are unknown. Raises ProfileError if a file that the user named (``named``) is unreadable.
    """
    results = iter(read)
    problems: dict[str, list[_Problem]] = {}
    profiles: list[list[Profile]] = []
    warnings: list[Reason] = []
    for number, (sources, manifest) in enumerate(zip_longest(files, manifests[: len(files)])):
        profiles.append([])
        for source in sources:
            result = next(results)
            if number > 1:  # the files of a base job
                job = number - 1
                if isinstance(result, ProfileError):
                    warnings.append(Reason(ReasonCode.NOISE_UNREADABLE, {"number": job, "text": str(result)}))
                else:
                    profiles[-1].append(_of_job(_with_facts(result, manifest, source), job))
                continue
            reason = _problem(source, result, named=named)
            if reason is None and not isinstance(result, ProfileError):
                profiles[-1].append(_with_facts(result, manifest, source))
            elif reason is not None:
                side = "target" if number else "baseline"
                problems.setdefault(workload_name(source.name), []).append(_Problem(side, source.name, reason))
    unreadable = tuple(starmap(_unreadable, problems.items()))
    return Recordings(profiles, unreadable, tuple(warnings))


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
    late: set[str] = set()
    for profiles in files.profiles:
        late.update(workload_name(profile.name) for profile in profiles if is_paired_by_content(profile))
    if not late:
        return
    for profiles, left in zip(files.profiles, last.profiles, strict=True):
        left += [profile for profile in profiles if workload_name(profile.name) in late]
        profiles[:] = [profile for profile in profiles if workload_name(profile.name) not in late]


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
