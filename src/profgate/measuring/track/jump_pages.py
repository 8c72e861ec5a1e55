"""Creates differential flame graphs for the jumps of an evolution."""

import hashlib
import re
from collections.abc import Iterator

from profgate import loading, pipeline
from profgate.attribution.unified_diff import parse_diff
from profgate.compare.columns import by_calls
from profgate.compare.runs import in_run, workload_name
from profgate.errors import ProfgateError
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_input import PageContext, page_input
from profgate.io.worktrees import source_patch
from profgate.measuring.track.measuring import Track
from profgate.measuring.track.versions import Evolution, EvolutionLine, Version
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison
from profgate.model.reason import ReasonCode, Side
from profgate.model.record import Record, replace
from profgate.model.report import Document
from profgate.model.source import SourceFile
from profgate.model.units import CALLS
from profgate.pipeline import PipelineInput, states_of
from profgate.source_parsing import changed_functions

_VersionPair = tuple[Version, Version]
NAME_LENGTH, DIGEST_LENGTH = 48, 32  # file systems limit file names to 255 bytes


class JumpPage(Record):
    """The page of the jump with index ``number``. ``href`` links to the view that shows the jump best."""

    number: int
    document: Document
    href: str


def jump_pages(evolution: Evolution, track: Track, most: int) -> Iterator[JumpPage]:
    """Yield the pages of up to ``most`` jumps whose profiles can be drawn, those of the first metric first.

    Jumps of two metrics between the same versions may share a page.
    """
    made: dict[tuple[str, str, int, int], Document] = {}
    first = dict(evolution.first_jumps())
    others = {number: jump for number, jump in enumerate(evolution.jumps) if number not in first}
    for number, jump in {**first, **others}.items():
        line = evolution.lines[jump.line]
        versions = evolution.measured[jump.baseline].version, evolution.measured[jump.target].version
        diff = _diff(track, versions)
        comparison = _comparison(track, line, versions, diff)
        if comparison is None:
            continue
        key = (line.benchmark, comparison.metric.name, jump.baseline, jump.target)
        if key not in made:
            if len(made) >= most:
                return
            name = page_path(line.benchmark, comparison.metric.name, versions)
            made[key] = Document(name, "text/html", _page(versions, comparison, diff))
        # without stacks, there is no flame graph; the table shows the largest changes instead
        href = made[key].name + ("#tab=symbols" if comparison.tree is None else "")
        yield JumpPage(number, made[key], href)


def _comparison(track: Track, line: EvolutionLine, versions: _VersionPair, diff: SourceDiff) -> Comparison | None:
    """Compare both versions in the metric of the jump or, if this metric cannot be drawn, in the first drawable one."""
    before, after = (_profiles(track, version, line.benchmark) for version in versions)
    if not before or not after:
        return None
    sides = [Side(version.name) for version in versions]
    given = PipelineInput(before, after, baseline_side=sides[0], target_side=sides[1], diff=diff)
    try:
        comparisons = [comparison for comparison in pipeline.overlays(given) if comparison.drawable]
    except ProfgateError:  # the error was reported when the profile was read
        return None
    own = [comparison for comparison in comparisons if comparison.workload == line.benchmark] or comparisons
    best = min(own, key=lambda comparison: comparison.metric.name != line.metric.name, default=None)
    return (by_calls(best) or best) if best is not None and line.metric.name == CALLS.name else best


def _profiles(track: Track, version: Version, benchmark: str) -> list[SourceFile]:
    """Return the profiles of a benchmark, renamed so that the profiles of each execution are one run."""
    found, names = [], {benchmark, benchmark.partition(" (")[0]}  # the workload of a program ends with its name
    for number in track.folder.records(version.commit):
        sources = track.folder.profiles(version.commit, number)
        found += [
            replace(source, name=in_run(source.name, number))
            for source in sources
            if workload_name(source.name) in names
        ]
    return found


def _diff(track: Track, versions: _VersionPair) -> SourceDiff:
    before, after = (version.commit for version in versions)
    patch = loading.with_texts(parse_diff(source_patch(track.plan.repository.top, before, after), "git diff"))
    return replace(patch, repository_files=track.plan.repository.files(after))


def _page(versions: _VersionPair, comparison: Comparison, diff: SourceDiff) -> str:
    # the note on differing totals is removed, because a jump is such a difference
    notes = tuple(note for note in comparison.notes if note.reason.code is not ReasonCode.TOTALS_FAR_APART)
    comparison = replace(comparison, notes=notes)
    states = states_of(comparison, diff, changed_functions(diff))
    context = PageContext((versions[0].name, versions[1].name), diff=diff, states=states)
    tree, header = page_input(comparison, context)
    return build_page(tree, replace(header, blueprint=True))


def page_path(benchmark: str, metric: str, versions: _VersionPair) -> str:
    """Return a path that is safe in file systems and URLs, with a digest of the original names."""
    names = (benchmark, metric, *(version.name for version in versions))
    true_name = "\0".join([*names, *(version.commit for version in versions)])
    digest = hashlib.sha256(true_name.encode(errors="surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    plain = (re.sub(r"[^0-9A-Za-z._-]", "-", name).lstrip(".")[:NAME_LENGTH] for name in names)
    return f"jumps/{'.'.join(plain)}-{digest}.html"
