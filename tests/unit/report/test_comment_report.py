import re
from html.parser import HTMLParser

import cmarkgfm
import nh3
import pytest
from cmarkgfm.cmark import Options

import report_samples as samples
from golden_files import Golden
from profgate.action.github.first_run import render_first_run
from profgate.errors import ProfgateError
from profgate.model.acceptance import Acceptance, command_for, in_comment
from profgate.model.attribution import SourceState
from profgate.model.calibration import Calibration
from profgate.model.change import Location
from profgate.model.excerpt import LineCost, Place
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, as_reason
from profgate.model.record import replace
from profgate.model.report import Attribution, Colour, Document, Finding, Report, Verdict
from profgate.model.visible_text import name_text
from profgate.report.comment import COMMENT_BYTES, SUMMARY_BYTES, render_comment, render_quiet_comment, render_summary
from profgate.report.json_report import from_json, to_json
from profgate.report.metric_headline import metric_headline, view_of_metric
from profgate.report.view import View
from terminal_text import terminal_text

RUN = "https://github.com/octo/shop/actions/runs/7742"
PAGE = f"{RUN}/artifacts/12"
LINKS = Links({("api-bench", "cpu"): PAGE}, index=f"{RUN}/artifacts/13", report=f"{RUN}/artifacts/14")


