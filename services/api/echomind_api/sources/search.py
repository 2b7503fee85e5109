"""Retrieval without a model."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from echomind_lib.access.notebooks import NotebookScope, notebook_scope
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.documents.kinds import kind_of
from echomind_lib.models.public import SearchHit, SearchMode, SearchRequest, SearchResponse, SearchService
from echomind_lib.plain_text import plain_text
from echomind_lib.retrieval import Mode, Retriever
from echomind_lib.retrieval.documents import DocumentFilter
from echomind_lib.retrieval.hits import Hit

_DEFAULT_LIMIT: Final = 10
_MARKDOWN: Final = "text/markdown"
_MODES: Final[dict[SearchMode, Mode]] = {
    SearchMode.UNSPECIFIED: "hybrid",
    SearchMode.HYBRID: "hybrid",
    SearchMode.DENSE: "dense",
    SearchMode.LEXICAL: "lexical",
}


class Search(SearchService):
    """The service `SearchService`."""

    def __init__(self, database: Database, retriever: Retriever) -> None:
        self._pool = database.pool
        self._retriever = retriever

    @override
    async def search(self, request: SearchRequest, call: CallContext) -> SearchResponse:
        notebook: NotebookScope | None = None
        if request.notebook_id is not None:
            notebook = await notebook_scope(self._pool, call.principal.user_id, request.notebook_id)
        hits = await self._retriever.search(
            call.principal,
            request.query,
            limit=request.limit or _DEFAULT_LIMIT,
            mode=_MODES[request.mode],
            connector_ids=request.connector_ids,
            documents=DocumentFilter(
                content_types=request.content_types,
                created_from=request.created_from,
                created_before=request.created_before,
                languages=request.languages,
                folder=request.folder,
            ),
            notebook=notebook,
        )
        found = [_to_model(hit, score) for hit, score in zip(hits, _scores(hits), strict=True)]
        return SearchResponse(hits=found, missing=hits.missing, unranked=hits.unranked)


def _scores(hits: Sequence[Hit]) -> list[float]:
    """Returns the shown score of each hit: the first one's own, then in proportion to the ranking's, never rising.

    Votes may move a hit before one that the ranking prefers.
    """
    scores: list[float] = []
    for hit in hits:
        share = hit.rank_score / hits[0].rank_score if hits[0].rank_score > 0 else 1.0
        scores.append(min(scores[-1] if scores else 1.0, max(0.0, hits[0].score * share)))
    return scores


def _to_model(hit: Hit, score: float) -> SearchHit:
    is_marked = kind_of(hit.content_type) != "text" or hit.content_type == _MARKDOWN
    snippet = plain_text(hit.text) if is_marked else " ".join(hit.text.split())
    return SearchHit.from_row(hit, score=score, snippet=snippet, is_weak=not hit.is_evidence)
