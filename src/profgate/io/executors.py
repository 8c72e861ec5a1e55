"""Execution of tasks by an executor of `concurrent.futures`: in this process, in other processes, or on a Dask cluster.

    with executor_named("processes:4") as run:
        for result in run(tasks, Kind):  # results in the order of the tasks
            ...

Tasks are pure functions that can be pickled. Their results come back as bytes (`model/result_bytes.py`). A task that an
executor lost, because a connection was cut, is submitted again.
"""

import asyncio
import contextlib
import gc
import os
import pickle
import re
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from operator import methodcaller
from typing import Any, TypeVar, cast

from profgate.errors import ProfgateError
from profgate.io.packages import registers
from profgate.io.workers import processors
from profgate.model.result_bytes import Failure, packed, unpacked
from profgate.version import VERSION

Result = TypeVar("Result")
Task = Callable[[], Any]
NAMES = re.compile(r"serial|processes(:\d{1,4})?|dask(:\d{1,4})?|dask://[A-Za-z0-9_.\-]{1,253}:\d{1,5}")
FORMS = "serial, processes[:N], dask[:N] or dask://HOST:PORT"
SINGLE, MOST_TOGETHER = 32, 8  # number of tasks before two are submitted together, and maximum number together
WAITING, LEAST_WAITING = 3, 8  # submitted groups of tasks for each worker, and in all
MOST_TRIES = 4
PAUSE = 0.5  # seconds before a lost task is submitted again
LONGEST_CUT = 30.0  # seconds in which a scheduler must be reached, also after a connection was cut
LONGEST_ANSWER = 10.0  # seconds in which a scheduler must answer before the connection is made again
CHECKED_EVERY = 20.0  # seconds without a result after which the cluster is checked
PLUGINS = ("profgate.readers", "profgate.strategies")
TLS = "DASK_DISTRIBUTED__COMM__TLS__"


