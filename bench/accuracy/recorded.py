"""Judges what `bench.accuracy.record` recorded and writes recordings.json, from which the page is made.

python -m bench.accuracy.recorded FOLDER [programs | upgrades]
"""

import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from bench.accuracy.record import REAL_PROGRAMS, SLOWER_RUNS, UNCHANGED, UNCHANGED_RUNS, UPGRADES, Plant
from bench.accuracy.recording import PY_SPY, RATE
from bench.accuracy.simulator import Random
from bench.accuracy.stages import judge_profiles

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.report import Finding
from profgate.model.source import source_of
from profgate.wiring import read_all

BASE_RUNS = 8  # of the unchanged runs: as many as the gate asks for
SPLITS = 25
RUNS = (1, 2, 4)
FLAME_LINK = re.compile(r" ?\[🔥\]\([^)]*\)")  # a page has no pages beside it
OUTPUT = Path(__file__).resolve().parent / "recordings.json"


def profiles_in(folder: Path) -> list[Profile]:
    """The recorded runs of one variant. Raises ProfileError."""
    files = sorted(path for path in folder.iterdir() if path.stem.startswith("run-"))
    found = []
    for profile in read_all([source_of(f"w/{path.name}", path.read_bytes()) for path in files]):
        if isinstance(profile, ProfileError):
            raise profile
        found.append(profile)
    return found


def _of_plant(finding: Finding, plant: Plant) -> bool:
    place = finding.location
    return place.name.split(".")[-1] == plant.name and (place.file or "").endswith(plant.file)


def _worse(
    baseline: Sequence[Profile], target: Sequence[Profile], base_runs: Sequence[Profile]
) -> tuple[list[Finding], bool]:
    """Findings for the worse that are shown, and whether anything at all is shown."""
    report = judge_profiles(baseline, target, base_runs).report
    findings = [one for workload in report.workloads for metric in workload.metrics for one in metric.findings]
    return [one for one in findings if one.colour in {"red", "yellow"}], any(
        one.colour in {"red", "yellow", "green"} for one in findings
    )


def _share(profiles: Sequence[Profile], plant: Plant) -> float:
    """Mean share of the run that the plant's function holds itself."""
    report = judge_profiles(profiles[:1], profiles[1:2], profiles[2:])
    comparison = report.comparisons[0]
    files = comparison.symbols.files
    wanted = [
        number
        for number, name in enumerate(comparison.symbols.names)
        if name.split(".")[-1] == plant.name and (files[number] or "").endswith(plant.file)
    ]
    values = np.concatenate([comparison.self_value, comparison.noise_self])[:, wanted].sum(axis=1)
    return float((values / np.concatenate([comparison.run_totals, comparison.noise_totals])).mean())


def _planted(
    random: Random, unchanged: list[Profile], slower: list[Profile], plant: Plant, runs: int
) -> dict[str, Any]:
    listed = red = 0
    for _ in range(SPLITS):
        order = [unchanged[place] for place in random.permutation(len(unchanged)).tolist()]
        target = [slower[place] for place in random.permutation(len(slower)).tolist()]
        worse, _ = _worse(order[BASE_RUNS : BASE_RUNS + runs], target[:runs], order[:BASE_RUNS])
        there = [finding for finding in worse if _of_plant(finding, plant)]
        listed += bool(there)
        red += any(finding.colour == "red" for finding in there)
    before, after = (_share(profiles, plant) for profiles in (unchanged, slower))
    cost = f"({100 * before:.1f} → {100 * after:.1f} % of the run)"
    return {"function": plant.function, "cost": cost, "tried": SPLITS, "listed": listed, "red": red}


