import report_samples as samples
from profgate.history.checks import Checks, checks_lines
from profgate.model.history import StoredCommit
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side, as_reason
from profgate.model.record import replace
from profgate.model.report import Report
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
    return Checks(commits, (between(LEFT, TOP, report), between(START, LEFT, report)), ((START, "shop"),))


def between(baseline: str, target: str, report: Report) -> Report:
    return replace(report, baseline=Side("", baseline, distance=0), target=Side("", target))


def test_lines_fit_the_terminal() -> None:
    for width in (80, 160):
        lines = text_of(merged(samples.regression()), width=width).splitlines()
        assert max(map(columns_of, lines)) <= width
        assert [line[:3] for line in lines if line[0] != " "] == ["* d", "* e", "* a", "* f"]


def test_passed_edge_shows_no_bad_change() -> None:
    """A change that the judge calls noise must not be below PASSED."""
    failed = samples.regression()
    load = failed.workloads[0]
    calm = replace(load.metrics[0], findings=(), unjudged=load.metrics[0].findings)
    report = replace(failed, workloads=(replace(load, metrics=(calm,)),), verdict=samples.GREEN)
    lines = checks_lines(merged(report))
    assert any("PASSED" in line for _, line in lines)
    assert not [line for tone, line in lines if tone == "bad"]
    assert [line for tone, line in checks_lines(merged(report), verbose=True) if tone == "bad"]


def test_commit_after_a_jump_is_not_called_noisy() -> None:
    noisy = samples.verdict("inconclusive", Reason(ReasonCode.CANNOT_SEE, {"total": 30.0, "tenth": 36.0}))
    after = replace(samples.unchanged(), verdict=noisy)
    for before, note in (
        (samples.regression(), "First commit after a change"),
        (samples.unchanged(), "noise to judge"),
    ):
        checks = merged(after)
        text = text_of(replace(checks, reports=(checks.reports[0], between(START, LEFT, before))))
        assert [phrase for phrase in ("First commit after a change", "noise to judge") if phrase in text] == [note]


def test_long_list_of_not_compared_is_cut() -> None:
    missing = tuple(NotCompared(f"w{number}", None, "both", as_reason("unreadable")) for number in range(30))
    report = replace(samples.nothing_compared(), not_compared=missing)
    text = text_of(merged(report))
    assert "… and 20 more not compared (-v shows them)" in text
    assert "more not compared" not in text_of(merged(report), verbose=True)
