import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from action_stage import SHARES, SLOWER, Stage, profiles
from profgate.action.entry import COMPARING_EVENTS, RECORDING_EVENTS
from profgate.measuring.init.recipes import PY_SPY
from profgate.model.levels import FEWEST_JOBS
from profgate.settings.inputs import SETTINGS, settings_from
from workflow_rules import GATE, jobs_with_code_and_a_writing_token, unpinned

FOLDER = Path(__file__).parents[2] / "examples" / "workflows"
EXAMPLES = sorted(FOLDER.glob("*.yml"))
CALLED = yaml.safe_load((FOLDER.parents[1] / ".github" / "workflows" / "gate.yml").read_text())
OTHER_EVENTS = {"issue_comment", "pull_request_target", "release", "workflow_run"}
NAMES = {spec.name for spec in SETTINGS}


def steps(example: Path) -> list[dict[str, Any]]:
    """The steps of all jobs. A job that calls the workflow of profgate has those whose commands it states."""
    content = yaml.safe_load(example.read_text())
    return [step for job in content["jobs"].values() for step in (commands(job) if calls(job) else job["steps"])]


def calls(job: dict[str, Any]) -> bool:
    return str(job.get("uses", "")).startswith(GATE)


def commands(job: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"run": job["with"][name]} for name in ("setup", "record") if name in job["with"]]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_every_input_of_an_example_is_accepted(example: Path) -> None:
    ours = [step for step in steps(example) if step.get("uses", "").startswith("profgate/profgate@")]
    of_others = {"canary": 0, "confirm": 2, "matrix": 2, "monorepo": 2, "pull-request": 2, "ranks": 0, "two-builds": 2}
    assert len(ours) == of_others.get(example.stem, 1)
    for step in ours:
        plain = {name: re.sub(r"\$\{\{.*?\}\}", "success", str(value)) for name, value in step["with"].items()}
        settings_from({name: "true" if text == "True" else text for name, text in plain.items()})
        assert set(plain) <= NAMES
    called = [job for job in yaml.safe_load(example.read_text())["jobs"].values() if calls(job)]
    assert all(set(job["with"]) <= set(CALLED[True]["workflow_call"]["inputs"]) for job in called)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_no_example_puts_untrusted_text_into_a_shell(example: Path) -> None:
    assert not any("${{" in step.get("run", "") for step in steps(example))
    assert "pull_request_target" not in example.read_text()


@pytest.mark.parametrize(
    ("runs", "code", "ran"), [("2", 0, "0 1"), ("0", 1, ""), ("2.5", 1, ""), ("a[$(touch ran)]", 1, "")]
)
def test_called_workflow_records_a_whole_number_of_runs(runs: str, code: int, ran: str, tmp_path: Path) -> None:
    (script,) = [step["run"] for step in CALLED["jobs"]["measure"]["steps"] if step.get("name") == "Record profiles"]
    given = {"RUNS": runs, "RECORD": "echo $PROFGATE_RUN >> ran", "PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, env=given, capture_output=True, text=True, check=False)
    assert (done.returncode, f"not {runs}" in done.stdout) == (code, bool(code))
    shown = tmp_path / "ran"
    assert (shown.read_text().split() if shown.exists() else []) == ran.split()
    assert shown.exists() == (code == 0)


def test_two_builds_alternate_after_a_warm_up(tmp_path: Path) -> None:
    content = yaml.safe_load((FOLDER / "two-builds.yml").read_text())
    (script,) = [step["run"] for step in content["jobs"]["measure"]["steps"] if "discarded" in step.get("run", "")]
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "side").write_text(f"{side}\n")
    record = 'test "$(basename "$PWD")" = work; cat side >> ../order; echo "main 1" > "$OUT"'
    subprocess.run(["bash", "-ec", script], cwd=tmp_path, env={**os.environ, "RECORD": record}, check=True)
    pairs = ["head base", "base head", "head base", "base head", "head base", "base head"]
    assert (tmp_path / "order").read_text().split() == " ".join(pairs).split()
    recorded = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("profiles-*/**/*.json"))
    assert recorded == [f"profiles-{side}/checkout/run-{run}.json" for side in ("base", "head") for run in range(1, 6)]


@pytest.mark.parametrize(
    ("event", "changed", "programs"),
    [
        ("pull_request", "api/a.js", '["api"]'),
        ("pull_request", "common/a.js", '["api", "search"]'),
        ("pull_request", "README.md", "[]"),
        ("push", "README.md", '["api", "search"]'),
    ],
)
def test_monorepo_lists_changed_programs(tmp_path: Path, event: str, changed: str, programs: str) -> None:
    (step,) = [step for step in steps(FOLDER / "monorepo.yml") if step.get("id") == "list"]
    place = tmp_path / changed
    place.parent.mkdir(exist_ok=True)
    place.touch()
    commit = "git -c user.name=a -c user.email=a@example.com commit --quiet --allow-empty --message a"
    script = f"git init --quiet; {commit}; git add .; {commit}\n{step['run']}"
    environment = {**os.environ, "GITHUB_EVENT_NAME": event, "GITHUB_OUTPUT": str(tmp_path / "output")}
    subprocess.run(["bash", "-ec", script], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "output").read_text() == f"programs={programs}\n"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_permissions_are_stated_and_minimal(example: Path) -> None:
    content = yaml.safe_load(example.read_text())
    more = {
        "acceptances": {"actions", "statuses"},
        "fork-comment": {"statuses"},
        "receipt": {"attestations", "id-token"},  # sign and store the receipt
        "release": {"contents"},
    }
    for permissions in (content["permissions"], *(job.get("permissions", {}) for job in content["jobs"].values())):
        writing = {name for name, right in permissions.items() if right == "write"}
        assert writing <= {"pull-requests"} | more.get(example.stem, set())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_job_with_foreign_code_cannot_write(example: Path) -> None:
    assert list(jobs_with_code_and_a_writing_token(yaml.safe_load(example.read_text()))) == []


