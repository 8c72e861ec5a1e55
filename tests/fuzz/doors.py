"""Every door by name: the readers first, then whatever else strangers can write to."""

from fuzz.other_doors import OTHER_DOORS
from fuzz.reader_doors import READER_DOORS

DOORS = {door.name: door for door in (*READER_DOORS, *OTHER_DOORS)}
