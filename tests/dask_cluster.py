"""A scheduler and workers of Dask on loopback, with TLS, and a connection that can be cut."""

import contextlib
import os
import re
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import trustme

HERE = Path(__file__).parent
STARTED = re.compile(r"Scheduler at:\s+tls://127\.0\.0\.1:(\d+)")


class Cluster:
    """The processes of a cluster. All of them end with the ``with`` block."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder, self._count = folder, workers
        authority = trustme.CA()
        certificate = authority.issue_cert("127.0.0.1")
        self.files = {"ca-file": folder / "ca.pem", "cert": folder / "cert.pem", "key": folder / "key.pem"}
        authority.cert_pem.write_to_path(str(self.files["ca-file"]))
        certificate.cert_chain_pems[0].write_to_path(str(self.files["cert"]))
        certificate.private_key_pem.write_to_path(str(self.files["key"]))
        self.port = 0
        self.workers: list[subprocess.Popen[str]] = []
        self.scheduler: subprocess.Popen[str] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a client needs."""
        tls = "DASK_DISTRIBUTED__COMM__TLS__"
        names = {"ca-file": f"{tls}CA_FILE", "cert": f"{tls}CLIENT__CERT", "key": f"{tls}CLIENT__KEY"}
        return {names[name]: str(file) for name, file in self.files.items()}

    @property
    def configuration(self) -> dict[str, Any]:
        """The same for a client in this process."""
        tls = "distributed.comm.tls"
        names = {"ca-file": f"{tls}.ca-file", "cert": f"{tls}.client.cert", "key": f"{tls}.client.key"}
        return {names[name]: str(file) for name, file in self.files.items()}

    def __enter__(self) -> Self:
        self.scheduler = self._started("scheduler", "--port", "0", "--no-dashboard")
        for line in self.scheduler.stderr or ():
            if found := STARTED.search(line):
                self.port = int(found[1])
                break
        threading.Thread(target=self._drained, args=(self.scheduler,), daemon=True).start()
        for _ in range(self._count):
            self.add_worker()
        return self

    def add_worker(self) -> None:
        place = f"tls://127.0.0.1:{self.port}"
        worker = self._started("worker", place, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        threading.Thread(target=self._drained, args=(worker,), daemon=True).start()
        self.workers.append(worker)

    def __exit__(self, *_: object) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()

    def _started(self, kind: str, *arguments: str) -> "subprocess.Popen[str]":
        tls = [part for name, file in self.files.items() for part in (f"--tls-{name}", str(file))]
        command = [sys.executable, "-m", "dask", kind, *arguments, "--host", "127.0.0.1", "--protocol", "tls", *tls]
        environment = {**os.environ, "PYTHONPATH": str(HERE), "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment, cwd=self._folder
        )

    @staticmethod
    def _drained(process: "subprocess.Popen[str]") -> None:
        with contextlib.suppress(ValueError):  # closed at the end
            for _ in process.stderr or ():
                pass


class Cable:
    """A TCP connection to a port that can be cut, with all new connections refused for some time."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._cut = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._server.accept()
                if self._cut.is_set():
                    client.close()
                    continue
                pair = client, socket.create_connection(("127.0.0.1", self._target))
                self._pairs.append(pair)
                threading.Thread(target=self._copied, args=pair, daemon=True).start()

    @staticmethod
    def _copied(*pair: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), selectors.DefaultSelector() as ready:
            for place, end in enumerate(pair):
                ready.register(end, selectors.EVENT_READ, pair[1 - place])
            while True:
                for key, _ in ready.select():
                    data = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                    if not data:
                        return
                    key.data.sendall(data)

    @contextlib.contextmanager
    def cut(self) -> Iterator[None]:
        """Close all connections, and accept new ones at the end of the block."""
        self._cut.set()
        self._close()
        yield
        self._cut.clear()

    def _close(self) -> None:
        for pair in self._pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._pairs.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cut.set()
        self._server.close()
        self._close()
