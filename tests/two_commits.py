"""A local repository with two commits whose program copies ready profiles, for measurements in turns."""

import itertools
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from action_stage import SHARES, folded
from measured_repository import commit_of, run_git
from profgate.__main__ import main
from profgate.measuring import turns
from profgate.measuring.looks import RUNS
from profgate.model.links import Links
from profgate.report.json_report import digest_of, from_json, links_from_json

Shares = Mapping[str, int]
MADE: dict[str, tuple[tempfile.TemporaryDirectory[str], dict[str, str]]] = {}  # repositories to copy, by their costs
COPY = 'cp profiles/"$PROFGATE_RUN".folded "$PROFGATE_OUT/api.folded"'


class TwoCommits:
    """The repository. Runs of a side have the costs ``before`` or ``after``, or alternate between several of them."""

    def __init__(self, place: Path, before: Shares | list[Shares], after: Shares | list[Shares]) -> None:
        key = json.dumps([before, after])
        if key not in MADE:
            folder = tempfile.TemporaryDirectory()
            self.place = Path(folder.name)
            MADE[key] = folder, self._filled(before, after)
        self.place = Path(shutil.copytree(MADE[key][0].name, place))
        self.commits = MADE[key][1].copy()

    def _filled(self, before: Shares | list[Shares], after: Shares | list[Shares]) -> dict[str, str]:
        self.git("init", "--quiet", "--template=")
        sides = {"baseline": before, "target": after}
        commits = {}
        for seed, (side, costs) in enumerate(sides.items(), 300):
            each = costs if isinstance(costs, list) else [costs]
            files = {
                f"profiles/{run}.folded": folded(each[run % len(each)], 1000 * seed + run).decode()
                for run in range(RUNS[-1] + 1)
            }
            commits[side] = self.commit(**files)
        self.git("repack", "-adq")  # one file is copied sooner than many objects
        return commits

    def git(self, *words: str) -> str:
        return run_git(self.place, *words)

    def commit(self, **files: str) -> str:
        return commit_of(self.place, files)


def with_commits(report: Path, commits: Mapping[str, str]) -> dict[str, str]:
    """Let a report state these commits, and return the commits that it stated before."""
    found = json.loads(report.read_text())
    before = {side: found[side]["sha"] for side in commits}
    for side, sha in commits.items():
        found[side]["sha"] = sha
    report.write_text(json.dumps(found))
    return before


def confirmed_in(place: Path, first: Path, shares: Shares, *words: str) -> Path:
    """The folder that `profgate confirm` filled; the report states the commits that it stated before."""
    out = place / "confirmed"
    repository = TwoCommits(place / "repository", SHARES, shares)
    links = first.with_name("links.json")
    digest = digest_of(
        from_json(first.read_text()), links_from_json(links.read_text(), "") if links.exists() else Links()
    )
    given = Path(shutil.copy(first, place / "first.json"))
    before = with_commits(given, repository.commits)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repository.place)
        main(["confirm", str(given), *words, "--output-dir", str(out), "--", "sh", "-c", COPY])
    with_commits(out / "report.json", before)
    report = json.loads((out / "report.json").read_text())
    (out / "report.json").write_text(json.dumps(report | {"confirms": digest}))
    return out


def pairs_take(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let each pair of runs take this time, as a measurement sees it, whatever the speed of the machine is."""
    monkeypatch.setattr(turns, "time", SimpleNamespace(monotonic=itertools.count(0.0, seconds / 2).__next__))