@dataclass(frozen=True, slots=True)
class TaskRunner:
    """Runs tasks by an executor. ``check`` raises ProfgateError if waiting for results is useless.

    ``is_lost`` returns whether a future will never have a result. At most ``most_waiting`` groups of tasks are
    submitted before their results are used, which limits the memory.
    """

    executor: Executor
    check: Callable[[], None] = lambda: None
    most_waiting: int = 128
    is_lost: Callable[[Any], bool] = methodcaller("cancelled")

    def __call__(self, tasks: Iterable[Task], kind: type[Result]) -> Iterator[Result]:
        """Yield the results of the tasks, which are of one type, in the order of the tasks.

        Of many tasks, the later ones are submitted together. Raises ProfgateError if a task fails or its result is not
        valid.
        """
        waiting: deque[tuple[list[Task], Future[object]]] = deque()
        rest, count = iter(tasks), 0
        try:
            while group := list(islice(rest, min(1 + count // SINGLE, MOST_TOGETHER))):
                count += len(group)
                waiting.append((group, self._submitted(group)))
                while waiting and (len(waiting) >= self.most_waiting or waiting[0][1].done()):
                    yield from self._results(waiting, kind)
            while waiting:
                yield from self._results(waiting, kind)
        except ProfgateError as error:
            if isinstance(error.__cause__, BrokenExecutor):
                waiting.clear()  # all of its tasks have failed
            raise
        finally:
            for _, future in waiting:
                with contextlib.suppress(Exception):  # a future of Dask cannot be cancelled without a connection
                    future.cancel()

    def _submitted(self, group: Sequence[Task]) -> "Future[object]":
        data = pickle.dumps(group, protocol=5)
        try:
            return self.executor.submit(call, _version(), data)
        except Exception as error:  # executors raise errors of their own
            raise ProfgateError("executor", f"accepts no task: {_shown(error)}") from error

    def _results(self, waiting: "deque[tuple[list[Task], Future[object]]]", kind: type[Result]) -> Sequence[Result]:
        """Remove the first group and return its results. Lost groups are submitted again, all at the same time."""
        for _ in range(MOST_TRIES):
            group, future = waiting.popleft()
            try:
                made = self._waited_for(future)
                break
            except (CancelledError, asyncio.CancelledError, OSError):
                # the connection was cut; a task has no effect but its result, so it can be repeated
                time.sleep(PAUSE)
                self.check()
                waiting.appendleft((group, self._submitted(group)))
                for place, (other, submitted) in enumerate(waiting):
                    if self.is_lost(submitted):
                        waiting[place] = other, self._submitted(other)
            except ProfgateError:
                raise
            except Exception as error:
                raise ProfgateError("executor", f"has failed: {_shown(error)}") from error
        else:
            raise ProfgateError("executor", f"lost a task {MOST_TRIES} times; check the connection and the workers")
        try:
            results = unpacked(made, cast("type[list[Result]]", list[kind]))  # type: ignore[valid-type]
        except ValueError as error:
            raise ProfgateError("executor", f"a result is refused: {error}") from error
        if isinstance(results, Failure):
            raise ProfgateError(results.where, results.what)
        if len(results) != len(group):
            raise ProfgateError("executor", f"a result is refused: it has {len(results)} parts, not {len(group)}")
        return results

    def _waited_for(self, future: "Future[object]") -> object:
        while True:
            if self.is_lost(future):
                raise CancelledError
            try:
                return future.result(CHECKED_EVERY)
            except TimeoutError:
                if future.done():  # the task raised this error
                    raise
                self.check()


def call(version: str, data: bytes) -> bytes:
    """Run tasks in the process of a worker, and return their results or the first error as bytes."""
    if version != (own := _version()):
        what = f"has profgate {own}, and this command is profgate {version}; install the same version"
        return packed(Failure(f"worker {_name()}", what))
    try:
        return packed([task() for task in pickle.loads(data)])  # noqa: S301 - a worker runs the code of its clients
    except ProfgateError as error:
        return packed(Failure(error.where, error.what))
    except Exception as error:  # noqa: BLE001 - errors that the executor itself raises are then those of connections
        return packed(Failure("executor", f"a task failed: {_shown(error)}"))


@contextlib.contextmanager
def executor_named(name: str) -> Iterator[TaskRunner]:
    """Start or connect the executor with this name, and stop it afterwards. Raises ProfgateError if this fails."""
    if NAMES.fullmatch(name) is None:
        raise ProfgateError("--executor", f"{name!r} is unknown; use {FORMS}")
    kind, _, rest = name.partition(":")
    if kind == "dask":
        with _dask(name, rest) as runner:
            yield runner
        return
    if kind == "serial":
        yield TaskRunner(InThisProcess())
        return
    from concurrent.futures.process import ProcessPoolExecutor  # slow to import, and not on every platform
    from multiprocessing import active_children, get_context

    others = active_children()
    count = int(rest) if rest else processors() if sys.platform == "linux" else os.cpu_count() or 1
    spawned = get_context("spawn")  # a forked process would not contain the threads of the executor
    with ProcessPoolExecutor(max(count, 1), spawned, gc.set_threshold, (100_000, 20, 20)) as pool:
        try:
            yield TaskRunner(pool, most_waiting=max(WAITING * count, LEAST_WAITING))
        except BaseException:
            # the pool would wait forever for a process that started while another one was killed
            for process in active_children():
                if process not in others:
                    process.terminate()
            raise


class InThisProcess(Executor):
    """Runs each task at once in this process."""

    def submit(self, fn: Callable[..., Result], /, *args: object, **options: object) -> "Future[Result]":
        """Run the task and return its result as a finished future."""
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **options))
        except Exception as error:  # noqa: BLE001 - as other executors
            future.set_exception(error)
        return future


@contextlib.contextmanager
def _dask(name: str, place: str) -> Iterator[TaskRunner]:
    """Connect to a scheduler by TLS with a client certificate, or start a scheduler and workers on loopback."""
    try:
        from distributed import Client, LocalCluster
        from distributed.security import Security
    except ImportError as error:
        raise ProfgateError("--executor", f"{name} needs another package: pip install 'profgate[dask]'") from error
    import logging

    for logger in ("distributed", "distributed.client"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)

    class Unclosed(Client):  # type: ignore[misc] # not typed
        """A client that does not close itself at the end of the process, which would never end after a cut."""

        def __del__(self) -> None: ...

        def start(self, *, timeout: float) -> None:
            """Connect. Dask itself waits forever for a scheduler that accepts the connection but does not answer."""
            super().start(timeout=timeout, callback_timeout=timeout + PAUSE)

    with contextlib.ExitStack() as stack:
        try:
            if place.startswith("//"):
                security, address = Security(require_encryption=True), f"tls:{place}"
                if not (security.tls_ca_file and security.tls_client_cert and security.tls_client_key):
                    what = "needs certificates: set {0}CA_FILE, {0}CLIENT__CERT and {0}CLIENT__KEY to their files"
                    raise ProfgateError(name, what.format(TLS))  # noqa: TRY301
            else:
                security = Security.temporary()
                local = LocalCluster(
                    n_workers=int(place) if place else None,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    security=security,
                    silence_logs=logging.CRITICAL,
                )
                address = stack.enter_context(local).scheduler_address
            connect = partial(Unclosed, address, security=security, set_as_default=False)
            cluster = stack.enter_context(_Cluster(name, partial(_connected, connect)))
            workers = cluster.workers()
        except ProfgateError:
            raise
        except Exception as error:
            raise ProfgateError(name, f"cannot be used: {_shown(error)}") from error
        yield TaskRunner(cluster, cluster.check, max(WAITING * workers, LEAST_WAITING), cluster.is_lost)


def _connected(connect: Callable[..., Any], end: float) -> Any:  # noqa: ANN401 - of Dask
    """Connect. If a connection is cut while it is made, Dask raises ValueError instead of trying it again."""
    while True:
        try:
            return connect(timeout=max(end - time.monotonic(), PAUSE))
        except ValueError:
            if time.monotonic() > end:
                raise
            time.sleep(PAUSE)


class _Cluster(Executor):
    """Submits tasks to a Dask scheduler. The futures are those of Dask, which also end if the connection is cut."""

    def __init__(self, name: str, connect: Callable[[float], Any]) -> None:
        self._name, self._connect = name, connect
        self._client = connect(time.monotonic() + LONGEST_CUT)
        self._without_workers = 0  # number of checks

    def submit(self, fn: Callable[..., Any], /, *args: object, **options: object) -> Any:  # noqa: ANN401 - of Dask
        """Submit a task."""
        return self._client.submit(fn, *args, **options, pure=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002 - as in the base class
        """Disconnect."""
        del wait, cancel_futures
        with contextlib.suppress(Exception):
            self._client.close(timeout=1)

    def workers(self) -> int:
        """Return the number of workers. The scheduler may be stopped, for which Dask would wait forever."""
        client = self._client
        return len(client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=LONGEST_ANSWER)["workers"])

    def is_lost(self, future: Any) -> bool:  # noqa: ANN401 - of Dask
        """Return whether the connection by which a task was submitted does not exist any more."""
        return future.client is not self._client or bool(future.cancelled())

    def check(self) -> None:
        """Connect again after a cut. Raises ProfgateError if this fails or there are no workers."""
        end, lost = time.monotonic() + LONGEST_CUT, self._client.status != "running"
        while True:
            try:
                if lost:
                    self.shutdown()
                    self._client = self._connect(end)
                workers = self.workers()
                break
            except Exception as error:  # at first, the client may not have noticed the cut
                if lost and time.monotonic() > end:
                    raise ProfgateError(self._name, f"the connection was lost: {_shown(error)}") from error
                lost = True
                time.sleep(PAUSE)
        self._without_workers = 0 if workers else self._without_workers + 1
        if self._without_workers == MOST_TRIES:
            raise ProfgateError(self._name, "has no workers; start some with 'dask worker'")


@cache
def _version() -> str:
    """Return the version, followed by those of plugins, because they also decide about results."""
    if not any(map(registers, PLUGINS)):
        return VERSION
    from importlib.metadata import entry_points

    found = {point.dist for group in PLUGINS for point in entry_points(group=group)} - {None}
    return " ".join([VERSION, *sorted(f"{each.name}-{each.version}" for each in found if each is not None)])


def _name() -> str:
    """Return the name of this worker."""
    if "distributed" in sys.modules:
        from distributed import get_worker

        with contextlib.suppress(ValueError):
            return str(get_worker().address)
    return f"{os.getpid()} on {socket.gethostname()}"


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")[:300]
