"""One numbering of symbols for all runs of a workload, by (name, file), so that nothing depends on input order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from profgate.compare.modules import paired_modules
from profgate.model.arrays import IntArray
from profgate.model.comparison import Symbols
from profgate.model.frame_names import FrameKey, Level, frame_key, needles_in, root_name
from profgate.model.name_aliases import Aliases
from profgate.model.profile import Profile

_NATIVE_FORMATS = frozenset({"perf"})
NO_ALIASES = Aliases()
Identity = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Numbering:
    """``maps`` hold, for each profile, int64[local frame] -> symbol."""

    symbols: Symbols
    maps: tuple[IntArray, ...]


def _root_frames(profile: Profile) -> frozenset[int]:
    if profile.stacks is None:
        return frozenset()
    roots = np.zeros(len(profile.frames.names), np.bool_)
    roots[profile.stacks.frame[profile.stacks.depth == 0]] = True
    return frozenset(np.flatnonzero(roots).tolist())


def _keys_of(
    profile: Profile, level: Level, cache: dict[tuple[str, str | None, int | None], FrameKey], policy_aliases: Aliases
) -> list[FrameKey]:
    frames, roots, keys = profile.frames, _root_frames(profile), []
    native = profile.facts.format in _NATIVE_FORMATS
    needles = needles_in(chain(frames.names, (new for _, new in policy_aliases.pairs)), level)
    for number, raw in enumerate(zip(frames.names, frames.files, frames.lines, strict=True)):
        key = cache.get(raw)
        if key is None:
            name, file, line = raw
            if line is not None and level != "none":
                name = name.removesuffix(f":{line}") or name  # Perun's names of locations end in their lines
            name = policy_aliases.applied_to(name) if policy_aliases.pairs else name
            key = cache[raw] = frame_key(name, file, line, level, native=native, needles=needles)
        if number in roots and level != "none" and (renamed := root_name(key.name)) != key.name:
            key = FrameKey(renamed, key.file, key.line)
        keys.append(key)
    return keys


def number_symbols(
    profiles: Sequence[Profile],
    level: Level,
    aliases: Mapping[Identity, Identity] | None = None,
    *,
    targets: int = 0,
    policy_aliases: Aliases = NO_ALIASES,
    files: Mapping[str, str] | None = None,
) -> Numbering:
    """Symbols of all profiles, of which the last ``targets`` are the target's.

    A symbol is its name and file. One without a file that a profile has in several modules is a symbol in each of
    them. Labels, lines and modules are those of the last profile that has them (the target's). ``aliases`` lead from
    the (name, file) of a renamed function to its new one; ``policy_aliases`` change raw names before every rule;
    ``files`` map a file to its name on the other side.
    """
    cache: dict[tuple[str, str | None, int | None], FrameKey] = {}
    keys = [_keys_of(profile, level, cache, policy_aliases) for profile in profiles]
    if files:
        keys = [[key._replace(file=files.get(key.file or "", key.file)) for key in of_profile] for of_profile in keys]
    if aliases:
        keys = [[_under_new_name(key, aliases) for key in of_profile] for of_profile in keys]
    shown = _shown_modules(profiles, targets)
    several = _in_several_modules(profiles, keys, shown)
    found = [
        [
            (key.name, key.file or "", module if key.file is None and key.name in several else "")
            for key, module in zip(of_profile, modules, strict=True)
        ]
        for of_profile, modules in zip(keys, shown, strict=True)
    ]
    identities = sorted({identity for of_profile in found for identity in of_profile})
    number = {identity: place for place, identity in enumerate(identities)}
    lines: list[int | None] = [None] * len(identities)
    modules: list[str | None] = [None] * len(identities)
    labels = [name for name, _, _ in identities]
    maps = []
    for profile, of_profile, named, own in zip(profiles, found, keys, shown, strict=True):
        mapping = np.fromiter((number[identity] for identity in of_profile), np.int64, len(of_profile))
        for place, key, module, raw in zip(mapping.tolist(), named, own, profile.frames.names, strict=True):
            lines[place] = key.line if key.line is not None else lines[place]
            modules[place] = module or modules[place]
            labels[place] = raw
        maps.append(mapping)
    symbols = Symbols(
        [name for name, _, _ in identities], [file or None for _, file, _ in identities], lines, modules, labels
    )
    return Numbering(symbols, tuple(maps))


def _under_new_name(key: FrameKey, aliases: Mapping[Identity, Identity]) -> FrameKey:
    now = aliases.get((key.name, key.file or None))
    return key if now is None else FrameKey(now[0], now[1], key.line)


def _shown_modules(profiles: Sequence[Profile], targets: int) -> list[list[str]]:
    """The module of each frame of each profile, "" = unknown; two versions of one module have one text."""
    split = len(profiles) - targets
    sides = [
        {module for profile in side for module in profile.frames.modules if module}
        for side in (profiles[:split], profiles[split:])
    ]
    texts = paired_modules(*sides)
    return [[texts.get(module or "", module or "") for module in profile.frames.modules] for profile in profiles]


def _in_several_modules(
    profiles: Sequence[Profile], keys: Sequence[Sequence[FrameKey]], shown: Sequence[Sequence[str]]
) -> set[str]:
    """Names without a file that one profile has in more than one module."""
    found: set[str] = set()
    for profile, of_profile, modules in zip(profiles, keys, shown, strict=True):
        if not any(profile.frames.modules):
            continue
        first: dict[str, str] = {}
        for key, module in zip(of_profile, modules, strict=True):
            if key.file is None and module and first.setdefault(key.name, module) != module:
                found.add(key.name)
    return found
