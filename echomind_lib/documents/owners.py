"""The files in the object store and the chunks in the vector index that documents refer to."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import BigInteger, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.db.models import Document
from echomind_lib.db.statements import Query
from echomind_lib.objects import extracted_keys, original_key

FOLDER: Final = "documents/"
"""Prefix of the names of all files of documents."""
_FILES: Final = frozenset({"original", "text", "markdown"})
"""The last parts of these names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A document, and the files and chunks that it references."""

    id: int
    signature: str | None
    chunking_session: UUID | None
    processing_session: UUID | None
    is_unfinished: bool
    """Whether it is queued or being processed."""

    @property
    def sessions(self) -> set[str]:
        """The processing sessions whose chunks and text it references."""
        return {str(each) for each in (self.chunking_session, self.processing_session) if each}

    def needs(self, key: str) -> bool:
        """Returns whether a file belongs to it."""
        named = {original_key(self.id, self.signature or "")}
        named.update(*(extracted_keys(self.id, each) for each in self.sessions))
        return self.is_unfinished or key in named


OWNERS: Final = Query(
    select(
        Document.id,
        Document.signature,
        Document.chunking_session,
        Document.processing_session,
        Document.status.in_(["pending", "processing"]).label("is_unfinished"),
    ).where(Document.id == func.any(bindparam("ids", type_=ARRAY(BigInteger)))),
    Owner,
)


def document_of(key: str) -> int | None:
    """Returns the document of a file; None for a name in another format."""
    parts = key.split("/")
    is_ours = len(parts) == 4 and parts[3] in _FILES and parts[1].isascii() and parts[1].isdecimal()
    return int(parts[1]) if is_ours and len(parts[1]) < 19 else None
