"""The differential flame graphs of an evolution's jumps."""

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from profgate import wiring
from profgate.adapters.track_folder import TrackFolder
from profgate.attribute.folder_diff import folder_diff
from profgate.attribute.function_changes import function_changes
from profgate.attribute.unified_diff import parse_diff
from profgate.commands.inputs import with_texts
from profgate.commands.tracking import Plan, version_key
from profgate.compare.calls import by_calls
from profgate.compare.workloads import workload_name
from profgate.errors import ProfgateError
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison
from profgate.model.evolution import Evolution, Jump, MeasuredVersion
from profgate.model.report import Document, Side
from profgate.model.source import SourceFile
from profgate.model.units import CALLS
from profgate.pipeline import PipelineInput, states_of
from profgate.report.page import build_page
from profgate.report.page_input import PageContext, page_input

FOLDER = "jumps"
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class _Pair:
    """What one page shows."""

    benchmark: str
    metric: str
    baseline: MeasuredVersion
    target: MeasuredVersion


def jump_pages(evolution: Evolution, plan: Plan, folder: TrackFolder, most: int) -> Iterator[tuple[int, Document]]:
    """The number of each jump and its page, the largest jumps of each metric in turns; at most so many pages.

    A jump without profiles that know who called whom has none. Two metrics of one pair may share a page.
    """
    order = in_turns([_metric_of(evolution, number) for number in range(len(evolution.jumps))], evolution.metric)
    made: dict[tuple[str, str, int, int], Document] = {}
    for number in order:
        jump = evolution.jumps[number]
        pair = _pair(evolution, jump)
        diff = _diff(plan, folder, pair)
        comparison = _comparison(folder, pair, diff)
        if comparison is None:
            continue
        key = (pair.benchmark, comparison.metric.name, jump.baseline, jump.target)
        if key not in made:
            if len(made) >= most:
                return
            made[key] = Document(_name(pair, comparison.metric.name), "text/html", _page(pair, comparison, diff))
        yield number, made[key]


def in_turns(metrics: Sequence[str], first: str) -> list[int]:
    """The numbers of what has these metrics: the first one of each metric, then the second ones and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for number, metric in enumerate(metrics):
        turns.append((seen[metric], metric != first, number))
        seen[metric] += 1
    return [number for _, _, number in sorted(turns)]


def _metric_of(evolution: Evolution, number: int) -> str:
    return evolution.lines[evolution.jumps[number].line].metric.name


def _pair(evolution: Evolution, jump: Jump) -> _Pair:
    line = evolution.lines[jump.line]
    return _Pair(line.benchmark, line.metric.name, evolution.measured[jump.baseline], evolution.measured[jump.target])


def _comparison(folder: TrackFolder, pair: _Pair, diff: SourceDiff | None) -> Comparison | None:
    """Both versions laid over each other, in the jump's metric or in the first that can be drawn."""
    sides = [_sources(folder, version_key(one.version), pair.benchmark) for one in (pair.baseline, pair.target)]
    if not all(sides):
        return None
    labels = Side(pair.baseline.version.name), Side(pair.target.version.name)
    given = PipelineInput(sides[0], sides[1], baseline_side=labels[0], target_side=labels[1], diff=diff)
    try:
        comparisons = wiring.overlays(given)
    except ProfgateError:  # said in the report already, where the profile was read
        return None
    drawable = [one for one in comparisons if one.drawable]
    best = min(drawable, key=lambda one: one.metric.name != pair.metric, default=None)
    return (by_calls(best) or best) if best is not None and pair.metric == CALLS.name else best


def _sources(folder: TrackFolder, version: str, benchmark: str) -> list[SourceFile]:
    """The profiles of one benchmark, named so that each counts as a run of it."""
    found = [source for number, _ in folder.runs(version) for source in folder.profiles(version, number)]
    own = [source for source in found if workload_name(source.name) == benchmark]
    return [replace(one, name=f"{benchmark}/run-{number}{_ending(one)}") for number, one in enumerate(own, 1)]


def _ending(source: SourceFile) -> str:
    stem, dot, ending = posixpath.basename(source.name).partition(".")
    return dot + ending if stem else ""


def _diff(plan: Plan, folder: TrackFolder, pair: _Pair) -> SourceDiff | None:
    """What changed in the sources: git's word on two commits, else the files that both setups left."""
    versions = (pair.baseline.version, pair.target.version)
    if plan.repository is None:
        texts = folder.sources.differing(*map(version_key, versions))
        return None if texts is None else folder_diff(*texts)
    before, after = (version.commit for version in versions)
    patch = with_texts(parse_diff(plan.repository.patch(before, after), "git diff"))
    return replace(patch, repository_files=plan.repository.files(after))


def _page(pair: _Pair, comparison: Comparison, diff: SourceDiff | None) -> str:
    context = PageContext((pair.baseline.version.name, pair.target.version.name), diff=diff)
    if diff is not None:
        context = replace(context, states=states_of(comparison, diff, function_changes(diff)))
    return build_page(*page_input(comparison, context))


def _name(pair: _Pair, metric: str) -> str:
    """A path of signs that file systems and addresses take as they are, with a digest of the true words."""
    versions = (pair.baseline.version, pair.target.version)
    words = (pair.benchmark, metric, *(version.name for version in versions))
    true_name = "\0".join([*words, *(version.commit for version in versions)])
    digest = hashlib.sha256(true_name.encode(errors="surrogatepass")).hexdigest()[:8]
    plain = (re.sub(r"[^0-9A-Za-z._-]", "-", word).lstrip(".")[:LONGEST_NAME] for word in words)
    return f"{FOLDER}/{'.'.join(plain)}-{digest}.html"
