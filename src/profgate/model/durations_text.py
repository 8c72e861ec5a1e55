"""The file format `profgate.durations/1`: the durations of one run, as written by ``profgate ranks record``."""

import json

from profgate.errors import ProfileError
from profgate.model.durations import DurationRun

SCHEMA = "profgate.durations/1"
MARK = SCHEMA.encode()
MOST_BYTES = 256 << 20
LARGEST = 1e30


def durations_to_json(run: DurationRun) -> str:
    """Return the run as JSON text, with the tests sorted by name."""
    document = {
        "schema": SCHEMA,
        "label": run.label,
        "commit": run.commit,
        "recorded": run.recorded,
        "unit": run.unit,
        "durations": dict(sorted(run.values.items())),
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def durations_from_json(data: bytes, where: str) -> DurationRun:
    """Parse a run from untrusted bytes and ignore unknown keys. Raises ProfileError if they are invalid."""
    if len(data) > MOST_BYTES:
        raise ProfileError(where, f"is larger than {MOST_BYTES:,} bytes; record fewer tests")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProfileError(where, f"is not JSON ({error}); record the run again") from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ProfileError(where, f"its schema is not {SCHEMA}; record the run again")
    texts = {name: content.get(name, "") for name in ("label", "commit", "recorded", "unit")}
    for name, text in texts.items():
        if not isinstance(text, str) or len(text) > 1000:
            raise ProfileError(where, f"{name!r} is not a short text; record the run again")
    durations = content.get("durations")
    if not isinstance(durations, dict):
        raise ProfileError(where, "'durations' is not a JSON object; record the run again")
    values = {}
    for name, value in durations.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
            raise ProfileError(
                where, f"the duration of {name[:80]!r} is not a number of at least 0; record the run again"
            )
        values[name] = float(value)
    return DurationRun(texts["label"] or where, texts["unit"], values, texts["commit"], texts["recorded"])
