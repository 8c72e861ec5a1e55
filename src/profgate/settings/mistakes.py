"""Error messages for values that pydantic rejects. A message describes the mistake and the valid values."""

import re
from collections.abc import Mapping
from typing import Any

from profgate.errors import did_you_mean

MESSAGES = {
    "bool_type": "is not a boolean; write true or false",
    "bool_parsing": "is not a boolean; write true or false",
    "int_type": "is not a whole number",
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_type": "is not a number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "string_pattern_mismatch": "is not a percentage; write a number with %, such as 5%",
    "string_type": "is not text; put it in quotes",
}
NAME = re.compile(r"(?<=')[^',]*\w(?=')|\d+")  # pydantic quotes texts, but not numbers
BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def message(error: Mapping[str, Any]) -> str:
    """Return the text after the invalid value, for an entry of ``ValidationError.errors()``."""
    kind, details = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(details["error"])
    if kind == "literal_error":
        return f"is unknown; {did_you_mean(str(error['input'])[:60], NAME.findall(details['expected']))}"
    if kind == "too_long":
        return f"contains more than {details['max_length']} entries; use fewer"
    if kind.startswith(("greater_than", "less_than")):
        limits = " and ".join(f"{BOUNDS[name]} {limit:g}" for name, limit in details.items())
        return f"is out of range; write a number {limits}"
    return MESSAGES.get(kind, "must be a mapping of keys to values")
