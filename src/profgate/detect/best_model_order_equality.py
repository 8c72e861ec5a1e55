"""Whether the best model of cost over size got a higher or a lower order of growth."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.base import UNSUITED, cannot_tell, directed, resolved, worse_sign
from profgate.detect.model_pairs import (
    CHOICE,
    FORMULAS,
    NO_MODELS,
    Words,
    at_largest_size,
    best_pairs,
    detection,
    least_r_square,
    one_sided_or_unknown,
)
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.statistics.thresholds import at_least


class BestModelOrderEquality:
    """Finds functions whose cost grows by another order: linear became quadratic, or the other way round.

    Works on models of cost over the size of the input: those a Perun profile brings, or those fitted to records that
    tell a size. The order is constant < logarithmic < linear < quadratic < power < exponential. Its confidence is the
    lower r_square of the two best models, and below the option's bound it sees no change. It knows no size: a line ten
    times as steep is no change for it, and a power ranks above a quadratic whatever its exponent, so it adds the
    exponent of growth and both values at the largest common size. It cannot tell where a side has no usable model, as
    with fewer than three sizes.
    """

    name = "best_model_order_equality"
    short = "bmoe"
    family = "M"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("min_confidence", 0.9, "r_square that both models must reach for a change", 0.0, 1.0),
        CHOICE,
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each location with records or models."""
        chosen = resolved(self, options)
        pairs, models = best_pairs(comparison, FORMULAS, chosen["choice"]), comparison.models
        if models is None:
            return cannot_tell(self, chosen, (NO_MODELS,), UNSUITED)
        confidence = least_r_square(models, pairs)
        steps = np.where(pairs.complete, models.kind[pairs.target] - models.kind[pairs.baseline], 0)
        steps = np.where(at_least(confidence, chosen["min_confidence"]), steps, 0)
        worse = worse_sign(comparison.metric) * steps > 0
        kinds = np.where(steps == 0, np.int64(Kind.NO_CHANGE), directed(Kind.DEGRADATION, worse))
        kinds, reasons = one_sided_or_unknown(comparison, pairs, kinds)
        words = Words(
            kinds=kinds,
            subtypes=["model"] * len(pairs),
            confidence=confidence,
            reasons=reasons,
            statistics={
                "order_steps": np.where(pairs.complete, steps.astype(np.float64), np.nan),
                **at_largest_size(models, pairs),
            },
        )
        return detection(self, chosen, comparison, pairs, words)
