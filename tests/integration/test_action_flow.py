"""The action from environment to exit code, against a GitHub of its own."""

import functools
import hashlib
import json
from collections.abc import Callable, Mapping

import pytest

from action_stage import ARTIFACT, BASE_RUNS, BOTH, BOTH_SLOWER, SHARES, SLOWER, Stage, both_builds, profiles
from profgate.action.job import Pace
from profgate.model.source import MANIFEST_NAME, RECORDING_NAME


def test_a_push_stores_its_profiles_with_a_manifest(stage: Stage) -> None:
    stage.push(profiles())
    artifact = next(iter(stage.fake.state.artifacts.values()))
    assert artifact.name == ARTIFACT
    manifest = json.loads(stage.file(f"baseline/{MANIFEST_NAME}"))
    assert manifest["commit"] == stage.base
    assert [file["path"] for file in manifest["files"]] == sorted(profiles())
    assert {file["format"] for file in manifest["files"]} == {"folded"}
    assert stage.fake.count("GET") == 0
    assert stage.summary.splitlines()[0] == f"### 📦 Baseline stored: 5 profiles of `{stage.base[:7]}`"
    stage.fake.fail("POST", "CreateArtifact", 500, times=9)
    stage.push(profiles())
    assert "Baseline not stored: 5 profiles" in stage.summary


def test_the_first_pull_request_reads_what_happens_next(stage: Stage) -> None:
    stage.open_pull()
    assert stage.compare(profiles()) == 0
    assert "First run: nothing to compare with yet" in stage.comments[0]
    assert stage.outputs["conclusion"] == "not_compared"
    assert stage.base_jobs == 0
    stage.push_to_pull()
    assert stage.compare(profiles()) == 0
    assert len(stage.comments) == 1
    stage.set_policy("gate: {on-not-compared: fail}")
    assert stage.compare(profiles()) == 1
    assert "This job fails" in stage.comments[0]
    assert "This job fails" in stage.summary


def test_a_regression_fails_the_gate(recorded: Stage) -> None:
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert "parse" in recorded.comments[0]
    assert recorded.comments[0].startswith("<!-- profgate v1 key=default head=")
    outputs = recorded.outputs
    assert outputs["conclusion"] == "fail"
    assert recorded.report["baseline"]["sha"] == recorded.base
    assert recorded.report["baseline"]["distance"] == 0
    assert recorded.base_jobs == BASE_RUNS
    assert outputs["page-url"] in recorded.comments[0]
    assert "/artifacts/" in outputs["page-url"]
    assert "::error title=profgate%3A the gate failed::" in recorded.log
    assert json.loads(recorded.file("report.json"))["verdict"]["conclusion"] == "fail"
    assert "parse" in recorded.summary
    assert len(recorded.requests) <= 15 + 2 * (BASE_RUNS - 1)


