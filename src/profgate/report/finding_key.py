"""The name of a finding in an address: the comment links with it, the page opens the frame it stands for."""

import hashlib

from profgate.model.change import Location

_DIGITS = 16


def finding_key(location: Location) -> str:
    """Sixteen hexadecimal digits that stay the same as long as function, file and call path do."""
    parts = (location.name, location.file or "", *(location.context or ()))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
