"""The report, which contains all data that reporters need and can be converted to JSON and back without loss."""

from collections.abc import Callable
from typing import Annotated, Literal

from profgate.model.acceptance import Acceptance
from profgate.model.attribution import Reach, SourceState
from profgate.model.blind_spots import BlindSpots
from profgate.model.bounded import Count
from profgate.model.calibration import Calibration
from profgate.model.change import (
    BETTER,
    BY_WORD,
    COLLECTORS,
    WORSE,
    Change,
    GateResult,
    Kind,
    KindWord,
    Location,
)
from profgate.model.claim import Claim
from profgate.model.excerpt import Excerpt, Place
from profgate.model.levels import NEARLY_ALL
from profgate.model.measurement import Measurement
from profgate.model.plant import Plant
from profgate.model.policy import DriftRule, StatedPolicy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side
from profgate.model.record import Limit, Record, replace
from profgate.model.units import CALLS

SCHEMA = "profgate.report/4"
Conclusion = Literal["pass", "warn", "fail", "not_compared", "inconclusive"]
Colour = Literal["red", "yellow", "neutral", "green"]
Direction = Literal["worse", "better", "none"]
Severity = Literal["severe", "degraded", "maybe", "none"]
Runs = Annotated[dict[str, Count], Limit("Predicate", {"func": {"baseline", "target"}.issubset})]
TOTAL = Location("total")


def direction_of(kind: Kind) -> Direction:
    """Return the direction of a kind of change."""
    if kind in WORSE:
        return "worse"
    return "better" if kind in BETTER else "none"


class Total(Record):
    """Mean total per run on each side, in the base unit of the metric."""

    baseline: float | None
    target: float | None
    delta: float | None
    relative: float | None


class FunctionCosts(Record):
    """The costs of a function in the base unit of the metric, and its calls. Unknown numbers are None.

    ``calls_from`` and ``calls_to`` are the mean numbers of calls per run, and ``calls_range`` is the largest difference
    between runs of one side.
    """

    exclusive_from: float | None = None
    exclusive_to: float | None = None
    inclusive_from: float | None = None
    inclusive_to: float | None = None
    calls_from: float | None = None
    calls_to: float | None = None
    calls_range: float | None = None


class Attribution(Record):
    """How the pull request affects a location. ``library`` is True for a function of another project.

    ``path`` is the path of the location's file in the repository, if the profiles contain another path.
    If a caller in the project explains most of the change of such a function, ``library`` is None.
    """

    source: SourceState | None = None
    source_link: str | None = None
    path: str | None = None
    reach: Reach | None = None
    reach_path: str | None = None
    library: bool | None = None


