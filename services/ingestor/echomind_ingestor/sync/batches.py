"""Writes the rows of contents that were read or failed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from echomind_ingestor.connectors.protocol import Item, ItemError
from echomind_ingestor.sync.contents import StoredContent
from echomind_ingestor.sync.documents import KnownDocument
from echomind_ingestor.sync.failures import ItemFailure
from echomind_ingestor.sync.items import (
    concerns_readers,
    content_row,
    failed_row,
    has_other_metadata,
    metadata_row,
    version_of,
)


@dataclass(slots=True, kw_only=True)
class Batch:
    """The rows to write for some contents in one transaction, by kind of change."""

    new: list[dict[str, Any]] = field(default_factory=list)
    replaced: list[dict[str, Any]] = field(default_factory=list)
    described: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    failures: list[ItemFailure] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    """Source ids of read items."""
    children: list[str] = field(default_factory=list)
    """Source ids of items that belong to another document."""
    regranted: list[int] = field(default_factory=list)
    """Documents whose readers have to be computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """An item whose content was read, or failed."""

    item: Item
    document_id: int
    known: KnownDocument | None
    content: StoredContent | None = None
    error: ItemError | None = None


def batch_of(items: Iterable[ReadItem]) -> Batch:
    """Returns the rows to write for some items."""
    batch = Batch()
    for item in items:
        _add(batch, item)
    return batch


def _add(batch: Batch, prepared: ReadItem) -> None:
    item, known, document_id = prepared.item, prepared.known, prepared.document_id
    if known is None or concerns_readers(item, known):
        batch.regranted.append(document_id)
    if item.parent_id:
        batch.children.append(item.source_id)
    if (content := prepared.content) is not None:
        batch.read.append(item.source_id)
        row = content_row(item, document_id, content)
        if known is None:
            batch.new.append(row)
        elif known.signature != content.signature or known.status == "failed":
            batch.replaced.append(row)
        elif known.source_version != version_of(item) or has_other_metadata(item, known):
            batch.described.append(metadata_row(item, document_id, version_of(item)))
        return
    error = prepared.error
    assert error is not None
    batch.failures.append(
        ItemFailure(source_id=item.source_id, name=item.name, message=error.message, is_retryable=error.retryable)
    )
    if known is None:
        batch.new.append(failed_row(item, document_id, error.message, is_final=not error.retryable))
    elif error.retryable:
        batch.described.append(metadata_row(item, document_id, None))
    else:
        batch.read.append(item.source_id)
        batch.failed.append(failed_row(item, document_id, error.message, is_final=True))
