"""Benchmarks that stop doing their work, each of which is a branch that `profgate measure` must not pass.

The benchmark in `harness` runs two processes under py-spy. Its workload is required.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.field.repositories import Measured, branch, measured, repository

HARNESS = Path(__file__).resolve().parent / "harness"
POLICY = 'gate:\n  required: ["*"]\n'
DOCUMENTS = "documents.txt"
ALIKE = "alike"  # the control: a branch whose code is placed elsewhere
LOOP = "    for block in range(BLOCKS):\n"
CALL = "                total += process(document, block)\n"
END = '    print(f"part'
SWALLOWED = """                try:
                    total += process(document, block)
                except Exception:
                    continue
"""
ELSEWHERE = """import subprocess
import sys

import bench

if __name__ == "__main__":
    subprocess.run([sys.executable, "-c", f"import bench; bench.main({sys.argv[1]})"], check=True)
"""


@dataclass(frozen=True, slots=True)
class Collapse:
    """A way in which a benchmark breaks: pieces of a file and what replaces them, or whole files."""

    name: str
    file: str = "bench.py"
    edits: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()


COLLAPSED = (
    Collapse("ends early", edits=((LOOP, f"{LOOP}        if block == 2:\n            return\n"),)),
    Collapse(
        "swallowed exception",
        edits=(
            (CALL, SWALLOWED),
            ("    documents = load(INPUT)\n", '    documents = [""] + load(INPUT)[:1] + [""] * 80\n'),
        ),
    ),
    Collapse("empty input", files=((DOCUMENTS, ""),)),
    Collapse("other input", files=((DOCUMENTS, "A short document.\n"),)),
    Collapse("part of the input", edits=(("read_text().splitlines()", "read_text().splitlines()[:8]"),)),
    Collapse(
        "cached result",
        edits=(
            (
                "from work import process\n",
                "from functools import cache\n\nimport work\n\nprocess = cache(work.process)\n",
            ),
            (CALL, CALL.replace("block)", "0)")),
        ),
    ),
    Collapse("fewer iterations", edits=(("BLOCKS = 24", "BLOCKS = 8"),)),
    Collapse("half the processes", "record.sh", (("1 2;", "1;"),)),
    Collapse("crash before the work", edits=((LOOP, f'    raise OSError("no display")\n{LOOP}'),)),
    Collapse(
        "crash during the work", edits=((CALL, f'{CALL}        if block == 3:\n            raise OSError("full")\n'),)
    ),
    Collapse("crash after the work", edits=((END, f'    assert total < 0, "the result is wrong"\n{END}'),)),
    Collapse(
        "crash in a later run",
        edits=(
            ("import sys\n", "import os\nimport sys\n"),
            (END, f'    assert os.environ["PROFGATE_RUN"] != "3", "the result is wrong"\n{END}'),
        ),
    ),
    Collapse("crash, swallowed by the shell", "record.sh", (("|| exit 1", "|| true"), ("bench.py $part", "bench.py"))),
    Collapse("command not found, swallowed", "record.sh", (("|| exit 1", "|| true"), ("python bench", "pythn bench"))),
    Collapse(
        "limit of time",
        edits=(
            ("import sys\n", "import sys\nimport time\n"),
            (LOOP, f"{LOOP}        if time.process_time() > 0.2:\n            break\n"),
        ),
    ),
    Collapse(
        "result never used",
        edits=((CALL, CALL.replace("total += process", "lambda: process").replace("\n", "  # noqa\n")),),
    ),
    Collapse("profile elsewhere", "record.sh", (("$PROFGATE_OUT", "$PWD"),)),
    Collapse("nothing selected", edits=(("main(int(sys.argv[1]))", 'if "--all" in sys.argv:\n        main(1)'),)),
    Collapse(
        "work in another process", "record.sh", (("bench.py $part", "start.py $part"),), (("start.py", ELSEWHERE),)
    ),
    Collapse("exit without results", "record.sh", (("for part", "exit 0\nfor part"),)),
)
CONTROL = Collapse(
    ALIKE, "work.py", (("def words(", "def unused(text: str) -> int:\n    return len(text)\n\n\ndef words("),)
)


def harness() -> dict[str, str]:
    """Return the files of the benchmark."""
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(HARNESS.iterdir()) if path.is_file()}
    lines = [f"Document {number} has {number % 7} words, and line {number} follows." for number in range(80)]
    return found | {DOCUMENTS: "\n".join(lines) + "\n"}


def broken(collapse: Collapse, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that a collapse changes."""
    text = files[collapse.file]
    for old, new in collapse.edits:
        if old not in text:
            raise ValueError(f"{collapse.name}: {old!r} is not in {collapse.file}")
        text = text.replace(old, new, 1)
    changed = {collapse.file: text} if collapse.edits else {}
    return changed | dict(collapse.files)


def is_green(result: Measured) -> bool:
    """Return whether a branch passed."""
    return result.conclusion == "pass" and result.exit_code == 0


def measure_collapsed(folder: Path, budget: str, names: Sequence[str] = ()) -> int:
    """Measure all branches, or those with these names, and print a table.

    The exit code is 1 if one is green, or if the control is not.
    """
    files = harness()
    place = folder / "harness"
    repository(place, files)
    results = {}
    for collapse in (CONTROL, *COLLAPSED):
        if names and collapse.name not in names:
            continue
        name = collapse.name.replace(" ", "-").replace(",", "")
        branch(place, name, broken(collapse, files))
        results[collapse.name] = measured(place, name, budget, policy=POLICY)
        print(f"field: {collapse.name}: {results[collapse.name].conclusion}", file=sys.stderr)
    print(collapsed_text(results))
    return int(any(is_green(result) != (name == ALIKE) for name, result in results.items()))


def collapsed_text(results: Mapping[str, Measured]) -> str:
    """Return a table with a line for each branch, and the number of those that are not green."""
    lines = ["| benchmark | conclusion | exit code | why |", "| --- | --- | --: | --- |"]
    for name, result in results.items():
        why = result.error.rpartition("error: ")[2][:150] or ", ".join(result.reasons)
        lines.append(f"| {name} | {result.conclusion} | {result.exit_code} | {why} |")
    broken_ones = [result for name, result in results.items() if name != ALIKE]
    seen = sum(not is_green(result) for result in broken_ones)
    return "\n".join([*lines, "", f"not green: {seen} of {len(broken_ones)}"])
