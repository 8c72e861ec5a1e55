"""Finds out whether both sides ran the same machine code on the same files."""

import os
import re
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import starmap
from pathlib import Path
from stat import S_ISREG

from profgate.attribution.machine_code import ELF, FACTS, INSTRUCTIONS, is_same_program, program_of
from profgate.io.processes import run_command
from profgate.io.scratch import scratch_folder
from profgate.measuring.checkouts import SIDES, Checkout, files_below

LARGEST = 256 << 20  # maximum size of a file in bytes
SECONDS = 60  # maximum time of a disassembly
# memory in KiB, and size of the output in blocks of 512 bytes
OBJDUMP = f"ulimit -v {4 << 20}; ulimit -f {384 << 11}; objdump {FACTS} program; objdump {INSTRUCTIONS} program"
HASH = re.compile("[0-9a-f]{16}")  # cargo adds it to names, and it depends on the folder
# what cargo and go read to see that a program is built; the program itself is compared
MANIFESTS = re.compile(r".*/(?:Cargo\.(?:toml|lock)|go\.(?:mod|sum)|\.rustc_info\.json|\.fingerprint/.*)")


def forget_reads(sides: Iterable[Checkout]) -> int:
    """Mark the files of all sides as not read, and return the time in nanoseconds since 1970."""
    for side in sides:
        for path in files_below(side.root):
            # the next read sets the time of access, because it is earlier than the last change
            with suppress(OSError):  # a file may be gone, and one of another user counts as read
                if S_ISREG((facts := os.lstat(path)).st_mode):
                    os.utime(path, ns=(0, facts.st_mtime_ns))
    return time.time_ns()


def ran_same_program(sides: Mapping[str, Checkout], since: int) -> bool:
    """Return whether the runs since `forget_reads` used programs with the same machine code, and equal other files.

    The result is False if this is not known, for example because the file system does not record reads.
    """
    try:
        baseline, target = (_inputs(sides[name], since) for name in SIDES)
        pairs = {(old[1], new[1]) for old, new in zip(baseline, target, strict=False) if old != new}
        # without a program, it is not known that reads are recorded
        has_program = any(content.startswith(ELF) for _, content in baseline)
        has_same_names = [name for name, _ in baseline] == [name for name, _ in target]
        return has_program and has_same_names and all(starmap(_is_same, pairs))
    except (ValueError, OSError, MemoryError) as error:
        sys.stderr.write(f"profgate: the machine code of both sides is not compared: {error}\n")
        return False


def _inputs(side: Checkout, since: int) -> list[tuple[str, bytes]]:
    """Return the files that were read, except those that the runs wrote, by name: programs, and digests of others."""
    # what differs in the paths of both sides, which are of equal length
    token, found = os.path.basename(side.root), list[tuple[str, bytes]]()  # noqa: PTH119 - the path is a string
    for path in files_below(side.root):
        facts, name = os.lstat(path), HASH.sub("", path.replace(token, ""))
        if not S_ISREG(facts.st_mode) or not facts.st_atime_ns or MANIFESTS.fullmatch(name):
            continue
        if facts.st_size > LARGEST:
            found.append((name, path.encode()))  # no file of the other side is equal
            continue
        content = Path(path).read_bytes().replace(token.encode(), bytes(len(token)))
        if content.startswith(ELF):
            found.append((name, content))
        elif facts.st_mtime_ns < since:
            found.append((name, sha256(content).digest()))
    return sorted(found)


def _is_same(baseline: bytes, target: bytes) -> bool:
    if not baseline.startswith(ELF) or not target.startswith(ELF):
        return False
    return is_same_program(*(program_of(content, _disassembly(content)) for content in (baseline, target)))


def _disassembly(program: bytes) -> bytes:
    """Return the output of objdump. Raises ValueError if it is missing, fails or reaches a limit."""
    with scratch_folder() as scratch:
        Path(scratch, "program").write_bytes(program)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        log = f"{scratch}/listing"
        command = ["sh", "-ec", OBJDUMP]
        outcome = run_command(command, folder=scratch, environment=environment, log=log, timeout=SECONDS)
        if outcome.failure:
            raise ValueError(f"objdump {outcome.failure}; install binutils, and build position-independent programs")
        return Path(log).read_bytes()
