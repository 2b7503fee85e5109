"""Measures how votes on sources change a ranking: asks a test set, rates its sources, and searches again.

Half of the questions are asked, and the sources of their answers are rated by the set's judgements: helpful if
relevant, otherwise not helpful. Then these questions are searched for again in the same words and in other words, and
the other half, which has no ratings, to check that its results do not get worse.
"""

import re
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from echomind.cli.api import Api
from echomind.cli.progress import Progress
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind.cli.evaluation.retrieval_sets import Query

_DEPTH = 10
_PASSAGES = 30
"""Passages of a search: several may be of one document, and ten documents are looked at."""
_OPENING = re.compile(r"^(what|which|who|where|when|how|why|can|does|do|is|are|has|have)\b\s*", re.IGNORECASE)


def paraphrase(question: str) -> str:
    """Returns a question in other words: its halves the other way round and, of an English one, as an order.

    By rule, so that it needs no model and is the same each time. The words that it is about stay.
    """
    opening = _OPENING.match(question)
    rest = question[opening.end() if opening else 0 :].strip().rstrip(" .?\uff1f")
    words = rest.split()
    if len(words) == 1:  # a language without spaces between words
        return rest[len(rest) // 2 :] + rest[: len(rest) // 2]
    middle = len(words) // 2
    turned = " ".join([*words[middle:], *words[:middle]])
    return f"Please tell me {opening.group(1).lower()}: {turned}" if opening else turned


async def measure_gain(
    api: Api, connector_id: int, queries: "Sequence[Query]", documents: Mapping[int, str]
) -> dict[str, dict[str, float]]:
    """Returns nDCG@10 before and after the votes: of repeated, paraphrased and other questions."""
    rated, others = queries[::2], queries[1::2]
    groups = {
        "repeated": [(query, query.text) for query in rated],
        "paraphrased": [(query, paraphrase(query.text)) for query in rated],
        "others": [(query, query.text) for query in others],
    }
    before = {name: await _ndcg(api, connector_id, documents, group) for name, group in groups.items()}
    sessions, votes = [], 0
    try:
        with Progress(api.terminal, "Asking and rating", len(rated)) as progress:
            for query in rated:
                session, cast = await _rate(api, query, documents)
                sessions.append(session)
                votes += cast
                progress.advance()
        after = {name: await _ndcg(api, connector_id, documents, group) for name, group in groups.items()}
    finally:
        await _purge(api, sessions)
    result = {
        name: {"before": before[name], "after": after[name], "gain": after[name] - before[name]} for name in groups
    }
    return result | {"votes": {"questions": len(rated), "votes": votes}}


async def _rate(api: Api, query: "Query", documents: Mapping[int, str]) -> tuple[int, int]:
    """Asks a question and rates the sources of its answer; returns the conversation and the number of votes."""
    session, answer = 0, None
    async for event in api.client.stream(
        public.ChatMessageService.stream_message, public.SendMessageRequest(content=query.text)
    ):
        session = event.chat_session_id or session
        if event.finished is not None:
            answer = event.finished.message
    if answer is None:
        return session, 0
    passages = {each.chunk_id: each.document_id for each in answer.citations if each.document_id in documents}
    for chunk_id, document_id in passages.items():
        relevant = query.relevance.get(documents[document_id or 0], 0) > 0
        vote = {"message_id": answer.id, "chunk_id": chunk_id, "feedback": public.Feedback(is_positive=relevant)}
        await api.client.call(public.ChatMessageService.set_citation_feedback, vote)
    return session, len(passages)


async def _ndcg(
    api: Api, connector_id: int, documents: Mapping[int, str], group: "Sequence[tuple[Query, str]]"
) -> float:
    from echomind.cli.sources.ranking import ndcg

    gains = []
    with Progress(api.terminal, "Searching", len(group)) as progress:
        for query, text in group:
            request = public.SearchRequest(query=text, limit=_PASSAGES, connector_ids=[connector_id])
            answer = await api.client.call(public.SearchService.search, request)
            ranking = list(dict.fromkeys(documents[hit.document_id] for hit in answer.hits))
            gains.append(ndcg(ranking, query.relevance, _DEPTH))
            progress.advance()
    return statistics.fmean(gains)


async def _purge(api: Api, session_ids: "Sequence[int]") -> None:
    """Deletes the conversations permanently, and with them their votes."""
    for session_id in session_ids:
        if session_id:
            await api.client.call(public.ChatSessionService.purge_chat_session, {"id": session_id})
