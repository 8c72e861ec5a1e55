"""Report for a terminal as plain lines with styles, which the publisher maps to colours."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from profgate.model.change import BETTER, BY_WORD, WORSE, ModelPair, path_text
from profgate.model.reason import ReasonCode, Side
from profgate.model.report import Colour, MetricReport
from profgate.model.visible_text import cut, name_text, plain
from profgate.report import groups, numbers, statements, wording
from profgate.report.groups import CONCLUSIONS
from profgate.report.markdown_text import PLAIN, limited
from profgate.report.rank_report import rank_lines, rank_sections
from profgate.report.rows import (
    COLUMNS,
    Pair,
    Row,
    details,
    place_name,
    reach_text,
    source_text,
    tag_of,
    why,
)
from profgate.report.text_table import Line, Tone, aligned
from profgate.report.view import View, acceptance_lines
from profgate.report.wording import Quote

NARROWEST = 60
TONES: dict[str, Tone] = {"fail": "bad", "warn": "warn", "pass": "good", "not_compared": "warn", "inconclusive": "warn"}
TONE_OF: dict[Colour, Tone] = {"red": "bad", "yellow": "warn", "green": "good", "neutral": "quiet"}
FEW = 3  # if there are more metrics, metrics without findings are not shown
PAIRS = 40  # maximum number of metrics, unless verbose
ROWS = 20  # maximum number of findings and renames of each metric, unless verbose
LABEL = 60
WITH_V = " (-v shows them)"
# reasons shown in a separate list
LISTED = frozenset({ReasonCode.NOTHING_COMPARED, ReasonCode.NOT_COMPARED, ReasonCode.NEW_WORKLOAD})
URGENT = frozenset({ReasonCode.SAME_FILES})  # warnings shown below the verdict, because they make it meaningless


def terminal_lines(view: View, *, verbose: bool = False, width: int = 80) -> tuple[Line, ...]:
    """Return the lines of the report with their styles, beginning with the verdict.

    ``verbose`` adds all changes with their reasons.
    """
    width, view, report = max(width, NARROWEST), view.in_style(PLAIN), view.report
    lines: list[Line] = [
        *_verdict(view, verbose=verbose),
        ("text", ""),
        ("quiet", f"baseline  {_side(report.baseline)}"),
        ("quiet", f"target    {_side(report.target)}"),
        *_metrics(view, width, verbose=verbose),
    ]
    for _, location, check in rank_sections(report):
        lines += [("text", ""), ("head", f"order of {name_text(location, LABEL)}")]
        lines += [(tone, f"  {line}".rstrip()) for tone, line in rank_lines(check, verbose=verbose, width=width - 2)]
    missing = view.not_compared()
    lines += _list("not compared", "warn", limited(missing, len(missing) if verbose else PAIRS, "workload", WITH_V))
    lines += _list("acceptances", "text", acceptance_lines(report, PLAIN))
    notes = [*view.notes(URGENT), *filter(None, [statements.proof(report, view.style.code)])]
    lines += _list("notes", "quiet", [cut(note, 4 * width) for note in notes])
    return tuple(lines)


def _list(title: str, tone: Tone, texts: Sequence[str]) -> list[Line]:
    head: Tone = "warn" if tone == "warn" else "head"
    return [("text", ""), (head, title), *((tone, f"  {text}") for text in texts)] if texts else []


def _verdict(view: View, *, verbose: bool) -> Iterable[Line]:
    report, conclusion, tone = view.report, view.conclusion, TONES[view.conclusion]
    others = view.further_reasons(LISTED if conclusion == "not_compared" else frozenset())
    reasons = [view.worded(reason) for reason in others]
    first = view.doubt() if conclusion == "not_compared" else view.headline()
    first = first or (reasons.pop(0) if reasons else view.nothing_found() if conclusion == "pass" else "")
    yield tone, f"{CONCLUSIONS[conclusion].word.upper()}  {first}".rstrip()
    yield from (("warn", f"  {view.reason(warning)}") for warning in report.warnings if warning.code in URGENT)
    texts = [
        statements.larger_budget(report),
        statements.measurement(report, view.style.code),
        *statements.claims(report, view.style.code),
    ]
    if conclusion in {"inconclusive", "warn"}:
        texts += [view.advice(), *view.suspects]
    texts += [view.changed_here(), view.missed, *view.drifts[1:]]
    reasons = [reason for reason in reasons if reason != first]
    # maximum number of reasons after the first, unless verbose
    texts += limited(reasons, len(reasons) if verbose else 5, "reason", WITH_V)
    yield from ((tone, f"  {text}") for text in texts if text)


def _side(side: Side) -> str:
    parts = [name_text(side.label, LABEL) if side.label else "", side.sha[:12] if side.sha else ""]
    return plain(" ".join(part for part in parts if part)) or "unknown"


def _metrics(view: View, width: int, *, verbose: bool) -> Iterable[Line]:
    findings, notes = defaultdict[int, list[Row]](list), defaultdict[int, list[Row]](list)  # by the id of the metric
    for row in groups.ordered(view.groups):
        findings[id(row.metric)].append(row)
    for row in (*view.groups.other, *view.groups.noise):
        notes[id(row.metric)].append(row)
    changed = [pair for pair in view.pairs if groups.changed(pair)]
    shown = view.pairs if verbose or len(view.pairs) <= FEW else changed[:PAIRS]
    for pair in shown:
        yield "text", ""
        yield from _metric(view, pair, (findings[id(pair.metric)], notes[id(pair.metric)]), width, verbose=verbose)
    more = len(changed) - sum(map(groups.changed, shown))
    if more:
        yield from (("text", ""), ("warn", f"and {numbers.counted(more, 'more metric')} with findings{WITH_V}"))
    if quiet := len(view.pairs) - len(shown) - more:
        yield from (("text", ""), ("quiet", f"{numbers.counted(quiet, 'metric')} without a finding{WITH_V}"))


def _metric(
    view: View, pair: Pair, metric_rows: tuple[list[Row], list[Row]], width: int, *, verbose: bool
) -> Iterable[Line]:
    metric = pair.metric
    yield "head", f"{name_text(pair.workload, LABEL)} · {name_text(metric.name, 30)}"
    yield "text", "  total {} ({})".format(*groups.total_words(metric))
    *counted, seen = statements.basis(metric)
    yield from (("quiet", f"  {text}") for text in ("; ".join(filter(None, counted)), seen) if text)
    yield from _found_lines(view.style.code, *metric_rows, width, verbose=verbose)
    renames = statements.renames([metric], view.style.code)
    yield from (("quiet", f"  {text}") for text in renames[: None if verbose else ROWS])
    yield from (("warn", f"  not tested: {view.reason(reason)}") for reason in metric.not_tested)
    if verbose:
        yield from (("quiet", f"  does not apply: {view.reason(reason)}") for reason in metric.unsuited)
        yield from change_lines(metric)
    else:
        yield from (("quiet", f"  {text}") for text in statements.only_counted(metric.counts))


def _found_lines(
    code: Callable[..., str], findings: list[Row], notes: list[Row], width: int, *, verbose: bool
) -> Iterable[Line]:
    """Yield one metric's findings, what changed within them, and the reasons for their colours."""
    shown = [*findings, *notes] if verbose else findings[:ROWS]
    if not shown:
        yield "quiet", "  no finding"
    yield from finding_lines(shown, width, code)
    named = [("total of the run" if row.total else code(row.shown.location.name, LABEL), row) for row in shown]
    yield from (("text", f"  {name}: {text}") for name, row in named for text in details(row, code))
    for name, row in named:
        if row.finding.colour in {"red", "yellow"}:
            yield from (("quiet", f"  {name}: {plain(reason)}") for reason in why(row, code)[:1])
    if len(findings) > len(shown):
        yield "quiet", f"  and {numbers.counted(len(findings) - len(shown), 'more finding')}{WITH_V}"
    if notes and not verbose:
        yield "quiet", f"  {numbers.counted(len(notes), 'more row')} without effect on the result (-v)"