class Tables(HTMLParser):
    """Cells a row, links, and the text that stands neither in code nor in a link."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[int]] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.loose = ""
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.depth += tag == "code"
        if tag == "table":
            self.rows.append([])
        if tag == "tr":
            self.rows[-1].append(0)
        if tag in {"td", "th"}:
            self.rows[-1][-1] += 1
        if tag == "a":
            self.links.append(dict(attrs)["href"] or "")
        self.loose += "\0"

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "code"
        self.loose += "\0"

    def handle_data(self, data: str) -> None:
        self.loose += "" if self.depth else data


def html_of(document: Document) -> str:
    """What GitHub would make of it: extensions on, then cleaned."""
    options = Options.CMARK_OPT_UNSAFE
    return nh3.clean(cmarkgfm.github_flavored_markdown_to_html(document.text, options), link_rel=None)


def seen(document: Document) -> Tables:
    tables = Tables()
    tables.feed(html_of(document))
    return tables


def spaced(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def without_calls(report: Report) -> Report:
    workloads = [
        replace(one, metrics=tuple(replace(metric, lacks="calls") for metric in one.metrics))
        for one in report.workloads
    ]
    return replace(report, workloads=tuple(workloads))


def comment(report: Report, links: Links = LINKS) -> Document:
    return render_comment(View(report), key="shop", links=links, run_url=RUN)


REPORTS = {
    "regression": samples.regression(),
    "improvement": samples.improvement(),
    "unchanged": samples.unchanged(),
    "not_compared": samples.nothing_compared(),
    "inconclusive": samples.inconclusive(),
    "hostile": samples.hostile(),
    "many": samples.many(),
}


@pytest.mark.parametrize("name", ["regression", "hostile", "many"])
def test_comment_is_the_golden_one(name: str, golden: Golden) -> None:
    golden.check(f"comment/{name}.md", comment(REPORTS[name]).text)


def test_empty_report_never_reads_as_passed() -> None:
    assert "### ⚪ Not compared" in comment(replace(samples.nothing_compared(), verdict=samples.GREEN)).text
    assert "### ❌ Not compared" in comment(replace(samples.nothing_compared(), verdict=samples.RED)).text


def test_frames_in_links_are_encoded() -> None:
    row = samples.finding("std::vector<int>::at (a|b)#1", 1e9, 2e9)
    document = comment(samples.report(samples.workload(samples.metric(row)), verdict=samples.RED))
    (found,) = {link for link in seen(document).links if "#finding=" in link}
    assert found.endswith("~std%3A%3Avector%3Cint%3E%3A%3Aat%20%28a%7Cb%29%231")


def test_the_marker_cannot_be_closed_by_a_report() -> None:
    report = replace(samples.unchanged(), target=replace(samples.unchanged().target, sha="--> @all"))
    assert comment(report).text.splitlines()[0] == "<!-- profgate v1 key=shop base=9d01e77 -->"


@pytest.mark.parametrize("key", ["", "a--b", "A", "a b", "-->", "x" * 65, "a\n"])
def test_unsafe_marker_key_is_refused(key: str) -> None:
    with pytest.raises(ProfgateError, match="cannot mark a comment"):
        render_comment(View(samples.unchanged()), key=key)


def longest() -> Report:
    found = [
        samples.finding("🔥" * 90 + f"{number}", 1e9, 2e9 + number, colour="red" if number % 2 else "yellow")
        for number in range(60)
    ]
    gone = [
        samples.finding("🧊" * 90 + f"{number}", 2e9, 1e9, kind="Optimization", colour="green") for number in range(60)
    ]
    loads = [
        samples.workload(
            samples.metric(*found, *gone, name="🔥" * 200), name="💥" * 200 + f"{number}", notes=("💥" * 900,)
        )
        for number in range(40)
    ]
    missing = tuple(NotCompared("💤" * 300, "💤" * 300, "both", as_reason("@" * 900)) for _ in range(100))
    return samples.report(
        *loads,
        verdict=samples.verdict("fail", *[samples.text("@" * 900)] * 50),
        missing=missing,
        warnings=("#" * 900,) * 90,
    )


def test_longest_comment_stays_below_the_limit() -> None:
    report = longest()
    links = Links({(load.name, "🔥" * 200): PAGE for load in report.workloads})
    document = comment(report, links)
    assert 10_000 < len(document.text.encode()) <= COMMENT_BYTES
    assert document.text.count("<details>") == document.text.count("</details>")
    assert re.search(r"and [\d,]+ more findings in the report", document.text)
    assert "workflow run" in document.text


@pytest.mark.parametrize("quiet", [True, False])
def test_many_suspects_stay_below_the_limit(quiet: bool) -> None:
    report = samples.inconclusive()
    suspects = [reason for reason in report.verdict.reasons if reason.code is ReasonCode.SUSPECT]
    reasons = (report.verdict.reasons[0], *suspects[:1] * 1000)
    report = replace(report, verdict=replace(report.verdict, reasons=reasons))
    text = (render_quiet_comment if quiet else render_comment)(View(report)).text
    assert len(text.encode()) <= COMMENT_BYTES
    assert "and 990 more lines in the report" in text


def test_an_unsafe_address_is_no_link() -> None:
    links = Links({("api-bench", "cpu"): "javascript:alert(1)"}, report="https://x.example/a b)<i>")
    tables = seen(comment(samples.regression(), links))
    assert not [link for link in tables.links if link.startswith("javascript")]
    assert "i" not in tables.tags


def test_the_summary_shows_more_and_stays_below_its_limit() -> None:
    report = samples.many(3000, 2900)
    text = render_summary(View(report), run_url=RUN).text
    assert len(text.encode()) <= SUMMARY_BYTES
    assert text.splitlines()[0].startswith("### ❌ `module.function_2899` is 3.9x slower")
    assert text.count("module.function_") > 400
    assert "more findings in the report" in text


def test_first_run(golden: Golden) -> None:
    usual, strict = Policy(), Policy(on_not_compared="fail")
    document = render_first_run(
        policy=usual, after=usual, key="shop", workloads=2, base_branch="main", run_url=RUN, head_sha=samples.HEAD
    )
    texts = [document.text, render_first_run(policy=strict, after=strict, fails=True).text]
    policies = [Policy(fail_on="never"), Policy(fail_on="severe"), Policy(confirm="required")]
    texts += [render_first_run(policy=usual, after=policy).text for policy in policies]
    golden.check("comment/first_run.md", "\n".join(texts))
    assert "5 base runs" in html_of(document)
    assert html_of(document).count("<li>") == 3


def test_reasons_that_repeat_a_row_are_left_out() -> None:
    place = {"workload": "api-bench", "metric": "cpu"}
    reasons = (
        Reason(ReasonCode.FINDING, {**place, "function": "http.parse_headers", "kind": "Degradation"}),
        Reason(ReasonCode.MORE, {"count": 3}),
        Reason(ReasonCode.STRATEGY_FAILED, dict(place)),
    )
    view = View(replace(samples.regression(), verdict=samples.verdict("fail", *reasons)))
    assert [reason.code for reason in view.further_reasons()] == [ReasonCode.STRATEGY_FAILED]


def test_failure_shows_each_workload_with_other_work_once() -> None:
    other_work = [Reason(ReasonCode.OTHER_WORK, {"workload": name}) for name in ("api", "api", "batch")]
    verdict = replace(samples.verdict("inconclusive", *other_work), exit_code=1)
    report = samples.report(samples.workload(samples.metric()), verdict=verdict)
    assert View(report).ways_out() == ["/profgate accept api: REASON", "/profgate accept batch: REASON"]
    accepted = Acceptance("1", "api", "", state="applies")
    assert View(replace(report, acceptances=(accepted,))).ways_out() == ["/profgate accept batch: REASON"]


@pytest.mark.parametrize("name", ["parse", "ns::f", "a: b", "`", "a`b", " x", "operator new(long)", "x" * 300, "-->"])
def test_shown_acceptance_command_can_be_read(name: str) -> None:
    (acceptance,) = in_comment(command_for(name, 0.3, "dir/a b.py") + "because", 1)
    assert acceptance.location in {name, name_text(name)}
    assert (acceptance.file, acceptance.reason, acceptance.state) == ("dir/a b.py", "because", "open")


@pytest.mark.parametrize(
    ("before", "after", "lengths"),
    [(1e9, 2e9, (8, 16)), (1e6, 4e9, (1, 16)), (4e307, 8e307, (8, 16)), (0.0, 1e9, (0, 16))],
)
def test_bars_show_the_values_of_a_change(before: float, after: float, lengths: tuple[int, int]) -> None:
    text = comment(with_verdict(samples.RED, samples.finding("parse", before, after))).text
    assert [len(bar) for bar in re.findall("^(?:before|after ) ([█▏▎▍▌▋▊▉]*) .", text, re.MULTILINE)] == list(lengths)


def test_pictures_fit_on_a_phone_and_stay_code() -> None:
    finding = samples.finding("x" * 200, 1e9, 2e9, file="a/b.py")
    hostile = "  ``` </code> @octocat\n\u202e" + "y" * 500
    lines = (LineCost(None, 7, 0.0, 1e9, hostile), LineCost(8, 8, 0.0, 1e9, None), LineCost(9, None, 2e9, 3e9, "a"))
    metric = replace(samples.metric(finding), places=(Place(finding.location, lines=lines),))
    report = samples.report(samples.workload(metric), verdict=samples.RED)
    assert from_json(to_json(report)) == report
    text = comment(report).text
    assert "`a/b.py:7`\n\n````diff\n@@ line 7: 100\N{NO-BREAK SPACE}% of the change @@\n" in text
    assert "@@\n+   ``` </code> @octocat y" in text

    assert not re.search(r"@octocat|\u202e", seen(comment(report)).loose)
    bars = text.split("\nbefore ")[1].split("\n```")[0].splitlines()
    assert max(map(len, bars)) <= 40


def test_changed_functions_within_noise_are_named_without_a_finding() -> None:
    noise = Reason(ReasonCode.WITHIN_NOISE)
    quiet = samples.finding("parse", 1e9, 1.02e9, colour="neutral", kind="MaybeDegradation")
    quiet = replace(quiet, reasons=(noise,), attribution=Attribution(source="changed"))
    other = replace(quiet, location=Location("other"), attribution=Attribution(source="same"))
    unmeasured = replace(quiet, reasons=(Reason(ReasonCode.NO_SELF_COST),))
    for found, judged, line in (
        ([quiet, other], True, "Changed in this PR, within noise: {}parse{} (1.00 → 1.02 s)."),
        ([quiet, samples.finding("load", 1e9, 2e9)], True, None),
        ([other], True, None),
        ([unmeasured], True, None),
        ([quiet], False, None),  # then nothing is known to be noise
    ):
        metric = replace(
            samples.metric(*found), calibration=Calibration(inconclusive=None if judged else "too_few_runs")
        )
        report = samples.report(samples.workload(metric))
        shown, _, _ = spaced(comment(report).text).partition("<details>")
        page = metric_headline(report, view_of_metric(report, *report.metrics[0])).whose
        for text, quote in ((shown, "`"), (terminal_text(report), ""), (f"C{page[1:]}.", "")):
            assert ("Changed in this PR, within noise" in text) == (line is not None)
            assert (line or "").format(quote, quote) in text


DIFF = "https://github.com/octo/shop/pull/7/files#diff-0123R9"
SLOWER_TOTAL = replace(
    samples.finding("total", 41.2e9, 82.4e9, kind="TotalDegradation"), share_from=None, share_to=None
)
ACCEPTED = Reason(ReasonCode.ACCEPTED, {"by": "octocat", "limit": 0.1, "reason": "needed | for @security"})
RATE = samples.metric(
    replace(samples.finding("serve", 400.0, 200.0), direction="worse"),
    name="rate",
    unit="requests/s",
    before=800.0,
    after=600.0,
)
SUSPECTS = (Reason(ReasonCode.SUSPECT, {"function": name}) for name in ("parse", "render"))
ACCEPTANCES = (
    Acceptance("7.0", "parse", "needed for @x", "octocat", DIFF, limit=0.3, state="applies", remark=as_reason("up to")),
    Acceptance("8.0", "a|b", "", "mallory", state="refused", remark=as_reason("mallory may not write here")),
)


def possible(name: str, before: float, after: float, colour: Colour = "yellow") -> Finding:
    return samples.finding(name, before, after, kind="MaybeDegradation", colour=colour)


def of_source(state: SourceState, link: str = DIFF) -> Finding:
    return replace(samples.finding(state, 1e9, 2e9), attribution=Attribution(source=state, source_link=link))


def with_verdict(verdict: Verdict, *findings: Finding) -> Report:
    return samples.report(samples.workload(samples.metric(*findings)), verdict=verdict)


NOISY = replace(samples.metric(before=2e9, after=3e9), calibration=Calibration(total_tested=True, run_spread=2.0))
SLOW, ODD = samples.finding("parse", 1e9, 2e9), samples.finding("ns::f(int, a: b)`|@x", 1e9, 2e9)
TWICE = [samples.finding("run", 1e9, 2e9, file=name) for name in ("a.py", "b.py")]
FORMS: dict[str, Report] = {
    "large total within noise": samples.report(samples.workload(NOISY)),
    "no stacks": samples.report(samples.workload(replace(samples.metric(SLOW), lacks="stacks"))),
    "acceptance of odd names": with_verdict(samples.RED, SLOW, ODD),
    "acceptance of a name in two files": with_verdict(samples.RED, *TWICE),
    "notes, of which the small one is left out": with_verdict(
        samples.GREEN, possible("parse", 1e9, 1.3e9, "neutral"), possible("load", 1e9, 1.1e9, "neutral")
    ),
    "accepted": with_verdict(samples.verdict("warn"), replace(possible("parse", 1e9, 2e9), reasons=(ACCEPTED,))),
    "acceptances": replace(with_verdict(samples.RED, samples.finding("f", 1e9, 3e9)), acceptances=ACCEPTANCES),
    "higher is better": samples.report(samples.workload(replace(RATE, better="higher")), verdict=samples.RED),
    "total without a function": with_verdict(samples.RED, SLOWER_TOTAL),
    "two colours": with_verdict(samples.RED, samples.finding("f", 1e9, 3e9), possible("g", 1e9, 2e9)),
    "inconclusive": with_verdict(
        samples.verdict("inconclusive", Reason(ReasonCode.CANNOT_SEE, {"wanted": 9}), *SUSPECTS),
        possible("parse", 1e9, 2e9),
        possible("load", 1e8, 2e8),
    ),
    "source": with_verdict(samples.RED, of_source("changed"), of_source("added"), of_source("same")),
    "unsafe link": with_verdict(samples.RED, of_source("removed", "javascript:alert(1)")),
}


def test_forms_of_a_comment(golden: Golden) -> None:
    texts = [f"{name}:\n{comment(report).text}" for name, report in FORMS.items()]
    texts.append(f"quiet:\n{render_quiet_comment(View(samples.unchanged()), key='shop', run_url=RUN).text}")
    assert "javascript" not in "".join(texts)
    golden.check("comment/forms.md", "\n".join(texts))
