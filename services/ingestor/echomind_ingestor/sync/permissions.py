"""Who may read synced documents: what the source reported becomes what searches ask for.

The rows of folders and documents hold the readers as the source reported them (`source_readers`, made by
`encode_readers`). Whoever may read a document follows from its own, those of the folders above it, and the memberships
of groups. All is brought up to date in the transaction that stores the page, so that no document is found before its
readers are known.
"""

from collections.abc import Sequence
from typing import Any

from echomind_ingestor.connectors.protocol import Person, Readers, SourceError
from echomind_lib.db.statements import Connection


def encode_readers(readers: Readers | None) -> dict[str, Any] | None:
    """Returns readers as `source_readers` holds them; None for readers that were not reported."""
    if readers is None:
        return None
    return {
        "principals": sorted(readers.principals),
        "inherits": readers.inherits,
        "is_known": readers.is_known,
    }


def decode_readers(stored: dict[str, Any] | None) -> Readers | None:
    """Returns readers as they were reported; the other direction of `encode_readers`."""
    if stored is None:
        return None
    return Readers(principals=frozenset(stored["principals"]), inherits=stored["inherits"], is_known=stored["is_known"])


async def apply_readers(
    connection: Connection,  # noqa: ARG001
    connector_id: int,  # noqa: ARG001
    *,
    folders: Sequence[str],  # noqa: ARG001
    documents: Sequence[int],  # noqa: ARG001
) -> None:
    """Brings up to date who may read some documents; called with the rows as they are from now on.

    Args:
        connection: The transaction of the page.
        connector_id: The connector, whose `permission_mode` is `source`.
        folders: Source ids of folders that are new, moved or removed, or whose readers have changed: all documents
            below them are concerned.
        documents: Ids of documents that are new or moved, or whose readers have changed.

    Raises:
        SourceError: Permissions cannot be synced.
    """
    raise SourceError("Permissions of sources are not synced yet: choose the permission mode `scope`.")


async def apply_people(
    connection: Connection,  # noqa: ARG001
    connector_id: int,  # noqa: ARG001
    people: Sequence[Person],  # noqa: ARG001
) -> None:
    """Stores people whom readers of a page name, in the transaction of the page.

    Raises:
        SourceError: Permissions cannot be synced.
    """
    raise SourceError("Permissions of sources are not synced yet: choose the permission mode `scope`.")
