"""Turn reStructuredText into HTML."""

from docutils.core import publish_string

SECTION = """
Section {number}
================

A paragraph with **strong** and *emphasized* words, ``code`` and a `link {number} <https://example.org/{number}>`__.

1. first
2. second with ``code``

   - inner list

:field {number}: value
:other: ``literal``

======  ========
name    value
======  ========
a       {number}
b       **two**
======  ========
"""
DOCUMENT = "A document\n##########\n" + "".join(SECTION.format(number=number) for number in range(6))
SETTINGS = {"file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True, "report_level": 4}


def work():
    """One unit of work."""
    return len(publish_string(DOCUMENT, writer_name="html5", settings_overrides=SETTINGS))


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