DOCUMENTS = [*EXAMPLES, *(FOLDER.parents[1] / "docs").rglob("*.md")]


@pytest.mark.parametrize("place", DOCUMENTS, ids=lambda place: place.name)
def test_recipes_install_versions_or_hashes_only(place: Path) -> None:
    assert unpinned("\n".join(recipe_lines(place.read_text()))) == []


def recipe_lines(text: str) -> list[str]:
    """The lines of a workflow, or those of the YAML blocks of a document."""
    return re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "```" in text else [text]


def test_sampler_is_the_same_in_all_documents() -> None:
    known = "".join(f"{line.strip()}\n" for line in PY_SPY)
    texts = [place.read_text() for place in DOCUMENTS]
    pinned = [re.sub(r"^ +", "", text, flags=re.MULTILINE) for text in texts if "--target .py-spy" in text]
    assert len(pinned) == 6
    assert all(known in text for text in pinned)


def inputs_of(text: str, job: str) -> dict[str, str]:
    """The inputs of the action in a job of a workflow, as the action reads them."""
    (step,) = [
        step for step in yaml.safe_load(text)["jobs"][job]["steps"] if "profgate/profgate@" in step.get("uses", "")
    ]
    return {name: re.sub(r"\$\{\{.*?\}\}", "success", str(value)) for name, value in step["with"].items()}


def test_two_jobs_record_compare_and_comment(stage: Stage) -> None:
    text = (FOLDER / "pull-request.yml").read_text()
    measure, judge = inputs_of(text, "measure"), inputs_of(text, "profgate")
    stage.open_pull()
    stage.start_pull_run()
    assert stage.step(profiles(SHARES, 1), **measure) == 0
    assert stage.step({}, **judge) == 0
    assert "First run: nothing to compare with yet" in stage.comments[0]
    stage.inputs |= measure
    stage.push_jobs(FEWEST_JOBS, lambda seed: profiles(SHARES, seed))
    stage.open_pull()
    stage.start_pull_run()
    assert stage.step(profiles(SLOWER, 77)) == 0
    assert stage.comments == []
    assert stage.step({}, **judge) == 1
    assert "### ❌ `parse` is 2.0x slower" in stage.comments[0]


def test_two_builds_are_compared_and_judged(stage: Stage) -> None:
    text = (FOLDER / "two-builds.yml").read_text()
    stage.open_pull()
    stage.start_pull_run()
    base = {f"../profiles-base/{name}": data for name, data in profiles(SHARES, 1).items()}
    head = {f"../profiles-head/{name}": data for name, data in profiles(SLOWER, 2).items()}
    assert stage.step(base | head, **{**inputs_of(text, "measure"), "interleaved": "true"}) == 0
    assert stage.step({}, **inputs_of(text, "profgate")) == 1
    assert "### ❌ `parse` is 2.0x slower" in stage.comments[0]


def events_of(example: Path) -> set[str]:
    """What starts a workflow; YAML reads the key ``on`` as true."""
    content = yaml.safe_load(example.read_text())
    return set(content[True])


PULLS = [one for one in EXAMPLES if "pull_request" in events_of(one)]


@pytest.mark.parametrize("example", PULLS, ids=lambda one: one.name)
def test_check_never_counts_for_another_base_branch(example: Path) -> None:
    workflow = yaml.safe_load(example.read_text())
    assert workflow[True]["pull_request"]["types"] == ["opened", "synchronize", "reopened", "edited"]
    judging = [(job, "'main'") for job in workflow["jobs"].values()]
    if any(map(calls, workflow["jobs"].values())):
        judging += [(job, "github.event.repository.default_branch") for job in CALLED["jobs"].values()]
    judging = [(job, main) for job, main in judging if "needs" in job and "name" in job]
    end = "format(' ({0})', github.base_ref)"
    assert all(f"github.base_ref != {main} && {end}" in job["name"] for job, main in judging)
    assert len(judging) == (example.stem != "ranks")  # which is no gate


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_recordings_in_the_repository_are_removed_first(example: Path) -> None:
    recording = [step["run"] for step in steps(example) if step.get("name", "").startswith("Record profiles")]
    assert all(run.lstrip().startswith("rm -rf profiles") or "\nrm -rf profiles" in run for run in recording)


def test_every_event_has_an_example_and_a_row() -> None:
    rows = re.findall(r"^\| `(\w+)`[^|]*\| ([^|]*) \|", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert {event for event, _ in rows} == COMPARING_EVENTS | RECORDING_EVENTS | OTHER_EVENTS
    named = {(event, name) for event, cell in rows for name in re.findall(r"\(([\w-]+\.yml)\)", cell)}
    started = {(event, example.name) for example in EXAMPLES for event in events_of(example)}
    assert named <= started
    assert {event for event, _ in started} == {event for event, _ in named}
    assert {name for _, name in named} == {example.name for example in EXAMPLES}
