"""Checks of the past: commits that were measured, each compared with the nearest ancestor measured the same way."""

from dataclasses import dataclass

from profgate.model.history import StoredCommit
from profgate.model.report import Report


@dataclass(frozen=True, slots=True)
class Check:
    """The comparison of a commit with an ancestor ``distance`` commits before."""

    baseline: str
    target: str
    distance: int
    report: Report


@dataclass(frozen=True, slots=True)
class Checks:
    """Checked commits, children first, whose parents are those among them; ``first`` are workloads without ancestor."""

    commits: tuple[StoredCommit, ...]
    checks: tuple[Check, ...]
    first: tuple[tuple[str, str], ...] = ()  # commit and workload
    further: int = 0  # measured commits before these that were not checked

    @property
    def exit_code(self) -> int:
        """1 where the gate failed anywhere, 3 where nothing was compared, else the highest code of a check."""
        codes = {check.report.verdict.exit_code for check in self.checks}
        return 1 if 1 in codes else max(codes, default=3)
