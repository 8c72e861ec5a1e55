"""Runs a benchmark command over versions, as far as it was not done before, and gathers what all versions say."""

import glob
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from time import monotonic

from profgate import wiring
from profgate.adapters.benchmark_sources import bring, digest_of, files_matching, machine, text_below
from profgate.adapters.git_versions import Repository, without_git, worktree
from profgate.adapters.processes import run_command
from profgate.adapters.track_folder import Attempt, TrackFolder, remove_folder
from profgate.attribute.own_source import own_source
from profgate.commands.placeholders import filled, variables
from profgate.compare.workloads import workload_name
from profgate.errors import ComparisonError, ProfgateError, ProfileError
from profgate.history.benchmark_values import benchmark_values, wall_time
from profgate.history.evolution import EvolutionOptions, evolution_of
from profgate.history.order import coarse_to_fine, duration_text, next_to_refine, remaining_seconds
from profgate.history.records import RunRecord, record_from_json, record_to_json
from profgate.model.evolution import BenchmarkValue, MeasuredVersion, Version
from profgate.model.visible_text import name_text

PLAIN_NAME = re.compile(r"[\w.+@/:~^=,%-]*")
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be measured, and how. ``repository`` is None where a setup command brings the versions."""

    command: tuple[str, ...]
    versions: tuple[Version, ...]
    repository: Repository | None
    setup: tuple[tuple[str, ...], ...] = ()
    runs: int = 3
    timeout: float = 1800.0
    here: bool = False
    brought: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    refine: bool = False
    options: EvolutionOptions = field(default_factory=EvolutionOptions)

    @property
    def title(self) -> str:
        """The command as a person wrote it."""
        return " ".join(self.command)

    @property
    def prefix(self) -> str:
        """The folder of this call, from the top of the repository."""
        return self.repository.prefix if self.repository is not None else ""

    @property
    def key(self) -> str:
        """Runs are comparable where this is the same: the command, what prepares it, and what comes from here."""
        patterns = [*map(glob.escape, self.brought), *(self.sources if self.here else ())]
        files = {name for pattern in patterns for name in files_matching(".", pattern)}
        files |= {name for name in self.named_files() if self.here or os.path.isabs(name)}  # noqa: PTH117 - a text
        said = [self.command, self.setup, self.here, self.brought, digest_of(".", sorted(files)), not self.repository]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    def doubts(self) -> list[str]:
        """What a person might take for measured, though it is not."""
        if self.repository is None:
            return []
        told = []
        if not self.here and self.repository.is_dirty():
            told.append("changes that are not committed are not measured; --bring copies files from here")
        if not self.setup and ".gitmodules" in self.repository.files(self.versions[-1].commit):
            told.append("submodules are not checked out; --setup 'git submodule update --init' does that")
        return told

    def named_files(self) -> list[str]:
        """Words of the command that could be files of the benchmark."""
        words = [word.removeprefix("{source}/").removeprefix("./") for word in self.command[1:]]
        if "/" in self.command[0] and not self.command[0].startswith("/"):  # no interpreter
            words.append(self.command[0].removeprefix("{source}/").removeprefix("./"))
        fit = (word for word in words if word and not word.startswith(("-", "{")))
        return [word for word in fit if ".." not in PurePosixPath(word).parts]


def measure(plan: Plan, folder: TrackFolder, source: str, tell: Tell, *, again: bool = False) -> None:
    """Measures every version that lacks runs; ``source`` is where its sources will stand. What is done stays done.

    ``again`` forgets the versions that failed, so that they are tried once more.
    """
    if again:
        for version in plan.versions:
            if any(record.problem for record in _records(folder, version).values()):
                folder.drop(version_key(version))
    waiting = sum(_lacks(plan, folder, version) for version in plan.versions)
    tell(f"{waiting} of {len(plan.versions)} versions to measure; what is done is kept, however this ends")
    done_seconds: list[float] = []
    for number, left in _to_do(plan, folder):
        version, start = plan.versions[number], monotonic()
        kept = len(_records(folder, version))
        problem = _measure_version(plan, folder, version, source)
        done_seconds.append(monotonic() - start)
        runs = len(_records(folder, version)) - kept
        done = f"{runs} run{'s' if runs != 1 else ''} in {duration_text(done_seconds[-1])}"
        said = f"skipped: {problem}" if problem else done
        rest = remaining_seconds(done_seconds, left)
        wait = f"; {left} left, about {duration_text(rest)}" if left and rest is not None and not plan.refine else ""
        tell(f"{_label(version)}: {said}{wait}")


def measured_versions(plan: Plan, folder: TrackFolder) -> list[MeasuredVersion]:
    """What is known of all versions, in their order."""
    return [_measured(folder, version) for version in plan.versions]


def version_key(version: Version) -> str:
    """The name under which a version's runs are kept."""
    return version.commit or f"release-{version.name}"


