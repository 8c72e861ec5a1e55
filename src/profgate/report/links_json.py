"""Convert a report's links to links.json (`profgate.links/1`) and back, for merging shards."""

import json
from typing import Any

from profgate.errors import ProfgateError
from profgate.model.links import Links

LINKS_NAME = "links.json"
LINKS_SCHEMA = "profgate.links/1"


def links_to_json(links: Links) -> str:
    """Return the links as JSON, with the pages in the order in which they were uploaded."""
    pages = [{"workload": workload, "metric": metric, "url": url} for (workload, metric), url in links.pages.items()]
    document = {"schema": LINKS_SCHEMA, "pages": pages, "index": links.index, "report": links.report, "run": links.run}
    return json.dumps(document, indent=1) + "\n"


def links_from_json(text: str, where: str = LINKS_NAME) -> Links:
    """Parse links.json. Raises `ProfgateError` if the document is invalid."""
    try:
        document: Any = json.loads(text)
        return _links(document)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"does not have profgate's format ({type(error).__name__}: {error}); compare again"
        raise ProfgateError(where, what) from None


def _links(document: Any) -> Links:  # noqa: ANN401 - JSON
    if document["schema"] != LINKS_SCHEMA:
        raise ValueError(f"its schema is not {LINKS_SCHEMA}")
    pages = {(_text(page["workload"]), _text(page["metric"])): _text(page["url"]) for page in document["pages"]}
    index, report, run = (None if document[key] is None else _text(document[key]) for key in _SINGLE)
    return Links(pages=pages, index=index, report=report, run=run)


_SINGLE = ("index", "report", "run")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("expected text")
    return value
