"""Of documents, and of the votes on their passages."""

from echomind_api.sources import intake
from echomind_api.sources.document_lists import Readable, counted_exactly, page_of_list
from echomind_ingestor.pipeline import claims, removal
from echomind_lib.documents.filters import Filter
from echomind_lib.models.public import DocumentSort
from echomind_lib.retrieval import votes
from tests.factories.frequent_queries.query import READER, Query, issued, page_after, selected

_ONE, _MANY, _ALL = (Readable(READER, ids, []) for ids in ([1], [1, 2, 3], range(1, 401)))

_VOTED = {"reader_id": "1", "reader_groups": "'{}'", "ids": "'{1,2,3}'"}

DOCUMENTS: list[Query] = [
    issued("idx_chunk_feedback_document_id", votes._ACTIVE_AND_VOTED, _VOTED),
    issued("rated_questions_pkey", votes._ACTIVE_AND_VOTED, _VOTED),
    issued("idx_notebook_sources_document_id", votes._ACTIVE_AND_VOTED_IN_NOTEBOOK, _VOTED | {"notebook_id": "7"}),
    selected(
        "idx_documents_connector_id",
        page_of_list(_ONE, Filter(), DocumentSort.UNSPECIFIED, page_after(700), descending=True),
        is_page=True,
    ),
    selected(
        "idx_documents_status",
        page_of_list(_ONE, Filter(statuses=("failed",)), DocumentSort.ADDED, page_after(700), descending=True),
        sorted_by_index=False,
    ),
    selected(
        "idx_documents_title",
        page_of_list(_MANY, Filter(), DocumentSort.TITLE, page_after("t", 700), descending=False),
    ),
    selected(
        "idx_documents_size",
        page_of_list(_MANY, Filter(), DocumentSort.SIZE, page_after(900, 700), descending=True),
    ),
    selected(
        "idx_documents_name",
        page_of_list(_ALL, Filter(query="zeppelin"), DocumentSort.ADDED, page_after(20_000), descending=True),
        sorted_by_index=False,
    ),
    selected("idx_documents_counts", counted_exactly(_MANY, Filter()), sorted_by_index=False),
    issued("idx_documents_unfinished", claims.WAITING, {"limit": "100"}, sorted_by_index=True),
    issued("idx_documents_removed", removal._INDEXED, {"after": "7", "limit": "100"}, sorted_by_index=True),
    issued("idx_documents_source_id", intake._SELECT_BY_NAME, {"connector_id": "1", "source_ids": "'{a,b}'"}),
]
