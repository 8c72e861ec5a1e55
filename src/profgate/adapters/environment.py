"""What a measurement was made on: facts that decide whether two profiles may be compared."""

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path

CPU_FILE = "/proc/cpuinfo"
MAX_CPU_FILE = 1 << 20


def machine_facts(env: Mapping[str, str] | None = None, cpu_file: str = CPU_FILE) -> dict[str, str]:
    """Operating system, architecture, processor, its count, runner image and kind; facts not known are left out."""
    given = os.environ if env is None else env
    image = " ".join(given[name] for name in ("ImageOS", "ImageVersion") if given.get(name))
    facts = {
        "os": given.get("RUNNER_OS") or platform.system(),
        "arch": platform.machine(),
        "cpu": cpu_model(cpu_file),
        "cpus": str(os.cpu_count() or ""),
        "image": image,
        "runner": given.get("RUNNER_ENVIRONMENT", ""),
    }
    return {name: value for name, value in facts.items() if value}


def cpu_model(cpu_file: str = CPU_FILE) -> str:
    """The processor's name, empty where the machine does not tell."""
    try:
        with Path(cpu_file).open("rb") as stream:
            text = stream.read(MAX_CPU_FILE).decode("utf-8", "replace")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    if found is None:  # on arm there is no name, but a number of the part
        found = re.search(r"^CPU part\s*:\s*(.+)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else platform.processor()
