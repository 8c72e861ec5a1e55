"""Addresses of a report's uploaded pages; no part of the report, which is written before."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses by what they show; None or absent where nothing was uploaded.

    ``pages`` maps (workload name, metric name) to the page with the differential flame graph, ``index`` leads to all
    pages, ``report`` to the report for programs, ``run`` to the workflow run. ``fetch`` is the command that fetches
    pages which have no address, once the suggested step has uploaded them.
    """

    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    index: str | None = None
    report: str | None = None
    run: str | None = None
    fetch: str | None = None
