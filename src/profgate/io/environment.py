"""Facts about the machine, which determine whether two profiles are comparable, and about the job."""

import json
import platform
import re
from collections.abc import Mapping
from pathlib import Path

CPU_FILE = "/proc/cpuinfo"
MAX_CPU_FILE = 1 << 20
MAX_EVENT = 32 << 20  # GitHub limits payloads to 25 MB


def machine_facts(env: Mapping[str, str], cpu_file: str = CPU_FILE) -> dict[str, str]:
    """Return the operating system, architecture, processor, runner image and kernel. Unknown facts are omitted."""
    image = " ".join(env[name] for name in ("ImageOS", "ImageVersion") if env.get(name))
    facts = {
        "os": env.get("RUNNER_OS") or platform.system(),
        "arch": platform.machine(),
        "cpu": cpu_model(cpu_file),
        "image": image,
        "kernel": platform.release(),
    }
    return {name: value for name, value in facts.items() if value}


def cpu_model(cpu_file: str = CPU_FILE) -> str:
    """Return the name of the processor, or an empty string if the name is unknown."""
    try:
        with Path(cpu_file).open("rb") as stream:
            text = stream.read(MAX_CPU_FILE).decode("utf-8", "replace")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    if found is None:  # Linux reports only a part number for Arm processors
        found = re.search(r"^CPU part\s*:\s*(.+)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else platform.processor()


def is_of_pull_request(env: Mapping[str, str]) -> bool:
    """Return whether this is a job of GitHub that may run the code of a pull request.

    A job that a pull request's run or comment started may check that code out; so may one with an unreadable event.
    """
    event = env.get("GITHUB_EVENT_NAME", "")
    if event.startswith(("pull_request", "merge_group")) or env.get("GITHUB_HEAD_REF"):
        return True
    if env.get("GITHUB_REF", "").startswith("refs/pull/"):
        return True
    if event not in {"workflow_run", "issue_comment"}:
        return False
    try:
        with Path(env.get("GITHUB_EVENT_PATH", "")).open("rb") as stream:
            found = json.loads(stream.read(MAX_EVENT))
        if event == "issue_comment":
            return "pull_request" in found["issue"]
        run = found["workflow_run"]
        own = run["head_repository"]["id"] == found["repository"]["id"]
        return not own or bool(run["event"].startswith("pull_request"))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return True
