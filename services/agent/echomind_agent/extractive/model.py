"""The built-in model: it searches, and answers with the sentences of the sources that match the question best.

It has the interface of any chat model, so the run loop needs no special case. It generates nothing: each sentence is a
quotation with its source, and if none matches well enough, it says that the documents do not answer the question.
Weights and thresholds were chosen on one half of XQuAD and are evaluated on the other by `bench/answers.py`.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import log, sqrt
from typing import TYPE_CHECKING

import msgspec

from echomind_agent.evidence.sources import without_sources
from echomind_agent.extractive.choosing import Candidates, Vector, choose, unfit_for, without
from echomind_agent.extractive.phrases import declined, quoted_language, small_talk
from echomind_agent.extractive.questions import (
    completed,
    is_about_another,
    is_of_names_alone,
    parts_of,
)
from echomind_agent.extractive.quotes import Quote, compose, quotes_of
from echomind_agent.text.followups import is_follow_up, needed
from echomind_agent.text.speakers import spoken_text
from echomind_agent.toolset.registry import FAILED
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.model_ids import is_endpoint
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.llms import (
    ChatEvent,
    ChatRequest,
    Completion,
    LlmSearchFailed,
    Message,
    TextDelta,
    ToolCall,
    Usage,
)
from echomind_lib.retrieval import content_terms, detect_language, query_language
from echomind_lib.retrieval import language as language_model
from echomind_lib.retrieval.evidence import asked_about
from echomind_lib.retrieval.language import UNSPACED
from echomind_lib.retrieval.rendered import ParsedSource, parse_sources

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SEARCH = "search_documents"

_SHARED = 0.5
"""Weight of the share of the question's words in a sentence, in addition to the cosine."""
_SHARED_AROUND = 0.3
"""Weight of the share in the sentence, its neighbours and its headings."""
_SHARED_IN_SOURCE = 0.3
"""Weight of the share in its source."""
_RANK = 0.1
"""Bonus of the first source, decreasing with rank, as sources are in search order."""
_ANSWERS = 0.95
"""Minimum score of an answering quotation, with cosines."""
_ACROSS_LANGUAGES = 0.45
"""What the score of an answering quotation in another language lacks: words that it shares with the question, and some
of the similarity."""
_ACROSS_WITH_CHINESE = 0.63
"""The same if either language is Chinese, whose vectors are further from those of all others."""
_ANSWERS_BY_WORDS = 0.28
"""Minimum score of an answering quotation in a language that the embedder does not support."""
_OWN = 2.0
"""Weight of the words that a follow-up question has itself, in relation to those of the previous ones."""
_MAX_EMBEDDED = 32
_LONG_WORD = 10
"""Word length beyond which the weight of words does not increase."""
_ASKING = re.compile(
    r"为什么|什么时候|什么|多少|多久|多大|多长|哪[一几]?[个些里种位年家项]?|谁|怎么样?|怎样|如何|何时|何地|何种|是否|吗|呢|几"
    r"|何|誰|どこ|いつ|なぜ|どう|どの|どれ|ですか|ますか|でしょうか"
)
"""Question words of Chinese and Japanese; in other languages they are stop words."""


