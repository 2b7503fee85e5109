"""The votes on passages that may change a reader's ranking, read by the statement that checks the reader's hits."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import and_, func, select, true
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal, connectors
from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.db.models import ChunkFeedback, Connector, Document, RatedQuestion, User
from echomind_lib.db.statements import Query, part
from echomind_lib.indexes import Index
from echomind_lib.retrieval.documents import (
    OF_NOTEBOOK,
    READABLE_COLUMNS,
    ReadableDocument,
    readable,
    with_active_index,
)

_OF_PERSON = 50
_OF_DOCUMENT = 400
"""Maximum number of votes on a document that count, per person and in total; the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A vote on a passage, for one of its questions."""

    user_id: int
    message_id: int
    chunk_id: str
    chunking_session: UUID | None
    """The version of the document whose text the span refers to."""
    span_start: int | None
    span_end: int | None
    snippet: str
    """The cited text."""
    value: int
    """1 for helpful, -1 for not helpful."""
    is_editor: bool
    """Whether its author may manage the document."""
    model_id: str | None
    """The model of `vector`."""
    vector: bytes | None
    """The question's vector, as `RatedQuestion.vector`."""
    terms: list[int]
    """The question's term ids, as `RatedQuestion.terms`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    collection: str
    model_id: str
    dimension: int
    sparse_encoder: str
    document: ReadableDocument | None
    vote: Vote | None


_rule, _editors = documents_of_scopes(), connectors("manage")
_voter = aliased(User, name="voter")
# Numbered before anything is left out: the many votes of one person leave room for those of others.
_numbered = (
    select(
        ChunkFeedback.id,
        ChunkFeedback.user_id,
        ChunkFeedback.message_id,
        ChunkFeedback.chunk_id,
        ChunkFeedback.chunking_session,
        ChunkFeedback.span_start,
        ChunkFeedback.span_end,
        ChunkFeedback.snippet,
        ChunkFeedback.value,
        func.row_number().over(partition_by=ChunkFeedback.user_id, order_by=ChunkFeedback.id.desc()).label("position"),
    )
    .where(ChunkFeedback.document_id == Document.id)
    .correlate(Document)
    .subquery("numbered")
)
_newest = (
    select(
        *(column for column in _numbered.c if column.name not in {"id", "position"}),
        _editors.where(Connector, _voter).label("is_editor"),
    )
    .join(_voter, and_(_voter.id == _numbered.c.user_id, _voter.is_active))
    # Votes of people who may no longer read the document are ignored.
    .where(_numbered.c.position <= _OF_PERSON, _rule.where(Connector, Document, _voter))
    .correlate(Document, Connector)
    .order_by(_numbered.c.id.desc())
    .limit(_OF_DOCUMENT)
    .subquery("newest")
)
_votes = (
    select(
        *_newest.c,
        RatedQuestion.model_id,
        RatedQuestion.vector,
        RatedQuestion.terms,
    )
    .join(RatedQuestion, RatedQuestion.message_id == _newest.c.message_id)
    .lateral("votes")
)


_voted = readable(*part("document", *READABLE_COLUMNS), *part("vote", *_votes.c)).outerjoin(_votes, true())
_ACTIVE_AND_VOTED: Final = Query(with_active_index(_voted), _Row)
_ACTIVE_AND_VOTED_IN_NOTEBOOK: Final = Query(with_active_index(_voted, OF_NOTEBOOK), _Row)


async def voted_documents(
    pool: asyncpg.Pool, reader: Principal, ids: Collection[int], notebook_id: int | None = None
) -> tuple[dict[int, ReadableDocument], Index | None, dict[int, list[Vote]]]:
    """Returns the result of `readable_documents`, and the votes on passages of these documents, by document."""
    values = {"ids": list(ids), **_rule.values(reader)}
    if notebook_id is None:
        rows = await _ACTIVE_AND_VOTED.fetch_all(pool, **values)
    else:
        rows = await _ACTIVE_AND_VOTED_IN_NOTEBOOK.fetch_all(pool, notebook_id=notebook_id, **values)
    if not rows:
        return {}, None, {}
    first = rows[0]
    documents: dict[int, ReadableDocument] = {}
    votes: dict[int, list[Vote]] = defaultdict(list)
    for row in rows:
        if row.document is not None:
            documents[row.document.id] = row.document
            if row.vote is not None:
                votes[row.document.id].append(row.vote)
    index = Index(
        collection=first.collection,
        model_id=first.model_id,
        dimension=first.dimension,
        sparse_encoder=first.sparse_encoder,
    )
    return documents, index, votes
