"""Of documents, and of the votes on their passages."""

from echomind_api.sources import intake
from echomind_lib.retrieval import votes
from tests.factories.frequent_queries.query import Query, issued

_VOTED = {"reader_id": "1", "reader_groups": "'{}'", "ids": "'{1,2,3}'"}

DOCUMENTS: list[Query] = [
    issued("idx_chunk_feedback_document_id", votes._ACTIVE_AND_VOTED, _VOTED),
    issued("rated_questions_pkey", votes._ACTIVE_AND_VOTED, _VOTED),
    issued("idx_notebook_sources_document_id", votes._ACTIVE_AND_VOTED_IN_NOTEBOOK, _VOTED | {"notebook_id": "7"}),
    Query(
        "idx_documents_connector_id",
        "SELECT * FROM documents WHERE connector_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
        "1, 700",
    ),
    Query(
        "idx_documents_status",
        "SELECT * FROM documents WHERE connector_id = $1 AND status = $2 AND id < $3 ORDER BY id DESC LIMIT 51",
        "1, 'failed', 700",
    ),
    Query(
        "idx_documents_title",
        """
        SELECT * FROM documents WHERE deleted_date IS NULL AND connector_id = ANY ($1) AND (lower(title), id) > ($2, $3)
        ORDER BY lower(title), id LIMIT 101
        """,
        "'{1,2,3}', 't', 700",
    ),
    Query(
        "idx_documents_size",
        """
        SELECT * FROM documents
        WHERE deleted_date IS NULL AND connector_id = ANY ($1) AND (COALESCE(size_bytes, 0), id) < ($2, $3)
        ORDER BY COALESCE(size_bytes, 0) DESC, id DESC LIMIT 101
        """,
        "'{1,2,3}', 900, 700",
    ),
    Query(
        "idx_documents_name",
        """
        SELECT * FROM documents
        WHERE deleted_date IS NULL AND connector_id = ANY ($1) AND lower(title || ' ' || source_id) LIKE '%zeppelin%'
        ORDER BY id DESC LIMIT 101
        """,
        "'{1,2,3}'",
        sorted_by_index=False,
    ),
    Query(
        "idx_documents_unfinished",
        "SELECT id FROM documents WHERE status = 'pending' AND id > $1 ORDER BY id LIMIT 100",
        "7",
    ),
    Query(
        "idx_documents_counts",
        """
        SELECT connector_id, status, content_type, count(*) FROM documents
        WHERE deleted_date IS NULL AND connector_id = ANY ($1) GROUP BY connector_id, status, content_type
        """,
        "'{1,2,3}'",
        sorted_by_index=False,
    ),
    Query("idx_documents_removed", "SELECT id FROM documents WHERE deleted_date IS NOT NULL ORDER BY id LIMIT 100", ""),
    Query("idx_documents_source_id", intake.FIND.sql, "1, 'a'"),
]
