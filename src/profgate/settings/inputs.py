"""Model of the inputs of the action, from which `action.yml`, the reference and error messages are generated."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict

from profgate.errors import SettingsError, did_you_mean
from profgate.model.policy import FailOn, OnInconclusive, OnNotCompared
from profgate.settings.mistakes import message

KEY = re.compile(r"[a-z0-9._-]{1,60}")
FORBIDDEN_IN_ARTIFACT_NAMES = frozenset('":<>|*?\\/\r\n')
ENTRIES = re.compile(r"(?:\{[^{}\r\n]*\}|[^,\r\n])+")  # a comma inside braces does not separate entries


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be one line of text, without control characters")
    return text


def _list(text: str | tuple[str, ...]) -> tuple[str, ...]:
    entries = ENTRIES.findall(text) if isinstance(text, str) else text
    return tuple(_one_line(entry.strip()) for entry in entries if entry.strip())


def _key(text: str) -> str:
    if not KEY.fullmatch(text) or "--" in text:
        raise ValueError("may contain only a-z, 0-9, '.', '_' and single '-', at most 60 characters")
    return text


def _artifact_name(text: str) -> str:
    if FORBIDDEN_IN_ARTIFACT_NAMES & set(text) or len(text) > 200:
        raise ValueError('is not a valid artifact name; remove " : < > | * ? \\ / and keep it below 200 characters')
    return text


def _workflow_file(text: str) -> str:
    if text and not text.endswith((".yml", ".yaml")):
        raise ValueError("is not a workflow file, such as profile.yml")
    return text


def _boolean(value: str | bool | None) -> bool | None:
    if isinstance(value, str) and value.lower() not in {"true", "false"}:
        raise ValueError("is not a boolean; write true or false")
    return value.lower() == "true" if isinstance(value, str) else value


def _lower(value: Any) -> Any:  # noqa: ANN401 - any input; the type of the field validates it
    return value.lower() if isinstance(value, str) else value


Line = Annotated[str, AfterValidator(_one_line)]
Lines = Annotated[tuple[str, ...], BeforeValidator(_list)]
Flag = Annotated[bool, BeforeValidator(_boolean)]
Lower = BeforeValidator(_lower)
Mode = Literal["auto", "record", "compare", "shard", "merge", "report"]
TIGHTENS: JsonDict = {"tightens": True}  # marker for an input that can make the policy stricter but not looser


class Settings(BaseModel):
    """Inputs of one run. None means that an input is not given and the policy file applies."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, alias_generator=lambda name: name.replace("_", "-")
    )

    token: Line = Field("", repr=False, description="Token for the GitHub API; it is never printed.")
    profiles: Lines = Field(
        ("profiles/**",),
        description="Globs of the profiles of this build below the workspace, separated by commas or line breaks.",
    )
    baseline_profiles: Lines = Field(
        (),
        description="A folder or globs of baseline profiles that this job recorded itself, instead of a stored "
        "baseline; in a pull request, a policy must contain own-baseline: true.",
    )
    interleaved: Flag = Field(
        default=False,
        description="Whether the runs of both sides alternated in one job, so that the total can fail the gate.",
    )
    baseline_ref: Line = Field(
        "", description="Commit, branch or tag to compare with (default: the baseline commit of the event)."
    )
    measured: Annotated[Literal["auto", "merge", "head"], Lower] = Field(
        "auto",
        description="What the profiles of a pull request were recorded from: merge, the test merge; head, the pushed "
        "commit; auto reads the commit that is checked out in the workspace.",
    )
    target_ref: Line = Field(
        "", description="Commit, branch or tag whose stored profiles replace the profiles of this build."
    )
    baseline_runs: int = Field(
        8, ge=0, le=50, description="Number of trusted base runs to read, to estimate the noise (0 to 50)."
    )
    baseline_workflow: Annotated[Line, AfterValidator(_workflow_file)] = Field(
        "", description="Workflow file that records baselines (default: this workflow)."
    )
    artifact: Annotated[Line, AfterValidator(_artifact_name)] = Field(
        "", description="Name of the baseline artifact (default: profgate-<key>)."
    )
    key: Annotated[str, AfterValidator(_key)] = Field(
        "default",
        description="Name that distinguishes several uses in one repository: a-z, 0-9, dot, underscore and dash.",
    )
    mode: Annotated[Mode, Lower] = Field(
        "auto",
        description="auto selects the mode by the event, record only stores, and compare only compares. shard compares "
        "one shard of a matrix, and merge joins the shards of this run for comment and verdict. report judges and "
        "publishes an existing report.json.",
    )
    report: Line = Field(
        "", description="Path of the report.json to publish with `mode: report`, for example from `profgate confirm`."
    )
    shards: Line = Field("*", description="Glob of the keys of the shards that mode merge joins.")
    shards_result: Lines = Field(
        (),
        description="Result of the job with the shards (needs.JOB.result). Mode merge requires this input, and passes "
        "only if it is success.",
    )
    config: Line = Field(
        ".github/profgate.yml",
        description="Configuration file; a pull request's is read at the base commit, where the default file cannot be "
        "replaced.",
    )
    strategies: Lines = Field(
        (), description="Detection strategies to add to the configured strategies, separated by commas."
    )
    fail_on: Annotated[FailOn | None, Lower] = Field(
        None,
        json_schema_extra=TIGHTENS,
        description="Lowest severity that turns the job red: severe, degradation (the default), maybe or never.",
    )
    fail_on_total: Annotated[FailOn | None, Lower] = Field(
        None, json_schema_extra=TIGHTENS, description="Lowest severity of a workload's total that turns the job red."
    )
    on_not_compared: Annotated[OnNotCompared | None, Lower] = Field(
        None,
        json_schema_extra=TIGHTENS,
        description="What fails when something could not be compared: nothing (pass), a stored baseline that cannot be "
        "read (unreadable), or anything (fail). By default, fail in mode merge and for profiles of a fork, except on "
        "the first run; otherwise unreadable.",
    )
    on_inconclusive: Annotated[OnInconclusive | None, Lower] = Field(
        None,
        json_schema_extra=TIGHTENS,
        description="Result if there are too few runs or too much noise: neutral (the default) or fail.",
    )
    comment: Annotated[Literal["always", "on-change", "never"], Lower] = Field(
        "on-change", description="When to comment: always, on-change or never."
    )
    older_comments: Annotated[Literal["edit", "minimize"], Lower] = Field(
        "edit",
        description="edit updates a single comment; minimize writes a new comment and hides older comments as "
        "outdated.",
    )
    status: Flag = Field(
        default=False,
        description="Whether to write the commit status profgate/<key>, which is always written on workflow_run.",
    )
    check_run: Flag = Field(
        default=False,
        description="Whether to write the check run 'profgate lines (<key>)' with notes on changed lines of "
        "slower functions.",
    )
    pages: int = Field(
        10,
        ge=0,
        le=100,
        description="Maximum number of flame graph pages to upload, worst workloads first (0 to 100).",
    )
    output_dir: Line = Field(
        "profgate-report",
        description="Everything is written to this folder of the workspace before anything is published.",
    )
    ca_bundle: Line = Field("", description="File with additional trusted certificates, for a private server or proxy.")

    def gate_requests(self) -> dict[str, str | bool]:
        """Return the inputs that correspond to fields of `Policy`, by field name."""
        given = {spec.field: getattr(self, spec.field) for spec in SETTINGS if spec.may_tighten}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class SettingSpec:
    """Description of an input for `action.yml` and the reference. ``default`` is the displayed default value."""

    name: str
    field: str
    default: str
    meaning: str
    may_tighten: bool


