"""What a command of the user is told: each value as a variable of its environment and as a word in braces.

``{out}`` stands for what the variable PROFGATE_OUT holds, and so on with every name.
"""

import re
from collections.abc import Mapping, Sequence

PREFIX = "PROFGATE_"


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """The variables of the environment, by their full names."""
    return {f"{PREFIX}{name.upper()}": value for name, value in values.items()}


def filled(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words with every ``{name}`` replaced by its value; other braces stay, and no value is looked into."""
    pattern = re.compile("|".join(re.escape(f"{{{name}}}") for name in values))
    return [pattern.sub(lambda found: values[found[0][1:-1]], word) for word in words]