def _label(version: Version) -> str:
    short = version.commit[:10]
    names = version.name if not short or short.startswith(version.name) else f"{version.name} ({short})"
    return name_text(f"{names} {version.subject}".strip(), 72)


def _to_do(plan: Plan, folder: TrackFolder) -> Iterator[tuple[int, int]]:
    """The numbers of versions to measure, and how many are left after each."""
    if not plan.refine:
        open_numbers = [
            number for number in coarse_to_fine(len(plan.versions)) if _lacks(plan, folder, plan.versions[number])
        ]
        for place, number in enumerate(open_numbers, start=1):
            yield number, len(open_numbers) - place
        return
    tried = {number for number, version in enumerate(plan.versions) if not _lacks(plan, folder, version)}
    while (following := next_to_refine(len(plan.versions), tried, _jumps_so_far(plan, folder))) is not None:
        yield following, 0
        tried.add(following)


def _jumps_so_far(plan: Plan, folder: TrackFolder) -> list[tuple[int, int]]:
    try:
        evolution = evolution_of(plan.title, measured_versions(plan, folder), plan.options)
    except ComparisonError:
        return []
    return [
        (jump.baseline, jump.target)
        for jump in evolution.jumps
        if evolution.lines[jump.line].metric.name == evolution.metric
    ]


def _records(folder: TrackFolder, version: Version) -> dict[int, RunRecord]:
    read = ((number, record_from_json(text)) for number, text in folder.runs(version_key(version)))
    return {number: record for number, record in read if record is not None}


def _lacks(plan: Plan, folder: TrackFolder, version: Version) -> bool:
    records = _records(folder, version)
    return not any(record.problem for record in records.values()) and len(records) < plan.runs


def _measured(folder: TrackFolder, version: Version) -> MeasuredVersion:
    records = [record for _, record in sorted(_records(folder, version).items())]
    good = [record for record in records if record.values]
    problems = list(dict.fromkeys(record.problem for record in records if record.problem))
    warnings = list(dict.fromkeys(warning for record in records for warning in record.warnings))
    return MeasuredVersion(
        version,
        tuple(record.values for record in good),
        problem="" if good else "; ".join(problems) or "not measured",
        machine=good[-1].machine if good else "",
        warnings=tuple([*warnings, *problems] if good else warnings),
    )


def _measure_version(plan: Plan, folder: TrackFolder, version: Version, source: str) -> str:
    """Makes the runs that a version lacks; gives the reason where it cannot be measured."""
    try:
        with _sources(plan, version, source):
            return _set_up(plan, folder, version, source) or _runs(plan, folder, version, source)
    except ProfgateError as error:
        if error.where.startswith(folder.folder):  # our own disk is full: no fault of the version
            raise
        return _fail(folder, version, str(error))
    except OSError as error:  # of a disk that is full, or files of that version that nobody may read
        return _fail(folder, version, f"{error.filename or 'the worktree'}: {error.strerror}")


@contextmanager
def _sources(plan: Plan, version: Version, source: str) -> Iterator[None]:
    if plan.repository is None:
        os.mkdir(source)  # noqa: PTH102 - a text, like all places here
        try:
            yield
        finally:
            remove_folder(source)
        return
    with worktree(version.commit, source, plan.repository.top):
        bring(plan.brought, source, plan.prefix)
        yield


def _set_up(plan: Plan, folder: TrackFolder, version: Version, source: str) -> str:
    for words in plan.setup:
        with folder.attempt() as attempt:
            told = _told(version, source, attempt)
            outcome = run_command(
                _words(words, told),
                folder=source,
                environment=_environment(told),
                log=attempt.log,
                timeout=plan.timeout,
                on_start=folder.note_started,
            )
            if outcome.problem:
                return _fail(folder, version, f"setup: {outcome.problem}")
    if plan.repository is None:
        folder.sources.keep(version_key(version), source)
    return ""


