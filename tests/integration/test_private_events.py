"""No artifact contains the environment or the arguments of a recorded program."""

import gzip
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from action_stage import SHARES, Stage
from profgate.__main__ import main
from profgate.errors import ProfileError
from profgate.history.history_store import open_history
from profgate.measuring.init.recipes import RECIPES, Recipe
from profgate.model.source import source_of
from profgate.private_events import without_private_events
from profgate.readers.registry import READERS, read_profile
from two_commits import TwoCommits

SECRET = "planted-4711"
FRAMES = [{"method": {"type": {"name": "shop/Cart"}, "name": "total"}, "lineNumber": 3, "type": "Interpreted"}]
STACK = {"truncated": False, "frames": FRAMES}
SAMPLE = {"state": "STATE_RUNNABLE", "sampledThread": {"javaName": "main"}, "stackTrace": STACK}
JVM = {"jvmVersion": "OpenJDK 64-Bit Server VM (17.0.15+6)", "jvmArguments": f"-D{SECRET}", "javaArguments": SECRET}
EVENTS = [
    {"type": "jdk.ExecutionSample", "values": SAMPLE},
    {"type": "jdk.InitialEnvironmentVariable", "values": {"key": "TOKEN", "value": SECRET}},
    {"type": "jdk.SystemProcess", "values": {"pid": "1", "commandLine": f"other {SECRET}"}},
    {"type": "jdk.NewInThisRelease", "values": {"text": SECRET}},
    {"type": "jdk.JVMInformation", "values": JVM},
]
RECORDING = json.dumps({"recording": {"events": EVENTS}}).encode()
JAVA = """class Burn {
  public static void main(String[] a) {
    long x = 0; for (long i = 0; i < 900000000L; i++) x ^= i * i; System.out.println(x);
  }
}"""
GO = """package a
import "testing"
func BenchmarkA(b *testing.B) { x := 0; for i := 0; i < b.N; i++ { x ^= i }; _ = x }
"""
SHELL = ("burn.sh", "for i in $(seq 200000); do :; done", f"sh burn.sh {SECRET}")
BURN = {
    "Java": ("Burn.java", JAVA, f"java -Dkey={SECRET} Burn.java {SECRET}"),
    "Node": ("burn.js", "let x = 0; for (let i = 0; i < 3e8; i++) x ^= i; console.log(x)", f"node burn.js {SECRET}"),
    "Python": ("burn.py", "print(sum(range(30_000_000)))", f"python burn.py {SECRET}"),
    "Go": ("a_test.go", GO, "go test -run '^$' -bench . -benchtime 300000000x ."),
    "Rust": SHELL,
    "native code": SHELL,
}
TOOLS = {"Java": "jfr", "Node": "node", "Python": "py-spy", "Go": "go", "Rust": "perf", "native code": "perf"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_events_that_are_no_samples_are_removed(pack: type[bytes]) -> None:
    source = source_of("a.jfr.json.gz", pack(RECORDING))
    found = without_private_events(source)
    assert SECRET.encode() not in gzip.decompress(found.read(1 << 20))
    before, after = read_profile(source), read_profile(found)
    assert (after.frames, after.facts) == (before.frames, before.facts)


def test_other_profiles_stay_as_they_are() -> None:
    source = source_of("a.folded", b"main;total 5\n")
    assert without_private_events(source) is source


@pytest.mark.parametrize("head", [b"FLR\0\0\2", b"\x04\x22\x4d\x18aaamemray"])
def test_recording_without_its_tool_is_refused(monkeypatch: pytest.MonkeyPatch, head: bytes) -> None:
    monkeypatch.setattr("profgate.io.converters._run", lambda *_: None)
    with pytest.raises(ProfileError):
        without_private_events(source_of("a", head + SECRET.encode()))


def test_damaged_recording_is_refused() -> None:
    with pytest.raises(ProfileError):
        without_private_events(source_of("a.json", b'{"recording": {"events": 1}}'))


def test_history_contains_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = TwoCommits(tmp_path / "repository", SHARES, SHARES)
    (repository.place / "run-1.jfr.json").write_bytes(RECORDING)
    monkeypatch.chdir(repository.place)
    assert main(["store", "add", "run-1.jfr.json"]) == 0
    with open_history(".profgate") as store:
        (stored,) = store.readings(profiles=True)
    assert SECRET.encode() not in unpacked(stored.profile or b"")


def test_documentation_names_every_format() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "security.md").read_text()
    table = text.partition("## What recordings contain")[2].partition("\n## ")[0]
    assert {reader.name for reader in READERS if reader.name != "jfr" and f"`{reader.name}`" not in table} == set()


def test_stored_profiles_contain_no_environment(stage: Stage) -> None:
    stage.push({"api/run-1.jfr.json": RECORDING})
    stored = stage.fake.state.artifacts.values()
    assert stored
    for artifact in stored:
        assert contents_of(artifact.data)
        assert not any(SECRET.encode() in content for content in contents_of(artifact.data))
    output = [path for path in stage.workspace.rglob("*") if path.is_file() and "profiles" not in path.parts]
    assert output
    assert not any(SECRET.encode() in unpacked(path.read_bytes()) for path in output)


def unpacked(data: bytes) -> bytes:
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def contents_of(archive: bytes) -> list[bytes]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return [unpacked(opened.read(name)) for name in opened.namelist()]


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.language)
def test_recipe_stores_no_environment(tmp_path: Path, recipe: Recipe) -> None:
    name, program, command = BURN[recipe.language]
    (tmp_path / name).write_text(program)
    (tmp_path / "go.mod").write_text("module a\n")
    tool = TOOLS[recipe.language]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    environment = {**os.environ, "TOKEN": SECRET, "PROFGATE_OUT": str(tmp_path / "out"), "PROFGATE_RUN": "1"}
    script = "\n".join(recipe.record(command, recipe.rate, "$PROFGATE_OUT/main"))
    done = subprocess.run(["sh", "-ec", script], cwd=tmp_path, env=environment, capture_output=True, check=False)
    stored = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    if tool in {"perf", "py-spy"} and done.returncode and not stored:
        pytest.skip(f"{tool} cannot record here: {done.stderr[-200:]!r}")
    assert stored, done.stderr
    for path in stored:
        assert SECRET.encode() not in unpacked(path.read_bytes()), shlex.quote(path.name)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("jfr") is None, reason="no JDK is installed")
def test_flight_recording_is_stored_without_environment(tmp_path: Path) -> None:
    name, program, command = BURN["Java"]
    (tmp_path / name).write_text(program)
    words = shlex.split(command)
    words.insert(1, "-XX:StartFlightRecording=settings=profile,filename=a.jfr")
    subprocess.run(words, cwd=tmp_path, env={**os.environ, "TOKEN": SECRET}, capture_output=True, check=True)
    recording = (tmp_path / "a.jfr").read_bytes()
    assert SECRET.encode() in recording
    found = without_private_events(source_of("a.jfr", recording))
    assert SECRET.encode() not in gzip.decompress(found.read(1 << 28))
    assert read_profile(found).frames.names
