"""Retrieval without a model."""

from typing import Final

from typing_extensions import override

from echomind_lib.contract import CallContext
from echomind_lib.models.public import SearchHit, SearchMode, SearchRequest, SearchResponse, SearchService
from echomind_lib.retrieval import Mode, Retriever

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
        )
        return SearchResponse(hits=[SearchHit.model_validate(hit, from_attributes=True) for hit in hits])
