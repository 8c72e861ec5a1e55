"""Report for a terminal as plain lines with styles, which the publisher maps to colours."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress

from profgate.model.change import path_text
from profgate.model.details import ModelPair
from profgate.model.kinds import BETTER, BY_WORD, WORSE
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import MetricReport, Report
from profgate.model.sides import Side
from profgate.model.visible_text import NAME_LENGTH, cut, name_text, plain
from profgate.report import numbers, rows, statements, wording
from profgate.report.acceptance_rows import plain_acceptances
from profgate.report.finding_text import FACTS, Row, details, name_of
from profgate.report.rank_report import rank_lines, rank_sections
from profgate.report.rows import Pair
from profgate.report.text_table import Line, Tone, aligned

NARROWEST = 60
TONES: dict[str, Tone] = {"fail": "bad", "warn": "warn", "pass": "good", "not_compared": "warn", "inconclusive": "warn"}
FEW = 3  # if there are more metrics, metrics without findings are not shown
PAIRS = 40  # maximum number of metrics, unless verbose
ROWS = 20  # maximum number of findings and renames of each metric, unless verbose
LABEL = 60
BRIEF = 4  # number of columns of a brief list: kind, name, cost and change
REASONS = 5  # maximum number of reasons after the first, unless verbose
# reasons shown in a separate list
LISTED = {ReasonCode.NOTHING_COMPARED, ReasonCode.NOT_COMPARED, ReasonCode.NEW_WORKLOAD}
URGENT = {ReasonCode.SAME_FILES}  # warnings shown below the verdict, because they make it meaningless


def terminal_lines(report: Report, *, verbose: bool = False, width: int = 80) -> tuple[Line, ...]:
    """Return the lines of the report with their styles, beginning with the verdict.

    ``verbose`` adds all changes with their reasons.
    """
    width = max(width, NARROWEST)
    lines: list[Line] = [
        *_verdict(report, verbose=verbose),
        ("text", ""),
        ("quiet", f"baseline  {_side(report.baseline)}"),
        ("quiet", f"target    {_side(report.target)}"),
    ]
    of_metric = _by_metric(report)
    pairs = rows.pairs(report)
    shown = pairs if verbose or len(pairs) <= FEW else [pair for pair in pairs if rows.changed(pair)][:PAIRS]
    for pair in shown:
        lines.append(("text", ""))
        lines += _pair_lines(report, pair, of_metric.get(id(pair.metric), ([], [])), width, verbose=verbose)
    more = sum(map(rows.changed, pairs)) - sum(map(rows.changed, shown))
    quiet = len(pairs) - len(shown) - more
    if more:
        lines += [("text", ""), ("warn", f"… and {numbers.counted(more, 'metric')} more with findings (-v shows them)")]
    if quiet:
        lines += [("text", ""), ("quiet", f"{numbers.counted(quiet, 'metric')} without a finding (-v shows them)")]
    for _, location, check in rank_sections(report):
        lines += [("text", ""), ("head", f"order of {name_text(location, LABEL)}")]
        lines += [(tone, f"  {line}".rstrip()) for tone, line in rank_lines(check, verbose=verbose, width=width - 2)]
    lines += _missing(report, verbose=verbose)
    if accepted := plain_acceptances(report):
        lines += [("text", ""), ("head", "acceptances"), *(("text", f"  {line}") for line in accepted)]
    lines += _notes(report, width)
    return tuple(lines)


def _verdict(report: Report, *, verbose: bool) -> Iterable[Line]:
    conclusion = report.verdict.conclusion
    if not rows.pairs(report) and conclusion in {"pass", "warn"}:
        conclusion = "not_compared"
    tone = TONES[conclusion]
    headline = rows.headline(report, _name)
    if conclusion == "not_compared":
        headline = plain(rows.doubt(report, _name))
        unlisted = tuple(reason for reason in report.verdict.reasons if reason.code not in LISTED)
        report = replace(report, verdict=replace(report.verdict, reasons=unlisted))
    reasons = [plain(reason) for reason in rows.further_reasons(report, _name)]
    first = headline or (reasons.pop(0) if reasons else "no performance change found" if conclusion == "pass" else "")
    yield tone, f"{rows.CONCLUSIONS[conclusion].word.upper()}  {first}".rstrip()
    yield from (("warn", f"  {_text(warning)}") for warning in report.warnings if warning.code in URGENT)
    texts = (statements.larger_budget(report), statements.measurement(report, _name))
    yield from ((tone, f"  {text}") for text in texts if text)
    if conclusion == "inconclusive":
        yield tone, f"  {statements.advice(report.verdict.reasons[0], report)}".rstrip()
        yield from ((tone, f"  {suspect}") for suspect in rows.suspects(report, _name))
    reasons = [reason for reason in reasons if reason != first]
    shown = reasons if verbose else reasons[:REASONS]
    yield from ((tone, f"  {reason}") for reason in shown)
    if more := len(reasons) - len(shown):
        yield tone, f"  … and {numbers.counted(more, 'reason')} more (-v shows them)"


def _side(side: Side) -> str:
    parts = [name_text(side.label, LABEL) if side.label else "", side.sha[:12] if side.sha else ""]
    return plain(" ".join(part for part in parts if part)) or "unknown"


def _by_metric(report: Report) -> dict[int, tuple[list[Row], list[Row]]]:
    """Return the findings and the notes for each metric, keyed by the ``id`` of the metric."""
    groups = rows.grouped(report)
    of_metric: dict[int, tuple[list[Row], list[Row]]] = {}
    for part_number, part in enumerate((rows.ordered(groups), (*groups.other, *groups.noise))):
        for row in part:
            of_metric.setdefault(id(row.metric), ([], []))[part_number].append(row)
    return of_metric


def _pair_lines(
    report: Report, pair: Pair, found: tuple[list[Row], list[Row]], width: int, *, verbose: bool
) -> Iterable[Line]:
    metric = pair.metric
    yield "head", f"{name_text(pair.workload, LABEL)} · {name_text(metric.name, 30)}"
    yield "text", "  total {} ({})".format(*rows.total_words(metric))
    counted = (statements.run_counts(metric), statements.calibration(report, metric))
    texts = ["; ".join(filter(None, counted)), statements.detectable(metric)]
    yield from (("quiet", f"  {text}") for text in texts if text)
    yield from _found_lines(*found, width, verbose=verbose)
    renames = statements.renames([metric], lambda name: _name(name, LABEL))
    yield from (("quiet", f"  {text}") for text in renames[: None if verbose else ROWS])
    yield from (("warn", f"  not tested: {_text(reason)}") for reason in metric.not_tested)
    if verbose:
        yield from (("quiet", f"  does not apply: {_text(reason)}") for reason in metric.unsuited)
        yield from change_lines(metric)
    else:
        yield from (("quiet", f"  {text}") for text in statements.only_counted(metric.counts))


def _found_lines(findings: list[Row], notes: list[Row], width: int, *, verbose: bool) -> Iterable[Line]:
    """Yield one metric's findings, what changed within them, and the reasons for their colours."""
    shown = [*findings, *notes] if verbose else findings[:ROWS]
    if not shown:
        yield "quiet", "  no finding"
    else:
        yield from finding_lines(shown, width)
    names = ["total" if row.total else _name(row.finding.location.name, LABEL) for row in shown]
    for name, row in zip(names, shown, strict=True):
        yield from (("text", f"  {name}: {text}") for text in details(row, _name))
    for name, row in zip(names, shown, strict=True):
        reasons = rows.why(row, _name)
        if row.finding.colour in {"red", "yellow"} and reasons:
            yield "quiet", f"  {name}: {plain(reasons[0])}"
    if more := max(0, len(findings) - len(shown)):
        yield "quiet", f"  … and {numbers.counted(more, 'finding')} more (-v shows them)"
    if notes and not verbose:
        what = "same cause as above, within noise, new or gone"
        yield "quiet", f"  {numbers.counted(len(notes), 'note')}: {what} (-v shows them)"


