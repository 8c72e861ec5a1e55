"""Text work with the standard library: regular expressions, JSON, templates, wrapping and differences."""

import difflib
import json
import re
import string
import sys
import textwrap

LINE = re.compile(
    r"(?P<ip>\d+\.\d+\.\d+\.\d+) \[(?P<time>[^\]]+)\] \"(?P<verb>\w+) (?P<path>\S+)\" (?P<code>\d{3}) (?P<size>\d+)"
)
PLACE = re.compile(r"/(\w+)(?:/(\d+))?")
TEMPLATE = string.Template("$verb $path gave $code ($size bytes) to $ip at $time")


def log(count):
    """Lines of an access log."""
    return [
        f'10.0.{n % 7}.{n % 251} [{n % 24:02}:{n % 60:02}] "{("GET", "POST")[n % 2]} /{("shop", "cart", "user")[n % 3]}/{n % 40}" '
        f"{(200, 200, 404, 500)[n % 4]} {n * 37 % 9000}"
        for n in range(count)
    ]


def parsed(lines):
    """Fields of each line."""
    result = []
    for line in lines:
        found = LINE.match(line)
        if found:
            result.append(found.groupdict())
    return result


def route(entry):
    """The path without its numbers."""
    return PLACE.sub(lambda found: f"/{found[1]}/:id" if found[2] else found[0], entry["path"])


def counted(entries):
    """Requests and bytes of each route."""
    routes = {}
    for entry in entries:
        count, size = routes.get(route(entry), (0, 0))
        routes[route(entry)] = (count + 1, size + int(entry["size"]))
    return routes


def sentences(entries):
    """Entries as text."""
    return [TEMPLATE.substitute(entry) for entry in entries]


def wrapped(text):
    """Paragraphs of 72 columns."""
    return textwrap.wrap(text, 72)


def escaped(text):
    """Text for a page."""
    result = []
    for character in text:
        if character == "<":
            result.append("&lt;")
        elif character == "&":
            result.append("&amp;")
        elif character == '"':
            result.append("&quot;")
        else:
            result.append(character)
    return "".join(result)


def document(entries, routes):
    """Entries and routes as JSON text."""
    return json.dumps({"entries": entries, "routes": {name: list(pair) for name, pair in routes.items()}}, indent=2)


def words(text):
    """How often each word occurs."""
    counts = {}
    for word in re.findall(r"[a-z]+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts


def vowels(counts):
    """Vowels in all words."""
    result = 0
    for word, count in counts.items():
        for letter in word:
            if letter in "aeiou":
                result += count
    return result


def compared(before, after):
    """Lines that differ."""
    return sum(1 for line in difflib.ndiff(before, after) if line[0] in "+-")


def analyse(lines):
    """All steps on some lines."""
    entries = parsed(lines)
    routes = counted(entries)
    told = sentences(entries)
    paragraphs = wrapped(" ".join(told[:60]))
    page = escaped(document(entries, routes))
    differing = compared(paragraphs[:8], paragraphs[1:9])
    return len(page) + len(paragraphs) + differing + vowels(words(page))


def main(rounds):
    """Print one number."""
    lines = log(150)
    state = 0
    for _ in range(rounds):
        state = (state * 31 + analyse(lines)) & 0xFFFFFFFF
    print(state)


if __name__ == "__main__":
    main(int(sys.argv[1]))
