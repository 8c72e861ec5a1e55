"""Why a connection failed, in words that name what to set."""


def broken(error: Exception) -> str:
    """The reason without any address: that of a proxy may hold a password, a signed one is a secret by itself."""
    from requests.exceptions import ProxyError, SSLError

    kind = type(error).__name__
    if isinstance(error, SSLError):
        return f"{kind}: the server's certificate is not trusted; name the file of its authority in the input ca-bundle"
    if isinstance(error, ProxyError):
        return f"{kind}: the proxy refused or is not there; check HTTPS_PROXY and NO_PROXY of the runner"
    return kind
