"""The built-in model: it searches, and answers with the sentences of the sources that fit the question best.

It is a chat model like any other, so the run loop has one path. It invents nothing: each sentence is a quotation with
its source, and when none fits well enough it says that the documents do not answer the question.
"""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import msgspec
import numpy as np

from echomind_agent.sentences import sentences
from echomind_agent.sources import parse
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.llms import ChatEvent, ChatRequest, Completion, Message, TextDelta, ToolCall, Usage
from echomind_lib.retrieval import content_terms, detect_language

SEARCH = "search_documents"

_OVERLAP_WEIGHT = 0.3
"""Weight of the share of the question's words that a sentence says, beside the cosine (measured on XQuAD: see
docs/decisions/0004)."""
_ANSWERS = 0.55
"""Score from which a sentence counts as an answer."""
_ALSO = 0.85
"""Share of the best sentence's score from which another one is quoted too."""
_MOST_SENTENCES = 3
_MOST_CANDIDATES = 64
_SAME = 0.92
"""Cosine from which two sentences say the same."""
_SHORT_QUESTION = 3
"""Content words below which a question is taken together with the one before it."""
_DECLINE = {
    "de": "Ihre Dokumente enthalten darauf keine Antwort, die ich zitieren könnte.",
    "es": "Sus documentos no contienen una respuesta que yo pueda citar.",
    "fr": "Vos documents ne contiennent pas de réponse que je puisse citer.",
    "it": "I suoi documenti non contengono una risposta che io possa citare.",
    "pt": "Os seus documentos não contêm uma resposta que eu possa citar.",
    "nl": "Uw documenten bevatten geen antwoord dat ik kan citeren.",
    "zh": "您的文档中没有我可以引用的答案。",
    "ja": "お手元の文書には、引用できる回答がありません。",
    "en": "Your documents do not contain an answer that I could quote.",
}
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>\s?|\|)+")
_MARKER = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class _Candidate:
    number: int
    place: int
    text: str


class ExtractiveModel:
    """Quotes. Needs no key and no network."""

    name = "extractive"

    def __init__(self, embeddings: EmbeddingClient) -> None:
        self._embeddings = embeddings

    async def close(self) -> None:
        """Nothing to give up: the embedding client is its owner's."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Asks for a search first, then quotes."""
        last = max((place for place, message in enumerate(request.messages) if message.role == "user"), default=-1)
        question = request.messages[last].content if last >= 0 else ""
        results = [message.content for message in request.messages[last + 1 :] if message.role == "tool"]
        if not results and any(tool.name == SEARCH for tool in request.tools):
            query = _standalone(question, request.messages[:last])
            arguments = msgspec.json.encode({"query": query[:1000]}).decode()
            yield _completion("", [ToolCall("search", SEARCH, arguments)])
            return
        # An assistant's template holds the sources in the question itself.
        text = await self._quote(question, "\n".join([*results, question]))
        yield TextDelta(text)
        yield _completion(text, [])

    async def _quote(self, question: str, rendered: str) -> str:
        asked = content_terms(question)
        candidates = _most_promising(_candidates(rendered), asked)
        decline = _DECLINE.get(detect_language(question), _DECLINE["en"])
        if not candidates:
            return decline
        query = await self._embeddings.embed_query(question)
        vectors = await self._embeddings.embed_passages([candidate.text for candidate in candidates])
        overlap = np.array([len(content_terms(c.text) & asked) / max(1, len(asked)) for c in candidates])
        scores = vectors @ query + _OVERLAP_WEIGHT * overlap
        order = np.argsort(-scores, kind="stable")
        if scores[order[0]] < _ANSWERS:
            return decline
        chosen: list[int] = []
        for place in order:
            good = scores[place] >= max(_ANSWERS, _ALSO * scores[order[0]])
            if not good or len(chosen) == _MOST_SENTENCES:
                break
            if all(float(vectors[place] @ vectors[other]) < _SAME for other in chosen):
                chosen.append(int(place))
        chosen.sort(key=lambda place: (candidates[place].number, candidates[place].place))
        return "\n\n".join(f"{candidates[place].text} [{candidates[place].number}]" for place in chosen)


def _completion(text: str, calls: list[ToolCall]) -> Completion:
    return Completion(text, "", calls, "tool_calls" if calls else "stop", Usage(0, 0), "extractive")


def _standalone(question: str, before: list[Message]) -> str:
    """A question that says too little by itself, such as “And in May?”, together with the one before it."""
    if len(content_terms(question)) >= _SHORT_QUESTION:
        return question
    earlier = next((message.content for message in reversed(before) if message.role == "user"), "")
    return f"{earlier}\n{question}".strip()


def _candidates(rendered: str) -> list[_Candidate]:
    """All sentences of the sources that say something, without the marks of headings, lists and tables."""
    found = []
    for number, text in parse(rendered):
        for place, span in enumerate(sentences(text)):
            line = text[span.start : span.end]
            sentence = _MARKER.sub(r"(\1)", _HEADING.sub("", line)).strip()
            if not line.lstrip().startswith(("#", "|")) and len(content_terms(sentence)) >= _SHORT_QUESTION:
                found.append(_Candidate(number, place, sentence))
    return found


def _most_promising(candidates: list[_Candidate], asked: frozenset[str]) -> list[_Candidate]:
    """At most so many as are worth embedding: those with the most of the question's words, the first sources first."""
    ranked = sorted(candidates, key=lambda candidate: -len(content_terms(candidate.text) & asked))
    return ranked[:_MOST_CANDIDATES]
