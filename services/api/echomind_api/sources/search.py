"""Retrieval without a model."""

from typing import Final

from typing_extensions import override

from echomind_lib.contract import CallContext
from echomind_lib.models.public import SearchHit, SearchMode, SearchRequest, SearchResponse, SearchService
from echomind_lib.retrieval import Mode, Retriever
from echomind_lib.retrieval.documents import DocumentFilter

_DEFAULT_LIMIT: Final = 10
_MODES: Final[dict[SearchMode, Mode]] = {
    SearchMode.UNSPECIFIED: "hybrid",
    SearchMode.HYBRID: "hybrid",
    SearchMode.DENSE: "dense",
    SearchMode.LEXICAL: "lexical",
}


class Search(SearchService):
    """The service `SearchService`."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    @override
    async def search(self, request: SearchRequest, call: CallContext) -> SearchResponse:
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
            ),
        )
        return SearchResponse(hits=[SearchHit.from_row(hit) for hit in hits])
