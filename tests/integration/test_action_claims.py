"""Claims of a pull request, from its description to the check, the comment and the receipt."""

import json

import pytest

from action_stage import FASTER, SHARES, Stage, profiles
from machine_results import measured_again, publish
from profgate.model.claim import level_of
from profgate.model.record import replace
from two_commits import Shares, pairs_take

CLAIM = "Uses a table.\n\nprofgate: claim `parse` -10%\n"
SLIGHTLY_FASTER = SHARES | {"parse": 29_400}  # -2 %


def claimed(stage: Stage, description: str = CLAIM, *, target: Shares = FASTER) -> int:
    """The first comparison of a pull request with this description; returns its exit code."""
    stage.description = description
    stage.push_jobs()
    stage.open_pull()

    def first_job() -> None:
        stage.start_pull_run()
        stage.step(profiles(target, 77))

    stage.filled(first_job, description, target)
    return stage.code


@pytest.fixture
def timed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    pairs_take(monkeypatch, 10.0)
    return stage


def comment(stage: Stage) -> str:
    """The only comment, with ordinary spaces in numbers."""
    (text,) = stage.comments
    return text.replace("\N{NO-BREAK SPACE}", " ")


def states(stage: Stage) -> list[tuple[str, str]]:
    return [(claim["state"], claim["remark"]["parameters"]["case"]) for claim in stage.report["claims"]]


def test_claim_is_proven_on_two_machines(timed: Stage) -> None:
    assert claimed(timed) == 1
    assert (timed.outputs["conclusion"], states(timed)) == ("inconclusive", [("not proven", "unmeasured")])
    assert publish(timed, measured_again(timed, FASTER), status="true") == 0
    assert (timed.outputs["conclusion"], states(timed)) == ("pass", [("proven", "proven")])
    (claim,) = timed.report["claims"]
    assert (claim["attempt"], claim["level"], len(claim["results"])) == (1, level_of(1, 1), 2)
    assert all(result["high"] < -0.1 and result["p"] <= claim["level"] for result in claim["results"])
    assert "Claim proven: `parse` −10.0 %; measured −5" in comment(timed)
    assert timed.fake.state.statuses[-1]["state"] == "success"
    receipt = json.loads(timed.file("receipt.json"))
    assert receipt["claims"][0]["state"] == "proven"


def test_smaller_change_contradicts_a_claim(timed: Stage) -> None:
    assert claimed(timed, target=SLIGHTLY_FASTER) == 1
    assert publish(timed, measured_again(timed, SLIGHTLY_FASTER), status="true") == 1
    assert (timed.outputs["conclusion"], states(timed)) == ("fail", [("contradicted", "contradicted")])
    assert timed.fake.state.statuses[-1]["state"] == "failure"
    assert "laim contradicted: `parse` −10.0 %" in comment(timed)


def test_measured_claim_must_be_the_one_of_the_description(timed: Stage) -> None:
    """The first job runs the code of the pull request, so its report may state any claims."""
    claimed(timed, "profgate: claim parse -1%")
    files = measured_again(timed, FASTER)
    timed.description = "profgate: claim parse -40%"
    assert publish(timed, files) == 1
    assert states(timed) == [("not proven", "absent")]


@pytest.mark.parametrize("conclusion", ["success", "failure", "cancelled", None])
def test_every_run_of_the_branch_is_an_attempt(stage: Stage, conclusion: str | None) -> None:
    """Also runs of failed and cancelled jobs, and each attempt of a run, but not those of a fork with this branch."""
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
    stage.open_pull()
    for place in ({}, {"repository": "mallory/shop", "repository_id": 666}):
        stage.fake.start_run(stage.head, event="pull_request", branch="feature", **place)
        stage.fake.finish_run()
        number = max(stage.fake.state.runs)
        run = stage.fake.state.runs[number]
        stage.fake.state.runs[number] = replace(run, attempt=3, conclusion=conclusion)
    stage.description = CLAIM
    stage.start_pull_run()
    stage.step(profiles())
    assert [claim["attempt"] for claim in stage.report["claims"]] == [4]


def test_unknown_number_of_attempts_proves_nothing(timed: Stage) -> None:
    claimed(timed)
    files = measured_again(timed, FASTER)
    del timed.fake.state.permissions["actions"]
    assert publish(timed, files) == 1
    assert states(timed) == [("not proven", "attempts")]
    assert "the attempts of the claims were not counted, so none is proven" in timed.log
    assert "actions" in timed.log


@pytest.mark.parametrize(("written", "case"), [("Nothing.", "unmeasured"), ("profgate: claim parse -1%", "absent")])
def test_run_that_is_started_again_reads_the_present_description(timed: Stage, written: str, case: str) -> None:
    """Otherwise, an edit could be checked by an older claim, and its check be the newest one of the commit."""
    claimed(timed, written)
    files = measured_again(timed, FASTER)
    timed.fake.state.pulls[timed.number].body = "profgate: claim parse -90%"
    timed.start_again()
    assert publish(timed, files) == 1
    assert states(timed) == [("not proven", case)]
    assert timed.report["claims"][0]["attempt"] == 2


def test_claim_of_a_fork_is_read_from_the_pull_request(stage: Stage) -> None:
    stage.push_jobs()
    stage.open_pull(fork=True)
    stage.fake.state.pulls[stage.number] = replace(stage.fake.state.pulls[stage.number], body=CLAIM)
    stage.start_pull_run()
    stage.step(profiles(FASTER, 77))
    stage.finish(0)
    assert stage.fork_comment() == 0
    assert stage.fake.state.statuses[-1]["state"] == "failure"
    assert "laim not proven: `parse` −10.0 %" in comment(stage)


@pytest.mark.parametrize(
    ("description", "shown"),
    [
        ("profgate: claim parse -10%`<b>@everyone\n" * 9, "laim not proven: ``parse -10%`<b>@everyone``;"),
        ("profgate: claim ``a`b`` -10%\nprofgate: claim parse -10%", "``a`b``"),
        (
            "".join(f"profgate: claim f{number} -10%\n" for number in range(9)),
            "`9 claims`; write profgate: claim NAME -10%, in at most 5 lines",
        ),
    ],
)
def test_hostile_claims_are_shown_as_text(stage: Stage, description: str, shown: str) -> None:
    assert claimed(stage, description) == 1
    assert shown in comment(stage)


def test_description_without_a_claim_changes_nothing(stage: Stage) -> None:
    assert claimed(stage, "> profgate: claim parse -10%\n `profgate: claim parse -10%`", target=SHARES) == 0
    assert "claims" not in stage.report
