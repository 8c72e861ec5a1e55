"""Source maps and profiles of built scripts for tests."""

import json
from collections.abc import Sequence
from typing import Any

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
Segment = tuple[int, ...]  # line and column of the script; source, line and column; index of the name

SOURCE = "export class Lexer {}\nexport function inlineText(text) {\n  return [...text];\n}\n"
SCRIPT = "function Y(e){return[...e]}function O(e){return Y(e)}\n"
"""Built from `SOURCE` and a second source with a function ``outputLink``."""


def vlq(value: int) -> str:
    """One number in base 64 with the sign in its last bit."""
    left, text = abs(value) << 1 | (value < 0), ""
    while True:
        left, digit = left >> 5, left & 31
        text += DIGITS[digit | (32 if left else 0)]
        if not left:
            return text


def mappings(segments: Sequence[Segment]) -> str:
    text, line, before = "", 0, [0] * 5
    for place, *fields in segments:
        text += ";" * (place - line) if place > line else "," * bool(text and text[-1] != ";")
        before[0] = 0 if place > line else before[0]
        line = place
        text += "".join(vlq(now - old) for now, old in zip(fields, before, strict=False))
        before[: len(fields)] = fields
    return text


def source_map(segments: Sequence[Segment], **more: Any) -> bytes:
    document = {"version": 3, "sources": ["../src/Tokenizer.ts", "../src/Link.ts"], "mappings": mappings(segments)}
    return json.dumps({**document, "names": ["inlineText", "outputLink"], **more}).encode()


MAP = source_map([(0, 0, 0, 1, 7), (0, 9, 0, 1, 16, 0), (0, 27, 1, 4, 0), (0, 36, 1, 4, 9, 1)])
WITHOUT_NAMES = source_map([(0, 0, 0, 1, 7), (0, 9, 0, 1, 16), (0, 27, 1, 4, 0)], names=[], sourcesContent=[SOURCE])
FUNCTIONS = (("Y", 0, 10), ("O", 0, 37))
"""Names and positions as V8 records them: where the parameters begin."""


def profile(url: str, functions: Sequence[tuple[str, int, int]] = FUNCTIONS, **more: Any) -> bytes:
    """A CPU profile of V8, in which each function calls the next one and takes 1 ms."""
    calls = [("(root)", "", -1, -1), *((name, url, line, column) for name, line, column in functions)]
    keys = ("functionName", "url", "lineNumber", "columnNumber")
    nodes = [
        {"id": place, "callFrame": dict(zip(keys, call, strict=True)), "children": [place + 1][: place < len(calls)]}
        for place, call in enumerate(calls, start=1)
    ]
    samples = [node["id"] for node in nodes[1:]]
    document = {"nodes": nodes, "startTime": 0, "endTime": 1000 * len(samples), "samples": samples}
    return json.dumps({**document, "timeDeltas": [0, *[1000] * (len(samples) - 1)], **more}).encode()
