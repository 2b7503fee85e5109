"""Copies the content of an item from its source to the object store, without holding it in memory."""

import asyncio
import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from echomind_ingestor.connectors.protocol import Content, Item, ItemError, SourceConnector
from echomind_lib.documents.content_types import content_type_of
from echomind_lib.objects import ObjectStore, original_key

_IN_MEMORY: Final = 1024 * 1024
"""Maximum bytes of a content kept in memory; larger ones are written to a file."""
_MB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContent:
    """A content in the object store."""

    signature: str
    """SHA-256 of its bytes, in hexadecimal."""
    size: int
    content_type: str


class Contents:
    """Reads contents from sources and stores them for the pipeline."""

    def __init__(self, objects: ObjectStore, *, max_bytes: int) -> None:
        self._objects = objects
        self.max_bytes = max_bytes

    async def store(
        self, source: SourceConnector[Any], item: Item, document_id: int, *, known: str | None
    ) -> StoredContent:
        """Reads the content of an item and stores it.

        Args:
            source: The open source.
            item: The item.
            document_id: Its document.
            known: The signature of the document's current content, which is not stored again.

        Raises:
            ItemError: It cannot be read, is empty, or too large.
            SourceError: Nothing can be read.
            DependencyUnavailableError: The object store does not respond.
        """
        self._check_size(item.size or 0)
        if item.content is not None:
            return await self._keep(item, document_id, known, bytes(item.content), "", "")
        async with source.open(item) as content:
            return await self._spool(item, document_id, known, content)

    async def _spool(self, item: Item, document_id: int, known: str | None, content: Content) -> StoredContent:
        data = bytearray()
        pieces = aiter(content.pieces)
        async for piece in pieces:
            data += piece
            self._check_size(len(data))
            if len(data) > _IN_MEMORY:
                break
        else:
            return await self._keep(item, document_id, known, bytes(data), content.content_type, content.name)
        digest, size = hashlib.sha256(data), len(data)
        with tempfile.NamedTemporaryFile(prefix="echomind-sync-") as file:
            await asyncio.to_thread(file.write, bytes(data))
            data.clear()
            async for piece in pieces:
                size += len(piece)
                self._check_size(size)
                digest.update(piece)
                await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(file.flush)
            signature = digest.hexdigest()
            if signature != known:
                await self._objects.put_file(original_key(document_id, signature), Path(file.name))
        content_type = content_type_of(content.content_type or item.content_type, content.name or item.name)
        return StoredContent(signature=signature, size=size, content_type=content_type)

    async def _keep(
        self, item: Item, document_id: int, known: str | None, data: bytes, content_type: str, name: str
    ) -> StoredContent:
        self._check_size(len(data))
        if not data:
            raise ItemError("The file is empty.", retryable=False)
        signature = hashlib.sha256(data).hexdigest()
        if signature != known:
            await self._objects.put(original_key(document_id, signature), data)
        found = content_type_of(content_type or item.content_type, name or item.name)
        return StoredContent(signature=signature, size=len(data), content_type=found)

    def _check_size(self, size: int) -> None:
        if size > self.max_bytes:
            limit = self.max_bytes // _MB
            raise ItemError(f"The file is larger than {limit} MB, the largest that is indexed.", retryable=False)
