"""Functions that wait: in wall-clock profiles their time depends on the machine's load, not on the code."""

import numpy as np

from profgate.model.arrays import BoolArray
from profgate.model.comparison import Symbols

# names of functions, with the end of the file they are in where the name alone could be anything
NAMES = frozenset(
    {
        *("select.select", "select.poll", "select.epoll", "poll", "epoll_wait", "epoll_pwait", "ppoll", "pselect"),
        *("kevent", "futex", "futex_wait", "do_futex", "sem_wait", "nanosleep", "clock_nanosleep", "usleep"),
        *("pthread_cond_wait", "pthread_cond_timedwait", "pthread_mutex_lock", "__lll_lock_wait", "time.sleep"),
        *("runtime.gopark", "runtime.futex", "runtime.notesleep", "runtime.usleep", "runtime.netpoll"),
        *("java.lang.Thread.sleep", "java.lang.Object.wait", "jdk.internal.misc.Unsafe.park", "Unsafe_Park"),
        *("java.util.concurrent.locks.LockSupport.park", "(idle)", "(program)"),
    }
)
IN_FILES: dict[str, frozenset[str]] = {
    "threading.py": frozenset({"wait", "join", "_wait_for_tstate_lock", "acquire", "__enter__"}),
    "selectors.py": frozenset({"select"}),
    "socket.py": frozenset({"accept", "recv", "recv_into", "readinto", "connect", "sendall"}),
    "queue.py": frozenset({"get", "put"}),
    "subprocess.py": frozenset({"wait", "_wait", "_try_wait", "communicate"}),
    "connection.py": frozenset({"_recv", "_poll", "wait", "poll"}),
    "ssl.py": frozenset({"recv", "recv_into", "read", "do_handshake"}),
}


ANYWHERE = NAMES.union(*IN_FILES.values())


def waiting_symbols(symbols: Symbols) -> BoolArray:
    """bool[symbol]: functions that only wait, by name."""
    found = np.zeros(len(symbols), np.bool_)
    for place, name in enumerate(symbols.names):
        last = name.rpartition(".")[2]
        if name in NAMES:
            found[place] = True
        elif last in ANYWHERE and (file := symbols.files[place]) is not None:
            found[place] = last in IN_FILES.get(file.rpartition("/")[2], ())
    return found
