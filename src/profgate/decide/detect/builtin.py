"""The built-in strategies by name, and the strategies that run by default."""

from collections.abc import Iterable

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
from profgate.decide.detect.strategy import Strategy
from profgate.errors import SettingsError, did_you_mean

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


def all_strategies(extra: Iterable[Strategy] = ()) -> tuple[Strategy, ...]:
    """Return the built-in strategies and those of plug-ins. Raises SettingsError if two have the same name."""
    strategies = list(STRATEGIES)
    taken = {name for strategy in strategies for name in (strategy.name, strategy.short)}
    for strategy in extra:
        lacking = [part for part in ("name", "short", "family", "options", "detect") if not hasattr(strategy, part)]
        if lacking:
            what = f"has no {', '.join(lacking)}; 'profgate strategies new NAME' creates a complete one"
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
