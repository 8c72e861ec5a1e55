"""Arrays of ``{"name", "unit", "value"}``, as github-action-benchmark's custom tools write them."""

import re
from typing import get_args

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Better
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, listing, mapping, wrong
from profgate.readers.results import Results, quantity_of, text

_FIRST = re.compile(rb"\A\s*\[\s*\{([^{}\[\]]{1,20000})\}")
_KEYS = (b'"name"', b'"unit"', b'"value"')
_WORDS: dict[str, Better] = {word: word for word in get_args(Better)}


class CustomResultsReader:
    """Reads JSON arrays of `{"name", "unit", "value"}`, with `"better": "higher"` where the unit does not say so."""

    name = "custom-results"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        first = _FIRST.match(source.head)
        if first is not None and all(key in first[1] for key in _KEYS):
            return "it is a JSON array of objects with a name, a unit and a value"
        return None

    def read(self, source: SourceFile) -> Profile:
        """A run for each entry; those of one name are runs of one benchmark. Raises ProfileError."""
        where = source.name
        results = Results(where)
        for number, entry in enumerate(listing(decode(read_all(unwrap(source)), where), where, "the document")):
            place = f"{where}: entry {number}"
            _add(results, mapping(entry, place, "it"), place)
        return results.profile(Facts(format=self.name))


def _add(results: Results, record: Json, where: str) -> None:
    better = record.get("better")
    if better is not None and str(better) not in _WORDS:
        raise wrong(where, f"'better' is {str(better)[:40]!r}, which is neither lower nor higher")
    quantity = quantity_of(text(record, "unit") or "", better=None if better is None else _WORDS[str(better)])
    results.add(record.get("name"), quantity, [record.get("value")])
