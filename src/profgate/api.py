"""The Python interface for reading profiles, comparing two sides and using the report.

    from profgate.api import compare, flamegraph, read

    report = compare("baseline/", "target/", policy=".github/profgate.yml")
    print(report.verdict, report.text())
    Path("difference.html").write_text(flamegraph(report))

Every function raises `profgate.errors.ProfgateError` with a message for users. The names in ``__all__`` are stable:
they change only with a major version.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from profgate import pipeline
from profgate.errors import ProfgateError, SettingsError
from profgate.io.files import exists, read_text, write_bytes
from profgate.loading import load_diff, load_policy, profiles_at, readable_profiles
from profgate.model import report as data
from profgate.model.links import Links
from profgate.model.policy import Policy, with_strategies
from profgate.model.profile import Profile
from profgate.model.record import Record, replace
from profgate.model.report import Document
from profgate.overlaying import in_processes
from profgate.pipeline import PipelineInput, two_sides
from profgate.report.json_report import (
    LARGEST_REPORT,
    LINKS_NAME,
    REPORT_NAME,
    from_json,
    json_bytes,
    links_from_json,
    links_to_json,
)
from profgate.report.receipt import RECEIPT_NAME, receipt_json
from profgate.report.terminal_report import terminal_lines
from profgate.report.view import View

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from profgate.flamegraph.pages import PageDocument

__all__ = ["Finding", "Policy", "Profile", "Report", "compare", "flamegraph", "load_policy", "read"]


class Finding(Record):
    """A judged change in one function or in the total of a workload.

    ``before`` and ``after`` are in ``unit``, and ``relative`` is a fraction (0.5 means an increase of 50 %). An unknown
    value is None. ``severity`` is severe, degraded, maybe or none. ``colour`` is red, yellow, neutral or green; only a
    red finding fails the gate.
    """

    workload: str
    metric: str
    unit: str
    function: str
    file: str | None
    severity: str
    colour: str
    before: float | None
    after: float | None
    relative: float | None


class Report(Record, eq=False, dict=True):
    """The judged result of a comparison. ``data`` is the content of ``report.json``."""

    data: data.Report
    pages: "tuple[PageDocument, ...]" = ()
    links: Links | None = None
    key: str = "default"

    @classmethod
    def load(cls, path: str) -> "Report":
        """Read a ``report.json`` file. If the same folder contains a ``links.json`` file, also read its links."""
        beside = os.path.join(os.path.dirname(path), LINKS_NAME)  # noqa: PTH118, PTH120 - the path is kept as it was written
        links = links_from_json(read_text(beside, LARGEST_REPORT), beside) if exists(beside) else Links()
        return cls(from_json(read_text(path, LARGEST_REPORT), path), links=links)

    @cached_property
    def view(self) -> View:
        """What all outputs show, built once."""
        return View(self.data)

    @property
    def verdict(self) -> str:
        """Conclusion of the report: pass, warn, fail, inconclusive or not_compared."""
        return self.data.verdict.conclusion

    @property
    def exit_code(self) -> int:
        """Exit code of ``profgate compare``.

        0 means that the gate passed or is only advisory, 1 that it failed, and 3 that something was not compared.
        """
        return self.data.verdict.exit_code

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All judged changes."""
        return tuple(
            Finding(
                workload.name,
                metric.name,
                metric.unit,
                finding.location.name,
                finding.location.file,
                finding.severity,
                finding.colour,
                finding.from_value,
                finding.to_value,
                finding.relative,
            )
            for workload in self.data.workloads
            for metric in workload.metrics
            for finding in metric.findings
        )

    def lines(self, *, verbose: bool = False, width: int = 100) -> list[tuple[str, str]]:
        """Return the report for a terminal, as pairs of style and text. ``verbose`` adds the rows without a change."""
        return list(terminal_lines(self.view, verbose=verbose, width=width))

    def text(self, *, verbose: bool = False, width: int = 100) -> str:
        """Return the report for a terminal, without colours."""
        return "".join(f"{line}\n" for _, line in self.lines(verbose=verbose, width=width))

    def json(self) -> str:
        """Return the report as JSON (``docs/report.schema.json``)."""
        return json_bytes(self.data, in_processes).decode()

    def markdown(self) -> str:
        """Return the pull request comment as Markdown."""
        names = {(page.workload, page.metric): page.document.name for page in self.pages}
        return self._comment(Links(pages=names, index="index.html" if names else None)).text

    def write(self, folder: str, warn: Callable[[ProfgateError], None] | None = None) -> None:
        """Write ``report.json``, ``comment.md``, ``explain.md``, the flame graphs, an index, and any links.

        The links are written to ``links.json``. If ``warn`` is given, only ``report.json`` is required. Any error in
        writing another file is then passed to ``warn``, and the comment links only to the files that were written.
        """

        def write_files(files: Mapping[str, bytes]) -> Collection[str]:
            failed = []
            for name, content in files.items():
                try:
                    write_bytes(os.path.join(folder, name), content)  # noqa: PTH118 - the path is kept as it was written
                except ProfgateError as error:
                    if warn is None or name == REPORT_NAME:
                        raise
                    warn(error)
                    failed.append(name)
            return failed

        beside = write_report(self.view, self.pages, write_files)
        comment = self._comment(beside)
        write_files({comment.name: comment.text.encode()})
        if self.links is not None:
            write_files({LINKS_NAME: links_to_json(self.links).encode()})

    def _comment(self, beside: Links) -> Document:
        """Render the comment; if the report has no links, the comment links to the files beside it."""
        from profgate.report.comment import render_comment  # loads the templates

        return render_comment(self.view, key=self.key, links=self.links or beside)


