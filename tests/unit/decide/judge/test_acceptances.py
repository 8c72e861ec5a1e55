"""What is accepted is yellow instead of red: one location, one size, never a total."""

from typing import Any

import pytest

from profgate.decide.judge.accepted import with_acceptances
from profgate.model.acceptance import Acceptance
from profgate.model.change import Location
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Finding, WorkloadReport
from report_samples import finding, metric, report


def accepting(location: str = "parse", limit: float = 1.25, **options: Any) -> Acceptance:
    return Acceptance("7.0", location, "the new format needs it", by="octocat", limit=limit, **options)


def load(*findings: Finding, name: str = "api", renamed: tuple[tuple[Location, Location], ...] = ()) -> WorkloadReport:
    return WorkloadReport(name, (), (replace(metric(*findings), renamed=renamed),))


def settled(loads: list[WorkloadReport], *accepted: Acceptance) -> tuple[dict[str, Finding], tuple[Acceptance, ...]]:
    judged = with_acceptances(replace(report(*loads), acceptances=accepted))
    findings = {
        f"{one.name}/{found.location.file or ''}{found.location.name}": found for one, _, found in judged.findings
    }
    return findings, judged.acceptances


PARSE = finding("parse", 1e9, 2e9)
STORE = finding("store", 1e9, 3e9)


def test_accepted_finding_is_yellow_and_states_why() -> None:
    found, (acceptance,) = settled([load(PARSE, STORE)], accepting())
    assert found["api/parse"].colour == "yellow"
    accepted: dict[str, Parameter] = {"by": "octocat", "limit": 1.25, "reason": "the new format needs it"}
    assert found["api/parse"].reasons == (Reason(ReasonCode.ACCEPTED, accepted),)
    assert found["api/store"].colour == "red"
    assert (acceptance.state, acceptance.limit, acceptance.remark) == (
        "applies",
        1.25,
        Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_up_to", "limit": 1.25}),
    )


def test_beyond_its_limit_it_is_red_again() -> None:
    found, (acceptance,) = settled([load(PARSE)], accepting(limit=0.5))
    assert found["api/parse"] == PARSE
    assert (acceptance.state, acceptance.remark) == (
        "exceeded",
        Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_less", "limit": 0.5, "growth": 1.0}),
    )


@pytest.mark.parametrize(("limit", "colour"), [(1.0, "yellow"), (0.99, "red")])
def test_the_limit_itself_is_within(limit: float, colour: str) -> None:
    assert settled([load(PARSE)], accepting(limit=limit))[0]["api/parse"].colour == colour


@pytest.mark.parametrize("other", [accepting("pars"), accepting(file="parse.py")], ids=["name", "file"])
def test_another_function_is_not_covered(other: Acceptance) -> None:
    found, (acceptance,) = settled([load(PARSE)], other)
    assert found["api/parse"].colour == "red"
    assert acceptance.state == "unused"


def test_a_part_of_a_name_is_not_covered() -> None:
    found, (acceptance,) = settled([load(finding("other::Parser::parse", 1e9, 2e9))], accepting("Parser::parse"))
    assert (found["api/other::Parser::parse"].colour, acceptance.state) == ("red", "unused")


def test_a_name_of_several_functions_needs_the_file() -> None:
    loads = [load(finding("run", 1e9, 2e9, file="a.py"), finding("run", 1e9, 3e9, file="b.py"))]
    found, (acceptance,) = settled(loads, accepting("run"))
    assert {one.colour for one in found.values()} == {"red"}
    assert (acceptance.state, acceptance.remark) == (
        "refused",
        Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_several", "count": 2}),
    )
    found, _ = settled(loads, accepting("run", 2.0, file="b.py"))
    assert (found["api/a.pyrun"].colour, found["api/b.pyrun"].colour) == ("red", "yellow")


def test_limit_holds_for_each_workload() -> None:
    loads = [load(PARSE), load(finding("parse", 1e9, 9e9), name="batch")]
    found, (acceptance,) = settled(loads, accepting(limit=2.0))
    assert (found["api/parse"].colour, found["batch/parse"].colour) == ("yellow", "red")
    assert acceptance.state == "exceeded"


def test_a_total_cannot_be_accepted() -> None:
    total = replace(PARSE, location=Location("total"), share_from=None, share_to=None)
    found, (acceptance,) = settled([load(total)], accepting("total"))
    assert found["api/total"].colour == "red"
    assert (acceptance.state, acceptance.remark) == (
        "unused",
        Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_nothing"}),
    )
    assert settled([load(finding("total", 1e9, 2e9))], accepting("total"))[0]["api/total"].colour == "yellow"


@pytest.mark.parametrize("file", [None, "old.py"])
def test_acceptance_survives_a_rename(file: str | None) -> None:
    renamed = Location("parse_old", "old.py"), Location("parse")
    found, (acceptance,) = settled([load(PARSE, renamed=(renamed,))], accepting("parse_old", file=file))
    assert (found["api/parse"].colour, acceptance.state) == ("yellow", "applies")


def test_long_name_matches_as_shown() -> None:
    name = "x" * 300
    shown = "x" * 40 + "…" + "x" * 39
    found, _ = settled([load(finding(name, 1e9, 2e9))], accepting(shown))
    assert found[f"api/{name}"].colour == "yellow"


def test_new_cost_is_limited_by_its_share() -> None:
    new = replace(finding("fresh", 0.0, 4e9, kind="NotInBaseline"), direction="worse", relative=None)
    assert settled([load(new)], accepting("fresh", 0.1))[0]["api/fresh"].colour == "yellow"
    assert settled([load(new)], accepting("fresh", 0.09))[0]["api/fresh"].colour == "red"


def test_what_was_refused_stays_refused() -> None:
    found, (acceptance,) = settled(
        [load(PARSE)], accepting(state="refused", remark=Reason(ReasonCode.ACCEPTANCE, {"case": "command_form"}))
    )
    assert (found["api/parse"].colour, acceptance.remark) == (
        "red",
        Reason(ReasonCode.ACCEPTANCE, {"case": "command_form"}),
    )


def test_improvements_and_notes_are_not_accepted() -> None:
    better = finding("parse", 2e9, 1e9, colour="green", kind="Optimization")
    found, (acceptance,) = settled([load(better)], accepting())
    assert (found["api/parse"], acceptance.state) == (better, "unused")
