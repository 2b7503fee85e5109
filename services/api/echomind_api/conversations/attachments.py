"""Documents attached to a question."""

from collections.abc import Sequence
from typing import Final

import asyncpg
from sqlalchemy import Integer, bindparam, select

from echomind_lib.access import Principal
from echomind_lib.access.notebooks import require_may_ask
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.errors import DocumentNotReadyError, NotFoundError, ValidationFailedError
from echomind_lib.retrieval.documents import readable_documents

_NOTEBOOK_OF_OWN: Final = Query(
    select(ChatSession.notebook_id).where(
        ChatSession.id == bindparam("session_id", type_=Integer),
        ChatSession.user_id == bindparam("user_id", type_=Integer),
        ChatSession.notebook_id.is_not(None),
    ),
    int,
)


async def require_attachable(
    pool: asyncpg.Pool,
    reader: Principal,
    document_ids: Sequence[int],
    *,
    session_id: int | None = None,
    notebook_id: int | None = None,
) -> None:
    """Checks that documents can be attached to a question.

    Args:
        pool: The database.
        reader: The asker.
        document_ids: The documents.
        session_id: The session in which they ask; None for a new one.
        notebook_id: The notebook that a new session is in; None for none.

    Raises:
        NotFoundError: There is no such document or notebook, or the reader may not see it.
        DocumentNotReadyError: A document is not indexed yet, or its processing failed.
        ValidationFailedError: A document is not a source of the session's notebook.
    """
    if session_id is not None:
        notebook_id = await _NOTEBOOK_OF_OWN.fetch_one(pool, session_id=session_id, user_id=reader.user_id)
    elif notebook_id is not None:
        await require_may_ask(pool, reader.user_id, notebook_id)
    documents, _ = await readable_documents(pool, reader, document_ids)
    sources = documents
    if notebook_id is not None:
        sources, _ = await readable_documents(pool, reader, document_ids, notebook_id)
    for document_id in document_ids:
        document = documents.get(document_id)
        if document is None:
            raise NotFoundError(
                f"There is no document {document_id}, or you may not see it.", resource="document", id=document_id
            )
        if document_id not in sources:
            raise ValidationFailedError(
                f"The document “{document.title}” is not a source of this notebook, and its answers come from its "
                "sources alone. Add it to the sources, or ask outside the notebook.",
                document_ids="must be sources of the notebook",
            )
        if document.chunking_session is None:
            raise DocumentNotReadyError(
                f"The document “{document.title}” is not indexed: it is {document.status}. Wait until it is completed, "
                "or ask without it.",
                document_id=document_id,
                status=document.status,
            )