def program_results(folder: Path) -> list[dict[str, Any]]:
    """How often unchanged code was red, and slower code found, by program, profiler and runs."""
    random = np.random.default_rng(1)
    results = []
    for program in REAL_PROGRAMS:
        for profiler in program.rounds:
            place = folder / "programs" / Path(program.script).stem / profiler
            unchanged = profiles_in(place / UNCHANGED)
            slower = {plant.name: profiles_in(place / plant.name) for plant in program.plants}
            for runs in RUNS:
                red = shown = 0
                for _ in range(SPLITS):
                    order = [unchanged[number] for number in random.permutation(len(unchanged)).tolist()]
                    sides = order[BASE_RUNS : BASE_RUNS + runs], order[BASE_RUNS + runs : BASE_RUNS + 2 * runs]
                    worse, anything = _worse(*sides, order[:BASE_RUNS])
                    red += any(finding.colour == "red" for finding in worse)
                    shown += anything
                results.append(
                    {
                        "program": f"{program.script}, {program.requirements[0]}",
                        "profiler": profiler,
                        "runs": runs,
                        "tried": SPLITS,
                        "red": red,
                        "shown": shown,
                        "plants": [
                            _planted(random, unchanged, slower[plant.name], plant, runs) for plant in program.plants
                        ],
                    }
                )
    return results


def comment_of(place: Path) -> list[str]:
    """The lines of the comment before its first fold, as the command line writes it for these two folders."""
    with tempfile.TemporaryDirectory() as output:
        command = [sys.executable, "-m", "profgate", "compare", "baseline", "target", "--output-dir", output]
        subprocess.run(command, cwd=place, check=False, capture_output=True)
        text = (Path(output) / "comment.md").read_text(encoding="utf-8")
    head = FLAME_LINK.sub("", text.partition("<details>")[0]).strip().splitlines()
    return [line.rstrip() for line in head if not line.startswith(("<!--", "[🔥"))]


def _recorded_on(folder: Path) -> str:
    """The day of the newest recording in a folder."""
    newest = max(path.stat().st_mtime for path in folder.rglob("run-*"))
    return datetime.fromtimestamp(newest, UTC).strftime("%-d %B %Y")


def _python(folder: Path) -> str:
    manifest = json.loads((folder / "upgrades" / UPGRADES[0].name / "target" / "profgate-manifest.json").read_bytes())
    versions = {entry["profiler"]: entry["profiler_version"] for entry in manifest["files"]}
    return f"Python {platform.python_version()}, py-spy {versions[PY_SPY]} at {RATE} samples a second"


def programs(folder: Path) -> dict[str, Any]:
    """The part on recorded programs."""
    about = (
        f"Scripts of `bench/accuracy/programs`, {UNCHANGED_RUNS} unchanged runs and {SLOWER_RUNS} of each slowed down, "
        f"in turns, on {_recorded_on(folder / 'programs')},\non two processors that other programs used as "
        f"well: the noise is honest. {_python(folder)},\nand cProfile by the clock of the wall and "
        f"by that of the processor, which does not count waiting.\n{SPLITS} random splits of the same runs into "
        f"{BASE_RUNS} base runs, baseline and target, so the rates of a row are not independent.\nSlowed down = an "
        "empty loop at the start of one function."
    )
    return {"about_programs": about, "programs": program_results(folder)}


def upgrades(folder: Path) -> dict[str, Any]:
    """The part on upgrades of libraries."""
    about = (
        "Two releases of a library under the same script, three runs a side on the same busy machine, on "
        f"{_recorded_on(folder / 'upgrades')}:\n{_python(folder)}, and cProfile by the processor's clock. Fewer than 8 "
        "base runs, so no verdict can be red.\nAbove the comment's first fold:"
    )
    comments = [
        {
            "title": f"{upgrade.before[0]} to {upgrade.after[0]}",
            "said": upgrade.known,
            "comment": comment_of(folder / "upgrades" / upgrade.name),
        }
        for upgrade in UPGRADES
    ]
    return {"about_upgrades": about, "upgrades": comments}


PARTS = {"programs": programs, "upgrades": upgrades}


def main(arguments: list[str]) -> int:
    """Write recordings.json; a part that was not asked for stays as it is there."""
    if not 1 <= len(arguments) <= 2 or arguments[-1].startswith("-") or not set(arguments[1:]) <= set(PARTS):
        print(__doc__)
        return 2
    known = json.loads(OUTPUT.read_text(encoding="utf-8")) if OUTPUT.exists() else {}
    for name in arguments[1:] or PARTS:
        known |= PARTS[name](Path(arguments[0]).resolve())
    OUTPUT.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
