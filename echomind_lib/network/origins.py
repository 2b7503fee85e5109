"""Secrets may be sent only to the server for which they were entered."""

from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443}


def same_origin(old: str, new: str) -> bool:
    """Returns whether two URLs refer to the same server: the same scheme, host and port.

    Paths are ignored, as they are on the same server. An invalid URL equals no other.
    """
    try:
        return _origin(old) == _origin(new)
    except ValueError:
        return old == new


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").rstrip(".")
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme)
