from dataclasses import replace

import report_samples as samples
from profgate.history.check_report import checks_lines
from profgate.history.checks import Check, Checks
from profgate.model.history import StoredCommit
from profgate.model.reason import as_reason
from profgate.model.report import NotCompared, Report
from profgate.model.visible_text import columns_of

TOP, LEFT, RIGHT, START = (letter * 40 for letter in "deaf")


def text_of(checks: Checks, *, verbose: bool = False, width: int = 80) -> str:
    return "".join(f"{line}\n" for _, line in checks_lines(checks, verbose=verbose, width=width))


def merged(report: Report) -> Checks:
    """A merge of two branches from one start; the report stands at the merge, and at the left branch."""
    commits = (
        StoredCommit(TOP, (LEFT, RIGHT), 4, "Merge branch wide"),
        StoredCommit(LEFT, (START,), 3, "Parse headers" + " carefully" * 20),
        StoredCommit(RIGHT, (START,), 2, "解析" * 60),
        StoredCommit(START, (), 1, "Start"),
    )
    return Checks(commits, (Check(LEFT, TOP, 1, report), Check(START, LEFT, 1, report)), ((START, "shop"),))


def test_lanes_part_and_meet_at_a_merge() -> None:
    signs = [line[:3] for line in text_of(merged(samples.unchanged())).splitlines() if line[:3].strip(" |")]
    assert signs == ["* d", "|\\", "* |", "| *", "|/", "* f"]


def test_no_line_breaks_the_graph_by_its_width() -> None:
    for width in (80, 160):
        lines = text_of(merged(samples.regression()), width=width).splitlines()
        assert max(map(columns_of, lines)) <= width
        assert sum(line.startswith(("|", "*")) for line in lines) == len(lines) - 1  # below the start there is no edge


def test_an_edge_shows_what_the_gate_counts_and_the_total() -> None:
    text = text_of(merged(samples.regression()), width=120)
    assert "FAILED" in text
    assert "parse_headers is 2.1x slower" in text
    assert " by " not in text  # no strategy is quoted


def test_an_edge_that_passed_shows_no_change_as_bad() -> None:
    """A strategy's word alone, which the judge calls noise, must not stand below PASSED."""
    spoke = samples.regression()
    load = spoke.workloads[0]
    calm = replace(load.metrics[0], findings=())
    report = replace(spoke, workloads=(replace(load, metrics=(calm,)),), verdict=samples.GREEN)
    lines = checks_lines(merged(report))
    assert any("PASSED" in line for _, line in lines)
    assert not [line for tone, line in lines if tone == "bad"]
    assert [line for tone, line in checks_lines(merged(report), verbose=True) if tone == "bad"]


def test_what_was_not_compared_is_cut_and_counted() -> None:
    missing = tuple(NotCompared(f"w{number}", None, "both", as_reason("unreadable")) for number in range(30))
    report = replace(samples.nothing_compared(), not_compared=missing)
    text = text_of(merged(report))
    assert "… and 20 more not compared (-v shows them)" in text
    assert "more not compared" not in text_of(merged(report), verbose=True)
