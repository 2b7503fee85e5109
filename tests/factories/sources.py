"""What a source is opened with, outside a sync."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from echomind_ingestor.connectors.protocol import Known, SourceContext

Settings = TypeVar("Settings", bound=msgspec.Struct)


def source_context(
    settings: Settings, credentials: Any = None, known: Mapping[str, Known] | None = None, **more: Any
) -> SourceContext[Settings]:
    """Returns a context of a sync that knows some items and stores nothing."""
    stored = known or {}

    async def save_credentials(_: msgspec.Struct) -> None:
        raise AssertionError("This source replaces no credentials.")

    async def find_known(ids: Iterable[str]) -> Mapping[str, Known]:
        return {id_: stored[id_] for id_ in ids if id_ in stored}

    async def find_children(folder_id: str) -> AsyncIterator[Sequence[str]]:
        yield [id_ for id_, known in stored.items() if known.folder_id == folder_id]

    return SourceContext(
        connector_id=1,
        settings=settings,
        credentials=credentials,
        syncs_permissions=False,
        save_credentials=save_credentials,
        find_known=find_known,
        find_children=find_children,
        **more,
    )
