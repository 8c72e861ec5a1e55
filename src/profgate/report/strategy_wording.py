"""Sentence templates for the reasons of strategies, into which `report.wording` inserts the parameters."""

from collections.abc import Callable, Mapping

from profgate.model.reason import Parameter, ReasonCode
from profgate.report.numbers import counted

LACKS = {
    "unfit": ": its models have too few points or fit no better than chance",
    "no_size": ": no record states its input size",
    "equal_sizes": ": all sizes are equal",
}


def _no_model(parameters: Mapping[str, Parameter], _quote: Callable[[str], str]) -> str:
    sentences = []
    for side in ("baseline", "target"):
        if lack := parameters.get(side):
            records = counted(int(parameters.get(f"{side}_records") or 0), "record")
            text = LACKS.get(
                str(lack), f": {records} with a size, but a model needs three" if lack == "few_sizes" else ""
            )
            sentences.append(f"the {side} has no model to compare{text}")
    return "; ".join(sentences)


def _poor_fit(parameters: Mapping[str, Parameter], _quote: Callable[[str], str]) -> str:
    r_square = parameters.get("r_square")
    return f"the fit is too poor: R² {r_square:.2f}" if isinstance(r_square, float) else "the fit is too poor"


def _order_changed(parameters: Mapping[str, Parameter], _quote: Callable[[str], str]) -> str:
    direction = parameters.get("direction")
    which = f"tests became {direction}" if direction in {"slower", "faster"} else "no direction stands out"
    return f"the order of the durations changed: {which}"


SENTENCES: dict[ReasonCode, str | Callable[[Mapping[str, Parameter], Callable[[str], str]], str]] = {
    ReasonCode.STRATEGY_RAISED: "the strategy failed: {error}",
    ReasonCode.RATES_APART: "sampling rate differs: {baseline} against {target}, so more samples do not mean more cost",
    ReasonCode.ZERO_TOTAL: "the total of a run is zero",
    ReasonCode.NEGATIVE_VALUES: "there are negative values",
    ReasonCode.NO_AMOUNTS: "no location has an amount",
    ReasonCode.NOTHING_PASSES: "no location with exclusive cost passes the filter",
    ReasonCode.NO_STACKS: "this format has no stacks, so there are no calling contexts",
    ReasonCode.NO_SHARES: "the total of a side is not positive, so there are no shares",
    ReasonCode.ZERO_BASELINE: "the baseline's total is zero",
    ReasonCode.NO_MODELS: "no location has a model, and no record states its input size",
    ReasonCode.HISTORY_NEEDED: "a change point also needs later commits; 'profgate trends' and base runs search the "
    "history",
    ReasonCode.REPORT_NEEDED: "stable ranks are computed for all workloads together",
    ReasonCode.TOTAL_UNCHANGED: "the total is unchanged",
    ReasonCode.NO_LINE: "there is no linear model in {sides}",
    ReasonCode.SIZES_APART: "the ranges of sizes do not overlap",
    ReasonCode.NO_DIFFERENCE: "the models have no values over most of the range",
    ReasonCode.POOR_FIT: _poor_fit,
    ReasonCode.NO_AREA: "an area under a model is not positive",
    ReasonCode.NO_WINDOW: "no window has positive values on both sides",
    ReasonCode.NO_MODEL: _no_model,
    ReasonCode.NO_TARGET_RUN: "there is no run to check",
    ReasonCode.NO_COMMON_TEST: "no test is in all runs",
    ReasonCode.ONE_TEST: "the order of a single test cannot change",
    ReasonCode.FEW_TESTS: "{tests:test} in all runs, but at least {needed} are needed",
    ReasonCode.FEW_BASELINE_RUNS: "{runs:baseline run}, but at least {needed} are needed to count stable ranks",
    ReasonCode.FEW_STABLE_RANKS: "only {mean:mean} ranks are stable among the baseline runs, too few to detect a "
    "decrease",
    ReasonCode.SAME_MEASUREMENTS: "both sides contain the same measurements",
    ReasonCode.ORDER_STABLE: "the order of the durations is as stable as in the baseline",
    ReasonCode.ORDER_STEADIER: "the order is more stable than before: fewer tests change ranks than among the "
    "baseline runs",
    ReasonCode.ORDER_CHANGED: _order_changed,
}
