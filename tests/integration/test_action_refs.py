"""Two refs are compared by their stored profiles, which may be attached to a release, because artifacts expire."""

import pytest

from action_stage import ARTIFACT, SHARES, SLOWER, Stage, profiles
from fake_github import zip_of
from profgate.model.source import MANIFEST_NAME

ASSET = f"{ARTIFACT}.zip"


@pytest.fixture
def tagged(recorded: Stage) -> Stage:
    """A base branch with a release v1, and a slower release v2."""
    recorded.fake.add_release("v1", recorded.base, {})
    recorded.push(profiles(SLOWER, 60))
    recorded.fake.add_release("v2", recorded.base, {})
    return recorded


def lose_artifacts(stage: Stage) -> None:
    stage.fake.state.artifacts.clear()


def test_slower_target_fails_and_writes_text(tagged: Stage) -> None:
    assert tagged.compare_refs("v1", "v2") == 1
    assert tagged.report["baseline"]["sha"] == tagged.fake.state.tags["v1"]
    assert "❌ `parse` +99.5" in tagged.file("comment.md")
    assert "/artifacts/" in tagged.outputs["page-url"]


def test_latest_release_is_not_the_target_itself(tagged: Stage) -> None:
    tagged.compare_refs("latest-release", "v2")
    assert tagged.report["baseline"]["sha"] == tagged.fake.state.tags["v1"]


def test_attached_profiles_outlive_the_artifacts(tagged: Stage) -> None:
    assert tagged.compare_refs("v2", "v1") == 0
    tagged.attach("v1")
    tagged.compare_refs("v1", "v2")
    tagged.attach("v2")
    lose_artifacts(tagged)
    assert tagged.compare_refs("v1", "v2") in {0, 1}
    assert tagged.report["baseline"]["distance"] == tagged.report["target"]["distance"] == 0
    tagged.open_pull()
    tagged.inputs["baseline-ref"] = "latest-release"
    tagged.compare(profiles(SHARES, 77))
    assert tagged.report["baseline"]["sha"] == tagged.fake.state.tags["v2"]


def test_first_release_is_written_and_compared_with_nothing(recorded: Stage) -> None:
    recorded.fake.add_release("v1", recorded.base, {})
    assert recorded.compare_refs("latest-release", "v1") == 2
    recorded.attach("v1")
    assert "there is no published release" in recorded.log


def test_older_profiles_of_the_target_are_stated(tagged: Stage) -> None:
    tagged.base = tagged.fake.add_commit(parents=[tagged.base], branch="main")
    tagged.compare_refs("v1", "main")
    assert "older_target" in [one["code"] for one in tagged.report["warnings"]]
    assert not (tagged.workspace / "profgate-report" / ASSET).exists()


def test_ref_without_profiles_is_named(tagged: Stage) -> None:
    lose_artifacts(tagged)
    assert tagged.compare_refs("v1", "v2") == 2
    assert f"release v2 has no profiles ({ASSET})" in tagged.log


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"api/1.folded": b"main;f 5\n"}, "contains no profgate-manifest.json"),
        ({MANIFEST_NAME: b"{}", "api/1.folded": b"main;f 5\n"}, "does not have profgate's format"),
        ({MANIFEST_NAME: b'{"schema": "profgate.manifest/2", "files": []}', "a.folded": b"f 1\n"}, "lists other files"),
    ],
)
def test_poisoned_release_is_refused(tagged: Stage, members: dict[str, bytes], message: str) -> None:
    tagged.fake.add_release("v0", tagged.fake.add_commit(), {ASSET: zip_of(members)})
    assert tagged.compare_refs("v0", "v2") == 2
    assert message in tagged.log
