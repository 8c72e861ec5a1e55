"""A digest of a source file that ignores only comments and blank lines that no tool reads."""

import hashlib
import re
from itertools import groupby
from typing import TYPE_CHECKING

from profgate.attribution.grammars import Language

if TYPE_CHECKING:
    from tree_sitter import Node

# in C and C++, compilers read sentences such as "Falls through."
_LANGUAGES: frozenset[Language] = frozenset({"python", "javascript", "typescript", "tsx", "go", "java", "rust"})
# no directive of a compiler, build tool or code generator begins with a capital letter and ends with a full stop
_SENTENCE = re.compile(r"[ \t]*(?:#|//) [A-Z][A-Za-z0-9_ ,.'()-]*\.")


def exact_digest(language: Language, text: str, root: "Node") -> str:
    """Return a digest of all lines of a file, in which lines without any effect count as empty lines.

    These are blank lines, and comments of whole lines in which each line is one sentence, but not in a string or a
    template. Equal digests mean the same program with the same line numbers. The digest is "" if no line is known to be
    without effect: in C and C++, and if the file has a syntax error, a Unicode escape or invalid UTF-8.
    """
    if language not in _LANGUAGES or root.has_error or "\\u" in text or "\ufffd" in text:
        return ""
    comments, inside = _rows(root)
    digest = hashlib.blake2b(digest_size=16)
    for is_comment, rows in groupby(enumerate(text.split("\n")), lambda row: row[0] in comments):
        group = list(rows)
        # each line of a comment counts if one line of it may be a directive, which can continue on the next line
        ignored = is_comment and all(_SENTENCE.fullmatch(line) for _, line in group)
        for number, line in group:
            shown = line if number in inside or not (ignored or not line.strip(" \t")) else ""
            digest.update(b"%b\n" % shown.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _rows(root: "Node") -> tuple[set[int], set[int]]:
    """Return the rows that contain a comment, and the rows of tokens, strings and markup of several lines."""
    comments, inside = set[int](), set[int]()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        first, last = node.start_point[0], node.end_point[0]
        if "comment" in node.type:
            comments.update(range(first, last + 1))
        if first < last and node.child_count and not re.search("comment|string|template|jsx", node.type):
            waiting += node.children
        elif first < last:
            inside.update(range(first, last + 1))
    return comments, inside
