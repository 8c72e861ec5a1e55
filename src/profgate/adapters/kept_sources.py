"""The sources of releases, kept so that two of them can be compared: each different text once."""

import hashlib
import json
from pathlib import Path

from profgate.adapters.files import write_text
from profgate.adapters.source_folders import Texts, files_below, text_of
from profgate.errors import ProfgateError

LARGEST_LIST = 64 << 20


class KeptSources:
    """A folder with a list of files for each version, and the texts that the lists name by their digests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, version: str, source: str) -> None:
        """Keeps the texts below a folder; nothing of one with more files than anybody wrote."""
        if self._list(version).is_file():
            return
        try:
            found = files_below(source)
        except ProfgateError:
            return
        listed: dict[str, str | None] = {}
        for path, place in sorted(found.items()):
            text = text_of(place)
            listed[path] = None if text is None else self._put(text)
        write_text(str(self._list(version)), json.dumps(listed))

    def differing(self, before: str, after: str) -> tuple[Texts, Texts, frozenset[str]] | None:
        """Texts of the files that differ between two versions, None for what is no text, and all paths of the second.

        None where one of them was not kept.
        """
        old, new = self._listed(before), self._listed(after)
        if old is None or new is None:
            return None
        paths = [path for path in sorted(old.keys() | new.keys()) if self._differs(path, old, new)]
        texts = tuple({path: self._get(side[path]) for path in paths if path in side} for side in (old, new))
        return texts[0], texts[1], frozenset(new)

    @staticmethod
    def _differs(path: str, old: dict[str, str | None], new: dict[str, str | None]) -> bool:
        # what is no text may differ too, but nobody could show how
        return (path in old) != (path in new) or old[path] != new[path]

    def _list(self, version: str) -> Path:
        return self.folder / f"{hashlib.sha256(version.encode(errors='surrogatepass')).hexdigest()[:32]}.json"

    def _put(self, text: str) -> str:
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        place = self.folder / digest[:2] / digest
        if not place.is_file():
            write_text(str(place), text)
        return digest

    def _get(self, digest: str | None) -> str | None:
        if digest is None:
            return None
        try:
            return (self.folder / digest[:2] / digest).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None

    def _listed(self, version: str) -> dict[str, str | None] | None:
        place = self._list(version)
        try:
            if place.stat().st_size > LARGEST_LIST:
                return None
            listed = json.loads(place.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(listed, dict):
            return None
        plain = {path: digest for path, digest in listed.items() if digest is None or _is_digest(digest)}
        return plain if len(plain) == len(listed) else None


def _is_digest(word: object) -> bool:
    return isinstance(word, str) and len(word) == 64 and word.isalnum()
