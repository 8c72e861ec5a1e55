import json
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.io.files import MAX_FILES
from profgate.model.manifest import (
    MOST_BYTES,
    Manifest,
    ManifestFile,
    manifest_from_json,
    manifest_to_json,
    recording_facts,
)
from profgate.model.profile import Facts
from profgate.model.record import replace

FILE = ManifestFile("api/1.folded", "a" * 64, "folded", "", "py-spy", "0.4.1", 100.0, truncated=False)
MANIFEST = Manifest(
    "c" * 40,
    "refs/heads/main",
    "push",
    7,
    2,
    "profile",
    "Linux",
    "X64",
    "a cpu",
    "ubuntu24",
    profgate_version="0.1",
    files=(FILE,),
)


def test_manifest_of_the_most_files_can_be_read() -> None:
    size = len(manifest_to_json(replace(MANIFEST, files=(FILE,) * 100))) / 100
    assert MAX_FILES * 2 * size < MOST_BYTES  # with longer names


def test_round_trip() -> None:
    assert manifest_from_json(manifest_to_json(MANIFEST).encode()) == MANIFEST


def test_unknown_keys_are_skipped_missing_have_defaults() -> None:
    assert manifest_from_json(b'{"schema": "profgate.manifest/2", "colour": [1]}') == Manifest()


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "profgate.manifest/1"},
        {"commit": 3},
        {"commit": "x" * 1001},
        {"run_id": -1},
        {"run_id": True},
        {"run_id": 1.5},
        {"run_id": 2**64},
        {"files": {}},
        {"files": [3]},
        {"files": [{"path": "a"}]},
        {"files": [{"path": "a", "sha256": "A" * 64}]},
        {"files": [{"path": "a", "sha256": "a" * 64, "rate": "100"}]},
        {"files": [{"path": "a", "sha256": "a" * 64, "rate": float("nan")}]},
        {"files": [{"path": None, "sha256": "a" * 64}]},
        {"files": [{"path": "a", "sha256": "a" * 64, "truncated": 1}]},
    ],
)
def test_a_manifest_with_a_wrong_value_is_refused(change: dict[str, Any]) -> None:
    content = json.loads(manifest_to_json(MANIFEST)) | change
    with pytest.raises(ProfileError, match="record the baseline again"):
        manifest_from_json(json.dumps(content).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"\xff", b"[" * 100_000, b"1" * 5000, b"{", b'{"schema": 1}'])
def test_bytes_that_are_no_manifest_are_refused(data: bytes) -> None:
    with pytest.raises(ProfileError, match="record the baseline again"):
        manifest_from_json(data)


def test_facts_of_the_file_win_over_the_manifest() -> None:
    facts = MANIFEST.facts_of("api/1.folded", Facts(format="folded", profiler="perf"))
    assert (facts.profiler, facts.rate, facts.truncated, facts.job) == ("perf", 100.0, False, "7/2/profile")
    assert (facts.os, facts.architecture, facts.cpu_model) == ("Linux", "X64", "a cpu")


def test_an_unlisted_file_still_has_the_machine() -> None:
    facts = MANIFEST.facts_of("other", Facts())
    assert (facts.os, facts.profiler) == ("Linux", None)
    assert Manifest().facts_of("other", Facts()) == Facts()


def test_recording_file_states_facts_and_the_environment() -> None:
    data = b"c_library=glibc 2.39\ncompiler=cc (Debian) 14.2\n\nenv.PATH=20\nenv.HOME=5\n"
    facts = recording_facts(data)
    assert facts == {"c_library": "glibc 2.39", "compiler": "cc (Debian) 14.2", "environment": "53 bytes: HOME PATH"}
    stated = MANIFEST.recorded(facts).facts_of("other", Facts())
    assert (stated.c_library, stated.environment, stated.cpu_model) == ("glibc 2.39", "53 bytes: HOME PATH", "a cpu")


@pytest.mark.parametrize("line", ["what", "commit=1", "env.PATH=/bin", "env.A=12345678901", "compiler=" + "x" * 1001])
def test_bad_line_of_a_recording_file_is_an_error(line: str) -> None:
    with pytest.raises(ProfileError, match=r"profgate-recording.txt:2: expected one of cpu_model"):
        recording_facts(f"image=a\n{line}\n".encode())