def write_report(
    view: View,
    pages: "Sequence[PageDocument]",
    write_files: Callable[[Mapping[str, bytes]], Collection[str]],
) -> Links:
    """Write ``report.json``, ``explain.md``, the flame graphs and an index, and return links to the written pages.

    ``write_files`` writes files by name and returns the names of those that cannot be written. The index links only to
    pages that were written.
    """
    from profgate.flamegraph.pages import build_index  # slow; only needed for files
    from profgate.report.explanation import EXPLANATION_NAME, explanation

    files = {EXPLANATION_NAME: explanation(view)}
    files |= {one.name: one.text for page in pages for one in (page.document, page.stacks) if one is not None}
    if view.report.claims:
        files[RECEIPT_NAME] = receipt_json(view.report)
    failed = write_files(
        {REPORT_NAME: json_bytes(view.report, in_processes), **{name: text.encode() for name, text in files.items()}}
    )
    names = {(page.workload, page.metric): page.document.name for page in pages if page.document.name not in failed}
    if not view.report.metrics:
        return Links(pages=names)
    index = build_index(view, names)
    failed = write_files({"index.html": index.encode()})
    return Links(pages=names, index=None if failed else "index.html")


def read(path: str) -> list[Profile]:
    """Read the profiles of a file, folder or glob pattern, sorted by name.

    Raises ProfgateError if there are no profiles at the path or a file cannot be read.
    """
    return readable_profiles(profiles_at(path)[0])


def compare(
    baseline: str,
    target: str,
    *,
    policy: Policy | str | None = None,
    strategies: Sequence[str] | None = None,
    diff: str | None = None,
    interleaved: bool = False,
    pages: int = 10,
    executor: "Executor | str | None" = None,
) -> Report:
    """Compare and judge two files or folders of profiles.

    Args:
        baseline: Path of the profiles before the change.
        target: Path of the profiles after the change.
        policy: A policy, or the path of a configuration file. If None, the built-in policy is used.
        strategies: Names of the strategies to use, at least one. If None, the strategies of the policy are used.
        diff: Path of a unified diff of the sources, which is used to attribute changes to edited functions.
        interleaved: Whether the runs of both sides were recorded in alternating order.
        pages: Number of flame graphs to draw, 0 or more, starting with the workload that has the worst change.
        executor: Runs parts of the work in other processes or on other machines, which does not change the report. The
            same version of profgate must be installed there. A name such as ``dask://HOST:PORT`` has the same meaning
            as on the command line.
    """
    if pages < 0:
        raise SettingsError("pages", f"{pages} is negative; use 0 for no flame graphs")
    if strategies is not None and not strategies:
        raise SettingsError("strategies", "is empty; name a strategy, or use None for those of the policy")
    policy = load_policy(policy) if policy is None or isinstance(policy, str) else policy
    given = two_sides(baseline, target, with_strategies(policy, strategies or ()))
    given = replace(given, diff=None if diff is None else load_diff(diff), interleaved=interleaved, pages=pages)
    return compare_input(given, executor)


def compare_input(given: PipelineInput, executor: "Executor | str | None" = None) -> Report:
    """Compare both sides of an input and judge the result. ``executor`` runs parts of the work."""
    if isinstance(executor, str):
        from profgate.io.executors import executor_named  # a slow import

        with executor_named(executor) as started:
            return compare_input(given, started)
    built = pipeline.compare(given, executor)
    return Report(built.report, built.pages)


def flamegraph(report: Report, *, workload: str | None = None, metric: str | None = None) -> str:
    """Return an interactive differential flame graph as an HTML page.

    By default, the page shows the workload and metric with the worst change. Raises ProfgateError if the report
    contains no page for this workload and metric.
    """
    for page in report.pages:
        if workload in (None, page.workload) and metric in (None, page.metric):
            return page.document.text
    if not report.pages:
        raise ProfgateError("flame graph", "the report has no pages; use a report of compare() with pages > 0")
    known = ", ".join(f"{page.workload}/{page.metric}" for page in report.pages)
    raise ProfgateError("flame graph", f"not in the report; choose a workload and metric from: {known}")
