"""Every entry point by name: the readers first, then everything else that untrusted people can write."""

from fuzz.other_entry_points import OTHER_ENTRY_POINTS
from fuzz.reader_entry_points import READER_ENTRY_POINTS

ENTRY_POINTS = {entry_point.name: entry_point for entry_point in (*READER_ENTRY_POINTS, *OTHER_ENTRY_POINTS)}
