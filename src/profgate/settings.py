"""Raw text by setting name becomes one frozen `Settings`, or one error that names every mistake."""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast, get_args

from profgate.errors import SettingsError
from profgate.model.policy import FailOn, OnInconclusive, OnNotCompared

Mode = Literal["auto", "record", "compare", "leg", "merge", "tell"]
HistoryPlace = Literal["artifact", "branch", "off"]
OlderComments = Literal["edit", "minimize"]
CommentMode = Literal["always", "on-change", "never"]

KEY = re.compile(r"[a-z0-9._-]{1,60}")
FORBIDDEN_IN_ARTIFACT_NAMES = frozenset('":<>|*?\\/\r\n')
MOST_BASELINE_RUNS = 50
MOST_PAGES = 100

Value = TypeVar("Value")
Default = TypeVar("Default")


@dataclass(frozen=True, slots=True)
class SettingSpec:
    """One row of the table: what `action.yml` and the README say of a setting.

    ``may_tighten`` True: where the repository's policy file has the key too, this setting can make it stricter only.
    """

    name: str
    default: str
    meaning: str
    is_input: bool = True
    may_tighten: bool = False


SETTINGS = (
    SettingSpec("token", "${{ github.token }}", "Token for GitHub's API; it is never printed."),
    SettingSpec(
        "profiles", "profiles/**", "Globs of this build's profiles below the workspace, separated by commas or lines."
    ),
    SettingSpec(
        "baseline-profiles",
        "",
        "A folder or globs of baseline profiles that this job made itself; no stored baseline is looked for then.",
    ),
    SettingSpec(
        "interleaved",
        "false",
        "The runs of both sides were recorded in alternating order in one job; the total may then gate.",
    ),
    SettingSpec(
        "baseline-ref", "", "A commit, branch or tag to compare with; empty takes the fair commit of the event."
    ),
    SettingSpec("target-ref", "", "A commit, branch or tag whose stored profiles take the place of this build's."),
    SettingSpec("baseline-runs", "8", "How many trustworthy runs of the base branch to read for noise (0 to 50)."),
    SettingSpec("baseline-workflow", "", "Workflow file that records baselines; empty means this workflow."),
    SettingSpec("artifact", "", "Name of the baseline artifact; empty means profgate-<key>."),
    SettingSpec("key", "default", "Tells several uses in one repository apart: a-z, 0-9, dot, underscore and dash."),
    SettingSpec(
        "mode",
        "auto",
        "auto decides by the event; record only stores, compare only compares; leg compares one leg of a matrix and "
        "leaves comment and verdict to merge, which joins the legs of this run; tell judges and tells a finished "
        "report.",
    ),
    SettingSpec("report", "", "The report.json that mode tell tells, for example the one that profgate confirm wrote."),
    SettingSpec("legs", "*", "Keys of the legs that mode merge joins, as a glob."),
    SettingSpec(
        "legs-result",
        "",
        "How the legs' job ended, needed by mode merge: ${{ needs.JOB.result }}; what is not success is not passed.",
    ),
    SettingSpec(
        "history",
        "artifact",
        "Where base runs keep what was measured, for noise, trends and false alarms: artifact; branch, a single commit "
        "(base runs need contents: write); or off.",
    ),
    SettingSpec(
        "config", ".github/profgate.yml", "Configuration file; a pull request's is read at the baseline commit."
    ),
    SettingSpec("strategies", "", "Detection strategies to add to the configured ones, separated by commas."),
    SettingSpec(
        "fail-on", "", "What turns the job red: severe, degradation (the default), maybe or never.", may_tighten=True
    ),
    SettingSpec("fail-on-total", "", "The same for the total of a workload.", may_tighten=True),
    SettingSpec(
        "on-not-compared", "", "neutral (the default) or fail, when something could not be compared.", may_tighten=True
    ),
    SettingSpec(
        "on-inconclusive",
        "",
        "neutral (the default) or fail, when the runs are too few or too noisy.",
        may_tighten=True,
    ),
    SettingSpec("gate-without-history", "", "Deprecated, without effect: two runs or three base jobs are enough."),
    SettingSpec("comment", "on-change", "When to comment: always, on-change or never."),
    SettingSpec(
        "older-comments",
        "edit",
        "edit keeps one comment up to date; minimize writes a new one and folds the older ones away as outdated.",
    ),
    SettingSpec(
        "status", "false", "true also writes the commit status profgate/<key>; on workflow_run it is always written."
    ),
    SettingSpec(
        "check-run",
        "false",
        "true also writes the check run 'profgate lines (<key>)', with notes on the changed lines of slower functions.",
    ),
    SettingSpec(
        "pages", "10", "How many flame graph pages to upload, the worst workloads first (0 = none, at most 100)."
    ),
    SettingSpec("output-dir", "profgate-report", "Everything is written to this folder before anything is published."),
    SettingSpec(
        "ca-bundle",
        "",
        "File with certificates to trust beside the public ones, for a server or proxy of your own.",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run was told; fields are the names of `SETTINGS`. None = not given, the policy file decides."""

    token: str = field(default="", repr=False)
    profiles: tuple[str, ...] = ("profiles/**",)
    baseline_profiles: tuple[str, ...] = ()
    interleaved: bool = False
    baseline_ref: str = ""
    target_ref: str = ""
    baseline_runs: int = 8
    baseline_workflow: str = ""
    artifact: str = "profgate-default"
    key: str = "default"
    mode: Mode = "auto"
    report: str = ""
    legs: str = "*"
    legs_result: tuple[str, ...] = ()
    history: HistoryPlace = "artifact"
    config: str = ".github/profgate.yml"
    strategies: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    fail_on_total: FailOn | None = None
    on_not_compared: OnNotCompared | None = None
    on_inconclusive: OnInconclusive | None = None
    gate_without_history: bool | None = None
    comment: CommentMode = "on-change"
    older_comments: OlderComments = "edit"
    status: bool = False
    check_run: bool = False
    pages: int = 10
    output_dir: str = "profgate-report"
    ca_bundle: str = ""

    def gate_requests(self) -> dict[str, str | bool]:
        """What was given of the gate's policy, by the policy's field names."""
        asked = {
            "fail_on": self.fail_on,
            "fail_on_total": self.fail_on_total,
            "on_not_compared": self.on_not_compared,
            "on_inconclusive": self.on_inconclusive,
        }
        return {name: value for name, value in asked.items() if value is not None}


def input_variable(name: str) -> str:
    """The environment variable in which the runner hands an input over; hyphens stay."""
    return f"INPUT_{name.upper().replace(' ', '_')}"


def settings_from(raw: Mapping[str, str]) -> Settings:
    """Settings from text by kebab-case name; empty text means not given.

    Raises `SettingsError` with every mistake, one a line.
    """
    reading = _Reading({name: text.strip() for name, text in raw.items() if text.strip()})
    reading.refuse_unknown_names()
    key = reading.read("key", _key, "default")
    settings = Settings(
        token=reading.read("token", _one_line, ""),
        profiles=reading.read("profiles", _list, ("profiles/**",)),
        baseline_profiles=reading.read("baseline-profiles", _list, ()),
        interleaved=reading.read("interleaved", _boolean, False),
        baseline_ref=reading.read("baseline-ref", _one_line, ""),
        target_ref=reading.read("target-ref", _one_line, ""),
        baseline_runs=reading.read("baseline-runs", _number_to(MOST_BASELINE_RUNS), 8),
        baseline_workflow=reading.read("baseline-workflow", _workflow_file, ""),
        artifact=reading.read("artifact", _artifact_name, f"profgate-{key}"),
        key=key,
        mode=cast("Mode", reading.read("mode", _one_of(get_args(Mode)), "auto")),
        report=reading.read("report", _one_line, ""),
        legs=reading.read("legs", _one_line, "*"),
        legs_result=reading.read("legs-result", _list, ()),
        history=cast("HistoryPlace", reading.read("history", _one_of(get_args(HistoryPlace)), "artifact")),
        config=reading.read("config", _one_line, ".github/profgate.yml"),
        strategies=reading.read("strategies", _list, ()),
        fail_on=cast("FailOn | None", reading.read("fail-on", _one_of(get_args(FailOn)), None)),
        fail_on_total=cast("FailOn | None", reading.read("fail-on-total", _one_of(get_args(FailOn)), None)),
        on_not_compared=cast(
            "OnNotCompared | None", reading.read("on-not-compared", _one_of(get_args(OnNotCompared)), None)
        ),
        on_inconclusive=cast(
            "OnInconclusive | None", reading.read("on-inconclusive", _one_of(get_args(OnInconclusive)), None)
        ),
        gate_without_history=reading.read("gate-without-history", _boolean, None),
        comment=cast("CommentMode", reading.read("comment", _one_of(get_args(CommentMode)), "on-change")),
        older_comments=cast("OlderComments", reading.read("older-comments", _one_of(get_args(OlderComments)), "edit")),
        status=reading.read("status", _boolean, False),
        check_run=reading.read("check-run", _boolean, False),
        pages=reading.read("pages", _number_to(MOST_PAGES), 10),
        output_dir=reading.read("output-dir", _one_line, "profgate-report"),
        ca_bundle=reading.read("ca-bundle", _one_line, ""),
    )
    if settings.history == "branch" and (".." in key or key.endswith((".", ".lock"))):
        reading.mistakes.append(f"key: {key!r} cannot end the name of a branch, which history: branch makes of it")
    reading.refuse_mistakes()
    return settings


def markdown_table() -> str:
    """The settings as a Markdown table, for the README."""
    rows = ["| input | default | meaning |", "|:--|:--|:--|"]
    for spec in SETTINGS:
        default = f"`{spec.default}`" if spec.default else "-"
        tighten = " Can only make the repository's policy stricter." if spec.may_tighten else ""
        rows.append(f"| `{spec.name}` | {default} | {spec.meaning}{tighten} |")
    return "\n".join(rows) + "\n"


class _Reading:
    """Collects mistakes while fields are read, so that all of them are told at once."""

    def __init__(self, raw: Mapping[str, str]) -> None:
        self.raw = raw
        self.mistakes: list[str] = []

    def refuse_unknown_names(self) -> None:
        known = [spec.name for spec in SETTINGS]
        for name in sorted(set(self.raw) - set(known)):
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
            self.mistakes.append(f"{name}: no such setting; {hint}")

    def read(self, name: str, parse: Callable[[str], Value], default: Default) -> Value | Default:
        text = self.raw.get(name)
        if text is None:
            return default
        try:
            return parse(text)
        except ValueError as error:
            shown = "" if name == "token" else f"{text[:100]!r} "
            self.mistakes.append(f"{name}: {shown}{error}")
            return default

    def refuse_mistakes(self) -> None:
        if self.mistakes:
            raise SettingsError("\n".join(self.mistakes))


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("holds line breaks or control characters; give one line of text")
    return text


def _list(text: str) -> tuple[str, ...]:
    """Entries separated by commas or lines; a comma inside braces belongs to the entry."""
    entries = tuple(entry.strip() for entry in re.split(r",(?![^{}]*\})|[\r\n]+", text) if entry.strip())
    return tuple(_one_line(entry) for entry in entries)


def _key(text: str) -> str:
    if not KEY.fullmatch(text) or "--" in text:
        raise ValueError("may hold a-z, 0-9, '.', '_' and single '-' only, at most 60 characters")
    return text


def _artifact_name(text: str) -> str:
    _one_line(text)
    if FORBIDDEN_IN_ARTIFACT_NAMES & set(text) or len(text) > 200:
        raise ValueError('is no artifact name; leave out " : < > | * ? \\ / and keep it below 200 characters')
    return text


def _workflow_file(text: str) -> str:
    _one_line(text)
    if not text.endswith((".yml", ".yaml")):
        raise ValueError("names no workflow file; write for example profile.yml")
    return text


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"is unknown; write {', '.join(choices[:-1])} or {choices[-1]}")
        return text.lower()

    return parse


def _number_to(most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) > most:
            raise ValueError(f"is out of range; write a whole number from 0 to {most}")
        return int(text)

    return parse


def _boolean(text: str) -> bool:
    words = {"true": True, "false": False}
    if text.lower() not in words:
        raise ValueError("is neither true nor false")
    return words[text.lower()]
