import hashlib
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.profile_files import committed, local_set, manifest_of, repository_paths
from profgate.loading import profiles_at
from profgate.model.manifest import Manifest
from profgate.model.profile import Configuration, Facts
from profgate.model.record import replace
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


def test_only_the_last_samples_of_criterion_are_profiles(tmp_path: Path) -> None:
    parts = ["new/sample", "new/estimates", "base/sample", "main/sample", "change/estimates", "report/index"]
    names = [f"{benchmark}/{part}.json" for benchmark in ("fib", "group/20") for part in parts]
    for name in [*names, "report/index.html", "other/base/sample.json", "fib.folded"]:
        (tmp_path / "criterion" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "criterion" / name).write_text("{}")
    found = [one.name for one in local_set(["criterion"], str(tmp_path)).files]
    assert found == ["fib.folded", "fib/new/sample.json", "group/20/new/sample.json", "other/base/sample.json"]


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
    ("entry", "file", "entries", "found"),
    [
        ("profiles/**", "profiles/api/1.folded", ["profiles/api/1.folded"], True),
        ("profiles/**/*.folded", "profiles/1.folded", ["profiles/1.folded"], True),
        ("**/*.folded", "1.folded", ["1.folded"], True),
        (".", "x/1.folded", ["x/1.folded"], True),
        ("{workspace}/profiles", "profiles/1.folded", ["profiles/1.folded"], True),
        ("a/../profiles/*", "profiles/1.folded", ["profiles/1.folded"], True),
        ("profiles//api/*", "profiles/api/1.folded", ["profiles/api/1.folded"], True),
        ("profiles/[!a]*", "profiles/b.folded", ["profiles/b.folded"], True),
        ("out.folded", "out.folded", ["out.folded"], True),
        ("profiles/*", "profiles/\N{LATIN SMALL LETTER E WITH ACUTE}", ["Profiles/E\N{COMBINING ACUTE ACCENT}"], True),
        # a link or a submodule in the place of a folder, and the target of a link
        ("profiles/**", "profiles/api/1.folded", ["profiles"], True),
        ("profiles/**", "profiles/api/1.folded", ["profiles/api"], True),
        ("linked/*", "kept/1.folded", ["kept/1.folded"], True),
        ("linked/*", "kept/1.folded", ["linked"], True),
        # another checkout
        ("there/profiles/**", "there/profiles/1.folded", ["profiles/1.folded"], True),
        ("here/profiles/**", "here/profiles/1.folded", ["profiles/1.folded"], False),
        (
            "profiles/**",
            "profiles/1.folded",
            ["profiles.py", "1.folded", "docs/profiles/1.folded", "profiles/2"],
            False,
        ),
    ],
)
def test_read_file_is_found_in_the_commit(
    tmp_path: Path, entry: str, file: str, entries: list[str], found: bool
) -> None:
    for folder in ("a", "kept", "there/.git"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "linked").symlink_to("kept")
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("main 1\n")
    given = [entry.format(workspace=tmp_path)]
    read = local_set(given, str(tmp_path))
    assert bool(committed(repository_paths(read.files, read.folder, str(tmp_path)), entries)) is found
    stored = [replace(one, path=None) for one in read.files]
    if "linked" not in entry:  # only the job that records can follow the links of its checkout
        assert bool(committed(repository_paths(stored, read.folder, str(tmp_path)), entries)) is found
