"""What a stored set of profiles says about itself: where it was made, on which machine, and what each file is."""

import json
import re
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from profgate.errors import ProfileError
from profgate.model.profile import Facts

MANIFEST_NAME = "profgate-manifest.json"
SCHEMA = "profgate.manifest/1"
MOST_BYTES = 16 << 20
MOST_TEXT = 1000


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """One stored profile; ``path`` is relative to the manifest, None = not known."""

    path: str
    sha256: str
    format: str = ""
    configuration: str = ""
    profiler: str | None = None
    profiler_version: str | None = None
    rate: float | None = None
    truncated: bool | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A stored set; empty text = not known."""

    commit: str = ""
    ref: str = ""
    event: str = ""
    run_id: int = 0
    attempt: int = 0
    job: str = ""
    os: str = ""
    architecture: str = ""
    cpu_model: str = ""
    runner_image: str = ""
    profgate_version: str = ""
    files: tuple[ManifestFile, ...] = ()

    def facts_of(self, path: str, facts: Facts) -> Facts:
        """The facts of a file, completed by what the manifest knows; what the file itself says stays."""
        entry = next((file for file in self.files if file.path == path), None)
        job = f"{self.run_id}/{self.attempt}/{self.job}" if self.run_id else None
        known: dict[str, Any] = {
            "os": self.os or None,
            "architecture": self.architecture or None,
            "cpu_model": self.cpu_model or None,
            "job": job,
        }
        if entry is not None:
            known |= {
                "profiler": entry.profiler,
                "profiler_version": entry.profiler_version,
                "rate": entry.rate,
                "truncated": entry.truncated,
            }
        return replace(facts, **{name: value for name, value in known.items() if getattr(facts, name) is None})


def manifest_to_json(manifest: Manifest) -> str:
    """The manifest as JSON text, `profgate.manifest/1`."""
    return json.dumps({"schema": SCHEMA, **asdict(manifest)}, indent=1, allow_nan=False) + "\n"


def manifest_from_json(data: bytes) -> Manifest:
    """The manifest of these bytes, which may come from anybody.

    Raises `ProfileError` for every byte sequence that is no manifest of a known version. Keys of later versions are
    skipped.
    """
    if len(data) > MOST_BYTES:
        raise ProfileError(MANIFEST_NAME, f"is larger than {MOST_BYTES:,} bytes; record the baseline again")
    try:
        return _manifest(json.loads(data))
    except (ValueError, TypeError, RecursionError) as error:
        raise ProfileError(
            MANIFEST_NAME, f"is not as profgate writes it ({error}); record the baseline again"
        ) from None


_NAMES = frozenset(field.name for field in fields(Manifest))
_FILE_NAMES = frozenset(field.name for field in fields(ManifestFile))


def _manifest(content: object) -> Manifest:
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ValueError(f"its schema is not {SCHEMA}")
    values = {name: value for name, value in content.items() if name in _NAMES and name != "files"}
    files = content.get("files", [])
    if not isinstance(files, list):
        raise TypeError("files is no list")
    return Manifest(**_checked(Manifest, values), files=tuple(_file(entry) for entry in files))


def _file(entry: object) -> ManifestFile:
    if not isinstance(entry, dict) or "path" not in entry or "sha256" not in entry:
        raise ValueError("a file has no path or no sha256")
    file = ManifestFile(**_checked(ManifestFile, {name: entry[name] for name in entry if name in _FILE_NAMES}))
    if not re.fullmatch(r"[0-9a-f]{64}", file.sha256):
        raise ValueError("a sha256 is no hexadecimal digest")
    return file


def _checked(kind: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values, after each was found to have the type of its field."""
    for field in fields(kind):
        value = values.get(field.name, field.default)
        if field.name in values and not _fits(value, str(field.type)):
            raise TypeError(f"{field.name} is no {field.type}")
    return values


def _fits(value: object, annotation: str) -> bool:
    if value is None:
        return "None" in annotation
    if "bool" in annotation or isinstance(value, bool):
        return isinstance(value, bool) and "bool" in annotation
    if "float" in annotation:
        return isinstance(value, int | float) and 0.0 <= value < 1e15  # also refuses NaN
    if "int" in annotation:
        return isinstance(value, int) and 0 <= value < 2**63
    return isinstance(value, str) and len(value) <= MOST_TEXT
