"""Commands in a repository whose settings, attributes and branches are traps: nothing runs that the user did not give.

A trap is a program that writes a file. ``TRAPS`` has the git command that springs each of them. Hooks and filters
during checkouts are also tested in `tests/unit/measuring/test_sides.py`, with submodules.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from action_stage import SHARES, SLOWER
from profgate.__main__ import main
from two_commits import COPY, TwoCommits, pairs_take, with_commits

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
ABSENT = "0123456789" * 4
RUN = ["--", "sh", "-c", COPY]
TRAPS = {
    "hook": ["checkout", "--quiet", "--detach"],
    "monitor": ["status"],
    "external": ["diff", "HEAD~1", "--", "converted.txt"],
    "command": ["diff", "HEAD~1", "--", "profiles"],
    "textconv": ["show", "HEAD:converted.txt", "--textconv"],
    "clean": ["add", "--renormalize", "source.py"],
    "smudge": ["checkout", "--quiet", "HEAD~1", "--", "source.py"],
    "process": ["checkout", "--quiet", "HEAD~1", "--", "long"],
    "signature": ["log", "-1"],  # its setting is in an included file
    "ssh": ["cat-file", "-e", ABSENT],
    "pack": ["cat-file", "-e", ABSENT],
    "alternates": ["rev-list", "--alternate-refs", "--count", "HEAD"],
    "inner": [
        "-c",
        "core.hooksPath=/dev/null",
        "worktree",
        "add",
        "--quiet",
        "there",
        "HEAD",
    ],  # its setting applies only in worktrees
    "submodule": ["diff", "HEAD~1"],  # its setting is that of a submodule
}
SETTINGS = {  # with their traps
    "core.hooksPath": "hooks",
    "core.fsmonitor": "monitor",
    "diff.external": "external",
    "diff.driven.command": "command",
    "diff.converted.textconv": "textconv",
    "filter.trap.clean": "clean",
    "filter.trap.smudge": "smudge",
    "filter.long.process": "process",
    "core.sshCommand": "ssh",
    "remote.second.uploadpack": "pack",
    "core.alternateRefsCommand": "alternates",
}
# all other settings that name a program, according to the manual of git config; each is its own trap
OTHERS = """
alias.cat-file alias.diff alias.log alias.ls-files alias.rev-parse browser.b.cmd browser.b.path core.askPass
core.editor core.gitProxy core.pager credential.helper credential.https://example.org.helper diff.guitool diff.tool
difftool.t.cmd difftool.t.path gc.recentObjectsHook gpg.ssh.defaultKeyCommand gpg.ssh.program
gpg.x509.program guitool.g.cmd help.browser hook.h.command imap.tunnel init.templateDir instaweb.browser
instaweb.httpd interactive.diffFilter man.m.cmd man.m.path man.viewer merge.driven.driver merge.guitool merge.tool
mergetool.t.cmd mergetool.t.path pager.cat-file pager.diff pager.log pager.ls-files pager.worktree
receive.procReceiveRefs remote.third.receivepack remote.third.uploadpack remote.third.vcs sendemail.ccCmd
sendemail.headerCmd sendemail.sendmailCmd sendemail.smtpServer sendemail.toCmd sequence.editor submodule.sub.update
tar.t.command trailer.t.cmd trailer.t.command uploadpack.packObjectsHook web.browser
"""
TRACKED = ["--", "cp", "profiles/1.folded", "{out}/api.folded"]
COMMANDS = {  # with their exit codes
    "measure": (["measure", "HEAD~1", "HEAD", *RUN], 0),
    "measure of the working tree": (["measure", "HEAD~1", *RUN], 0),
    "measure of a branch": (["measure", "refs/heads/--output=ran", "HEAD", *RUN], 0),
    "measure of a missing commit": (["measure", ABSENT, *RUN], 2),
    "confirm": (["confirm", "compared/report.json", "--output-dir", "confirmed", *RUN], 0),
    "confirm of a missing commit": (["confirm", "missing.json", "--output-dir", "confirmed", *RUN], 2),
    "track": (["track", "--last", "2", "--runs", "1", *TRACKED], 0),
    "track of a branch": (["track", "--runs", "1", "refs/heads/--output=ran", *TRACKED], 0),
    "store": (["store", "add", "profiles/1.folded"], 0),
    "store of a missing commit": (["store", "add", "--commit", ABSENT, "profiles/1.folded"], 2),
    "check": (["check", "--history", "history", "HEAD"], 3),
    "check of an option": (["check", "--history", "history", "--", "--output=ran"], 3),
    "trends": (["trends", "--history", "history"], 0),
    "affected": (["affected", "HEAD~1", "--history", "base"], 0),
    "compare": (["compare", "profiles/1.folded", "profiles/2.folded"], 0),
    "compare by a diff": (["compare", "profiles/1.folded", "profiles/2.folded", "--diff", "change.diff"], 0),
    "init": (["init", "--yes"], 2),
}


def trap_of(setting: str) -> str:
    return setting.replace("/", "-")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository, beside a folder with the traps."""
    place = tmp_path_factory.mktemp("hostile")
    repository = TwoCommits(place / "repository", SHARES, SLOWER)
    git, traps = repository.git, place / "traps"
    (traps / "hooks").mkdir(parents=True)
    for name in (*TRAPS, *map(trap_of, OTHERS.split())):
        program = traps / name
        quiet = {"clean": "cat", "smudge": "cat", "inner": "cat", "external": "exit 0", "command": "exit 0"}
        ending = quiet.get(name, "exit 1")
        program.write_text(f'#!/bin/sh\n[ "$TRAPPED" ] && : > "$TRAPPED/{name}"\n{ending}\n')
        program.chmod(0o755)
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
        (traps / "hooks" / name).symlink_to(traps / "hook")
    attributes = (
        "converted.txt diff=converted\nprofiles/1.folded diff=driven\nsource.py filter=trap\nnew filter=inner\n"
    )
    attributes += "long filter=long\n"
    other = TwoCommits(place / "other", SHARES, SHARES).place
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    git("config", "--file", ".git/modules/sub/config", "core.fsmonitor", str(traps / "submodule"))
    repository.commit(
        **{".gitattributes": attributes, "converted.txt": "1", "source.py": "a = 1\n", "new": "a", "long": "1"}
    )
    (repository.place / "long").unlink()  # git ends if its filter ends, whatever it does with this file
    repository.commit(**{"converted.txt": "2", "source.py": "a = 2\n", "profiles/1.folded": "main;parse 1\n"})
    parent, tree = git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD^{tree}")
    person = "x <x@example.org> 1700000000 +0000"
    signed = (
        f"tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\ngpgsig -----BEGIN PGP SIGNATURE-----\n"
    )
    (place / "commit").write_text(f"{signed} \n x\n -----END PGP SIGNATURE-----\n\nSigned\n")
    head = git("hash-object", "-t", "commit", "-w", str(place / "commit"))
    git("update-ref", "refs/heads/--output=ran", head)
    git("symbolic-ref", "HEAD", "refs/heads/--output=ran")
    (place / "repository" / "change.diff").write_text(git("diff", "--full-index", "HEAD~1", "HEAD") + "\n")
    for setting, trap in SETTINGS.items():
        git("config", setting, str(traps / trap))
    git("config", "--file", str(traps / "included"), "gpg.program", str(traps / "signature"))
    git("config", "--file", str(traps / "included"), "log.showSignature", "true")
    git("config", "include.path", str(traps / "included"))
    git("config", "--file", str(traps / "of-worktrees"), "filter.inner.smudge", str(traps / "inner"))
    git("config", "includeIf.gitdir:**/worktrees/**.path", str(traps / "of-worktrees"))
    git("config", "diff.submodule", "log")
    for setting in OTHERS.split():
        git("config", setting, f"{'!' * setting.startswith(('alias', 'submodule'))}{traps}/{trap_of(setting)}")
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "extensions.partialClone", "origin")
    for remote, url in {"origin": "ssh://example.org/x", "second": f"file://{place}/nothing"}.items():
        git("config", f"remote.{remote}.url", url)
        git("config", f"remote.{remote}.promisor", "true")
    alternates = place / "repository" / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{other}/.git/objects\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repository.place)
        main(["compare", "profiles/1.folded", "profiles/2.folded", "--output-dir", "compared"])
        main(["store", "add", "--history", "history", "profiles/2.folded"])
        main(["store", "add", "--history", "base", "--commit", "HEAD~1", "profiles/1.folded"])
    with_commits(repository.place / "compared" / "report.json", {"baseline": parent, "target": head})
    shutil.copy(repository.place / "compared" / "report.json", repository.place / "missing.json")
    with_commits(repository.place / "missing.json", {"baseline": ABSENT})
    return place


