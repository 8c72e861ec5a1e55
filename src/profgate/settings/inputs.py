"""Model of the inputs of the action, from which `action.yml`, the reference and error messages are generated."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from profgate.errors import SettingsError, did_you_mean
from profgate.model.record import Record
from profgate.settings.mistakes import message

KEY = re.compile(r"[a-z0-9._-]{1,60}")
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


def _workflow_file(text: str) -> str:
    if text and not text.endswith((".yml", ".yaml")):
        raise ValueError("is not a workflow file, such as profile.yml")
    return text


Line = Annotated[str, AfterValidator(_one_line)]
Lines = Annotated[tuple[str, ...], BeforeValidator(_list)]


class Settings(BaseModel):
    """Inputs of one run."""

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
    interleaved: bool = Field(
        default=False,
        description="Whether the runs of both sides alternated in one job, so that the total can fail the gate.",
    )
    baseline_ref: Line = Field(
        "", description="Commit, branch or tag to compare with (default: the baseline commit of the event)."
    )
    target_ref: Line = Field(
        "", description="Commit, branch or tag whose stored profiles replace the profiles of this build."
    )
    baseline_workflow: Annotated[Line, AfterValidator(_workflow_file)] = Field(
        "", description="Workflow file that records baselines (default: this workflow)."
    )
    key: Annotated[str, AfterValidator(_key)] = Field(
        "default",
        description="Name that distinguishes several uses in one repository: a-z, 0-9, dot, underscore and dash. The "
        "baseline is the artifact profgate-<key>.",
    )
    mode: Literal["auto", "record", "compare", "shard", "merge", "report"] = Field(
        "auto",
        description="auto selects the mode by the event, record only stores, and compare only compares. shard compares "
        "one shard of a matrix, and merge joins the shards of this run for comment and verdict. report judges and "
        "publishes an existing report.json.",
    )
    report: Lines = Field(
        (),
        description="Path of the report.json to publish with `mode: report`. Further lines are paths or globs of the "
        "reports of `profgate confirm`, one for each machine.",
    )
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
    comment: Literal["always", "on-change", "never"] = Field(
        "on-change", description="When to comment: always, on-change or never."
    )
    status: bool = Field(
        default=False,
        description="Whether to write the commit status profgate/<key>, which is always written on workflow_run.",
    )
    output_dir: Line = Field(
        "profgate-report",
        description="Everything is written to this folder of the workspace before anything is published.",
    )
    ca_bundle: Line = Field("", description="File with additional trusted certificates, for a private server or proxy.")

    @property
    def artifact(self) -> str:
        """The name of the baseline artifact."""
        return f"profgate-{self.key}"


class SettingSpec(Record):
    """Description of an input for `action.yml` and the reference. ``default`` is the displayed default value."""

    name: str
    default: str
    meaning: str


def _specs() -> tuple[SettingSpec, ...]:
    found = []
    for name, field in Settings.model_fields.items():
        value = field.default
        text = ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
        default = "${{ github.token }}" if name == "token" else text.lower() if isinstance(value, bool) else text
        found.append(SettingSpec(str(field.alias), default, field.description or ""))
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
        return Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsError("\n".join(_mistake(dict(each)) for each in error.errors())) from None


def _mistake(error: dict[str, Any]) -> str:
    name, text = str(error["loc"][0]), error["input"]
    if error["type"] == "extra_forbidden":
        return f"{name}: no such input; {did_you_mean(name, [spec.name for spec in SETTINGS])}"
    what = message(error)
    return f"{name}: {what}" if name == "token" else f"{name}: {text[:100]!r} {what}"
