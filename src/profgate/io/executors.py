"""Execution of tasks by an executor of `concurrent.futures`: in other processes, or by the workers of a Dask scheduler.

Tasks and results travel as the executor sends them, which is pickle for all executors here. The machines of a cluster
are therefore trusted.
"""

import asyncio
import contextlib
import re
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, TypeVar

from profgate.errors import ProfgateError
from profgate.version import VERSION

if TYPE_CHECKING:
    from distributed.security import Security

Result = TypeVar("Result")
LONGEST_WAIT = 30.0  # seconds in which a scheduler must answer, and without a result before it is checked
TLS = "DASK_DISTRIBUTED__COMM__TLS__"


def results_of(tasks: Iterable[Callable[[], Result]], executor: Executor) -> Iterator[Result]:
    """Yield the results of the tasks in their order. Raises ProfgateError if a task or the executor fails."""
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(_submitted(task, executor))
            # submitted tasks whose results were not used yet, which limits the memory
            if len(waiting) == 64:
                yield _result(waiting.popleft(), executor)
        while waiting:
            yield _result(waiting.popleft(), executor)
    finally:
        for future in waiting:
            with contextlib.suppress(Exception):  # a future of Dask cannot be cancelled without a connection
                future.cancel()


def _submitted(task: Callable[[], Result], executor: Executor) -> "Future[Result]":
    try:
        return executor.submit(call, VERSION, task)
    except Exception as error:  # executors raise errors of their own
        raise ProfgateError("executor", f"accepts no task: {_shown(error)}") from error


def _result(future: "Future[Result]", executor: Executor) -> Result:
    try:
        while True:
            try:
                return future.result(LONGEST_WAIT)
            except TimeoutError:
                if future.done():  # the task raised this error
                    raise
                if isinstance(executor, _Cluster):
                    executor.check()
    except ProfgateError:
        raise
    except (Exception, asyncio.CancelledError) as error:
        raise ProfgateError("executor", f"has failed: {_shown(error)}") from error


def call(version: str, task: Callable[[], Result]) -> Result:
    """Run a task in a worker, which must have the version of the command, because the version decides about results."""
    if version != VERSION:
        what = f"has profgate {VERSION}, and this command is profgate {version}; install the same version"
        raise ProfgateError(f"worker on {socket.gethostname()}", what)
    return task()


@contextlib.contextmanager
def executor_named(name: str) -> Iterator[Executor]:
    """Start or connect the executor with this name, and stop it afterwards. Raises ProfgateError if this fails."""
    if processes := re.fullmatch(r"processes(?::([1-9]\d{0,3}))?", name):
        from concurrent.futures.process import ProcessPoolExecutor  # slow to import, and not on every platform
        from multiprocessing import active_children, get_context

        # a forked process would not contain the threads of the executor
        others = active_children()
        with ProcessPoolExecutor(int(processes[1]) if processes[1] else None, get_context("spawn")) as pool:
            try:
                yield pool
            except BaseException:
                # the pool would wait forever for a process that started while another one was killed
                for process in set(active_children()).difference(others):
                    process.terminate()
                raise
    elif place := re.fullmatch(r"dask://([A-Za-z0-9_.\-]{1,253}):(\d{1,5})", name):
        with _dask(name, place[1], place[2]) as cluster:
            yield cluster
    else:
        raise ProfgateError("--executor", f"{name!r} is unknown; use processes[:N] or dask://HOST:PORT")


@contextlib.contextmanager
def _dask(name: str, host: str, port: str) -> "Iterator[_Cluster]":
    try:
        from distributed import Client
        from distributed.security import Security
    except ImportError as error:
        raise ProfgateError("--executor", f"{name} needs another package: pip install 'profgate[dask]'") from error
    import logging

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    security = _security(name, host, Security)
    protocol = "tcp" if security is None else "tls"
    try:
        client = Client(f"{protocol}://{host}:{port}", security=security, set_as_default=False, timeout=LONGEST_WAIT)
    except Exception as error:
        raise ProfgateError(name, f"cannot be used: {_shown(error)}") from error
    try:
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=LONGEST_WAIT)
        cluster = _Cluster(name, client)
        cluster.check()
        yield cluster
    finally:
        with contextlib.suppress(Exception):  # the connection may be lost
            client.close(timeout=1)


def _security(name: str, host: str, configured: "type[Security]") -> "Security | None":
    """Return the certificates of Dask's configuration. Only a scheduler of this machine needs none."""
    security = configured(require_encryption=True)
    if security.tls_ca_file and security.tls_client_cert and security.tls_client_key:
        return security
    if host in {"localhost", "127.0.0.1"}:
        return None
    what = f"needs certificates: set {TLS}CA_FILE, {TLS}CLIENT__CERT and {TLS}CLIENT__KEY to their files"
    raise ProfgateError(name, what)


class _Cluster(Executor):
    """Submits tasks to a Dask scheduler, which repeats the tasks of a worker that was lost.

    The futures are those of Dask, which also end if the connection is cut, unlike those of Dask's own executor.
    """

    def __init__(self, name: str, client: Any) -> None:  # noqa: ANN401 - not typed
        self._name, self._client = name, client

    def submit(self, fn: Callable[..., Any], /, *args: object, **options: object) -> Any:  # noqa: ANN401 - of Dask
        """Submit a task, also if an equal one was submitted before."""
        return self._client.submit(fn, *args, **options, pure=False)

    def check(self) -> None:
        """Raise an error if there are no workers, or if the scheduler does not answer, for which Dask would wait."""
        client = self._client
        state = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=LONGEST_WAIT)
        if not state["workers"]:
            raise ProfgateError(self._name, "has no workers; start some with 'dask worker'")


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")[:300]