class Finding(Record):
    """All changes of one location in one metric of a workload, and the judgement of them.

    ``changes`` includes the changes of the call paths to the location; those of the total include the sums of modules.
    ``weight`` is the change as a fraction of the run. ``cause`` is the number of the cause of the finding; causes are
    numbered by decreasing importance. ``explained_by`` is the location that gives the cause its name, or None if it is
    the location of the finding.
    """

    severity: Severity
    colour: Colour
    kind: KindWord
    direction: Direction
    location: Location
    from_value: float | None
    to_value: float | None
    delta: float | None
    relative: float | None
    share_from: float | None
    share_to: float | None
    changes: tuple[Change, ...]
    reasons: tuple[Reason, ...] = ()
    weight: float = 0.0
    costs: FunctionCosts = FunctionCosts()
    attribution: Attribution = Attribution()
    cause: int | None = None
    explained_by: Location | None = None

    @property
    def results(self) -> tuple[Change, ...]:
        """The changes that strategies found, with the call paths of each strategy merged into one change.

        The merged change is the largest one, but its kind is Unknown if the paths did not all change in the same
        direction. Paths that exist on only one side are omitted, because the function may exist on both sides.
        """
        found = [change for change in self.changes if BY_WORD[change.kind] not in {Kind.NO_CHANGE, Kind.UNKNOWN}]
        merged = [change for change in found if change.location.context is None]
        paths: dict[str, list[Change]] = {}
        for change in found:
            if change.location.context is not None and BY_WORD[change.kind] in WORSE | BETTER:
                paths.setdefault(change.strategy, []).append(change)
        for same in paths.values():
            heaviest = max(same, key=lambda change: abs((change.share_to or 0.0) - (change.share_from or 0.0)))
            alike = len({BY_WORD[change.kind] in WORSE for change in same}) == 1
            merged.append(heaviest if alike else replace(heaviest, kind=Kind.UNKNOWN.word))
        return tuple(merged)

    @property
    def result(self) -> GateResult:
        """The result of the gate's test, or an empty result if this test found no change."""
        return next((change.result for change in self.results if change.result is not None), GateResult())

    @property
    def agreeing(self) -> tuple[Change, ...]:
        """The results in the direction of the finding."""
        known = ((change, direction_of(BY_WORD[change.kind])) for change in self.results)
        return tuple(change for change, direction in known if direction == self.direction != "none")

    @property
    def is_total(self) -> bool:
        """Whether the finding is about a whole workload, which has no share, unlike a function named "total"."""
        return self.location == TOTAL and self.share_from is None and self.share_to is None

    @property
    def only_share(self) -> bool:
        """Whether the change is visible only relative to the rest of the run, as on a faster or slower machine.

        When other functions become slower, the share of an unchanged function decreases.
        """
        relative, ratio = self.relative, self.result.ratio
        # only the share changed if the recorded cost shows less than a tenth of the tested change
        return not (self.is_total or relative is None or not ratio) and relative / ratio < 0.1

    @property
    def relation(self) -> int:
        """How the finding is related to the change, from 0 (closest) to 5.

        The order is: changed here or the total, calls a changed function that may be inlined, called by a changed
        function or of a changed dependency, another function of the project, a function of another project. The last
        are the garbage collector and an unchanged function of nearly the whole run, such as that of a benchmark,
        because the cause is below it.
        """
        known = self.attribution
        if self.is_total or known.reach == "changed here" or known.source in {"changed", "added"}:
            return 0
        whole = self.to_value / self.share_to if self.to_value and self.share_to else 0.0
        if self.location.name in COLLECTORS or 0 < NEARLY_ALL * whole <= (self.costs.inclusive_to or 0.0):
            return 5
        return _RELATIONS.get(known.reach or "", 4 if known.library else 3)

    @property
    def importance(self) -> tuple[int, int, float, float, str, str]:
        """The sort key of findings: colour, relation to the change, size of the change, name and file.

        Red comes first, then yellow, green and neutral.
        """
        return (
            ("red", "yellow", "green", "neutral").index(self.colour),
            self.relation,
            -abs(self.weight),
            -abs(self.relative or 0.0),
            self.location.name,
            self.location.file or "",
        )

    @property
    def is_accepted(self) -> bool:
        """Whether a maintainer accepted the finding."""
        return any(reason.code is ReasonCode.ACCEPTED for reason in self.reasons)

    @property
    def is_acceptable(self) -> bool:
        """Whether a maintainer can accept the finding: any regression, even an uncertain one, except in a total."""
        return self.direction == "worse" and self.colour in {"red", "yellow"} and not self.is_total

    @property
    def growth(self) -> float:
        """The growth as a fraction of the baseline cost, or of the run if the function has no cost in the baseline."""
        if self.relative is not None:
            return abs(self.relative)
        return abs((self.share_to or 0.0) - (self.share_from or 0.0))


_RELATIONS = {"calls a changed function": 1, "called by a changed function": 2, "dependency changed": 2}
_NO_COSTS, _UNATTRIBUTED, _NO_CHANGE = FunctionCosts(), Attribution(), Kind.NO_CHANGE.word


def draft_of(
    location: Location,
    costs: FunctionCosts | None = None,
    attribution: Attribution | None = None,
    changes: tuple[Change, ...] = (),
) -> Finding:
    """Return a finding that is not judged yet."""
    unknown = (None, None, None, None, None, None)
    known = costs or _NO_COSTS, attribution or _UNATTRIBUTED
    return Finding("none", "neutral", _NO_CHANGE, "none", location, *unknown, changes, (), 0.0, *known)


class Cause(Record):
    """The function that explains the change in a location, and whether its source changed.

    If the location is a function of another project and the end calls it, directly or not, the costs and the
    attribution are those of the end. Otherwise, they are unknown.
    """

    location: Location
    direction: Direction
    end: Location
    changed: bool = False
    costs: FunctionCosts = FunctionCosts()
    attribution: Attribution = Attribution()


class Part(Record):
    """A callee that explains much of a location's change, with its costs in calls from there, and whether it is new."""

    location: Location
    callee: Location
    from_value: float
    to_value: float
    new: bool


class Step(Record):
    """A part of a drift: the change that came with a measured commit, as a fraction of the cost where the drift begins.

    ``name`` is the number of the pull request in the title of the commit, the beginning of its hash, or a range of
    commits, of which only the last was measured.
    """

    commit: str
    name: str
    relative: float


