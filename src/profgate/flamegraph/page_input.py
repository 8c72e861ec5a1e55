"""Build the input of a page from a comparison: the tree as columns, and the header."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from profgate.flamegraph.page_columns import NamedTree, PageFinding, PageHeader, PageSource
from profgate.flamegraph.page_lines import page_lines, whole_function
from profgate.flamegraph.page_runs import PageRuns, page_runs, recorded
from profgate.model.reason import ReasonCode
from profgate.model.record import Record, replace
from profgate.model.visible_text import plain
from profgate.report.wording import reason_text

if TYPE_CHECKING:
    from profgate.model.attribution import ChangedFile, Hunk, SourceDiff, SourceStates
    from profgate.model.change import Location
    from profgate.model.comparison import Comparison, RunValues, Symbols
    from profgate.model.report import Finding
    from profgate.report.metric_headline import MetricHeadline

Embed = Literal["changed", "none", "all"]
LIMIT = 200_000  # maximum number of characters of source code in a page; a page may be more public than the code
_PART = re.compile(r"[\w$~]+")
RATE_UNKNOWN = (
    "A recording does not state its sampling rate. Samples are compared as they were recorded. "
    "They are times only if both sides were recorded at the same rate."
)


class PageContext(Record):
    """Data of a page that is not part of the comparison: labels of both sides, findings and source changes.

    ``findings`` is sorted as in the comment, or None if the comparison was not judged. ``parts`` contains the
    results of `parts_of` for the findings. ``run_values`` contains the costs of each run, if it was tested.
    """

    labels: tuple[str | None, str | None] = (None, None)
    headline: MetricHeadline | None = None
    findings: Sequence[Finding] | None = None
    parts: Mapping[Location, tuple[str, list[tuple[str, str]]]] = {}
    states: SourceStates | None = None
    diff: SourceDiff | None = None
    embed: Embed = "changed"
    run_values: RunValues | None = None


def page_input(comparison: Comparison, context: PageContext | None = None) -> tuple[NamedTree, PageHeader]:
    """Return the tree and the header of the page. Raises `ValueError` if the comparison is not drawable."""
    context = context or PageContext()
    fails = context.headline is not None and context.headline.conclusion == "fails"
    marks, notes = list[PageFinding](), list(_notes(comparison, fails=fails))
    if context.findings:
        from profgate.flamegraph.page_findings import marks_of  # imported only for judged comparisons

        marks = marks_of(context.findings, context.parts, comparison)
    marked = {mark.symbol for mark in marks}
    keep = set(marked)
    if context.states is not None:
        keep |= {place for place, state in enumerate(context.states.states) if state not in {"unknown", "same"}}
    tree = _tree(comparison, context, keep)
    totals = {finding.colour for finding in context.findings or () if finding.is_total}
    header = PageHeader(
        title=f"{comparison.workload}: {comparison.metric.name}",
        workload=comparison.workload,
        metric=comparison.metric.name,
        unit=comparison.metric.unit,
        exponent=comparison.metric.exponent,
        better=comparison.metric.better,
        runs=(comparison.runs.baseline, comparison.runs.target),
        labels=context.labels,
        findings=marks,
        total_changed=context.findings is None or bool(totals - {"neutral"}),
        total_certain=context.findings is None or bool(totals & {"red", "green"}),
        headline=context.headline,
        warnings=[text for text, doubtful in notes if doubtful],
        notes=[text for text, doubtful in notes if not doubtful],
        keep=frozenset(keep),
        sample_value=comparison.sampling.period,
        sources=_sources(comparison, context, keep),
        lines=page_lines(comparison, marked, context.states, context.diff),
        single_runs=_single_runs(comparison, context, marked),
        estimated=comparison.tree is None,
    )
    return tree, header


def _single_runs(comparison: Comparison, context: PageContext, marked: Collection[int]) -> PageRuns | None:
    if context.run_values is None:
        return None
    sides, values = (comparison.runs.baseline, comparison.runs.target), recorded(comparison, context.run_values)
    if context.findings is None:
        return page_runs(values, sides)
    reasons = [reason for finding in context.findings if finding.is_total for reason in finding.reasons]
    text = plain("; ".join(reason_text(reason, str) for reason in reasons))
    return page_runs(values, sides, marked, text)


def alone(tree: NamedTree, header: PageHeader) -> tuple[NamedTree, PageHeader]:
    """Return the tree and the header for a page with one profile, from a comparison of this profile with itself."""
    notes = [note for note in header.notes if note != RATE_UNKNOWN]
    shown = replace(tree.tree, evidence=None)
    return replace(tree, tree=shown), replace(
        header, alone=True, total_changed=False, total_certain=False, notes=notes, lines=(), single_runs=None
    )


def _notes(comparison: Comparison, *, fails: bool) -> Iterator[tuple[str, bool]]:
    """Yield the notes of the comparison, and whether each note casts doubt on the result.

    If the metric ``fails``, both sides did the same work although their totals are far apart.
    """
    for note in comparison.notes:
        reason = note.reason
        doubtful = reason.code not in {ReasonCode.FACT_MISSING, ReasonCode.RUN_COUNTS_DIFFER}
        doubtful = doubtful and not (fails and reason.code is ReasonCode.TOTALS_FAR_APART)
        if reason.code is ReasonCode.NO_FRAMES:
            # if a tenth of the stacks has no frame, the other functions may look too cheap
            doubtful = float(str(reason.parameters.get("share", 1.0))) >= 0.1
        yield reason_text(reason, str), doubtful
    if comparison.metric.unit == "samples" and not all(facts.rate for facts in comparison.facts):
        yield RATE_UNKNOWN, False


def _sources(comparison: Comparison, context: PageContext, first: set[int]) -> list[PageSource]:
    if context.diff is None or context.states is None:
        return []
    origin = "from the pull request" if context.diff.diff_link else "from the diff"
    return page_sources(context.diff, context.states, comparison.symbols, context.embed, first, origin)


def _tree(comparison: Comparison, context: PageContext, keep: set[int]) -> NamedTree:
    symbols, tree, states = comparison.symbols, comparison.tree, context.states
    libraries = states.library if states is not None and states.library else symbols.libraries()
    if tree is not None:
        former = {
            symbol: file if name == symbols.names[symbol] and file else name
            for symbol, (name, file) in comparison.renamed.items()
        }
        return NamedTree(tree, symbols.names, symbols.files, symbols.lines, states, former, libraries=libraries)
    from profgate.flamegraph.unrolled import NOT_UNROLLED, unroll  # imported only for formats without stacks
    from profgate.model.attribution import SourceStates

    if comparison.edges is None:
        raise ValueError("page: the comparison has neither stacks nor calls; check `drawable` first")
    # the sums over the runs of each side
    starts = [0, comparison.runs.baseline]
    own, total = (np.add.reduceat(values, starts) for values in (comparison.self_value, comparison.total_value))
    return NamedTree(
        unroll(comparison.edges, own, total, keep),
        [*symbols.names, NOT_UNROLLED],
        [*symbols.files, None],
        [*symbols.lines, None],
        states and SourceStates((*states.states, "unknown"), (*states.paths, None), (*states.links, None)),
        symbol_totals=np.pad(total, ((0, 0), (0, 1))),  # `NOT_UNROLLED` is no function
    )


def page_sources(
    diff: SourceDiff,
    states: SourceStates,
    symbols: Symbols,
    embed: Embed = "changed",
    first: Collection[int] = (),
    origin: str = "",
) -> list[PageSource]:
    """Return both versions of each function whose source changed, or its diff hunks if its text is unknown.

    If ``embed`` is "all", all functions in changed files are returned. The result contains at most `LIMIT`
    characters, and the functions in ``first`` have priority. ``origin`` describes where the diff comes from.
    """
    if embed == "none":
        return []
    files = {path: file for file in diff.files for path in (file.previous_path, file.path)}
    found, left = [], LIMIT
    for symbol in sorted(range(len(symbols)), key=lambda place: (place not in first, place)):
        file = files.get(states.paths[symbol] or "")
        if file is None or (embed == "changed" and states.states[symbol] in {"same", "unknown"}):
            continue
        whole = whole_function(diff.texts, file, states.spans[symbol]) if states.spans else None
        hunks = [] if whole else _hunks_of(file, symbols.names[symbol], symbols.lines[symbol])
        parts = [(hunk.baseline.first, hunk.target.first, hunk.text.split("\n")) for hunk in hunks]
        shown = [whole] if whole else parts
        size = sum(len(line) + 1 for _, _, lines in shown for line in lines)
        if size > left or not shown:
            continue
        left -= size
        before = None if file.status == "added" else file.previous_path
        after = None if file.status == "removed" else file.path
        found.append(PageSource(symbol=symbol, origin=origin, paths=(before, after), hunks=shown))
    return sorted(found, key=lambda source: source["symbol"])


def _hunks_of(file: ChangedFile, name: str, line: int | None) -> Iterator[Hunk]:
    """Yield the hunks that contain the name or line of the function, or the nearest hunks if there are none."""
    parts = _PART.findall(name)
    word = re.compile(rf"(?<![\w$]){re.escape(parts[-1])}(?![\w$])") if parts else None
    own = [
        hunk
        for hunk in file.hunks
        if (line is not None and line in hunk.target) or (word and word.search(f"{hunk.heading}\n{hunk.text}"))
    ]
    if own:
        yield from own
        return
    nearest = sorted(file.hunks, key=lambda hunk: abs(hunk.target.first - (line or 0)))[:3]
    yield from sorted(nearest, key=lambda hunk: hunk.target.first)
