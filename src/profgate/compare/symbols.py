"""Numbers the symbols of all runs of a workload by name and file, independently of the input order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from profgate.model.arrays import BoolArray, IntArray
from profgate.model.comparison import Symbols
from profgate.model.frame_names import FrameKey, file_key, frame_key, needles_of, process_name, shape_of
from profgate.model.name_aliases import Aliases
from profgate.model.record import Record, replace

if TYPE_CHECKING:
    from profgate.model.attribution import SourceStates
    from profgate.model.comparison import Comparison
    from profgate.model.profile import Profile

NO_ALIASES = Aliases()
Identity = tuple[str, str | None]
# names of functions that wait; WAITING_IN_FILES contains names that are ambiguous without a file
WAITING = frozenset(
    {
        *("select.select", "select.poll", "select.epoll", "poll", "epoll_wait", "epoll_pwait", "ppoll", "pselect"),
        *("kevent", "futex", "futex_wait", "do_futex", "sem_wait", "nanosleep", "clock_nanosleep", "usleep"),
        *("pthread_cond_wait", "pthread_cond_timedwait", "pthread_mutex_lock", "__lll_lock_wait", "time.sleep"),
        *("runtime.gopark", "runtime.futex", "runtime.notesleep", "runtime.usleep", "runtime.netpoll"),
        *("java.lang.Thread.sleep", "java.lang.Object.wait", "jdk.internal.misc.Unsafe.park", "Unsafe_Park"),
        *("java.util.concurrent.locks.LockSupport.park", "(idle)", "(program)"),
    }
)
WAITING_IN_FILES: dict[str, frozenset[str]] = {
    "threading.py": frozenset({"wait", "join", "_wait_for_tstate_lock", "acquire", "__enter__"}),
    "selectors.py": frozenset({"select"}),
    "socket.py": frozenset({"accept", "recv", "recv_into", "readinto", "connect", "sendall"}),
    "queue.py": frozenset({"get", "put"}),
    "subprocess.py": frozenset({"wait", "_wait", "_try_wait", "communicate"}),
    "connection.py": frozenset({"_recv", "_poll", "wait", "poll"}),
    "ssl.py": frozenset({"recv", "recv_into", "read", "do_handshake"}),
}


WAITING_ANYWHERE = WAITING.union(*WAITING_IN_FILES.values())


class Numbering(Record):
    """The symbols of a workload. ``maps`` contains an int64 array for each profile, with the symbol of each frame."""

    symbols: Symbols
    maps: tuple[IntArray, ...]


class _Keys(Record):
    """The normalised name, normalised file and line of each frame in a profile."""

    names: list[str]
    files: list[str | None]
    lines: list[int | None]


def _keys_of(
    profile: Profile, cache: dict[tuple[str, str | None, int | None], FrameKey], policy_aliases: Aliases
) -> _Keys:
    frames = profile.frames
    # after a profile with such names, the others probably have the same ones, and the cache contains them
    if not cache and not _has_special_names(profile, policy_aliases):
        known = {file: None if file is None else file_key(file) for file in set(frames.files)}
        names, files, lines = frames.names, [known[file] for file in frames.files], frames.lines
    else:
        found = _special_keys(profile, cache, policy_aliases)
        names = [key.name for key in found]
        files = [key.file for key in found]
        lines = [key.line for key in found]
    return _Keys(list(map(process_name, names)), files, lines)


def _has_special_names(profile: Profile, policy_aliases: Aliases) -> bool:
    """Return whether a rule may change a name in this profile."""
    if policy_aliases.pairs:
        return True
    lines = profile.frames.lines
    text = "\n".join(["", *profile.frames.names, ""])  # faster than a search in each name
    if "\n\n" in text or "\n/" in text or any(needles_of(text)):
        return True
    return ":" in text and lines.count(None) < len(lines)


def _special_keys(
    profile: Profile, cache: dict[tuple[str, str | None, int | None], FrameKey], policy_aliases: Aliases
) -> list[FrameKey]:
    frames = profile.frames
    frames_read = list(zip(frames.names, frames.files, frames.lines, strict=True))
    unknown = [raw for raw in frames_read if raw not in cache]
    text = "\n".join(chain((name for name, _, _ in unknown), (new for _, new in policy_aliases.pairs)))
    needles = tuple(dict.fromkeys(needles_of(text)))
    for raw in unknown:
        name, file, line = raw
        if line is not None:
            name = name.removesuffix(f":{line}") or name  # location names from Perun end with the line number
        name = policy_aliases.applied_to(name) if policy_aliases.pairs else name
        cache[raw] = frame_key(name, file, line, needles=needles)
    return list(map(cache.__getitem__, frames_read))


def number_symbols(profiles: Sequence[Profile], *, targets: int = 0, policy_aliases: Aliases = NO_ALIASES) -> Numbering:
    """Number the symbols of all profiles under their own names (see `FrameKeys`)."""
    return FrameKeys(profiles, targets=targets, policy_aliases=policy_aliases).numbered()


class FrameKeys:
    """The normalised frames of several profiles. The last ``targets`` profiles belong to the target.

    ``policy_aliases`` replaces raw names before any other rule is applied.
    """

    def __init__(self, profiles: Sequence[Profile], *, targets: int = 0, policy_aliases: Aliases = NO_ALIASES) -> None:
        cache: dict[tuple[str, str | None, int | None], FrameKey] = {}
        self._profiles, self._targets, self._keys = profiles, targets, list[_Keys]()
        for place, profile in enumerate(profiles):
            # repeated runs of a deterministic program often have the same frames, and comparing lists is fast
            same = place and profile.frames == profiles[place - 1].frames
            self._keys.append(self._keys[-1] if same else _keys_of(profile, cache, policy_aliases))
        self._modules = [[module or "" for module in profile.frames.modules] for profile in profiles]

    def rename(self, renames: Sequence[Mapping[Identity, Identity]], files: Mapping[str, str]) -> None:
        """Use new names from now on. ``renames`` contains the new name and file of functions for each profile.

        ``files`` maps the name of a file in the baseline to the file's name in the target.
        """
        pairs = zip(self._keys, renames, strict=True)
        self._keys = [_under_new_names(keys, new, files) if new or files else keys for keys, new in pairs]

    def numbered(self, aliases: Mapping[Identity, Identity] | None = None) -> Numbering:
        """Number the symbols of all profiles.

        A symbol consists of a name and a file. If a name without a file occurs in several modules of a profile, there
        is a separate symbol for each module, which is known by its file name without numbers, because its folder may
        be that of a side. Labels, lines and modules are taken from the last profile that contains them. ``aliases``
        maps the name and file of a renamed function to the new name and file.
        """
        profiles, shown, keys = self._profiles, self._modules, self._keys
        if aliases:
            keys = [_under_new_names(of_profile, aliases, {}) for of_profile in keys]
        known = {module for of_profile in shown for module in of_profile}
        plain = {module: shape_of(module.rpartition("/")[2], within_words=False) for module in known}
        modules = [list(map(plain.__getitem__, of_profile)) for of_profile in shown]
        several = _in_several_modules(keys, modules)
        parts: dict[str, Identity] = {}
        found = [_identity_texts(*of_profile, several, parts) for of_profile in zip(keys, modules, strict=True)]
        first: defaultdict[str, int] = defaultdict(count().__next__)  # numbers in the order of the frames
        numbers = list[IntArray]()
        for place, of_profile in enumerate(found):
            same = place and of_profile == found[place - 1]
            numbers.append(
                numbers[-1] if same else np.fromiter(map(first.__getitem__, of_profile), np.int64, len(of_profile))
            )
        texts = sorted(first)
        if texts != list(first):
            place_of = np.empty(len(texts), np.int64)
            place_of[np.fromiter(map(first.__getitem__, texts), np.int64, len(texts))] = np.arange(len(texts))
            numbers = [place_of[of_profile] for of_profile in numbers]
        maps = tuple(numbers)
        identities = [parts.get(text, (text, None)) for text in texts] if parts else []
        names, symbol_files = [name for name, _ in identities] or texts, [file for _, file in identities]
        symbol_files = symbol_files or [None] * len(texts)
        columns: list[Any] = []
        for column in (names, symbol_files, *_details(profiles, maps, keys, shown, len(texts))):
            # of many workloads, equal columns would take much memory
            columns.append(next((known for known in columns if known == column), column))
        symbols = Symbols(*columns)
        symbols.several.update(_several(profiles[-self._targets :], maps[-self._targets :]))
        for symbol in symbols.several:
            symbols.lines[symbol] = None
        return Numbering(symbols, maps)


def with_first_lines(comparison: Comparison, states: SourceStates | None) -> Comparison:
    """Return a comparison with the line at which each function begins, which is unknown for some functions.

    The line comes from the sources or from the profiles, unless a profile has a cost at this line: such a line was
    executed and may be anywhere in the function.
    """
    table, costs = comparison.symbols, comparison.lines
    if costs is None and states is None:
        return comparison
    lines = np.array(table.lines, np.object_)
    if costs is not None:
        lines[costs.symbol[lines[costs.symbol] == costs.line]] = None
    for symbol, (before, after) in enumerate(states.spans if states is not None else ()):
        if (span := after or before) is not None and symbol not in table.several:
            lines[symbol] = span.first
    return replace(comparison, symbols=replace(table, lines=lines.tolist()))


def _several(profiles: Sequence[Profile], maps: Sequence[IntArray]) -> dict[int, tuple[int, ...]]:
    """Return the lines of all functions that are one symbol, for formats that state the first lines of functions."""
    found = defaultdict[int, set[int]](set)
    for profile, mapping in zip(profiles, maps, strict=True):
        for symbol, line in zip(mapping.tolist(), profile.frames.lines, strict=True):
            if line is not None and profile.facts.states_first_lines:
                found[symbol].add(line)
    return {symbol: tuple(sorted(lines)) for symbol, lines in found.items() if len(lines) > 1}


def _identity_texts(keys: _Keys, modules: Sequence[str], several: set[str], parts: dict[str, Identity]) -> list[str]:
    """Return a string for each key. Strings are equal only for equal identities, and sort like (name, file, module).

    Strings are sorted and found much faster than tuples. If the identity is only a name, the string is this name. For
    all other strings, the name and file are added to ``parts``.
    """
    if not several and not any(keys.files) and not [name for name in keys.names if "\0" in name]:
        return keys.names
    texts = []
    for name, file, module in zip(keys.names, keys.files, modules, strict=True):
        apart = module if file is None and name in several else ""
        text = name
        if file or apart or "\0" in name:
            text = f"{name}\0{file or ''}\0{apart}\0{len(name)}.{len(file or '')}"  # names may contain the separator
            parts[text] = (name, file or None)
        texts.append(text)
    return texts


def _details(
    profiles: Sequence[Profile],
    maps: Sequence[IntArray],
    keys: Sequence[_Keys],
    shown: Sequence[Sequence[str]],
    symbols: int,
) -> tuple[list[int | None], list[str | None], list[str], list[str | None]]:
    """Return the line, module, raw name and raw file of each symbol, each from the last profile that contains it."""
    lines, modules, origins = (np.full(symbols, None, np.object_) for _ in range(3))
    labels = np.full(symbols, "", np.object_)
    for profile, mapping, of_profile, own in zip(profiles, maps, keys, shown, strict=True):
        labels[mapping] = profile.frames.names
        origins[mapping] = profile.frames.files
        if of_profile.lines.count(None) < len(mapping):
            _set_known(lines, mapping, np.array(of_profile.lines, np.object_), None)
        if any(own):
            _set_known(modules, mapping, np.array(own, np.object_), "")
    return lines.tolist(), modules.tolist(), labels.tolist(), origins.tolist()


def _set_known(
    column: NDArray[np.object_], mapping: IntArray, values: NDArray[np.object_], unknown: str | None
) -> None:
    known = values != unknown
    column[mapping[known]] = values[known]


def _under_new_names(keys: _Keys, aliases: Mapping[Identity, Identity], files: Mapping[str, str]) -> _Keys:
    moved = [files.get(file or "", file) for file in keys.files]
    found = [aliases.get((name, file or None), (name, file)) for name, file in zip(keys.names, moved, strict=True)]
    names = [name for name, _ in found]
    files_of_target = [file for _, file in found]
    return _Keys(names, files_of_target, keys.lines)


def _in_several_modules(keys: Sequence[_Keys], shown: Sequence[Sequence[str]]) -> set[str]:
    """Return the names that have no file and occur in more than one module of a profile."""
    found: set[str] = set()
    for of_profile, modules in zip(keys, shown, strict=True):
        first: dict[str, str] = {}
        frames = zip(of_profile.names, of_profile.files, modules, strict=True)
        for name, file, module in frames if any(modules) else ():
            if file is None and module and first.setdefault(name, module) != module:
                found.add(name)
    return found


def waiting_symbols(symbols: Symbols) -> BoolArray:
    """Return a bool array that marks functions that only wait. Their wall-clock time depends on the load."""
    found = np.zeros(len(symbols), np.bool_)
    for place, name in enumerate(symbols.names):
        if name in WAITING:
            found[place] = True
        elif (file := symbols.files[place]) is not None and (last := name.rpartition(".")[2]) in WAITING_ANYWHERE:
            found[place] = last in WAITING_IN_FILES.get(file.rpartition("/")[2], ())
    return found
