"""Builds the image and runs it as the GitHub runner does, with root and four Debian packages instead of a daemon."""

import ast
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "e2e"
TOOLS = ("debootstrap", "buildah", "podman", "crun", "unshare")
SUITE = "trixie"  # its Python 3.13 stands for the official slim image, which no package index carries
BASE = f"localhost/python:{SUITE}"
IMAGE = "localhost/profgate:e2e"
CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
RUNNER_FOLDER = WORK / f"runner-{os.getpid()}"
RUNNER = (1001, 127)  # owner of the workspace on GitHub's machines; the container is root

# crun refuses cgroup trees of version 1; in a mount namespace of our own the tree can be another one.
PRIVATE = """
if [ "$(stat -fc %T /sys/fs/cgroup)" != cgroup2fs ]; then
  umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup
fi
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Step:
    """What the runner hands to one step of a job."""

    arguments: Sequence[str]
    workspace: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    event: str = "{}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the runner has after the step."""

    code: int
    stdout: str
    stderr: str
    output: str
    summary: str


def why_not() -> str:
    """What this machine lacks for containers; empty if nothing."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "containers are run without a daemon, which needs root on Linux"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"not installed: {', '.join(missing)}; run apt-get install -y debootstrap buildah podman crun"
    if _privately(["true"], check=False).returncode != 0:
        return "this machine allows no mount namespace with a cgroup tree of version 2"
    return ""


def build_image() -> None:
    """Build the image from this checkout, on a stand-in for its base; no work where nothing changed."""
    with _alone():
        _build_image()


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other test processes away from the image store meanwhile."""
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build_image() -> None:
    _make_base()
    stamp, now = WORK / "image.sha256", _context_digest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == now and _has_image(IMAGE):
        return
    settings = WORK / "pip.conf"
    settings.write_text(_pip_settings(), encoding="utf-8")
    bundle = os.environ.get("SSL_CERT_FILE", CA_BUNDLE)
    lend = ["-v", f"{bundle}:{CA_BUNDLE}:ro"] if Path(bundle).is_file() else []
    options = ["--isolation", "chroot", "--layers=false", "--pull-never", "--build-arg", f"PYTHON_IMAGE={BASE}"]
    options += ["--build-arg", f"BUILD_IMAGE={BASE}", "--build-arg", "KERNELS=optional"]  # the base has no compiler
    secret = ["--secret", f"id=pip_conf,src={settings}"]
    try:
        _privately(["buildah", *_store(), "bud", *options, *secret, *lend, "-t", IMAGE, str(ROOT)])
    finally:
        settings.unlink()
    stamp.write_text(now, encoding="ascii")


