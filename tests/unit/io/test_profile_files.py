import hashlib
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.profile_files import is_in, local_set, manifest_of
from profgate.loading import profiles_at
from profgate.model.manifest import Manifest
from profgate.model.profile import Configuration, Facts
from profgate.model.source import MANIFEST_NAME, RECORDING_NAME


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    for name in ("profiles/api/1.folded", "profiles/cli.folded", "more/x/api.folded", "more/y/api.folded"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("main 1\n")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        (["profiles/**"], ["api/1.folded", "cli.folded"]),
        (["profiles"], ["api/1.folded", "cli.folded"]),
        (["./profiles/"], ["api/1.folded", "cli.folded"]),
        (["profiles/cli.folded"], ["cli.folded"]),
        (["profiles/*.folded"], ["cli.folded"]),
        (["more/x/*.folded", "more/y/*.folded"], ["x/api.folded", "y/api.folded"]),
        (["more/x/api.folded", "more/y/api.folded"], ["x/api.folded", "y/api.folded"]),
        (["profiles/**", "profiles/*.folded"], ["api/1.folded", "cli.folded"]),
    ],
)
def test_names_are_relative_to_what_the_entries_share(workspace: str, entries: list[str], names: list[str]) -> None:
    assert [one.name for one in local_set(entries, workspace).files] == names


def test_manifest_in_the_workspace_is_not_read(workspace: str) -> None:
    (Path(workspace) / "profiles" / MANIFEST_NAME).write_text("not JSON")
    found = local_set(["profiles/**"], workspace)
    assert (found.manifest, found.ignored) == (None, True)
    assert MANIFEST_NAME not in [one.name for one in found.files]


@pytest.mark.parametrize(
    ("place", "text", "error"),
    [
        ("", "image=a\n", ""),
        ("", "image=a\nwhat\n", r"profiles/profgate-recording.txt:2: expected one of cpu_model"),
        ("api/", "image=a\n", r"profiles/api/profgate-recording.txt: is in a subfolder; .* move it to .*profiles$"),
    ],
)
def test_recording_file_is_read_from_the_top_folder(workspace: str, place: str, text: str, error: str) -> None:
    folder = Path(workspace) / "profiles"
    (folder / place / RECORDING_NAME).write_text(text)
    if not error:
        assert local_set(["profiles/**"], workspace).recording == {"image": "a"}
        return
    for read in (lambda: local_set(["profiles/**"], workspace), lambda: profiles_at(str(folder))):
        with pytest.raises(ProfgateError, match=error):
            read()


def test_a_manifest_lists_what_was_read(workspace: str) -> None:
    files = local_set(["profiles/**"], workspace).files
    facts = [(Configuration(command="api"), Facts("folded", "py-spy", "1", 100.0)), (Configuration(), Facts())]
    manifest = manifest_of(Manifest(commit="c"), files, facts)
    assert manifest.commit == "c"
    assert manifest.files[0].path == "api/1.folded"
    assert manifest.files[0].sha256 == hashlib.sha256(b"main 1\n").hexdigest()
    assert (manifest.files[0].format, manifest.files[0].rate, manifest.files[0].configuration) == ("folded", 100, "api")


@pytest.mark.parametrize(
    "entry", ["linked/**", "linked", "linked/api/1.folded", "../profiles/**", "no/*/../../../profiles/**"]
)
def test_entry_outside_the_workspace_is_refused(workspace: str, entry: str) -> None:
    inner = Path(workspace) / "inner"
    inner.mkdir()
    (inner / "linked").symlink_to(Path(workspace) / "profiles")
    with pytest.raises(ProfgateError, match="leads out of"):
        local_set([entry], str(inner))


@pytest.mark.parametrize(
    ("path", "entry", "inside"),
    [
        ("profiles/api/1.folded", "profiles/**", True),
        ("profiles/1.folded", "./profiles", True),
        ("profiles/1.folded", "profiles/", True),
        ("a/b/c.prof", "**/*.prof", True),
        ("c.prof", "**/*.prof", True),
        ("out.json", "out.json", True),
        ("out", "out/profiles", True),
        ("out", "./out/profiles/*.folded", True),
        ("api", "*/1.folded", False),
        ("profiles.py", "profiles/**", False),
        ("docs/profiles/1.folded", "profiles/**", False),
        ("bench/run.py", "bench/*.json", False),
    ],
)
def test_path_in_an_entry_is_known_without_the_file(path: str, entry: str, inside: bool) -> None:
    assert is_in(path, [entry]) is inside


@pytest.mark.parametrize(("platform", "inside"), [("linux", False), ("darwin", True), ("win32", True)])
def test_case_of_a_path_matters_on_linux_only(monkeypatch: pytest.MonkeyPatch, platform: str, inside: bool) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert is_in("Profiles/API/run-6.folded", ["profiles/**"]) is inside
