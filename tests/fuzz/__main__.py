"""Fuzzes the entry points of untrusted data: ./run fuzz [ENTRY_POINT ...] [--minutes 10] [--seed 1].

Each entry point gets a process of its own, one after the other. Findings are stored in build/fuzz/ENTRY_POINT/findings,
and inputs that reached new code in build/fuzz/ENTRY_POINT/corpus, with which the next run begins. The exit code is 1 if
anything was found; build/fuzz/ENTRY_POINT/engine.log has the messages of the engine.
"""

import argparse
import os
import sys
import traceback
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads would not survive a fork, and reserve much of the address space

from fuzz.campaign import engine, hunt, last_input

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Fuzz the requested entry points and return the exit code."""
    atheris = engine()  # before the import of the entry points, which it instruments
    from fuzz.entry_points import ENTRY_POINTS

    parser = argparse.ArgumentParser(
        prog="run fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("entry_points", nargs="*", metavar="ENTRY_POINT", help=f"of {', '.join(ENTRY_POINTS)}")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each entry point (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (%(default)s)")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.entry_points) - set(ENTRY_POINTS))
    if unknown:
        parser.error(f"unknown entry point {unknown[0]}; there are {', '.join(ENTRY_POINTS)}")
    if atheris is None:
        print("run fuzz: atheris is not installed here, so the search is not guided by what inputs reach", flush=True)
    found = 0
    for name in chosen.entry_points or ENTRY_POINTS:
        folder = ROOT / "build" / "fuzz" / name
        (folder / "findings").mkdir(parents=True, exist_ok=True)
        before = set((folder / "findings").iterdir())
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                log = os.open(folder / "engine.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(log, 1)
                os.dup2(log, 2)
                hunt(ENTRY_POINTS[name], folder, chosen.minutes * 60, chosen.seed, atheris)
                code = 0
            except Exception:  # noqa: BLE001 - shown, and counted by the exit code
                traceback.print_exc()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            (folder / "findings" / f"ended-with-{code}").write_bytes(last_input(folder))
        new = sorted(path.name for path in set((folder / "findings").iterdir()) - before)
        print(f"{name}: {', '.join(new) or 'no finding'}", flush=True)
        found += len(new) + (code != 0)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