def _name(text: str, length: int = NAME_LENGTH) -> str:
    """Return a function's name. Parentheses distinguish a function called "total" from the total of a metric."""
    return "total()" if text == "total" else name_text(text, length)


def _tone(row: Row) -> Tone:
    tones: dict[str, Tone] = {"red": "bad", "neutral": "quiet", "worse": "warn", "better": "good"}
    return tones.get(row.finding.colour) or tones.get(row.finding.direction, "text")


def _cells(row: Row, *, with_file: bool) -> tuple[str, ...]:
    finding = row.finding
    source = statements.source_text(finding) or statements.reach_text(finding, with_path=False)
    source = f" ({source})" if source else ""
    return (
        row.tag[1],
        "total of the run"
        if row.total
        else "  " * (finding.explained_by is not None) + _name(name_of(finding, with_file=with_file)) + source,
        *row.facts,
    )


def finding_lines(shown: Sequence[Row], width: int, *, brief: bool = False) -> Iterable[Line]:
    """Yield findings in aligned columns. If the columns do not fit into ``width``, names are cut in the middle.

    ``brief`` omits the headings and the columns of shares and calls.
    """
    times = Counter(row.finding.location.name for row in shown)
    cells = [_cells(row, with_file=times[row.finding.location.name] > 1) for row in shown]
    above = [] if brief or not shown else [("", "function", *(fact.heading for fact in FACTS))]
    columns = [at < BRIEF or (not brief and any(column)) for at, column in enumerate(zip(*cells, strict=True))]
    lines = aligned(
        [list(compress(texts, columns)) for texts in (*above, *cells)], width - 2, name=1, right=range(2, 9)
    )
    tones: list[Tone] = ["quiet"] if above else []
    tones += map(_tone, shown)
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


def _missing(report: Report, *, verbose: bool) -> Iterable[Line]:
    entries = rows.not_compared(report)
    if entries:
        yield from (("text", ""), ("warn", "not compared"))
    shown = entries if verbose else entries[:PAIRS]
    yield from (("warn", f"  {statements.missing(entry, name_text, _text)}") for entry in shown)
    if more := len(entries) - len(shown):
        yield "warn", f"  … and {more:,} more (-v shows them)"


def _text(reason: Reason) -> str:
    return plain(wording.reason_text(reason, name_text))


def _notes(report: Report, width: int) -> Iterable[Line]:
    notes = statements.comparability(report, lambda name: name_text(name, LABEL), _text)
    notes += [_text(warning) for warning in report.warnings if warning.code not in URGENT]
    if notes:
        yield from (("text", ""), ("head", "notes"))
    yield from (("quiet", f"  {cut(note, 4 * width)}") for note in notes)