def _cells(row: Row, code: Quote, *, with_file: bool) -> tuple[str, ...]:
    finding = row.shown
    source = source_text(finding) or reach_text(finding, with_path=False)
    name = "  " * (finding.explained_by is not None) + code(place_name(finding.location, with_file=with_file))
    name += f" ({source})" if source else ""
    return tag_of(finding), "total of the run" if row.total else name, *row.columns


def finding_lines(shown: Sequence[Row], width: int, code: Quote, *, brief: bool = False) -> Iterable[Line]:
    """Yield findings in aligned columns. If the columns do not fit into ``width``, names are cut in the middle.

    ``brief`` omits the headings and the columns of shares and calls.
    """
    times = Counter(row.shown.location.name for row in shown)
    cells = [_cells(row, code, with_file=times[row.shown.location.name] > 1) for row in shown]
    above = [] if brief or not shown else [("", "function", *COLUMNS)]
    # number of columns of a brief list: kind, name, cost and change
    columns = [at < 4 or (not brief and any(column)) for at, column in enumerate(zip(*cells, strict=True))]
    lines = aligned(
        [list(compress(texts, columns)) for texts in (*above, *cells)], width - 2, name=1, right=range(2, 9)
    )
    tones: list[Tone] = ["quiet"] if above else []
    tones += (TONE_OF[row.finding.colour] for row in shown)
    yield from ((tone, f"  {line}".rstrip()) for tone, line in zip(tones, lines, strict=True))


def change_lines(metric: MetricReport) -> Iterable[Line]:
    """Yield what each strategy reports."""
    for change in metric.changes:
        kind, pair = BY_WORD.get(change.kind), change.details
        tone: Tone = "bad" if kind in WORSE else "good" if kind in BETTER else "quiet"
        if isinstance(pair, ModelPair):
            values = f"{plain(pair.baseline or numbers.UNKNOWN)} → {plain(pair.target or numbers.UNKNOWN)}"
        else:
            amounts = numbers.from_to(change.from_value, change.to_value, metric.unit)
            values = f"{amounts}{numbers.in_brackets(change.relative)}"
        sure = f", {change.confidence_type} {change.confidence:.3g}" if change.confidence is not None else ""
        yield tone, f"    {change.strategy}: {change.kind} {name_text(change.location.name, LABEL)}  {values}{sure}"
        if change.location.context:
            yield "quiet", f"      in {plain(path_text(change.location.context))}"
        if change.reason:
            yield "quiet", f"      {plain(wording.reason_text(change.reason, name_text))}"