def test_a_second_push_edits_the_same_comment(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    first = recorded.comments
    recorded.push_to_pull()
    recorded.compare(profiles(SLOWER, 78))
    assert len(first) == len(recorded.comments) == 1
    assert f"head={recorded.head[:7]}" in recorded.comments[0]
    recorded.push_to_pull()
    assert recorded.compare(profiles(SHARES, 79)) == 0
    assert len(recorded.comments) == 1
    assert "✅ Resolved" in recorded.comments[0]


def on_machine(model: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return files | {RECORDING_NAME: f"cpu_model={model}\n".encode()}


def test_base_jobs_of_other_machines_do_not_count(stage: Stage) -> None:
    stage.history = True

    def pushed(*models: str) -> None:
        for number, model in enumerate(models):
            stage.push(on_machine(model, profiles(seed=len(stage.fake.state.commits) + number)))
        stage.open_pull()
        stage.compare(on_machine("A", profiles(SLOWER, 77)))

    # the first report reads base runs, the second one reads the history; the baseline is on another machine in both
    pushed("A", "B", "C", "A", "B", "A", "C")
    assert stage.outputs["conclusion"] == "warn"
    assert (
        "3 of 5 base jobs of this CPU model are stored (4 of other models do not count): slower functions are listed, "
        "and can fail the check after 2 more recorded pushes to `main` on this CPU model." in stage.comments[-1]
    )
    pushed("A", "B", "A", "C")
    assert stage.outputs["conclusion"] == "fail"
    assert "none of 5 base jobs differed by more than" in stage.comments[-1]


CART = "import json\n\n\ndef parse(text):\n    items = {}\n    return json.loads(text)\n"
VIEW = {"src/view.py": b"def render(items):\n    return str(items)\n"}
SLOW_CART = CART.replace("    items = {}\n", "    items = sorted(text)\n")
HOSTILE_PATH = 'src/<img src=x>|`"\u202e.py'


def in_cart(shares: Mapping[str, int], seed: int) -> dict[str, bytes]:
    """Profiles that name the files of two functions."""
    files = {b"parse": b"parse (src/cart.py:5)", b"render": b"render (src/view.py:2)"}
    return {
        name: functools.reduce(lambda text, pair: text.replace(*pair), files.items(), data)
        for name, data in profiles(shares, seed).items()
    }


@pytest.fixture
def with_sources(stage: Stage) -> Stage:
    """A base branch with a source file, which the pull request changes."""
    stage.base = stage.fake.add_commit(
        parents=[stage.base], branch="main", files={"src/cart.py": CART.encode(), **VIEW}
    )
    stage.push_jobs(BASE_RUNS, lambda seed: in_cart(SHARES, seed))
    hostile = {HOSTILE_PATH: b"@@ -1 +1 @@\n\x1b[31m\n", "logo.png": b"\0\1"}
    stage.open_pull(files={"src/cart.py": SLOW_CART.encode(), **hostile})
    return stage


def sources_of(stage: Stage) -> dict[str, str]:
    """What the report knows of the source of each function it tells of."""
    metric = json.loads(stage.file("report.json"))["workloads"][0]["metrics"][0]
    sources = {one["location"]["name"]: (one["attribution"] or {}).get("source", "") for one in metric["findings"]}
    return {name: source for name, source in sources.items() if source}


def source_warnings(stage: Stage) -> list[str]:
    texts = [one["text"] for one in json.loads(stage.file("report.json"))["warnings"]]
    return [text for text in texts if "the sources are not completely known" in text]


def evidence_of(stage: Stage, name: str) -> dict[str, str]:
    metric = json.loads(stage.file("report.json"))["workloads"][0]["metrics"][0]
    return next(one["attribution"] for one in metric["findings"] if one["location"]["name"] == name)


def test_changed_function_is_linked_to_its_lines(with_sources: Stage) -> None:
    assert with_sources.compare(in_cart(SLOWER, 77)) == 1
    place = f"{with_sources.fake.server_url}/{with_sources.fake.state.repository}/pull/{with_sources.number}/files"
    link = f"{place}#diff-{hashlib.sha256(b'src/cart.py').hexdigest()}R5"
    assert evidence_of(with_sources, "parse") == evidence_of(with_sources, "parse") | {
        "source": "changed",
        "source_link": link,
    }
    assert f"changed [in this PR]({link})" in with_sources.comments[0]
    asked = [one.path.partition("/shop/")[2] for one in with_sources.requests]
    assert sorted(one for one in asked if "/files" in one or "/trees/" in one) == [
        f"git/trees/{with_sources.merge}",
        f"pulls/{with_sources.number}/files",
    ]
    assert len(asked) <= 2 + 15 + 2 * (BASE_RUNS - 1)


@pytest.mark.parametrize(("status", "expected_text"), [(200, "same"), (403, "changed"), (502, "changed")])
def test_changed_files_are_read_in_a_single_query(with_sources: Stage, status: int, expected_text: str) -> None:
    with_sources.open_pull(files={"src/cart.py": CART.replace("items = {}", "items = {}  # says what it is").encode()})
    with_sources.pace = Pace(0, 1, 0, 0)
    if status != 200:
        with_sources.fake.fail("POST", "/graphql", status, times=9)
    with_sources.compare(in_cart(SLOWER, 77))
    assert evidence_of(with_sources, "parse")["source"] == expected_text
    asked = [one for one in with_sources.requests if one.path == "/graphql"]
    assert len(asked) == {200: 1, 403: 1, 502: 2}[status]
    assert any("did not return the changed files" in warning for warning in source_warnings(with_sources)) == (
        status != 200
    )


def test_both_sides_in_a_job_use_the_diff(with_sources: Stage) -> None:
    with_sources.inputs |= BOTH
    assert with_sources.compare(both_builds(in_cart(BOTH_SLOWER, 2), in_cart(SHARES, 1))) == 1
    assert sources_of(with_sources) == {"parse": "changed", "render": "same"}
    assert "changed [in this PR](" in with_sources.comments[0]
    page = with_sources.file("api.samples.html").partition('id="header">')[2].partition("</script>")[0]
    assert "sources" in {name for name, _ in json.loads(page)["columns"]}


def commit_policy(stage: Stage, text: str) -> None:
    stage.base = stage.fake.add_commit(
        parents=[stage.base], branch="main", files={".github/profgate.yml": text.encode()}
    )


def test_a_broken_policy_names_every_place(recorded: Stage) -> None:
    commit_policy(recorded, "gate:\n  fail-on: sometimes\n  budgt: 1\n")
    recorded.record(profiles(seed=50))
    recorded.open_pull()
    assert recorded.compare(profiles(SHARES, 77)) == 2
    assert "::error title=profgate,file=.github/profgate.yml,line=2::" in recorded.log
    assert "::error title=profgate,file=.github/profgate.yml,line=3::" in recorded.log


def test_pull_request_target_is_refused(stage: Stage) -> None:
    assert stage.run("pull_request_target", profiles(), {}, {"action": "opened"}) == 2
    assert "use pull_request" in stage.log


def test_missing_certificates_are_reported_before_any_request(stage: Stage) -> None:
    stage.inputs |= {"ca-bundle": "missing.pem"}
    assert stage.run("push", profiles(), {}, {}) == 2
    assert "ca-bundle: the file 'missing.pem' does not exist" in stage.log
    assert stage.fake.state.artifacts == {}


def test_no_secret_is_printed(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    shown = "\n".join(line for line in recorded.log.splitlines() if not line.startswith("::add-mask::"))
    texts: list[Callable[[], str]] = [lambda: shown, lambda: recorded.summary, lambda: recorded.comments[0]]
    for text in texts:
        assert recorded.fake.token not in text()
        assert recorded.fake.runtime_token not in text()
