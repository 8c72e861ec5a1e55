"""Executors do not change the report, and their failures are errors with a reason."""

import contextlib
import gzip
import json
import os
import pickle
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from dask_cluster import Cable, Cluster
from executor_tasks import not_data, square
from profgate import api, wiring
from profgate.errors import ProfgateError
from profgate.io import executors
from profgate.io.executors import InThisProcess, TaskRunner, executor_named
from profgate.io.files import dereferenced, referenced, sources_under
from slow_cases import quick_first

# after a cut, Dask leaves sockets to the garbage collector
pytestmark = pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
DATA = Path(__file__).parents[1] / "data"
WORKLOADS = 20
RESULTS = '{{"machine_info": {{}}, "benchmarks": [{{"fullname": "a::fib", "stats": {{"mean": {}}}}}], "version": "5"}}'


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Many workloads, one of them slower, files that are paired by content, alone, damaged or larger than a head."""
    folder = tmp_path_factory.mktemp("sides")
    for side in ("baseline", "target"):
        files = {
            f"w{number:03}/{run}.folded": f"main;f{number} {30 + run}\n"
            for number in range(WORKLOADS)
            for run in range(3)
        }
        files |= {f"results/{run}.json": RESULTS.format(0.01 + run / 1000) for run in range(3)}
        files |= {"damaged/1.folded": "no profile", f"only-{side}/1.folded": "main;parse;read 5\n"}
        files |= {"deep/1.json": "[" * 100_000, "controls/1.folded": "a\x1b[2J\x00;b 3\n", "huge/1.folded": "a 1e400\n"}
        files["large.folded"] = "".join(f"main;function_{number} {number + 1}\n" for number in range(4000))
        if side == "target":
            files |= {f"w000/{run}.folded": f"main;f0 {90 + run}\n" for run in range(3)}
        for name, text in files.items():
            file = folder / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="ascii")
        (folder / side / "bomb.folded.gz").write_bytes(gzip.compress(b"a 1\n" * (17 << 20)))
        for name in ("junit", "perun", "pprof", "pstats"):  # with all kinds of attachments
            shutil.copytree(DATA / name, folder / side / name)
    return str(folder / "baseline"), str(folder / "target")


@pytest.fixture(scope="module")
def whole(sides: tuple[str, str]) -> str:
    return api.compare(*sides).json()


def report_by(name: str, sides: tuple[str, str]) -> str:
    return api.compare(*sides, executor=name).json()


def test_hostile_profiles_are_entries_of_the_report(whole: str) -> None:
    report = json.loads(whole)
    entries = {entry["name"]: entry["reason"]["text"] for entry in report["not_compared"]}
    assert {"bomb", "controls", "damaged", "deep", "huge"} <= set(entries)
    assert "the decompressed profile exceeds" in entries["bomb"]
    assert {f"w{number:03}" for number in range(WORKLOADS)} <= {workload["name"] for workload in report["workloads"]}


@pytest.mark.parametrize("name", ["serial", "processes:2"])
def test_executor_does_not_change_the_report(name: str, sides: tuple[str, str], whole: str) -> None:
    assert report_by(name, sides) == whole


def test_any_executor_of_python_can_be_used(
    sides: tuple[str, str], whole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "MANY", 1)  # metrics are judged by tasks, too
    assert api.compare(*sides, executor=InThisProcess()).json() == whole


def test_equal_names_of_workloads_in_two_parts_do_not_change_the_report(tmp_path: Path) -> None:
    for side in ("baseline", "target"):
        for name, text in {
            "x.folded": "a;b 3\n",
            "x.txt": RESULTS.format(1),
            "x (folded, samples).folded": "a;b 3\n",
            "y.folded": "a;b 1\n",
        }.items():
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / name).write_text(text, encoding="ascii")
    sides = (str(tmp_path / "baseline"), str(tmp_path / "target"))
    assert report_by("serial", sides) == api.compare(*sides).json()


def test_reference_names_the_content_of_its_file(tmp_path: Path) -> None:
    for size in (3, 100_000):
        file = tmp_path / f"{size}.folded"
        file.write_text("a 1\n" * size, encoding="ascii")
        reference = referenced(sources_under(str(file))[0])
        assert reference.head == b""
        assert dereferenced(reference).read(1 << 20) == file.read_bytes()
        file.write_text("a 2\n" * size, encoding="ascii")
        (result,) = wiring.read_referenced([reference])
        assert "has another content on this machine" in str(result)
        file.unlink()
        (result,) = wiring.read_referenced([reference])
        assert "No such file" in str(result)


class OldWorker(InThisProcess):
    """A worker with another version."""

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Any:
        return super().submit(fn, "9.9.9", *args[1:], **options)


class Broken(InThisProcess):
    """An executor whose connection is always cut."""

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Any:
        future = super().submit(fn, *args, **options)
        failed = type(future)()
        failed.cancel()
        return failed


class Forgetful(InThisProcess):
    """An executor that returns no results."""

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Any:
        return super().submit(fn, args[0], pickle.dumps([]), **options)


@pytest.mark.parametrize(
    ("runner", "task", "message"),
    [
        (TaskRunner(OldWorker()), square, r"worker \d+ on .*: has profgate \S+, and this command is profgate 9\.9\.9"),
        (TaskRunner(Broken()), square, "lost a task 4 times"),
        (TaskRunner(Forgetful()), square, "a result is refused: it has 0 parts, not 1"),
        (
            TaskRunner(InThisProcess()),
            not_data,
            "a task failed: TypeError: a result contains PosixPath",
        ),
        (TaskRunner(InThisProcess()), "text", "a task failed: TypeError"),
    ],
)
def test_failures_are_errors(runner: TaskRunner, task: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PAUSE", 0.0)
    with pytest.raises(ProfgateError, match=message):
        list(runner([partial(task, 2) if callable(task) else task], int))  # type: ignore[list-item]


@contextlib.contextmanager
def comparing(
    sides: tuple[str, str], executor: str, environment: Mapping[str, str]
) -> "Iterator[subprocess.Popen[str]]":
    """Start the command, which prints the report, and end it with the block."""
    command = [sys.executable, "-m", "profgate", "compare", *sides, "--format", "json", "--executor", executor]
    pipe, variables = subprocess.PIPE, {**os.environ, **environment}
    with subprocess.Popen(command, text=True, env=variables, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            process.kill()


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return [int(each) for each in found if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_killed_process_ends_the_command_with_an_error(sides: tuple[str, str]) -> None:
    with comparing(sides, "processes:2", {}) as command:
        while len(found := children(command.pid)) < 2 and command.poll() is None:
            time.sleep(0.01)
        os.kill(found[0], signal.SIGKILL)
        output, errors = command.communicate(timeout=120)
        assert (command.returncode, output) == (2, "")
        assert re.fullmatch(r"profgate: executor: (has failed|accepts no task): BrokenProcessPool: .*\n", errors)


@pytest.mark.parametrize("name", ["threads", "processes:x", "dask://", "dask://a", "dask://user@host:1", "serial:2"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ProfgateError, match="is unknown; use serial, processes"), executor_named(name):
        pass


dask = pytest.importorskip("dask", reason="the package distributed is not installed")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    with Cluster(tmp_path_factory.mktemp("cluster"), 2) as running, dask.config.set(running.configuration):
        yield running


def test_cluster_does_not_change_the_report(cluster: Cluster, sides: tuple[str, str], whole: str) -> None:
    assert report_by(f"dask://127.0.0.1:{cluster.port}", sides) == whole


def test_scheduler_is_used_only_with_certificates(cluster: Cluster) -> None:
    name = f"dask://127.0.0.1:{cluster.port}"
    needed = "needs certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
    with dask.config.set({"distributed.comm.tls.client.cert": None}), pytest.raises(ProfgateError, match=needed):
        executor_named(name).__enter__()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("lost", quick_first(["worker", "connection"]))
def test_whole_comparison_is_complete_after_a_loss(
    lost: str, cluster: Cluster, sides: tuple[str, str], whole: str
) -> None:
    cluster.add_worker()
    worker = cluster.workers[-1]
    with (
        executor_named(f"dask://127.0.0.1:{cluster.port}") as runner,
        Cable(cluster.port) as cable,
        comparing(sides, f"dask://127.0.0.1:{cable.port}", cluster.environment) as command,
    ):
        client = cast("Any", runner.executor)._client
        while worker.pid not in (found := {pid: name for name, pid in client.run(os.getpid).items()}):
            time.sleep(0.1)
        while not client.processing().get(found[worker.pid]) and command.poll() is None:
            time.sleep(0.01)
        worker.send_signal(signal.SIGSTOP)  # so that the command cannot end before
        if lost == "worker":
            worker.kill()
        else:
            with cable.cut():
                time.sleep(5)
            worker.send_signal(signal.SIGCONT)
        output, errors = command.communicate(timeout=120)
    worker.kill()
    worker.wait()
    assert errors == ""
    assert output == whole


def test_lost_connection_is_the_error_that_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncancellable(Future[object]):
        def cancel(self) -> bool:
            raise RuntimeError("Event loop is closed")

    class Closed(Executor):
        def submit(self, *_: object, **__: object) -> Any:
            return Uncancellable()

    def lost() -> None:
        raise ProfgateError("dask", "the connection was lost")

    monkeypatch.setattr(executors, "CHECKED_EVERY", 0.01)
    with pytest.raises(ProfgateError, match="the connection was lost"):
        list(TaskRunner(Closed(), lost)([partial(square, 2), partial(square, 3)], int))


class Client:
    """A client of Dask that has not noticed whether its connection is cut."""

    status = "running"

    def __init__(self, error: Exception | None, workers: tuple[str, ...] = ("a",)) -> None:
        self._error, self._workers = error, workers
        self.scheduler = self
        self.submitted = 0

    def sync(self, function: Any, *, callback_timeout: float, **options: Any) -> Any:
        assert callback_timeout == executors.LONGEST_ANSWER
        return function(**options)

    def identity(self, n_workers: int) -> dict[str, Any]:
        if self._error is not None:
            raise self._error
        return {"workers": dict.fromkeys(self._workers, n_workers)}

    def close(self, timeout: int) -> None:
        raise TimeoutError(timeout)

    def submit(self, fn: Any, *args: Any, pure: bool) -> Any:
        assert not pure
        self.submitted += 1
        return Submitted(self, partial(fn, *args))


class Submitted(Future[object]):
    """A future of a client, which has a result only if the connection exists."""

    def __init__(self, client: Client, task: Any) -> None:
        super().__init__()
        self.client, self._waits = client, 0
        if client.status == "running":
            self.set_result(task())

    def result(self, timeout: float | None = None) -> object:
        self._waits += 1
        assert self._waits < 5, "the result of a lost task is waited for"
        return super().result(timeout)


def test_all_tasks_of_a_lost_connection_are_submitted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PAUSE", 0.0)
    monkeypatch.setattr(executors, "CHECKED_EVERY", 0.01)
    lost, whole = Client(OSError("Stream is closed")), Client(None)
    lost.status = "closed"
    clients = iter([lost, whole])
    cluster = executors._Cluster("dask://a:1", lambda _: next(clients))
    runner = TaskRunner(cluster, cluster.check, 8, cluster.is_lost)
    results = runner([partial(square, number) for number in range(6)], int)
    assert next(results) == 0
    assert (lost.submitted, whole.submitted) == (6, 6)
    assert list(results) == [1, 4, 9, 16, 25]


def test_connection_that_was_cut_a_moment_before_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PAUSE", 0.0)
    clients = iter([*(Client(OSError("Stream is closed")) for _ in range(3)), Client(None)])
    executors._Cluster("dask://a:1", lambda _: next(clients)).check()
    always = iter(Client(OSError("Stream is closed")) for _ in range(3))
    monkeypatch.setattr(executors, "LONGEST_CUT", 0.0)
    with pytest.raises(ProfgateError, match=r"dask://a:1: the connection was lost: OSError: Stream is closed"):
        executors._Cluster("dask://a:1", lambda _: next(always)).check()


def test_cluster_without_workers_is_an_error() -> None:
    empty = executors._Cluster("dask://a:1", lambda _: Client(None, workers=()))
    for _ in range(executors.MOST_TRIES - 1):
        empty.check()
    with pytest.raises(ProfgateError, match="dask://a:1: has no workers"):
        empty.check()


@pytest.mark.parametrize("encrypted", [False, True])
def test_scheduler_that_never_answers_is_an_error(
    encrypted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "LONGEST_CUT", 1.0)
    unstarted = Cluster(tmp_path, 0)
    accepted: list[socket.socket] = []

    def accept(listener: socket.socket) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(unstarted.files["cert"], unstarted.files["key"])
        with contextlib.suppress(OSError):
            accepted.append(context.wrap_socket(listener.accept()[0], server_side=True))

    with socket.create_server(("127.0.0.1", 0)) as listener, dask.config.set(unstarted.configuration):
        thread = threading.Thread(target=accept, args=(listener,))
        if encrypted:
            thread.start()
        name = f"dask://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(ProfgateError, match=f"{name}: cannot be used: "), executor_named(name):
            pass
    if encrypted:
        thread.join()
    for each in accepted:
        each.close()


@pytest.mark.skipif(sys.platform != "linux", reason="stops a process")
@pytest.mark.slow
def test_scheduler_that_stops_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(tmp_path, 1) as other, dask.config.set(other.configuration):
        assert other.scheduler is not None
        with executor_named(f"dask://127.0.0.1:{other.port}") as runner:
            results = runner([partial(square, 2), *(partial(square, 3, 60.0) for _ in range(9))], int)
            assert next(results) == 4
            other.scheduler.send_signal(signal.SIGSTOP)
            for name, seconds in (("LONGEST_CUT", 2.0), ("LONGEST_ANSWER", 1.0), ("CHECKED_EVERY", 0.5)):
                monkeypatch.setattr(executors, name, seconds)
            with pytest.raises(ProfgateError, match="the connection was lost"):
                next(results)