def _specs() -> tuple[SettingSpec, ...]:
    found = []
    for name, field in Settings.model_fields.items():
        value = field.default
        text = ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
        default = "${{ github.token }}" if name == "token" else text.lower() if isinstance(value, bool) else text
        tightens = field.json_schema_extra is TIGHTENS
        found.append(SettingSpec(str(field.alias), name, default, field.description or "", tightens))
    return tuple(found)


SETTINGS = _specs()


def input_variable(name: str) -> str:
    """Return the environment variable in which the runner passes an input. Hyphens are not replaced."""
    return f"INPUT_{name.upper().replace(' ', '_')}"


def settings_from(raw: Mapping[str, str]) -> Settings:
    """Parse the settings. ``raw`` maps input names in kebab case to strings, of which empty ones are not given.

    Raises `SettingsError` with one line per mistake.
    """
    given = {name: text.strip() for name, text in raw.items() if text.strip()}
    try:
        settings = Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsError("\n".join(_mistake(dict(each)) for each in error.errors())) from None
    return settings if settings.artifact else settings.model_copy(update={"artifact": f"profgate-{settings.key}"})


def _mistake(error: dict[str, Any]) -> str:
    name, text = str(error["loc"][0]), error["input"]
    if error["type"] == "extra_forbidden":
        return f"{name}: no such input; {did_you_mean(name, [spec.name for spec in SETTINGS])}"
    what = message(error)
    return f"{name}: {what}" if name == "token" else f"{name}: {text[:100]!r} {what}"
