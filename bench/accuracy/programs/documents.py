"""Turns one reStructuredText document into HTML again and again with whichever docutils is on the path."""

import sys

from docutils.core import publish_string

SECTION = """
Section {number}
================

A paragraph with **strong** and *emphasized* words, ``code``, a `link {number} <https://example.org/{number}>`__
and a reference_{number} that is resolved below. It goes on for a second line.

.. _reference_{number}: https://example.org/reference/{number}

1. one thing
2. another thing with ``code``

   - a list below it
   - and its second entry

:field {number}: what it holds
:other: ``literal`` and *more*

======  ========
name    value
======  ========
a       {number}
b       **two**
======  ========

.. note:: A remark with a `title {number}`_.

.. _title {number}: https://example.org/title/{number}
"""
DOCUMENT = "A document\n##########\n" + "".join(SECTION.format(number=number) for number in range(12))
SETTINGS = {"file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True, "report_level": 4}


def main(rounds: int) -> None:
    """Read, transform and write the document this many times."""
    for _ in range(rounds):
        publish_string(DOCUMENT, writer_name="html5", settings_overrides=SETTINGS)


if __name__ == "__main__":
    main(int(sys.argv[1]))
