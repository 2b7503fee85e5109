"""Spans of searches. Used only while traces are on."""

from typing import Any

from typing_extensions import override

from echomind_lib.access import Principal
from echomind_lib.retrieval.hits import Hits
from echomind_lib.retrieval.search import Retriever
from echomind_lib.telemetry import names, spans
from echomind_lib.telemetry.spans import Value


class TracedRetriever(Retriever):
    """A retriever whose searches are recorded."""

    @override
    async def search(self, reader: Principal, query: str, **options: Any) -> Hits:
        attributes: dict[str, Value] = {names.OPERATION: names.RETRIEVAL, names.OBSERVATION_TYPE: names.RETRIEVER}
        if spans.recorder is not None and spans.recorder.has_content:
            from echomind_lib.telemetry import content

            attributes[names.QUERY_TEXT] = content.masked(query)
        with spans.child_span(names.RETRIEVAL, "internal", attributes) as span:
            hits = await super().search(reader, query, **options)
            if span is not None:
                span.attributes[names.HITS] = len(hits)
            return hits
