"""Files of releases serve as baselines; two tags are compared with what came in between."""

import json
from zipfile import ZipFile

import pytest

from action_stage import ARTIFACT, BASE_RUNS, SHARES, SLOWER, Stage, profiles
from fake_github import zip_of
from profgate.model.source import MANIFEST_NAME
from slow_cases import quick_first

ASSET = f"{ARTIFACT}.zip"
HOSTILE = "Speed up | <img src=x> @octocat `parse`"


@pytest.fixture
def releasing(recorded: Stage) -> Stage:
    """A base branch with a release v1, a pull request that made parse slower, and one that took it back halfway."""
    recorded.fake.add_release("v1", recorded.base, {})
    for shares, title in ((SLOWER, HOSTILE), (SHARES | {"parse": 45_000}, "Repay half")):
        head = recorded.fake.add_commit(parents=[recorded.base])
        number = recorded.fake.add_pull(head, recorded.base, state="closed", title=title)
        recorded.base = recorded.fake.add_commit(parents=[recorded.base, head], branch="main")
        recorded.fake.state.brought[recorded.base] = [number]
        recorded.record(profiles(shares, 60 + number))
    recorded.fake.add_release("v2", recorded.base, {})
    return recorded


def published(stage: Stage, tag: str, files: dict[str, bytes] | None = None, action: str = "published") -> int:
    code = stage.published(tag, files, action)
    if (stage.workspace / "profgate-report" / ASSET).exists():
        stage.attach(tag)
    return code


def lose_artifacts(stage: Stage) -> None:
    stage.fake.state.artifacts.clear()


def test_release_is_compared_and_written_as_a_file(releasing: Stage) -> None:
    assert published(releasing, "v2") == 1
    assert MANIFEST_NAME in ZipFile(releasing.workspace / "profgate-report" / ASSET).namelist()
    assert releasing.outputs["baseline-sha"] == releasing.fake.state.tags["v1"]
    assert releasing.report["target"]["distance"] == 0
    notes = releasing.file("release-notes.md")
    assert notes.strip() in releasing.summary
    assert "### Performance from `v1` to `v2`" in notes
    assert "`parse`" in notes
    assert "/artifacts/" in releasing.outputs["page-url"]
    assert releasing.outputs["release-notes"] == "profgate-report/release-notes.md"


def test_notes_list_the_change_of_each_pull(releasing: Stage) -> None:
    published(releasing, "v2")
    rows = [line for line in releasing.file("release-notes.md").splitlines() if line.startswith("| [#")]
    assert len(rows) == 2
    assert "+" in rows[0].split("|")[-3]
    assert "parse" in rows[0]
    assert "\N{MINUS SIGN}" in rows[1].split("|")[-3]
    assert "Repay half" in rows[1]


def test_a_hostile_title_is_only_text(releasing: Stage) -> None:
    published(releasing, "v2")
    notes = releasing.file("release-notes.md")
    (row,) = [line for line in notes.splitlines() if "Speed up" in line]
    assert "`` Speed up \\| <img src=x> @octocat `parse` ``" in row


def test_release_profiles_outlive_the_artifacts(releasing: Stage) -> None:
    published(releasing, "v1")
    published(releasing, "v2")
    lose_artifacts(releasing)
    assert releasing.compare_refs("v1", "v2") in {0, 1}
    report = json.loads(releasing.file("report.json"))
    assert [one["name"] for one in report["workloads"]] == ["api"]
    assert report["baseline"]["sha"] == releasing.fake.state.tags["v1"]
    assert releasing.outputs["baseline-distance"] == "0"


def test_older_profiles_of_the_target_are_stated(releasing: Stage) -> None:
    for older in (False, True):
        releasing.compare_refs("v1", "main")
        codes = [one["code"] for one in json.loads(releasing.file("report.json"))["warnings"]]
        assert ("older_target" in codes) == older
        releasing.base = releasing.fake.add_commit(parents=[releasing.base], branch="main")


@pytest.mark.slow
def test_a_ref_without_artifact_and_release_is_named(releasing: Stage) -> None:
    published(releasing, "v2")
    lose_artifacts(releasing)
    assert releasing.compare_refs("v1", "v2") == 2
    assert "v1: has no stored profiles" in releasing.log
    assert f"release v1 has no profiles ({ASSET})" in releasing.log


@pytest.mark.slow
def test_pull_request_is_compared_with_latest_release(releasing: Stage) -> None:
    published(releasing, "v2")
    lose_artifacts(releasing)
    releasing.open_pull()
    releasing.inputs["baseline-ref"] = "latest-release"
    releasing.compare(profiles(SHARES, 77))
    assert releasing.outputs["baseline-sha"] == releasing.fake.state.tags["v2"]


def test_first_release_is_written_without_comparison(recorded: Stage) -> None:
    recorded.fake.add_release("v1", recorded.base, {})
    assert published(recorded, "v1") == 0
    assert (recorded.workspace / "profgate-report" / ASSET).exists()
    assert "v1 is the first release" in recorded.log


def test_a_release_can_build_and_record_by_itself(releasing: Stage) -> None:
    lose_artifacts(releasing)
    published(releasing, "v1", profiles(SHARES, 1))
    assert published(releasing, "v2", profiles(SLOWER, 2)) in {0, 1}
    assert "`parse`" in releasing.file("release-notes.md")


def test_without_any_profiles_the_tag_is_named(releasing: Stage) -> None:
    lose_artifacts(releasing)
    assert published(releasing, "v2") == 2
    assert "v2: has neither profiles of this build nor stored ones" in releasing.log


@pytest.mark.parametrize("action", ["created", "deleted", "edited"])
def test_only_a_published_release_is_compared(releasing: Stage, action: str) -> None:
    assert published(releasing, "v2", action=action) == 0
    assert releasing.requests == []


@pytest.mark.parametrize(
    ("members", "message"),
    quick_first(
        [
            ({"api/1.folded": b"main;f 5\n"}, "contains no profgate-manifest.json"),
            ({MANIFEST_NAME: b"{}", "api/1.folded": b"main;f 5\n"}, "does not have profgate's format"),
            (
                {MANIFEST_NAME: b'{"schema": "profgate.manifest/2", "files": []}', "a.folded": b"f 1\n"},
                "lists other files",
            ),
        ]
    ),
)
def test_a_poisoned_release_is_refused(releasing: Stage, members: dict[str, bytes], message: str) -> None:
    published(releasing, "v2")
    lose_artifacts(releasing)
    releasing.fake.add_release("v0", releasing.fake.state.tags["v1"], {ASSET: zip_of(members)})
    assert releasing.compare_refs("v0", "v2") == 2
    assert message in releasing.log


@pytest.mark.slow
def test_the_history_is_long_enough_to_judge(releasing: Stage) -> None:
    published(releasing, "v2")
    assert int(releasing.outputs["base-runs"]) >= BASE_RUNS - 1