@pytest.fixture
def trapped(hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for the files of the traps. The current folder is a copy of the repository."""
    folder = tmp_path / "trapped"
    folder.mkdir()
    shutil.copytree(hostile / "repository", tmp_path / "repository", symlinks=True)
    monkeypatch.chdir(tmp_path / "repository")
    monkeypatch.setenv("TRAPPED", str(folder))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return folder


def ran(trapped: Path) -> list[str]:
    return sorted(path.name for path in trapped.iterdir())


@pytest.mark.parametrize("trap", TRAPS)
def test_trap_runs_in_git(trapped: Path, trap: str) -> None:
    subprocess.run(["git", *TRAPS[trap]], capture_output=True, check=False, timeout=20)
    assert trap in ran(trapped)


def test_documentation_names_all_settings_and_commands() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "security.md").read_text()
    included = {"gpg.program", "filter.inner.smudge"}
    assert {setting for setting in {*SETTINGS, *OTHERS.split()} | included if f"`{setting}`" not in text} == set()
    assert {words[0] for words, _ in COMMANDS.values() if f"`{words[0]}`" not in text} == set()


@pytest.mark.parametrize(("words", "code"), COMMANDS.values(), ids=COMMANDS)
def test_no_trap_runs(
    hostile: Path, trapped: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int
) -> None:
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(hostile / "traps" / "external"))
    Path("source.py").write_text("a = 3\n")
    pairs_take(monkeypatch, 10.0)
    assert main(words) == code
    assert ran(trapped) == []
    assert not list(Path().rglob("ran"))


@pytest.mark.parametrize("name", ["measure", "track", "store", "check", "init"])
def test_configuration_that_never_ends_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("profgate.io.git.QUICK", 0.5)
    repository = TwoCommits(tmp_path / "repository", SHARES, SLOWER)
    os.mkfifo(tmp_path / "pipe")
    repository.git("config", "include.path", str(tmp_path / "pipe"))
    monkeypatch.chdir(repository.place)
    start = time.monotonic()
    assert main(COMMANDS[name][0]) == 2
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("command", [["measure"], ["measure", "--setup", "touch ran"], ["track", "--runs", "1"]])
def test_folder_that_a_commit_makes_a_link_is_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    repository, outside = TwoCommits(tmp_path / "repository", SHARES, SLOWER), tmp_path / "outside"
    outside.mkdir()
    base = repository.commit(**{"bench/x": "1"})
    shutil.rmtree(repository.place / "bench")
    (repository.place / "bench").symlink_to(outside)
    head = repository.commit()
    repository.git("checkout", "--quiet", base)
    monkeypatch.chdir(repository.place / "bench")
    main([*command, base, head, "--", "sh", "-c", "touch ran; echo 'a;b 5' > \"$PROFGATE_OUT/a.folded\""])
    assert list(outside.iterdir()) == []
    assert "leads out of" in "".join(capsys.readouterr())


DEFAULT_FOLDERS = {  # by the commands that write to them
    "profgate-track": ["track", "--last", "2", "--runs", "1", *TRACKED],
    ".profgate": ["store", "add", "profiles/1.folded"],
}
READING = [["check"], ["trends"], ["store", "list"], ["store", "prune"], ["compare", "HEAD~1:a", "HEAD:a"]]


@pytest.mark.parametrize("inside", ["", "runs", ".gitignore", "history.sqlite"])
@pytest.mark.parametrize(
    ("folder", "words"),
    [*DEFAULT_FOLDERS.items(), *((".profgate", words) for words in READING)],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_default_folder_with_links_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    words: list[str],
    inside: str,
) -> None:
    repository, outside = TwoCommits(tmp_path / "repository", SHARES, SLOWER), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("own")
    link = repository.place / folder / inside
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside / "kept" if "." in inside else outside)
    monkeypatch.chdir(repository.place)
    assert main(words) == 2
    assert "leads out of" in (shown := capsys.readouterr().err) or "is a link" in shown
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("kept", "own")]


def test_named_folder_may_be_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = TwoCommits(tmp_path / "repository", SHARES, SLOWER)
    (tmp_path / "outside").mkdir()
    (repository.place / "own").symlink_to(tmp_path / "outside")
    monkeypatch.chdir(repository.place)
    assert main(["store", "add", "--history", "own", "profiles/1.folded"]) == 0
    assert (tmp_path / "outside" / "history.sqlite").is_file()
