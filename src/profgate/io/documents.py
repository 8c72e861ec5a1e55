"""Documents as files of the output folder, before anything is published."""

import posixpath
from collections.abc import Iterable

from profgate.io.files import give_to_owner, write_bytes, write_text
from profgate.model.report import Document
from profgate.model.source import SourceFile

LARGEST_PROFILE = 1 << 31


def write_documents(folder: str, documents: Iterable[Document]) -> None:
    """Every document under its own name."""
    for document in documents:
        write_text(posixpath.join(folder, document.name), document.text)


def write_profiles(folder: str, files: Iterable[SourceFile]) -> dict[str, bytes]:
    """Copies of profiles under their names; gives the bytes by name."""
    stored = {source.name: source.read(LARGEST_PROFILE) for source in files}
    for name, data in stored.items():
        write_bytes(posixpath.join(folder, name), data)
    return stored


def give_back(folder: str, workspace: str) -> None:
    """Gives the folder to whoever owns the workspace."""
    if workspace:
        give_to_owner(folder, workspace)
