"""The comparisons that are made from the recordings of one program, and what each has to show."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.field.programs import LARGE, MIDDLE, SMALL, Growth, NewFunction, Program, Rename, Rewrite, variants_of
from bench.field.session import FEW, JOBS, ROUNDS, TARGET_JOBS, UNCHANGED, UNCHANGED_IN_ROUND
from bench.field.upgrades import UPGRADES, Upgrade
from bench.field.variants import NEW_FUNCTION, function_file

from profgate.model.record import Record, replace

INTERLEAVED, UNORDERED, BY_JOBS, SINGLE = "A", "A, order unknown", "B", "one run a side"
MEASURED = "measured"  # as profgate measure decides
DISTURBED = ("neighbour", "everything-1.15")  # the sides differ in more than their code
AS_A_JOB = (*DISTURBED, "new-10", "small-5", "middle-10")  # variants whose five runs count as a target job too
SAME_COST, SLOWER_REWRITE = "same cost", "slower rewrite"
UNCHANGED_SPLITS, SINGLE_PAIRS, FEW_SPLITS, SUBSETS = 20, 20, 5, 3
FEW_SIDE = 3  # runs of some 200 samples: fewer than 1,000 a side
JOB_COUNTS = (3, 5, 8)
SLOWER, SURE = 1.09, 1.05  # processor time after an upgrade over that before, and the least its interval may hold


class Case(Record):
    """One comparison: files of both sides and of further base jobs; one of ``functions`` has to be found.

    ``row`` names the kind of change; ``variant`` groups comparisons that share the target's runs. A plant of
    ``percent``, and the total of a rewrite, are measured against all ``unchanged`` runs.
    """

    mode: str
    row: str
    variant: str
    baseline: tuple[Path, ...]
    target: tuple[Path, ...]
    jobs: tuple[tuple[Path, ...], ...] = ()
    functions: tuple[str, ...] = ()
    percent: int = 0
    unchanged: tuple[Path, ...] = ()


def runs_in(folder: Path) -> tuple[Path, ...]:
    """Recorded runs in the order of their numbers."""
    found = [path for path in folder.glob("run-*") if path.is_file()]
    return tuple(sorted(found, key=lambda path: int(re.findall(r"\d+", path.name)[0])))


def _shape(program: Program, folder: Path, variant: str) -> Case:
    """Row, function and percentage of a variant, without runs."""
    edit, unchanged = variants_of(program).get(variant), runs_in(folder / UNCHANGED)
    if isinstance(edit, NewFunction):
        row, name = f"new {edit.percent}", NEW_FUNCTION
    elif isinstance(edit, Growth):
        size = variant.rpartition("-")[0]
        before = {SMALL: "at most 5", MIDDLE: "at most 10", LARGE: "about 20"}.get(size, "about 40")
        row, name = f"{before} +{edit.percent}", function_file(program, edit.function)[1].rpartition(".")[2]
    else:
        same = isinstance(edit, Rename | Rewrite)
        return Case(INTERLEAVED, SAME_COST if same else variant, variant, (), (), unchanged=unchanged if same else ())
    return Case(INTERLEAVED, row, variant, (), (), (), (name,), edit.percent, unchanged)


def _interleaved(program: Program, folder: Path, variant: str, draw: random.Random) -> Iterator[Case]:
    """As many runs a side as there are rounds, one of each."""
    runs, shape = runs_in(folder / UNCHANGED), _shape(program, folder, variant)
    rounds = [runs[first : first + UNCHANGED_IN_ROUND] for first in range(0, len(runs), UNCHANGED_IN_ROUND)]
    if variant == UNCHANGED:
        for _ in range(2 if program.exact else UNCHANGED_SPLITS):
            pairs = [draw.sample(group, 2) for group in rounds]
            yield replace(shape, baseline=tuple(a for a, _ in pairs), target=tuple(b for _, b in pairs))
        return
    mode = UNORDERED if shape.row in DISTURBED else INTERLEAVED
    target = runs_in(folder / variant)
    for place in range(UNCHANGED_IN_ROUND if target else 0):
        yield replace(shape, mode=mode, baseline=tuple(group[place] for group in rounds), target=target)


def _by_jobs(program: Program, folder: Path, draw: random.Random) -> Iterator[Case]:
    """A job of five runs against base jobs: unchanged jobs, target jobs, and the runs of a variant taken as a job."""
    jobs = [job for number in range(1, JOBS + 1) if (job := runs_in(folder / "jobs" / f"base-{number}"))]

    def against(
        shape: Case, target: tuple[Path, ...], others: Sequence[tuple[Path, ...]], times: int
    ) -> Iterator[Case]:
        for count in (count for count in JOB_COUNTS if count <= len(others)):
            for _ in range(times):
                first, *further = draw.sample(others, count)
                yield replace(shape, mode=f"{BY_JOBS} {count}", baseline=first, target=target, jobs=tuple(further))

    for number, target in enumerate(jobs):
        shape = replace(_shape(program, folder, UNCHANGED), variant=f"base-{number}")
        yield from against(shape, target, [job for job in jobs if job != target], 1)
    places = [(name, folder / "jobs" / name) for name in TARGET_JOBS] + [(name, folder / name) for name in AS_A_JOB]
    for name, place in places:
        if target := runs_in(place):
            shape = replace(_shape(program, folder, name), variant=str(place.relative_to(folder)))
            yield from against(shape, target, jobs, SUBSETS)


def cases_of(program: Program, folder: Path) -> Iterator[Case]:
    """All comparisons of one program; the same for every call."""
    draw = random.Random(program.name)
    unchanged = runs_in(folder / UNCHANGED)
    if len(unchanged) == (2 if program.exact else ROUNDS) * UNCHANGED_IN_ROUND:
        for variant in (UNCHANGED, *variants_of(program)):
            yield from _interleaved(program, folder, variant, draw)
    if program.exact:
        return
    for _ in range(SINGLE_PAIRS if len(unchanged) > 1 else 0):
        first, second = draw.sample(unchanged, 2)
        yield Case(SINGLE, UNCHANGED, UNCHANGED, (first,), (second,))
    few = runs_in(folder / FEW)
    for _ in range(FEW_SPLITS if few else 0):
        mixed = draw.sample(few, len(few))
        yield Case(INTERLEAVED, FEW, FEW, tuple(mixed[:FEW_SIDE]), tuple(mixed[FEW_SIDE : 2 * FEW_SIDE]))
    yield from _by_jobs(program, folder, draw)


def upgrade_cases(folder: Path, truth: Mapping[str, Sequence[float]]) -> Iterator[tuple[Upgrade, Case]]:
    """Five runs before and five after each upgrade, in the row that its truth decides."""
    for upgrade in UPGRADES:
        sides = [runs_in(folder / "upgrades" / upgrade.name / side) for side in ("before", "after")]
        if upgrade.name in truth and all(len(side) == ROUNDS for side in sides):
            ratio, low, _ = truth[upgrade.name]
            slower, same = ratio >= SLOWER and low >= SURE, ratio <= 1.0 + (SURE - 1.0) / 2.0 and low <= 1.0
            row = "upgrade slower" if slower else "upgrade not slower" if same else "upgrade between"
            yield upgrade, Case(INTERLEAVED, row, upgrade.name, sides[0], sides[1], functions=upgrade.causes)
