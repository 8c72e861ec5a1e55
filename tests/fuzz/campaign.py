"""One entry point tried with one input after the other, within limits, guided by the branches that inputs reach."""

import contextlib
import hashlib
import io
import json
import mmap
import resource
import signal
import struct
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.entry_point import EntryPoint

SAME_KEPT = 3  # inputs kept of what looks like one finding
STATUS_SECONDS = 2.0
ROOM = 1 << 20  # bytes for the input that is being tried


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input of at most ``mutation.LARGEST`` bytes may cost.

    ``growth`` are the bytes of resident memory that it may take at its peak; beyond ``address_space`` an allocation
    fails, and a MemoryError is a finding.
    """

    cpu_seconds: float = 10.0
    growth: int = 256 << 20
    address_space: int = 3 << 30


class TooLongError(BaseException):
    """The CPU time of one input is used up; no ``except Exception`` may catch it."""


@dataclass(slots=True)
class Trials:
    """Counts what became of each input and keeps what must not happen, in ``folder``."""

    entry_point: "EntryPoint"
    folder: Path
    seed: int
    limits: Limits = Limits()
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0
    began: float = field(default_factory=time.monotonic)
    cpu_before: float = field(default_factory=time.process_time)
    reported_at: float = 0.0
    last: mmap.mmap = field(init=False)

    def __post_init__(self) -> None:
        (self.folder / "findings").mkdir(parents=True, exist_ok=True)
        with (self.folder / "last").open("w+b") as stream:
            stream.truncate(ROOM)
            self.last = mmap.mmap(stream.fileno(), ROOM)
        self.tell()

    def one(self, data: bytes) -> None:
        """Tries one input. Never raises: a finding is stored, and the search goes on."""
        self.last[: 8 + len(data)] = struct.pack("<Q", len(data)) + data
        forget_peak()
        resident, before = peak(), time.process_time()
        outcome, finding = attempt(self.entry_point, data, self.limits.cpu_seconds)
        seconds = time.process_time() - before
        growth = peak() - resident
        self.slowest, self.largest = max(self.slowest, seconds), max(self.largest, growth)
        if not finding and seconds > self.limits.cpu_seconds:  # in one call of C, which no signal ends
            finding = "too long in C"
        if not finding and growth > self.limits.growth:
            finding = "memory"
        self.outcomes[outcome] += 1
        if finding:
            self._keep(finding, data)
        if time.monotonic() - self.reported_at > STATUS_SECONDS:
            self.tell()

    def _keep(self, finding: str, data: bytes) -> None:
        self.findings[finding] += 1
        if self.findings[finding] <= SAME_KEPT:
            digest = hashlib.sha256(data).hexdigest()[:8]
            name = "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in finding)[:80]
            (self.folder / "findings" / f"{name}-{digest}").write_bytes(data)
            self.tell()

    def tell(self) -> None:
        """Writes the counts so far."""
        self.reported_at = time.monotonic()
        status = {
            "entry point": self.entry_point.name,
            "seed": self.seed,
            "runs": self.outcomes.total(),
            "wall_seconds": round(self.reported_at - self.began, 1),
            "cpu_seconds": round(time.process_time() - self.cpu_before, 1),
            "slowest_cpu_seconds": round(self.slowest, 2),
            "largest_growth_bytes": self.largest,
            "outcomes": dict(self.outcomes),
            "findings": dict(self.findings),
        }
        new = self.folder / "status.new"
        new.write_text(json.dumps(status))
        new.replace(self.folder / "status.json")


def attempt(entry_point: "EntryPoint", data: bytes, cpu_seconds: float) -> tuple[str, str]:
    """How the entry point took the input, and a name for the finding if that must not happen."""
    try:
        with _cpu_limit(cpu_seconds):
            return entry_point.take(data), ""
    except entry_point.refusals as error:
        return "refused", "" if str(error).strip() else "an error without words"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what is sought
        return "finding", f"{type(error).__name__} {_place(error)}"


@contextlib.contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _too_long(_number: int, _frame: object) -> None:
    raise TooLongError


def _place(error: BaseException) -> str:
    """The innermost line of ours."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/profgate/" in frame.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "elsewhere"


def forget_peak() -> None:
    """Lets the peak of resident memory begin anew, where Linux can: what made the input may have needed more."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_bytes(b"5")


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def kept_input(folder: Path) -> bytes:
    """What was being tried when the process ended."""
    raw = (folder / "last").read_bytes()
    return raw[8 : 8 + struct.unpack("<Q", raw[:8])[0]]


def engine() -> ModuleType | None:
    """The engine that guides the search, where it is installed, with profgate loaded so that it sees its branches."""
    try:
        import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return None
    with (
        contextlib.redirect_stderr(io.StringIO()),
        atheris.instrument_imports(include=["profgate"]),
    ):  # tells each module
        import fuzz.entry_points  # noqa: F401
    found: ModuleType = atheris
    return found


def hunt(
    entry_point: "EntryPoint", folder: Path, seconds: float, seed: int, atheris: ModuleType | None, limits: Limits
) -> None:
    """Tries the entry point until the time is over, in a process of its own, which the engine ends."""
    from fuzz.mutation import LARGEST, mutated

    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = list(entry_point.seeds())
    for data in seeds:
        (corpus / f"seed-{hashlib.sha256(data).hexdigest()[:8]}").write_bytes(data)
    resource.setrlimit(resource.RLIMIT_AS, (limits.address_space, limits.address_space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    trials = Trials(entry_point, folder, seed, limits)
    if atheris is None:
        wander(trials, seeds, seconds)
        return

    def change(data: bytes, size: int, number: int) -> bytes:
        random = Random(number)
        changed: bytes = (
            atheris.Mutate(data, size) if random.random() < 0.3 else mutated(data, random, entry_point.codecs)
        )
        return changed[:size]

    options = {"max_total_time": int(seconds), "max_len": LARGEST, "seed": seed, "timeout": 600, "rss_limit_mb": 3000}
    words = [*(f"-{key}={value}" for key, value in options.items()), f"-artifact_prefix={folder}/findings/"]
    command = [sys.argv[0], str(corpus), *words, "-print_final_stats=1"]
    atheris.Setup(command, trials.one, custom_mutator=change)
    atheris.Fuzz()


def wander(trials: Trials, seeds: list[bytes], seconds: float) -> None:
    """The same without guidance: each input is a change of a seed, or of one before it that was not refused."""
    from fuzz.mutation import mutated

    random = Random(trials.seed)
    pool, end = list(seeds), time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutated(random.choice(pool), random, trials.entry_point.codecs)
        refused = trials.outcomes["refused"]
        trials.one(data)
        if trials.outcomes["refused"] == refused and len(pool) < 200 and random.random() < 0.02:
            pool.append(data)
    trials.tell()
