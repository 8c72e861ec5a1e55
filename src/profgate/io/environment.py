"""Facts about the machine, which determine whether two profiles are comparable."""

import platform
import re
from collections.abc import Mapping
from pathlib import Path

CPU_FILE = "/proc/cpuinfo"


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
            text = stream.read(1 << 20).decode("utf-8", "replace")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    if found is None:  # Linux reports only a part number for Arm processors
        found = re.search(r"^CPU part\s*:\s*(.+)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else platform.processor()
