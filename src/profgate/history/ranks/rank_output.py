"""Formats the results of the ``profgate ranks`` commands."""

import json
from collections.abc import Sequence
from typing import Any

from profgate.model.durations import RankCheck
from profgate.report.markdown_text import sentence
from profgate.report.rank_report import (
    ORDER_SIGNS,
    rank_details,
    result_text,
)

SCHEMA = "profgate.ranks/1"


def rank_markdown(check: RankCheck) -> str:
    """Format the check as Markdown for a pull request or a step summary."""
    return f"### {ORDER_SIGNS[check.order]} Stable ranks: {sentence(result_text(check))}\n\n{rank_details(check)}"


def rank_json(check: RankCheck, baseline: Sequence[str], target: Sequence[str]) -> str:
    """Format the check as JSON (schema `profgate.ranks/1`). Durations are in base units; unknown values are null."""
    moved = []
    for test in check.moved:
        ranks = {"name": test.name, "rank_from": test.rank_from, "rank_to": test.rank_to}
        moved.append(ranks | {"from": test.before, "to": test.after, "ratio": test.ratio})
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "order": check.order,
        "direction": check.direction if check.order == "below" else None,
        "reason": result_text(check),
        "baseline": list(baseline),
        "target": list(target),
        "tests": check.common,
        "left_out": check.left_out,
        "stable": check.count,
        "expected": check.mean,
        "bounds": check.bounds,
        "sigma": {"rule": check.sigma_rule, "value": check.sigma, "width": check.width, "distance": check.distance},
        "pairs": list(check.pair_counts),
        "against_each": list(check.target_counts),
        "chance_of_random": check.chance,
        "overall_ratio": check.overall,
        "unit": check.unit,
        "usual_distance": check.usual_distance,
        "farther": check.farther,
        "moved": moved,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"
