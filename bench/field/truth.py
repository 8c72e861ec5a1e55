"""What an upgrade really costs: processor time of two processes that take turns on small pieces of the same work."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench.field.recorders import RecordError, environment
from bench.field.upgrades import Upgrade

CHUNKS, SECONDS, DRAWS = 40, 0.06, 2000
WORKER = """
import sys, time
sys.path[:0] = [".", "lib"]
module = __import__(sys.argv[1])
for _ in range(3):
    module.work()
for line in sys.stdin:
    count = int(line)
    start = time.process_time()
    for _ in range(count):
        module.work()
    print(time.process_time() - start, flush=True)
"""


class Worker:
    """One release at work, piece by piece."""

    def __init__(self, upgrade: Upgrade, tree: Path) -> None:
        call = [sys.executable, "-S", "-c", WORKER, Path(upgrade.script).stem]
        self.name = upgrade.name
        self.process = subprocess.Popen(
            call, cwd=tree, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, count: int) -> float:
        """Processor time of this much work. Raises RecordError."""
        stdin, stdout = self.process.stdin, self.process.stdout
        line = ""
        if stdin is not None and stdout is not None:
            stdin.write(f"{count}\n")
            stdin.flush()
            line = stdout.readline()
        if not line:
            raise RecordError(f"{self.name}: the timed process ended early")
        return float(line)

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def interval(before: Sequence[float], after: Sequence[float]) -> list[float]:
    """Ratio of medians with its 95 % bootstrap interval over pairs."""
    pairs = np.array([before, after])
    draw = np.random.default_rng(1).integers(pairs.shape[1], size=(DRAWS, pairs.shape[1]))
    ratios = np.median(pairs[1][draw], axis=1) / np.median(pairs[0][draw], axis=1)
    ratio = float(np.median(pairs[1]) / np.median(pairs[0]))
    return [round(number, 4) for number in (ratio, *np.quantile(ratios, [0.025, 0.975]).tolist())]


def measure(upgrade: Upgrade, libraries: Path, work: Path) -> list[float]:
    """Processor time after the upgrade over that before, with an interval."""
    workers = []
    for side, requirements in (("before", upgrade.before), ("after", upgrade.after)):
        tree = work / f"truth-{side}"
        upgrade.make_tree(libraries / "+".join(requirements), tree)
        workers.append(Worker(upgrade, tree))
    try:
        first = workers[0].seconds(3) / 3
        count = max(1, round(SECONDS / max(first, 1e-6)))
        times: list[list[float]] = [[], []]
        for chunk in range(CHUNKS):
            for place in (0, 1) if chunk % 2 else (1, 0):
                times[place].append(workers[place].seconds(count))
    finally:
        for worker in workers:
            worker.close()
    return interval(times[0], times[1])


def measure_all(upgrades: Sequence[Upgrade], folder: Path) -> dict[str, list[float]]:
    """Truth of all upgrades, read from ``truth.json`` where it was measured before."""
    path = folder / "upgrades" / "truth.json"
    known: dict[str, list[float]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for upgrade in upgrades:
        if upgrade.name not in known:
            known[upgrade.name] = measure(upgrade, folder / "libraries", folder / "work")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return known
