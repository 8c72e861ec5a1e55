"""One entry point tried with one input after the other, within limits, guided by the branches that inputs reach."""

import contextlib
import hashlib
import io
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.entry_point import EntryPoint

CPU_SECONDS = 10.0  # limit for one input
GROWTH = 256 << 20  # bytes of memory that one input may take at its peak
ADDRESS_SPACE = 3 << 30  # beyond it, an allocation fails, and a MemoryError is a finding


class TooLongError(BaseException):
    """The CPU time of one input is used up; no ``except Exception`` may catch it."""


def attempt(entry_point: "EntryPoint", data: bytes, cpu_seconds: float) -> tuple[str, str]:
    """Return how the entry point took the input, and a name for the finding if that must not happen."""
    try:
        with _cpu_limit(cpu_seconds):
            return entry_point.take(data), ""
    except entry_point.refusals as error:
        return "refused", "" if str(error).strip() else "an error without words"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what is sought
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/profgate/" in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "elsewhere"
        return "finding", f"{type(error).__name__} {place}"


@contextlib.contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    def too_long(_number: int, _frame: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def try_and_store(entry_point: "EntryPoint", folder: Path, data: bytes) -> str:
    """Try one input, store it if it is a finding, and return the outcome."""
    (folder / "last").write_bytes(data)
    with contextlib.suppress(OSError):  # lets the peak of resident memory begin anew, where Linux can
        Path("/proc/self/clear_refs").write_bytes(b"5")
    resident, start = _peak(), time.process_time()
    outcome, finding = attempt(entry_point, data, CPU_SECONDS)
    if not finding and time.process_time() - start > CPU_SECONDS:  # in one call of C, which no signal ends
        finding = "too long in C"
    if not finding and _peak() - resident > GROWTH:
        finding = "memory"
    if finding:
        name = "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in finding)[:80]
        (folder / "findings" / name).write_bytes(data)
    return outcome


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def last_input(folder: Path) -> bytes:
    """Return what was being tried when the process ended."""
    last = folder / "last"
    return last.read_bytes() if last.exists() else b""


def engine() -> ModuleType | None:
    """Return the engine that guides the search, if it is installed, and load profgate so that it sees its branches."""
    try:
        import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return None
    # it reports each module on standard error
    with contextlib.redirect_stderr(io.StringIO()), atheris.instrument_imports(include=["profgate"]):
        import fuzz.entry_points  # noqa: F401
    found: ModuleType = atheris
    return found


def hunt(entry_point: "EntryPoint", folder: Path, seconds: float, seed: int, atheris: ModuleType | None) -> None:
    """Try the entry point until the time is over, in a process of its own, which the engine ends."""
    from fuzz.mutation import LARGEST, mutated

    seeds = list(entry_point.seeds())
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if atheris is None:
        random, pool, end = Random(seed), list(seeds), time.monotonic() + seconds
        while time.monotonic() < end:
            data = mutated(random.choice(pool), random, entry_point.codecs)
            if try_and_store(entry_point, folder, data) != "refused" and len(pool) < 200 and random.random() < 0.02:
                pool.append(data)
        return
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for data in seeds:
        (corpus / f"seed-{hashlib.sha256(data).hexdigest()[:8]}").write_bytes(data)

    def change(data: bytes, size: int, number: int) -> bytes:
        random = Random(number)
        by_engine = random.random() < 0.3
        changed: bytes = atheris.Mutate(data, size) if by_engine else mutated(data, random, entry_point.codecs)
        return changed[:size]

    options = {"max_total_time": int(seconds), "max_len": LARGEST, "seed": seed, "timeout": 600, "rss_limit_mb": 3000}
    words = [*(f"-{key}={value}" for key, value in options.items()), f"-artifact_prefix={folder}/findings/"]
    atheris.Setup(
        [sys.argv[0], str(corpus), *words],
        lambda data: try_and_store(entry_point, folder, data) and None,
        custom_mutator=change,
    )
    atheris.Fuzz()
