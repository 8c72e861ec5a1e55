"""Rules that every workflow of the examples, the documents and ``profgate init`` has to meet."""

import re
from collections.abc import Iterator
from typing import Any

# What is installed must be a file of the project, an exact version or a hash.
UNPINNED = re.compile(
    r"git\+"
    r"|\bpipx install (?!\w+==[\d.]+( |$))"
    r"|\bpip install (?!--require-hashes|--no-index|-e |-r )"
    r"|\bnpm install --global (?!\w+@\d+\.\d+\.\d+( |$))"
    r"|\bnpx (?!\w+@\d)"
    r"|\bgo install (?!\S+@v\d)"
    r"|\bcargo install (?!.*--locked.*--version)"
    r"|\b(curl|wget)\b(?!.*sha256)",
    re.MULTILINE,
)


GATE = "profgate/profgate/.github/workflows/gate.yml@"  # each of its jobs states its own rights and is tested
UPLOAD = re.compile(r'gh release upload "\$TAG" [\w./-]+ --clobber')  # one command that runs no code of a repository


def jobs_with_code_and_a_writing_token(content: dict[str, Any]) -> Iterator[str]:
    """The jobs that check out or run something and whose token can write, or whose rights are not stated."""
    for name, job in content["jobs"].items():
        if job.get("uses", "").startswith(GATE):
            continue
        permissions = job.get("permissions", content.get("permissions"))
        steps = job.get("steps", [])
        runs = [step["run"] for step in steps if "run" in step]
        code = "uses" in job or not all(map(UPLOAD.fullmatch, runs)) or any(map(_checks_out, steps))
        reads = isinstance(permissions, dict) and set(permissions.values()) <= {"read"}
        if code and not reads:
            yield name


def _checks_out(step: dict[str, Any]) -> bool:
    """Whether a step checks out another repository than that of a called workflow."""
    own = step.get("with", {}).get("repository", "").startswith("${{ job.workflow_repository")
    return "checkout" in step.get("uses", "") and not own


def unpinned(text: str) -> list[str]:
    """The parts of a text that install something without a version or a hash."""
    return [found[0] for found in UNPINNED.finditer(text)]
