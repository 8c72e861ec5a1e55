"""The identity of the machine, to recognize results of one machine."""

import platform
import uuid
from hashlib import sha256
from pathlib import Path

BOOT = Path("/proc/sys/kernel/random/boot_id")  # virtual machines of one image have the same machine-id


def this_machine() -> str:
    """Return a short hash that identifies this machine since its last start."""
    try:
        name = BOOT.read_text(encoding="ascii").strip()
    except OSError:
        name = f"{platform.node()} {uuid.getnode()}"
    return sha256(name.encode()).hexdigest()[:12]
