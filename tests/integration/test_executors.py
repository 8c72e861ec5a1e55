"""Executors do not change the report, and their failures are errors with a reason."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from executor_tasks import ended_process, failing, square
from profgate import api
from profgate.errors import ProfgateError
from profgate.io.executors import executor_named, results_of

DATA = Path(__file__).parents[1] / "data"
WORKLOADS = 20
RESULTS = '{{"machine_info": {{}}, "benchmarks": [{{"fullname": "a::fib", "stats": {{"mean": {}}}}}], "version": "5"}}'


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Many workloads, one of them slower, files that are paired by content, alone, damaged or larger than a head."""
    folder, bomb = tmp_path_factory.mktemp("sides"), gzip.compress(b"a 1\n" * (17 << 20))
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
        (folder / side / "bomb.folded.gz").write_bytes(bomb)
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


@pytest.mark.parametrize("name", ["processes:1", "processes:2"])
def test_executor_does_not_change_the_report(name: str, sides: tuple[str, str], whole: str) -> None:
    assert report_by(name, sides) == whole


def test_any_executor_of_python_can_be_used(sides: tuple[str, str], whole: str) -> None:
    with ThreadPoolExecutor(3) as threads:
        assert api.compare(*sides, executor=threads).json() == whole


class OldWorkers(ThreadPoolExecutor):
    """Workers with another version."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
        return super().submit(fn, "9.9.9", *args[1:], **options)


@pytest.mark.parametrize(
    ("executor", "task", "message"),
    [
        (OldWorkers(1), partial(square, 2), r"worker on .*: has profgate \S+, and this command is profgate 9\.9\.9"),
        (ThreadPoolExecutor(1), failing, "executor: has failed: ZeroDivisionError: no number"),
    ],
)
def test_failures_are_errors(executor: ThreadPoolExecutor, task: Callable[[], object], message: str) -> None:
    with executor, pytest.raises(ProfgateError, match=message):
        list(results_of([task], executor))


def test_ended_process_is_an_error() -> None:
    with executor_named("processes:1") as pool, pytest.raises(ProfgateError, match="BrokenProcessPool"):
        list(results_of([ended_process], pool))


@pytest.mark.parametrize("name", ["threads", "processes:x", "dask://", "dask://a", "dask://user@host:1", "serial"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ProfgateError, match="is unknown; use processes"), executor_named(name):
        pass


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler and two workers on loopback, with TLS."""
    dask = pytest.importorskip("dask", reason="the package distributed is not installed")
    distributed = pytest.importorskip("distributed")
    security = distributed.Security.temporary()
    tls = "distributed.comm.tls"
    configuration = {
        f"{tls}.ca-file": security.tls_ca_file,
        f"{tls}.client.cert": security.tls_client_cert,
        f"{tls}.client.key": security.tls_client_key,
    }
    started = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", security=security
    )
    with started as running, dask.config.set(configuration):
        yield running


def name_of(cluster: Any) -> str:
    return "dask:" + str(cluster.scheduler_address).partition(":")[2]


def test_cluster_does_not_change_the_report(cluster: Any, sides: tuple[str, str], whole: str) -> None:
    assert report_by(name_of(cluster), sides) == whole


@pytest.mark.slow
def test_lost_workers_are_an_error_after_repetitions(cluster: Any) -> None:
    with executor_named(name_of(cluster)) as started:
        tasks: list[Callable[[], object]] = [ended_process, partial(square, 3)]
        with pytest.raises(ProfgateError, match=r"KilledWorker|has no workers"):
            list(results_of(tasks, started))


def test_scheduler_of_another_machine_needs_certificates() -> None:
    dask = pytest.importorskip("dask", reason="the package distributed is not installed")
    needed = "needs certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
    with dask.config.set({"distributed.comm.tls.client.cert": None}), pytest.raises(ProfgateError, match=needed):
        executor_named("dask://scheduler.example:8786").__enter__()
