"""The overlay of both sides, in which a file or function with two names is one."""

from dataclasses import replace

from profgate.attribution.function_changes import FunctionChanges
from profgate.attribution.moved_files import files_of_two_folders, files_of_two_roots, functions_of_moved_files
from profgate.attribution.paired_functions import not_to_pair, paired_functions
from profgate.attribution.renamed import renamed
from profgate.attribution.source_states import Sides
from profgate.compare.build import compare_workload, number_workload, without_values
from profgate.compare.columns import CompareOptions
from profgate.compare.symbols import Identity
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison, Note
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import NotCompared
from profgate.model.workload import Workload


def overlay(
    workload: Workload,
    notes: tuple[Note, ...],
    options: CompareOptions,
    diff: SourceDiff | None,
    functions: FunctionChanges,
) -> tuple[list[Comparison], list[NotCompared]]:
    """A comparison of each metric that both sides have, and the metrics that one side lacks.

    Names that the diff or the paths pair are one before the sides are laid over each other. Names that only costs pair
    need the overlay twice. Raises `ComparisonError` for values that do not fit.
    """
    numbering = number_workload(workload, options)
    names = without_values(workload, numbering)
    files, folders = _paired_files(names, diff)
    if files:
        notes, options = (*notes, *folders), replace(options, files=files)
        numbering = number_workload(workload, options)
        names = without_values(workload, numbering)
    if diff is not None:
        moved = functions_of_moved_files(names, diff) | paired_functions(names, Sides(names, diff, functions))
        if moved:
            options = replace(options, aliases=moved)
            numbering = number_workload(workload, options)
    comparisons, alone = compare_workload(workload, notes, options, numbering)
    aliases: dict[Identity, Identity] = {}
    for comparison in comparisons:
        refused = not_to_pair(comparison, None if diff is None else Sides(comparison, diff, functions))
        for old, new in renamed(comparison, refused).items():
            if new not in aliases.values():  # metrics may differ; the first one that finds a partner has it
                aliases.setdefault(old, new)
    if not aliases:
        return comparisons, alone
    return compare_workload(workload, notes, replace(options, aliases={**options.aliases, **aliases}))


def _paired_files(names: Comparison, diff: SourceDiff | None) -> tuple[dict[str, str], tuple[Note, ...]]:
    """The baseline's files by their names in the target, and a note where only the folders show that."""
    if diff is not None:
        return files_of_two_roots(names, diff), ()
    files, (before, after) = files_of_two_folders(names)
    folders = {"baseline": before or "./", "target": after or "./"}
    return files, (Note(Reason(ReasonCode.FOLDERS_PAIRED, dict(folders))),)