class ExtractiveModel:
    """A chat model that quotes. It needs neither a key nor a network."""

    name = "extractive"

    def __init__(self, embeddings: EmbeddingClient, active_model: Callable[[], Awaitable[str]] | None = None) -> None:
        """Stores what it works with.

        Args:
            embeddings: The embedding client.
            active_model: Returns the id of the embedding model that searches use; None: the embedding process's
                default one.
        """
        self._embeddings = embeddings
        self._active_model = active_model
        self._served: dict[str, frozenset[str]] = {}

    async def close(self) -> None:
        """Does nothing: the caller closes the embedding client."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Requests a search first, then quotes.

        Raises:
            LlmSearchFailed: The search failed. That is not the same as documents without an answer.
        """
        if not language_model.is_loaded():
            await asyncio.to_thread(language_model.load)
        last = max((index for index, message in enumerate(request.messages) if message.role == "user"), default=-1)
        asked = request.messages[last].content if last >= 0 else ""
        results = [message.content for message in request.messages[last + 1 :] if message.role == "tool"]
        # An assistant's template puts the sources into the question, and the user's own question at the end.
        question = without_sources(asked).strip().rpartition("\n\n")[2] if "<source " in asked else asked
        earlier = _needed(question, request.messages[:last])
        text = small_talk(asked)
        can_search = request.tool_choice != "none" and any(tool.name == SEARCH for tool in request.tools)
        if text is None and not results and can_search:
            query = "\n".join([*earlier, question])
            arguments = msgspec.json.encode({"query": query[:1000]}).decode()
            yield _completion("", [ToolCall("search", SEARCH, arguments)])
            return
        if text is None:
            if results and all(result.startswith(FAILED) for result in results):
                raise LlmSearchFailed(results[-1])
            text = await self._quote(question, earlier, "\n".join([*results, asked]))
        yield TextDelta(text)
        yield _completion(text, [])

    async def _quote(self, question: str, earlier: Sequence[str], rendered: str) -> str:
        language = detect_language("\n".join([*earlier, question]))
        sources = list({source.text: source for source in parse_sources(rendered)}.values())
        others = _foreign_languages(sources, language)
        # Sentences end by the rules of the language that they are in: "1. Januar" is one only in English.
        by_source = [quotes_of(source, others.get(source.number, language)) for source in sources]
        quotes = [quote for quotes in by_source for quote in quotes]
        if not quotes:
            return declined(language)
        guide = {source.number for source in sources if source.is_guide}
        chosen: list[Quote] = []
        foreign: dict[int, str] = {}
        for part in parts_of(question):
            found = await self._candidates(part, earlier, language, sources, by_source, others)
            foreign |= found.foreign
            for quote in choose(completed(part, earlier), language, by_source, found, guide):
                if quote not in chosen:
                    chosen.append(quote)
        if not chosen:
            return declined(language)
        paragraphs = []
        for code in dict.fromkeys(["", *(foreign.get(quote.number, "") for quote in chosen)]):
            picked = [quote for quote in quotes if quote in chosen and foreign.get(quote.number, "") == code]
            if picked:
                paragraphs.append((quoted_language(language, code) if code else "") + compose(quotes, picked))
        return "\n\n".join(paragraphs)

    async def _candidates(
        self,
        part: str,
        earlier: Sequence[str],
        language: str,
        sources: Sequence[ParsedSource],
        by_source: Sequence[Sequence[Quote]],
        languages: Mapping[int, str],
    ) -> Candidates:
        """Returns the quotations that are compared, with their scores.

        Args:
            part: The question, or a part of it.
            earlier: The previous questions that it needs.
            language: That of the question.
            sources: The sources.
            by_source: The quotations of each source.
            languages: By number of a source: its language, where it is not the question's.
        """
        import numpy as np

        question = "\n".join([*earlier, part])
        own = content_terms(part, language) - content_terms("\n".join(earlier), language) if earlier else frozenset()
        words = _Words(question, by_source, language, own)
        by_words = words.scores
        quotes = [quote for quotes in by_source for quote in quotes]
        asked = completed(part, earlier)
        unfit = unfit_for(asked, language, quotes, words.own) | without(own, quotes, language)
        others = {
            source.number
            for source in sources
            if is_about_another(asked, _whole(source), language) or is_of_names_alone(asked, _whole(source), language)
        }
        unfit |= {id(quote) for quote in quotes if quote.number in others}
        model_id = "" if self._active_model is None else await self._active_model()
        served = await self._languages(model_id)
        if language not in served:
            return Candidates(quotes, by_words, _ANSWERS_BY_WORDS, unfit)
        # Embedding costs far more than matching words, so only the quotes with the best word scores are embedded.
        likely = np.sort(np.argsort(-by_words, kind="stable")[:_MAX_EMBEDDED])
        candidates = [quotes[index] for index in likely]
        try:
            likeness, vectors = await self._similarity(question, candidates, model_id)
        except DependencyUnavailableError:
            # As the search, which was by words alone: the server of the model may be away for long.
            if not is_endpoint(model_id):
                raise
            return Candidates(quotes, by_words, _ANSWERS_BY_WORDS, unfit)
        ranks = {number: rank for rank, number in enumerate(dict.fromkeys(quote.number for quote in quotes))}
        lead = [1 - ranks[quote.number] / len(ranks) for quote in candidates]
        scores = by_words[likely] + likeness + _RANK * np.array(lead, dtype=np.float32)
        foreign = {} if len(served) == 1 else languages
        for index, quote in enumerate(candidates):
            if (other := foreign.get(quote.number)) is not None:
                scores[index] += _ACROSS_WITH_CHINESE if "zh" in (language, other) else _ACROSS_LANGUAGES
        return Candidates(candidates, scores, _ANSWERS, unfit, vectors, foreign)

    async def _similarity(
        self, question: str, quotes: Sequence[Quote], model_id: str
    ) -> tuple[Vector, NDArray[np.float32]]:
        """Returns the similarity of quotations or their headings to the question, and the quotations' vectors.

        Shapes: `[quotes]` and `[quotes, dimension]`.
        """
        import numpy as np

        headings = list(dict.fromkeys(quote.heading for quote in quotes if quote.heading))
        texts = [*(quote.introduced for quote in quotes), *headings]
        # A server that is away is known for questions, and waited for much longer with passages.
        asked = await self._embeddings.embed_query(question, model_id)
        vectors = await self._embeddings.embed_passages(texts, model_id)
        cosines = vectors @ asked
        own, of_headings = cosines[: len(quotes)], dict(zip(headings, cosines[len(quotes) :], strict=True))
        above = np.array([of_headings.get(quote.heading, -1.0) for quote in quotes])
        return np.maximum(own, above).astype(np.float32), vectors[: len(quotes)]

    async def _languages(self, model_id: str) -> frozenset[str]:
        """Returns the languages that the embedding model supports."""
        if model_id not in self._served or is_endpoint(model_id):
            self._served[model_id] = frozenset((await self._embeddings.get_model(model_id)).languages)
        return self._served[model_id]


