"""Which authorities connections trust: the public ones, and beside them what the runner or the workflow names."""

from collections.abc import Mapping
from pathlib import Path

from profgate.errors import SettingsError

REPLACING = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # take the place of the public ones, as everywhere else
BESIDE = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
MARK = b"-----BEGIN CERTIFICATE-----"


def trusted_file(bundle: str, environ: Mapping[str, str], folder: str) -> str | None:
    """A file with all that is trusted, made in the folder; None where only the public authorities are.

    ``bundle`` is a file that the workflow names. What the runner names counts if it is there: the paths are those of
    the host. Raises SettingsError for a bundle that is missing, or a file that holds no certificate.
    """
    named = {"ca-bundle": bundle} if bundle else {}
    there = {name: environ[name] for name in (*REPLACING, *BESIDE) if Path(environ.get(name) or folder).is_file()}
    named |= {name: path for name, path in there.items() if name in BESIDE}
    base = next((path for name, path in there.items() if name in REPLACING), None)
    if not named:
        return base
    parts = [_certificates(name, path) for name, path in named.items()]
    combined = Path(folder) / "trusted.pem"
    combined.write_bytes(b"\n".join([Path(base or _public()).read_bytes(), *parts]))
    return str(combined)


def missing(environ: Mapping[str, str]) -> list[str]:
    """The variables that name a file which is not here."""
    return [name for name in (*REPLACING, *BESIDE) if environ.get(name) and not Path(environ[name]).exists()]


def _certificates(name: str, path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SettingsError(name, f"{path!r}: {error.strerror}; give a file with certificates") from error
    if MARK not in data:
        raise SettingsError(name, f"{path!r} holds no certificate in PEM form; convert it, or name another file")
    return data


def _public() -> str:
    import certifi

    return certifi.where()
