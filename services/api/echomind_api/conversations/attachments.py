"""Documents that a question is asked with."""

from collections.abc import Sequence

import asyncpg

from echomind_lib.access import Principal
from echomind_lib.errors import DocumentNotReadyError, NotFoundError
from echomind_lib.retrieval.documents import readable_documents


async def require_indexed(pool: asyncpg.Pool, reader: Principal, document_ids: Sequence[int]) -> None:
    """Checks that documents can be searched.

    Raises:
        NotFoundError: There is no such document, or the reader may not see it.
        DocumentNotReadyError: One is not indexed yet, or could not be.
    """
    documents, _ = await readable_documents(pool, reader, document_ids)
    for document_id in document_ids:
        document = documents.get(document_id)
        if document is None:
            raise NotFoundError(
                f"There is no document {document_id}, or you may not see it.", resource="document", id=document_id
            )
        if document.chunking_session is None:
            raise DocumentNotReadyError(
                f"The document “{document.title}” is not indexed: it is {document.status}. Wait until it is completed, "
                "or ask without it.",
                document_id=document_id,
                status=document.status,
            )