def _runs(plan: Plan, folder: TrackFolder, version: Version, source: str) -> str:
    for number in range(1, plan.runs + 1):
        if number in _records(folder, version):
            continue
        with folder.attempt() as attempt:
            record = _one_run(plan, folder, attempt, version, source)
            folder.keep(attempt, version_key(version), number, record_to_json(record))
        if record.problem:
            return record.problem
    return ""


def _fail(folder: TrackFolder, version: Version, problem: str) -> str:
    number = max(_records(folder, version), default=0) + 1
    with folder.attempt() as attempt:
        folder.keep(attempt, version_key(version), number, record_to_json(RunRecord(problem=problem)))
    return problem


def _one_run(plan: Plan, folder: TrackFolder, attempt: Attempt, version: Version, source: str) -> RunRecord:
    place = "." if plan.here or plan.repository is None else os.path.join(source, plan.prefix)  # noqa: PTH118 - a text
    told = _told(version, source, attempt)
    outcome = run_command(
        _words(plan.command, told),
        folder=place,
        environment=_environment(told),
        log=attempt.log,
        timeout=plan.timeout,
        on_start=folder.note_started,
    )
    seconds = outcome.nanoseconds / 1e9
    if outcome.problem:
        return RunRecord(seconds=seconds, problem=outcome.problem)
    found = attempt.profiles()
    read = wiring.read_all(found)
    warnings = tuple(f"{one}; left out" for one in read if isinstance(one, ProfileError))
    values = benchmark_values((workload_name(one.name), one) for one in read if not isinstance(one, ProfileError))
    if not found:
        values = wall_time(plan.title, outcome.nanoseconds)
    if not values:
        why = warnings[0] if warnings else "they hold nothing"
        return RunRecord(seconds=seconds, problem=f"no result in {len(found)} files of PROFGATE_OUT: {why}")
    known = _with_sources(plan, version, place, values)
    return RunRecord(tuple(known), seconds, machine(), warnings=warnings)


def _words(words: Sequence[str], told: dict[str, str]) -> list[str]:
    """The words with their placeholders filled. Raises ProfgateError for a name that a shell among them would run."""
    if any("{version}" in word for word in words) and not PLAIN_NAME.fullmatch(told["version"]):
        raise ProfgateError("{version}", "its name holds signs that a shell reads; use the variable PROFGATE_VERSION")
    return filled(words, told)


def _told(version: Version, source: str, attempt: Attempt) -> dict[str, str]:
    """What a command is told, as variables and as placeholders."""
    return {"out": attempt.output, "source": source, "version": version.name, "commit": version.commit}


def _environment(told: dict[str, str]) -> dict[str, str]:
    # Python shuffles its sets at every start; with one order, counted calls repeat
    return {"PYTHONHASHSEED": "0"} | without_git(dict(os.environ)) | variables(told)


def _with_sources(plan: Plan, version: Version, place: str, values: Sequence[BenchmarkValue]) -> list[BenchmarkValue]:
    """The values with a digest of each benchmark's own source, which a person, the format or the command names."""
    shared = _command_digest(plan, version, place)
    return [replace(value, source=_digest(plan, place, value) or shared) for value in values]


def _digest(plan: Plan, place: str, value: BenchmarkValue) -> str | None:
    if plan.sources:
        patterns = [pattern.replace("{benchmark}", glob.escape(value.benchmark)) for pattern in plan.sources]
        return digest_of(place, sorted({name for pattern in patterns for name in files_matching(place, pattern)}))
    text = text_below(place, value.file) if value.file else None
    if text is None or value.file is None:
        return None
    return own_source(value.file, value.line, text).hex()


def _command_digest(plan: Plan, version: Version, place: str) -> str | None:
    names = plan.named_files()
    if plan.repository is not None and not plan.here:
        # what a setup builds differs in every version; a benchmark is what somebody wrote
        written = plan.repository.files(version.commit)
        same = {*plan.brought, *filter(os.path.isabs, names)}
        names = [name for name in names if plan.prefix + name in written or name in same]
    return digest_of(place, sorted(set(names)))
