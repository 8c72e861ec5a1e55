"""The comparison of a typical pull request: five workloads with ten runs a side, and the difference of the sources.

The repository is a Python package that git tracks. Its functions call each other, and the pull request changes a few
lines of four files, which makes one function slower. The profiles look as py-spy writes them.
"""

import shutil
import subprocess
from pathlib import Path

import numpy as np
from bench.harness import Contender
from bench.load import SIDES
from bench.peers import profgate

WORKLOADS, RUNS = 5, 10
MODULES, FUNCTIONS = 12, 25  # of the package, and of each module
CHANGED = ("module_2", "module_5", "module_7", "module_9")
SLOWER = "module_5", 11
SAMPLES = 2_000  # of one run
STACKS = 250  # of one workload
START = "_run_module_as_main (<frozen runpy>:198);_run_code (<frozen runpy>:88);<module> (bench_{0}.py:40)"
FUNCTION = '''

def function_{0}(items):
    """Return the sum of the values that belong to step {0}."""
    total = 0
    for item in items:
        if item.kind == {0}:
            total += item.value * {1}
    return total + function_{2}(items[1:])
'''
LINES = FUNCTION.count("\n")


def _write_sources(folder: Path, *, changed: bool) -> None:
    for number in range(MODULES):
        text = f'"""Module {number}."""\n'
        for function in range(FUNCTIONS):
            edited = changed and f"module_{number}" in CHANGED and function in {4, 11}
            text += FUNCTION.format(function, 7 if edited else 3, (function + 1) % FUNCTIONS)
        (folder / "src").mkdir(exist_ok=True)
        (folder / "src" / f"module_{number}.py").write_text(text, encoding="ascii")


def _write_profiles(folder: Path, workload: int) -> None:
    chance = np.random.default_rng(workload)
    shares = chance.permutation(1.0 / np.arange(1, STACKS + 1))
    stacks = [START.format(workload)]
    slower = [1.0]
    while len(stacks) < STACKS:
        module, function = f"module_{chance.integers(MODULES)}", int(chance.integers(FUNCTIONS))
        if workload == 0 and len(stacks) == shares.argmax():
            module, function = SLOWER
        line = 3 + LINES * function + int(chance.integers(4, 8))
        parent = int(len(stacks) * chance.random() ** 2)
        stacks.append(f"{stacks[parent]};function_{function} (src/{module}.py:{line})")
        slower.append(1.5 if (module, function) == SLOWER else 1.0)
    means = SAMPLES * shares / shares.sum()
    for side, name in enumerate(SIDES):
        for run in range(1, RUNS + 1):
            counts = chance.poisson(means * np.array(slower) ** side * chance.normal(1.0, 0.01)).tolist()
            lines = (f"{stack} {count}\n" for stack, count in zip(stacks, counts, strict=True) if count)
            file = folder / name / f"workload-{workload}" / f"run-{run}.folded"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(lines), encoding="ascii")


def _git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, capture_output=True, check=True, encoding="utf-8"
    ).stdout


def comparing_pull_request(folder: Path) -> Contender:
    """Write the repository and the profiles, and return the comparison."""
    shutil.rmtree(folder, ignore_errors=True)
    checkout = folder / "checkout"
    checkout.mkdir(parents=True)
    _git(checkout, "init", "--quiet")
    for changed in (False, True):
        _write_sources(checkout, changed=changed)
        _git(checkout, "add", ".")
        _git(checkout, "commit", "--quiet", "--message", "Change the sums" if changed else "Add the sums")
    (folder / "change.diff").write_text(_git(checkout, "diff", "HEAD~1", "HEAD"), encoding="utf-8")
    for workload in range(WORKLOADS):
        _write_profiles(folder, workload)
    sides = [folder / side for side in SIDES]
    options = ["--diff", folder / "change.diff", "--fail-on", "never", "--output-dir", folder / "report"]
    return profgate("compare", *sides, *options, folder=checkout)
