"""Aligns and compares both sides of a workload, and pairs renamed files and functions with their old versions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from profgate.attribution.function_changes import FunctionChanges
from profgate.attribution.identity import (
    files_of_two_folders,
    files_of_two_roots,
    functions_of_moved_files,
    functions_of_packages,
    not_to_pair,
    paired_functions,
    renamed,
)
from profgate.attribution.source_states import TARGET, Sides
from profgate.compare.build import compare_workload, number_workload, without_values
from profgate.compare.built_code import named_by_sources
from profgate.compare.columns import CompareOptions
from profgate.compare.comparability import comparability, doubts
from profgate.compare.duration_table import durations_of
from profgate.compare.metrics import at_one_rate, without_multiples
from profgate.compare.symbols import Identity, Numbering
from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison, Note, Symbols
from profgate.model.durations import DurationRun
from profgate.model.reason import Reason, ReasonCode, as_reason, joined
from profgate.model.report import NotCompared
from profgate.model.workload import Workload

if TYPE_CHECKING:
    from profgate.model.history import Reading

MOST_PAST_RUNS = 10  # the older a run, the more tests it lacks, and only tests that occur in all runs are compared


@dataclass(frozen=True, slots=True)
class OverlayInput:
    """Input for comparing a workload, in addition to its profiles.

    If ``named`` is True, the user named the files, and the sides are compared even if the recordings differ. ``past``
    is a function that returns the readings of a series from earlier base commits.
    """

    options: CompareOptions
    named: bool = False
    diff: SourceDiff | None = None
    functions: FunctionChanges = field(default_factory=FunctionChanges)
    past: "Callable[[str], Sequence[Reading]] | None" = None


def overlay(workload: Workload, given: OverlayInput) -> tuple[list[Comparison], list[NotCompared]]:
    """Compare each metric that both sides have. Return the comparisons and the metrics that cannot be compared."""
    notes = comparability(workload.baseline_runs, workload.target_runs, named=given.named)
    if blocking := [note.reason for note in notes if note.blocks]:
        return [], [NotCompared(workload.name, None, "both", joined(blocking))]
    try:
        comparisons, alone = _overlaid(_by_sources(at_one_rate(without_multiples(workload))), notes, given)
    except ComparisonError as error:
        return [], [NotCompared(workload.name, None, "both", as_reason(str(error)))]
    runs: list[DurationRun] = []
    if given.past is not None:
        from profgate.compare.past import runs_of, with_past  # imported only if there is a history
        from profgate.compare.readings import series_of

        past = given.past(series_of(workload.baseline_runs[0], given.options).key)
        files = _files_of_past(comparisons[0], past, given.diff) if comparisons else {}
        comparisons = [with_past(replace(one, files={**files, **one.files}), past) for one in comparisons]
        runs = runs_of(past)[-MOST_PAST_RUNS:]
    table = durations_of(workload, runs, given.options) if comparisons else None
    return [replace(one, notes=(*one.notes, *doubts(one)), durations=table) for one in comparisons], alone


def _by_sources(workload: Workload) -> Workload:
    """Name functions of built scripts by their sources."""
    runs = named_by_sources((*workload.baseline_runs, *workload.target_runs, *workload.noise_runs))
    split, end = len(workload.baseline_runs), len(workload.baseline_runs) + len(workload.target_runs)
    return replace(
        workload,
        baseline_runs=tuple(runs[:split]),
        target_runs=tuple(runs[split:end]),
        noise_runs=tuple(runs[end:]),
    )


def _overlaid(
    workload: Workload, notes: tuple[Note, ...], given: OverlayInput
) -> tuple[list[Comparison], list[NotCompared]]:
    """Align the sides, and repeat this if some names can be paired only by costs."""
    options, diff = given.options, given.diff
    numbering = number_workload(workload, options)
    names = without_values(workload, numbering)
    files, folders = _paired_files(names, _base_jobs(workload, numbering), diff)
    if files:
        notes, options = (*notes, *folders), replace(options, files=files)
        numbering = number_workload(workload, options)
        names = without_values(workload, numbering)
    sides = None if diff is None else Sides(names, diff, given.functions)
    moved = functions_of_packages(names, not_to_pair(names, sides))
    if diff is not None and sides is not None:
        moved = moved | functions_of_moved_files(names, diff) | paired_functions(names, sides)
    if moved:
        options = replace(options, aliases=moved)
        numbering = number_workload(workload, options)
    comparisons, alone = compare_workload(workload, notes, options, numbering)
    aliases: dict[Identity, Identity] = {}
    for comparison in comparisons:
        refused = not_to_pair(comparison, None if diff is None else Sides(comparison, diff, given.functions))
        for old, new in renamed(comparison, refused).items():
            if new not in aliases.values():  # pairs may differ between metrics; the first metric has priority
                aliases.setdefault(old, new)
    if not aliases:
        return comparisons, alone
    return compare_workload(workload, notes, replace(options, aliases={**options.aliases, **aliases}))


def _base_jobs(workload: Workload, numbering: Numbering) -> list[BoolArray]:
    """Return a boolean array for each job of the base runs, which marks the symbols that occur in the job."""
    found: dict[str | None, BoolArray] = {}
    runs = workload.noise_runs
    for profile, symbols in zip(runs, numbering.maps[len(numbering.maps) - len(runs) :], strict=True):
        found.setdefault(profile.facts.job, np.zeros(len(numbering.symbols), np.bool_))[symbols] = True
    return list(found.values())


def _paired_files(
    names: Comparison, jobs: Sequence[BoolArray], diff: SourceDiff | None
) -> tuple[dict[str, str], tuple[Note, ...]]:
    """Map files of the baseline and of each base job to files of the target.

    Add a note if files of the baseline are paired only by their folders.
    """
    files, notes = _paired_with_target(names, diff)
    for job in jobs:
        if (job & ~names.present.any(axis=0)).any():
            of_job = replace(names, present=np.stack([job, names.present[TARGET]]).astype(np.int64))
            files = {**_paired_with_target(of_job, diff)[0], **files}
    return files, notes


def _paired_with_target(names: Comparison, diff: SourceDiff | None) -> tuple[dict[str, str], tuple[Note, ...]]:
    files = {} if diff is None else files_of_two_roots(names, diff)
    others, (before, after) = files_of_two_folders(names, diff)
    if not others:
        return files, ()
    folders = {"baseline": before or "./", "target": after or "./"}
    return {**others, **files}, (Note(Reason(ReasonCode.FOLDERS_PAIRED, dict(folders))),)


def _files_of_past(comparison: Comparison, past: "Sequence[Reading]", diff: SourceDiff | None) -> dict[str, str]:
    """Map files of each earlier base job to files of the target."""
    jobs: dict[tuple[str, str], set[Identity]] = {}
    for reading in past:
        of_job = jobs.setdefault((reading.commit, reading.job.identity), set())
        of_job.update(symbol for column in reading.columns for symbol in column.symbols)
    known, files = {None, *comparison.symbols.files, *comparison.files}, dict[str, str]()
    for identities in jobs.values():
        if not known.issuperset(file for _, file in identities):
            files = {**_paired_with_target(_beside_target(comparison, identities), diff)[0], **files}
    return files


def _beside_target(comparison: Comparison, identities: set[Identity]) -> Comparison:
    """Return a Comparison with the symbols of the target and, as those of the baseline, symbols of another job."""
    symbols, rows = comparison.symbols, np.flatnonzero(comparison.present[TARGET]).tolist()
    target = [(symbols.names[row], symbols.files[row]) for row in rows]
    others = sorted(identities.difference(target), key=str)
    names, files = [name for name, _ in (*target, *others)], [file for _, file in (*target, *others)]
    origins = [symbols.origins[row] for row in rows] + [None] * len(others)
    before = [int(identity in identities) for identity in (*target, *others)]
    after = [1] * len(target) + [0] * len(others)
    table = Symbols(names, files, [None] * len(names), [None] * len(names), names, origins)
    return replace(comparison, symbols=table, present=np.array([before, after], np.int64))
