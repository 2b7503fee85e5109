"""The versions of Qdrant that EchoMind works with."""

import re

from echomind_lib.errors import DependencyUnavailableError

OLDEST_SERVER = (1, 19)
"""The first version of Qdrant that computes the IDF over the points that a reader may see. Older ones ignore the
request for it: the ranking would depend on documents of others."""


def require_server(version: str) -> None:
    """Raises an error if a server of this version is too old.

    Raises:
        DependencyUnavailableError: It is too old.
    """
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if found < OLDEST_SERVER:
        needed = ".".join(str(part) for part in OLDEST_SERVER)
        raise DependencyUnavailableError(
            "The vector index is too old for this version of EchoMind.",
            detail=f"EchoMind needs Qdrant {needed} or newer, the server is {version}: upgrade the server.",
            dependency="qdrant",
        )
