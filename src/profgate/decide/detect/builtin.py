"""The built-in strategies by name, and the selection and execution of strategies for a comparison."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from profgate.decide.detect.amounts import AverageAmountThreshold, ExclusiveTimeOutliers
from profgate.decide.detect.call_context import CallContext
from profgate.decide.detect.gate_tests import CalibratedLogRatio, Totals
from profgate.decide.detect.overweight import Overweight
from profgate.decide.detect.regression_models import (
    BestModelOrderEquality,
    FastCheck,
    IntegralComparison,
    LinearRegression,
    LocalStatistics,
    PolynomialRegression,
)
from profgate.decide.detect.report_strategies import ChangePoint, StableRanks
from profgate.decide.detect.strategy import MODULE, UNSUITED_FLAG, ReportStrategy, Strategy, not_tested, resolved
from profgate.errors import SettingsError, did_you_mean
from profgate.model.change import Change, Context, Detection, Kind, Location
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy, Rule, matches
from profgate.model.profile import Configuration
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric

STRATEGIES: tuple[Strategy, ...] = (
    Totals(),
    CalibratedLogRatio(),
    ExclusiveTimeOutliers(),
    Overweight(),
    CallContext(),
    AverageAmountThreshold(),
    BestModelOrderEquality(),
    IntegralComparison(),
    LocalStatistics(),
    FastCheck(),
    LinearRegression(),
    PolynomialRegression(),
    StableRanks(),
    ChangePoint(),
)
DEFAULTS = ("tot", "clr", "eto", "ow", "ctx")
ON_THE_REPORT = ("ranks",)  # added to the defaults if there are enough workloads or tests
WITH_SIZES = ("bmoe", "int")  # added to the defaults if records or models contain input sizes
CODES = frozenset(map(int, Kind))
Selection = tuple[Strategy, dict[str, Any]]


def all_strategies(extra: Iterable[Strategy] = ()) -> tuple[Strategy, ...]:
    """Return the built-in strategies and those of plug-ins. Raises SettingsError if two have the same name."""
    strategies = list(STRATEGIES)
    taken = {name for strategy in strategies for name in (strategy.name, strategy.short)}
    for strategy in extra:
        lacking = [part for part in ("name", "short", "family", "options", "detect") if not hasattr(strategy, part)]
        if lacking:
            what = f"has no {', '.join(lacking)}; docs/reference/strategies.md names a complete one"
            raise SettingsError(f"strategy {type(strategy).__name__}", what)
        if {strategy.name, strategy.short} & taken:
            what = f"its name or short name {strategy.short!r} is taken; remove one of the packages that define it"
            raise SettingsError(f"strategy {strategy.name!r}", what)
        taken |= {strategy.name, strategy.short}
        strategies.append(strategy)
    return tuple(strategies)


def strategy_named(name: str, strategies: Iterable[Strategy] = STRATEGIES) -> Strategy:
    """Return the strategy with this full or short name. Raises SettingsError with similar names if there is none."""
    offered = tuple(strategies)
    for strategy in offered:
        if name in (strategy.name, strategy.short):
            return strategy
    known = [known for strategy in offered for known in (strategy.name, strategy.short)]
    raise SettingsError(f"strategy {name!r}", f"unknown; {did_you_mean(name, known)}")


def _matches(rule: Rule, configuration: Configuration, metric: Metric) -> bool:
    stated = {
        "type": (configuration.type,),
        "cmd": (configuration.command,),
        "args": (configuration.arguments,),
        "workload": (configuration.workload,),
        "collector": (configuration.collector,),
        "postprocessor": configuration.postprocessors,
        "metric": (metric.name,),
        "unit": (metric.unit,),
    }
    for key, patterns in rule.keys.items():
        if not any(value and matches(value, patterns) for value in stated.get(key, ())):
            return False
    return True


def selected(
    policy: Policy,
    configuration: Configuration,
    metric: Metric,
    strategies: Iterable[Strategy] = STRATEGIES,
    *,
    sized: bool = False,
) -> list[Selection]:
    """Return the strategies for one comparison and all their options, in the order of the rules and without duplicates.

    Without rules, the default strategies are returned. A ``sized`` comparison has cost models over the input size, for
    which two strategies are added to the defaults. Strategies that need the whole report are omitted. Raises
    SettingsError if a rule names an unknown strategy.
    """
    offered = tuple(strategies)
    rules = policy.rules or tuple(Rule(method) for method in (*DEFAULTS, *(WITH_SIZES if sized else ())))
    matching = [rule for rule in rules if _matches(rule, configuration, metric)]
    result: list[Selection] = []
    seen: set[str] = set()
    for rule in matching[:1] if policy.apply == "first" else matching:
        strategy = strategy_named(rule.method, offered)
        if hasattr(strategy, "detect_all"):  # faster than isinstance with a Protocol
            continue
        given = {"location_filter": policy.location_filter, "cutoff": policy.cutoff}
        options = resolved(strategy, {**given, **rule.options})
        key = json.dumps([strategy.name, options], sort_keys=True, default=str)
        if key not in seen:
            seen.add(key)
            result.append((strategy, options))
    return result


def detections_of(
    comparison: Comparison, selection: Sequence[Selection], context: Context, *, brief: bool = False
) -> list[Detection]:
    """Run each selected strategy and return the detections. An exception in a strategy is reported in its detection.

    If ``brief`` is true, strategies that only explain changes are skipped unless another strategy found a change or
    could not test the comparison.
    """
    # only changes of these families can be red, yellow or green in the report
    deciding = [number for number, (strategy, _) in enumerate(selection) if strategy.family in {"T", "M"} or not brief]
    found = {number: _detection(selection[number], comparison, context) for number in deciding}
    if not all(map(quiet, found.values())):
        others = set(range(len(selection))) - set(deciding)
        found |= {number: _detection(selection[number], comparison, context) for number in others}
    return [found[number] for number in sorted(found)]


def quiet(detection: Detection) -> bool:
    """Return whether a strategy tested the comparison and found no change."""
    return not detection.not_tested and not (detection.kind != int(Kind.NO_CHANGE)).any()


def _detection(selection: Selection, comparison: Comparison, context: Context) -> Detection:
    strategy, options = selection
    try:
        detection = strategy.detect(comparison, options, context)
        # the check takes longer than some of the built-in strategies, which are tested
        fault = strategy not in STRATEGIES and next(faults(detection, strategy, comparison), "")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
        fault = f"{type(error).__name__}: {error}"
    if not fault:
        return detection
    return not_tested(strategy, Reason(ReasonCode.CANNOT_TEST, {"case": "raised", "error": fault}), failed=True)


def faults(detection: object, strategy: Strategy, comparison: Comparison) -> Iterator[str]:
    """Yield a description of each fault in a detection. A column of the wrong type may cause any exception."""
    if not isinstance(detection, Detection):
        yield f"it returned {type(detection).__name__}, not a Detection"
        return
    if (detection.strategy, detection.family) != (strategy.name, strategy.family):
        yield f"its detection names strategy {detection.strategy} of family {detection.family}"
    rows = len(detection.symbol)
    lengths = {}
    for name in ("kind", "from_value", "to_value", "confidence", "confidence_types", "labels", "reasons", "flags"):
        lengths[name] = len(getattr(detection, name))
    for columns in (detection.result, detection.details):
        lengths |= {} if columns is None else columns.lengths()
    yield from (f"its column {name} has {n} rows, symbol has {rows}" for name, n in lengths.items() if n != rows)
    if rows and not MODULE <= detection.symbol.min() <= detection.symbol.max() < len(comparison.symbols):
        yield "a row names a symbol that does not exist"
    yield from (f"{code} is not the code of a Kind" for code in sorted(set(detection.kind.tolist()) - CODES))
    if detection.node is not None:
        nodes = 0 if comparison.tree is None else len(comparison.tree.parent)
        if len(detection.node) != rows or any(not 0 < node < nodes for node in detection.node.tolist()):
            yield "a row names a calling context that does not exist"


def report_changes(
    comparisons: Sequence[Comparison], policy: Policy, strategies: Iterable[Strategy], context: Context
) -> tuple[Change, ...]:
    """Return the changes of strategies that need all workloads. Without rules, those marked unsuited are omitted."""
    offered = tuple(strategies)
    names = {strategy.short for strategy in offered}
    rules = policy.rules or tuple(Rule(short) for short in ON_THE_REPORT if short in names)
    changed: list[Change] = []
    for rule in rules:
        strategy = strategy_named(rule.method, offered)
        if not isinstance(strategy, ReportStrategy):
            continue
        chosen = [pair for pair in comparisons if _matches(rule, pair.configuration, pair.metric)]
        try:
            changes = strategy.detect_all(chosen, resolved(strategy, rule.options), context)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
            reason = Reason(ReasonCode.CANNOT_TEST, {"case": "raised", "error": f"{type(error).__name__}: {error}"})
            where, unknown = Location("all workloads"), (None, None, None, None, None, None)
            kind = Kind.UNKNOWN.word
            changes = (Change(strategy.name, strategy.family, kind, "", where, *unknown, "none", None, reason=reason),)
        changed += [change for change in changes if policy.rules or UNSUITED_FLAG not in change.flags]
    return tuple(changed)