class MetricReport(Record):
    """One metric of one workload.

    ``unjudged`` contains the locations whose listed changes are no finding, such as unchanged functions in a verbose
    report. ``renamed`` contains the old and the new location of each renamed function. ``not_tested`` explains why
    strategies could not test the metric, and contains only reasons that the user can act on. ``unsuited`` contains the
    reasons why default strategies do not apply to this kind of profile. ``lacks`` is "calls" if the profiles
    contain no calls, so that there is no page, and "stacks" if they contain only calls, so that the page is a table.
    ``places`` are those of the most important findings, in the order of the findings.
    ``drift`` is set in a report on the drift of a branch, and ``steps`` are the largest steps in its direction, largest
    first. ``excerpts`` explain the most important findings.
    """

    name: str
    unit: str
    better: Literal["lower", "higher"]
    kind: str
    state: Literal["compared", "not compared"]
    runs: Runs
    total: Total
    findings: tuple[Finding, ...]
    counts: dict[str, Count]
    unjudged: tuple[Finding, ...] = ()
    not_tested: tuple[Reason, ...] = ()
    unsuited: tuple[Reason, ...] = ()
    calibration: Calibration = Calibration()
    renamed: tuple[tuple[Location, Location], ...] = ()
    causes: tuple[Cause, ...] = ()
    parts: tuple[Part, ...] = ()
    lacks: Literal["calls", "stacks"] | None = None
    drift: DriftRule | None = None
    steps: tuple[Step, ...] = ()
    places: tuple[Place, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()

    @property
    def importance(self) -> tuple[int | bool | float | str, ...]:
        """The sort key of metrics: the importance of the first finding. Metrics without findings come last."""
        return min((finding.importance for finding in self.findings), default=(4,))

    @property
    def changes(self) -> tuple[Change, ...]:
        """All listed changes."""
        return tuple(change for finding in (*self.findings, *self.unjudged) for change in finding.changes)

    @property
    def counts_calls(self) -> bool:
        """Whether the metric is the number of calls, which explains changes in costs."""
        return (self.name, self.unit) == (CALLS.name, CALLS.unit)

    @property
    def did_other_work(self) -> bool:
        """Whether nothing shows that the target did the same work."""
        return self.calibration.inconclusive == "other_work"


class WorkloadReport(Record):
    """One workload with notes on its comparability."""

    name: str
    comparability: tuple[Reason, ...]
    metrics: tuple[MetricReport, ...]


class Verdict(Record):
    """Result of the gate. The ``reasons`` are sorted by importance."""

    conclusion: Conclusion
    colour: Colour
    reasons: tuple[Reason, ...]
    exit_code: Annotated[int, Limit("Interval", {"ge": 0, "le": 4})] = 0

    @property
    def fails(self) -> bool:
        """Whether the check fails. "Not compared" alone, exit code 3 of the command line, does not fail on GitHub."""
        return self.exit_code == 1


class Report(Record):
    """The result of one run of profgate. ``measurement`` is set if both sides were measured in turns.

    ``blind_spots`` is None if the change of the sources is unknown or the same program was measured. ``confirms`` is
    the digest of the report whose commits one machine measured again. ``proof`` is the last planted change that the
    repository's gate is known to have reported.
    """

    baseline: Side
    target: Side
    verdict: Verdict
    workloads: tuple[WorkloadReport, ...]
    not_compared: tuple[NotCompared, ...] = ()
    changes: tuple[Change, ...] = ()
    warnings: tuple[Reason, ...] = ()
    acceptances: tuple[Acceptance, ...] = ()
    claims: tuple[Claim, ...] = ()
    policy: StatedPolicy = StatedPolicy()
    measurement: Measurement | None = None
    blind_spots: BlindSpots | None = None
    confirms: str = ""
    proof: Plant | None = None
    schema: str = SCHEMA

    @property
    def metrics(self) -> tuple[tuple[WorkloadReport, MetricReport], ...]:
        """All metrics with their workloads."""
        return tuple((load, metric) for load in self.workloads for metric in load.metrics)

    @property
    def findings(self) -> tuple[tuple[WorkloadReport, MetricReport, Finding], ...]:
        """All findings with their workloads and metrics."""
        return tuple((load, metric, finding) for load, metric in self.metrics for finding in metric.findings)

    def with_metrics(self, changed: Callable[[WorkloadReport, MetricReport], MetricReport]) -> "Report":
        """Return a copy of the report in which each metric is replaced by the return value of ``changed``."""
        loads = []
        for load in self.workloads:
            metrics = (changed(load, metric) for metric in load.metrics)
            loads.append(replace(load, metrics=tuple(metrics)))
        return replace(self, workloads=tuple(loads))


class Document(Record):
    """A file that a reporter creates and a publisher stores."""

    name: str
    media_type: str
    text: str
