"""Small git repositories whose branches `profgate measure` compares."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.field.recorders import RecordError, tool

BASE = "main"
SCRIPT = "record.sh"
POLICY = "profgate.yml"
WHO = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measurement ended with: its exit code, conclusion, red functions and seconds, and why it failed."""

    exit_code: int
    conclusion: str
    red: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    runs: int = 0
    seconds: float = 0.0
    error: str = field(default="", compare=False)


def _git(folder: Path, *words: str) -> None:
    call = [tool("git"), *WHO, *words]
    outcome = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    if outcome.returncode:
        raise RecordError(f"{' '.join(words)}: {outcome.stderr.strip()}")


def _commit(folder: Path, files: Mapping[str, str | bytes | None], message: str) -> None:
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
        elif isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", message)


def repository(folder: Path, files: Mapping[str, str]) -> None:
    """Make a repository with these files on its main branch. Raises RecordError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", f"--initial-branch={BASE}")
    _commit(folder, files, "The program")


def branch(folder: Path, name: str, files: Mapping[str, str | bytes | None]) -> None:
    """Add a branch that writes these files, or removes those that are None. Raises RecordError."""
    _git(folder, "checkout", "--quiet", "-b", name, BASE)
    _commit(folder, files, name)
    _git(folder, "checkout", "--quiet", BASE)


def measured(folder: Path, name: str, budget: str, setup: str | None = None, policy: str = "{}") -> Measured:
    """Measure a branch against the main branch with `SCRIPT`."""
    outside = folder.parent / f"{folder.name}-{name.replace(' ', '-')}"
    outside.mkdir(parents=True, exist_ok=True)
    (outside / POLICY).write_text(policy, encoding="utf-8")
    options = ["--budget", budget, "--config", str(outside / POLICY), "-o", str(outside)]
    options += ["--setup", setup] if setup else []
    call = [sys.executable, "-m", "profgate", "measure", BASE, name, *options, "--", "sh", SCRIPT]
    report = outside / "report.json"
    report.unlink(missing_ok=True)
    begin = time.monotonic()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    outcome = subprocess.run(
        call, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - begin
    if not report.exists():
        lines = outcome.stderr.strip().splitlines() or ["no output"]
        return Measured(outcome.returncode, "error", seconds=seconds, error=lines[-1])
    return _measured(json.loads(report.read_text(encoding="utf-8")), outcome.returncode, seconds)


def _measured(report: Mapping[str, Any], exit_code: int, seconds: float) -> Measured:
    findings = [
        finding
        for workload in report["workloads"]
        for metric in workload["metrics"]
        for finding in metric.get("findings", ())
    ]
    red = tuple(finding["location"]["name"] for finding in findings if finding["colour"] == "red")
    verdict = report["verdict"]
    reasons = tuple(reason["code"] for reason in verdict.get("reasons", ()))
    runs = (report.get("measurement") or {}).get("runs", 0)
    return Measured(exit_code, verdict["conclusion"], red, reasons, runs, seconds)