def run_step(step: Step) -> Outcome:
    """Run the image with the mounts, variables and owners that the runner gives to a container action."""
    runner = RUNNER_FOLDER
    shutil.rmtree(runner, ignore_errors=True)
    commands = runner / "_temp" / "_runner_file_commands"
    suffix = uuid.uuid4().hex
    for name in ("_github_home", "_github_workflow", "_runner_file_commands"):
        (runner / "_temp" / name).mkdir(parents=True)
    files = {"GITHUB_OUTPUT": f"set_output_{suffix}", "GITHUB_STEP_SUMMARY": f"step_summary_{suffix}"}
    for name in files.values():
        (commands / name).touch()
    (runner / "_temp" / "_github_workflow" / "event.json").write_text(step.event, encoding="utf-8")
    shutil.copytree(step.workspace, runner / "workspace", symlinks=True)
    for path in (runner, *runner.rglob("*")):
        os.chown(path, *RUNNER, follow_symlinks=False)
    environment = {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_PATH": "/github/workflow/event.json",
        "GITHUB_WORKSPACE": "/github/workspace",
        "HOME": "/github/home",
        **{name: f"/github/file_commands/{file}" for name, file in files.items()},
        **step.environment,
    }
    mounts = {
        runner / "_temp" / "_github_home": "/github/home",
        runner / "_temp" / "_github_workflow": "/github/workflow",
        commands: "/github/file_commands",
        runner / "workspace": "/github/workspace",
    }
    with _alone():
        done = _privately(_podman_run(environment, mounts, step.arguments), check=False)
    return Outcome(
        code=done.returncode,
        stdout=done.stdout,
        stderr=done.stderr,
        output=(commands / files["GITHUB_OUTPUT"]).read_text(encoding="utf-8"),
        summary=(commands / files["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8"),
    )


def workspace_after() -> Path:
    """Where the workspace of the last step lies."""
    return RUNNER_FOLDER / "workspace"


def _podman_run(environment: Mapping[str, str], mounts: Mapping[Path, str], arguments: Sequence[str]) -> list[str]:
    """The command; its limits are not above ours, for only a privileged process may raise them."""
    limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
    without_daemon = ["--cgroups=disabled", "--network=host", "--http-proxy=false", *limits]
    variables = [part for name, value in environment.items() for part in ("-e", f"{name}={value}")]
    volumes = [part for ours, theirs in mounts.items() for part in ("-v", f"{ours}:{theirs}")]
    engine = ["podman", *_store(), "--cgroup-manager=cgroupfs"]
    return [
        *engine,
        "run",
        "--rm",
        *without_daemon,
        "--workdir",
        "/github/workspace",
        *variables,
        *volumes,
        IMAGE,
        *arguments,
    ]


def _make_base() -> None:
    """A small Debian with Python as the base image; the archive is kept, for making it takes a minute."""
    archive, tree = WORK / f"base-{SUITE}.tar", WORK / "base"
    if not archive.exists():
        shutil.rmtree(tree, ignore_errors=True)
        packages = "python3,python3-pip,python3-venv,ca-certificates"
        mirror = [os.environ["DEBIAN_MIRROR"]] if "DEBIAN_MIRROR" in os.environ else []
        _privately(["debootstrap", "--variant=minbase", f"--include={packages}", SUITE, str(tree), *mirror])
        _like_the_official_image(tree)
        part = archive.with_suffix(".part")
        leave_out = [f"--exclude=./{name}/*" for name in ("dev", "proc", "sys")]
        _privately(["tar", "-C", str(tree), "-cf", str(part), *leave_out, "."])
        part.rename(archive)
        shutil.rmtree(tree)
    if not _has_image(BASE):
        path = "ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
        _privately(["podman", *_store(), "import", "--quiet", "--change", path, str(archive), BASE])


def _like_the_official_image(tree: Path) -> None:
    """The program is called python, pip may install, and no cache takes room."""
    for marker in tree.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        marker.unlink()
    for name in ("python", "python3"):
        (tree / "usr/local/bin" / name).symlink_to("/usr/bin/python3")
    for folder in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale", "usr/share/man"):
        shutil.rmtree(tree / folder, ignore_errors=True)
    (tree / "etc/resolv.conf").write_text("", encoding="ascii")


def _has_image(name: str) -> bool:
    return _privately(["podman", *_store(), "image", "exists", name], check=False).returncode == 0


def _store() -> list[str]:
    """An image store of our own, so that no other is touched and all goes away with its folder."""
    driver = os.environ.get("STORAGE_DRIVER", "overlay")
    return ["--storage-driver", driver, "--root", str(WORK / "store"), "--runroot", str(WORK / "run")]


def _context_digest() -> str:
    """Changes when a file changes that goes into the image."""
    digest = hashlib.sha256()
    names = ("Dockerfile", ".dockerignore", "LICENSE", "README.md", "pyproject.toml", "requirements.lock")
    folders = [path for folder in ("native", "src", "templates") for path in (ROOT / folder).rglob("*")]
    for path in sorted([ROOT / "requirements-bootstrap.lock", *(ROOT / name for name in names), *folders]):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _pip_settings() -> str:
    """The host's package index as a pip.conf; addresses of local folders mean nothing inside."""
    configured = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    lines = ["[global]"]
    for line in configured.stdout.splitlines():
        key, _, quoted = line.partition("=")
        name, value = key.rsplit(".", 1)[-1], str(ast.literal_eval(quoted))
        if name in {"index-url", "extra-index-url", "trusted-host", "proxy"} and "file:" not in value:
            lines.append(f"{name} = {value}")
    return "\n".join(lines) + "\n"


def _privately(command: Sequence[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run in a mount namespace of its own, so that no mount of ours is seen, or left behind, outside."""
    private = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", PRIVATE, "sh"]
    done = subprocess.run(
        [*private, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    if check and done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        message = f"{command[0]} ended with {done.returncode}:\n{last}"
        raise RuntimeError(message)
    return done


@contextmanager
def api_service() -> Iterator[str]:
    """Serve podman's Docker-compatible API on the image store; yields the address for ``DOCKER_HOST``."""
    socket = WORK / f"podman-{os.getpid()}.sock"
    settings = WORK / "containers.conf"
    limits = 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]'
    settings.write_text(
        f'[containers]\ncgroups = "disabled"\nnetns = "host"\nutsns = "host"\n{limits}\n', encoding="ascii"
    )
    engine = ["podman", *_store(), "--cgroup-manager=cgroupfs", "system", "service", "--time=0", f"unix://{socket}"]
    private = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", PRIVATE, "sh"]
    with _alone():
        service = subprocess.Popen(
            [*private, *engine],
            env={**os.environ, "CONTAINERS_CONF": str(settings)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(100):
                if socket.exists():
                    break
                time.sleep(0.1)
            yield f"unix://{socket}"
        finally:
            service.terminate()
            service.wait(30)
            socket.unlink(missing_ok=True)
