"""Where a secret may be sent: only to the place that it was entered for."""

from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443}


def same_place(old: str, new: str) -> bool:
    """Returns whether two URLs lead to the same server: the same scheme, host and port.

    Paths make no difference, as one server has them all. A URL that cannot be read is the same as no other.
    """
    try:
        return _place(old) == _place(new)
    except ValueError:
        return old == new


def _place(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").rstrip(".")
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme)