def _foreign_languages(sources: Sequence[ParsedSource], language: str) -> dict[int, str]:
    """Returns the languages of the sources, by number, that are not in the question's language."""
    found = {source.number: query_language(source.text) for source in sources}
    return {number: other.language for number, other in found.items() if language not in other.likely}


def _whole(source: ParsedSource) -> str:
    return f"{source.title} {source.section} {source.text}"


class _Words:
    """How many of a question's words the quotations contain.

    A word has more weight the fewer sources contain it (as in BM25) and the longer it is: both distinguish the
    question's subject from its phrasing.
    """

    def __init__(
        self, question: str, sources: Sequence[Sequence[Quote]], language: str, own: AbstractSet[str] = frozenset()
    ) -> None:
        import numpy as np

        about = asked_about(question)
        asked = content_terms(_ASKING.sub(" ", about) if language in UNSPACED else about, language)

        def shared_terms(text: str) -> frozenset[str]:
            return content_terms(text, language) & asked

        by_quote = [[shared_terms(quote.introduced) for quote in quotes] for quotes in sources]
        by_source = [
            shared_terms(quotes[0].context).union(*terms)
            for quotes, terms in zip(sources, by_quote, strict=True)
            if quotes
        ]
        frequency = Counter(term for terms in by_source for term in terms)
        self._weights = {
            term: log(1 + (len(by_source) + 1) / (frequency[term] + 0.5))
            * sqrt(min(len(term), _LONG_WORD))
            * (_OWN if term in own else 1)
            for term in asked
        }
        self._total = sum(self._weights.values())
        scores = []
        self.own: list[float] = []
        """By quotation: the share of the question's words that it contains itself, 0 to 1."""
        for quotes, terms, in_source in zip(filter(None, sources), filter(None, by_quote), by_source, strict=True):
            for index, quote in enumerate(quotes):
                around = shared_terms(quote.context).union(*terms[max(0, index - 1) : index + 2])
                self.own.append(self._share(terms[index]))
                scores.append(
                    _SHARED * self.own[-1]
                    + _SHARED_AROUND * self._share(around)
                    + _SHARED_IN_SOURCE * self._share(in_source)
                )
        self.scores: Vector = np.array(scores, dtype=np.float32)
        """By quotation: 0 to the sum of the three weights."""

    def _share(self, terms: frozenset[str]) -> float:
        return sum(self._weights[term] for term in terms) / self._total if self._total else 0.0


def _completion(text: str, calls: list[ToolCall]) -> Completion:
    return Completion(text, "", calls, "tool_calls" if calls else "stop", Usage(0, 0), "extractive")


def _needed(question: str, before: Sequence[Message]) -> list[str]:
    """Returns the previous questions that a follow-up question, such as "And in May?", needs; none for others."""
    if not is_follow_up(question):
        return []
    asked = [spoken_text(message) for message in before if message.role == "user"]
    return needed([text for text in asked if small_talk(text) is None])
