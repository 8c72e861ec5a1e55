"""Why a connection failed, in words that name what to set and no address.

The address of a proxy may hold a password, and a signed address is a secret by itself.
"""

import re


def broken(error: Exception) -> str:
    """The reason, and what to set where the runner's certificates or proxies are to blame."""
    from requests.exceptions import ProxyError, SSLError

    kind, text = type(error).__name__, str(error)
    if isinstance(error, SSLError):
        found = re.search(r"certificate verify failed: ([A-Za-z -]+)", text)
        reason = f" ({found[1].strip()})" if found else ""
        return f"{kind}: the certificate is not trusted{reason}; name the file of its authority in the input ca-bundle"
    if isinstance(error, ProxyError):
        found = re.search(r"Tunnel connection failed: ([0-9]{3})", text)
        did = f"answered {found[1]}" if found else "did not answer"
        return f"{kind}: the proxy {did}; check HTTPS_PROXY and NO_PROXY of the runner"
    return kind


def stays_broken(error: Exception) -> bool:
    """Whether trying again is in vain: who is not trusted now is not trusted in a minute."""
    return "CERTIFICATE_VERIFY_FAILED" in str(error)
