"""The only access to the vector index on a user's behalf: their scopes filter the query, and every hit is checked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final
from uuid import uuid5

import structlog

from echomind_lib.access import Principal
from echomind_lib.access.notebooks import NotebookScope
from echomind_lib.db.database import Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.model_ids import is_endpoint
from echomind_lib.errors import DependencyUnavailableError, DocumentNotReadyError, NotFoundError
from echomind_lib.indexes import Index, active_index
from echomind_lib.objects import ObjectStore, text_key
from echomind_lib.process.together import Together
from echomind_lib.retrieval import language as language_model
from echomind_lib.retrieval.arranging import spread, without_copies
from echomind_lib.retrieval.documents import (
    ALL_DOCUMENTS,
    DocumentFilter,
    ReadableDocument,
    matching_documents,
    readable_document,
    readable_documents,
)
from echomind_lib.retrieval.evidence import asked_about
from echomind_lib.retrieval.feedback import POOL, Asked, EncodedQuestion, encode_vector, reordered
from echomind_lib.retrieval.hits import HIT_FIELDS, Hit, Hits, Question, make_hit
from echomind_lib.retrieval.language import query_language
from echomind_lib.retrieval.narrowing import filter_of
from echomind_lib.retrieval.neighbours import with_neighbours
from echomind_lib.retrieval.parameters import AccessCheck, Mode, SearchParameters
from echomind_lib.retrieval.removals import Removals
from echomind_lib.retrieval.reranking import reranked
from echomind_lib.retrieval.sparse import encode_query, has_pairs, term_id, terms
from echomind_lib.retrieval.votes import Vote, voted_documents
from echomind_lib.text import TITLE_CHARACTERS, single_line, storable
from echomind_lib.vectors import Found, VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from echomind_lib.embeddings.calibrated import Limits
    from echomind_lib.rerankers.active import ActiveReranker, Rerankers

log = structlog.get_logger(__name__)

_SPARE = 2
"""Passages requested beyond the limit, as the access check or a newer version may exclude some."""
_WIDER = 4
_WIDER_SPARE = 32
"""Factor and addend for the number of requested passages, each time too few were visible."""
_MAX_ASKED = 2000
"""Maximum number of passages in one response of the engine, which contains their texts and vectors."""

_MAX_OTHERS: Final = 10
"""Maximum number of passages beyond the limit that may come before further ones of the same document."""
BY_WORDS_ALONE: Final = (
    "The server of the embedding model does not answer: the documents were searched by their words alone, so that "
    "passages that say it in other words may be missing."
)
"""What is missing of a search without vectors."""
_SWITCHES = 3
"""Maximum number of attempts if the active index is switched during a search."""


class Retriever:
    """Searches and reads documents on behalf of users. Safe for concurrent use."""

    def __init__(
        self,
        database: Database,
        vectors: VectorIndex,
        embeddings: EmbeddingClient,
        objects: ObjectStore,
        *,
        feedback: bool = True,
        rerankers: Rerankers | None = None,
    ) -> None:
        """Initializes the retriever without connecting.

        Args:
            database: The database, with access rules and votes on passages.
            vectors: The vector index.
            embeddings: The embedding client, for questions.
            objects: The object store, for texts of documents.
            feedback: Whether votes on passages change their ranking.
            rerankers: Asks the active reranker; None to use none. The caller closes it.
        """
        self._pool = database.pool
        self._feedback = feedback
        self._vectors = vectors
        self._embeddings = embeddings
        self._objects = objects
        self._rerankers = rerankers
        self._languages: dict[str, frozenset[str]] = {}
        self._removals = Removals(self._pool)
        self._checks: Together[AccessCheck, tuple[dict[int, ReadableDocument], Index | None]] = Together(
            self._check, key=itemgetter(slice(3))
        )
        # The index of the last search. The query that checks a search's hits also checks that it is active.
        self._index: Index | None = None

    async def search(
        self,
        reader: Principal,
        query: str,
        *,
        limit: int = 10,
        mode: Mode = "hybrid",
        connector_ids: Sequence[int] = (),
        document_ids: Sequence[int] = (),
        documents: DocumentFilter = ALL_DOCUMENTS,
        notebook: NotebookScope | None = None,
    ) -> Hits:
        """Finds passages, best first.

        If the server of the embedding model does not answer, they are found by words alone, which `Hits.missing` says.
        Passages of other documents come before further ones of the same document that are not much better. An active
        reranker instead orders the best of those found by meaning and words; if it gives no answer in its time, they
        keep their order, which `Hits.unranked` says.

        Args:
            reader: The user: only passages that they may read now are found.
            query: The question.
            limit: Maximum number of results.
            mode: By meaning and words, fused; or by one of them. A question in a language that the embedder does not
                support is searched by words alone, as wrong vectors would spoil the fusion.
            connector_ids: Only passages of these; empty means all.
            document_ids: Only passages of these and of the files within them; empty means all.
            documents: Only passages of documents that match this filter.
            notebook: Only passages of this notebook's sources, checked again for each hit; None for no notebook.

        Raises:
            DependencyUnavailableError: Vector index, embedding process or database do not respond.
        """
        if notebook is not None and notebook.is_empty:
            return Hits()
        query = _encodable(query)
        if not language_model.is_loaded():
            await asyncio.to_thread(language_model.load)
        await self._removals.read()
        where = await filter_of(self._pool, self._removals, reader, connector_ids, document_ids, documents)
        if where is None:
            return Hits(no_documents=True)
        reranker = await self._active_reranker(mode)
        depth = limit
        if mode == "hybrid":
            depth += min(limit // 2, _MAX_OTHERS) if reranker is None else max(0, reranker.candidates - limit)
        search = SearchParameters(reader, query, limit, depth, mode, where, documents, notebook)
        hits = Hits()
        for left in range(_SWITCHES, 0, -1):
            tried = self._index = self._index or await active_index(self._pool)
            if tried is None:
                break
            try:
                hits, current = await self._search_in(tried, search)
            except DependencyUnavailableError:
                # The index may have been replaced and removed since it was read.
                current = await active_index(self._pool)
                if current == tried or left == 1:
                    raise
            self._index = current
            if current == tried:
                break
        if reranker is not None and self._rerankers is not None:
            hits = await reranked(hits, query, reranker, self._rerankers)
        elif mode == "hybrid":
            hits = Hits(spread(hits), hits.missing)
        del hits[limit:]
        return hits

    def expect(self, query: str) -> None:
        """Begins to compute the vector of a question that will be searched for at once, if a built-in model does that.

        Nothing is read for anybody.
        """
        index = self._index
        if index is None or is_endpoint(index.model_id) or not language_model.is_loaded():
            return
        query = _encodable(query)
        if query_language(query).language in self._languages.get(index.model_id, ()):
            self._embeddings.expect_query(query, index.model_id)

    async def _active_reranker(self, mode: Mode) -> ActiveReranker | None:
        """Returns the active reranker, if it is used for this mode: people choose the others to see their order."""
        if self._rerankers is None or mode != "hybrid" or not self._removals.has_reranker:
            return None
        return await self._rerankers.active()

    async def _search_in(self, index: Index, search: SearchParameters) -> tuple[Hits, Index | None]:
        """Searches one index; returns the hits, and the index that was active when they were checked."""
        mode, language = search.mode, query_language(search.query)
        dense: NDArray[np.float32] | None = None
        limits: Limits | None = None
        missing = ""
        if mode == "dense" or (mode == "hybrid" and await self._serves(index.model_id, language.language)):
            try:
                dense = await self._embeddings.embed_query(search.query, index.model_id)
                limits = await self._embeddings.limits(index.model_id)
            except DependencyUnavailableError:
                # The embedding process is part of this installation and back within seconds; a server may be away long.
                if mode == "dense" or not is_endpoint(index.model_id):
                    raise
                log.warning("searched by words alone", model=index.model_id)
                missing = BY_WORDS_ALONE
        sparse = None if mode == "dense" else encode_query(search.query, language.readings, index.sparse_encoder)
        words = frozenset(map(term_id, terms(asked_about(search.query), language.language, index.sparse_encoder)))
        pairs = has_pairs(language.language, index.sparse_encoder)
        question = Question(dense, words, pairs, language.likely, index.model_id, limits)
        without = dict(await self._removals.read())
        within = None
        if (notebook := search.notebook) is not None:
            within = {"connector_id": notebook.connector_ids, "document_id": notebook.document_ids}
        stale: set[str] = set()
        # Without any vote, no larger pool is fetched.
        voted = self._feedback and self._removals.has_feedback
        asked = max(search.depth, POOL if voted else 0) + _SPARE
        where = search.where
        if within is None and where.keys() == {"scope"} and self._removals.are_within(where["scope"]):
            # A filter that every point matches takes half of the engine's time.
            where = {}
        while True:
            found = await self._vectors.query(
                index.collection,
                where,
                within=within,
                without=without,
                dense=dense,
                sparse=sparse,
                limit=asked,
                with_vectors=True,
                fields=HIT_FIELDS,
            )
            hits, replaced, current = await self._visible(index, search, found, question, voted=voted)
            distinct = without_copies(hits)
            # The passages of a version that became current after they were searched were perhaps stored after it, too.
            if len(distinct) >= search.limit or (len(found) < asked and replaced <= stale):
                return Hits(distinct[: search.depth], missing), current
            # Each round excludes the sessions of hits that are not visible, so it ends with enough hits or at
            # the end of the index.
            visible = {hit.chunk_id for hit in hits}
            hidden = {point.payload["chunking_session"] for point in found if point.id not in visible} - stale
            if not hidden and asked >= _MAX_ASKED:  # the rest are copies
                return Hits(distinct, missing), current
            stale |= hidden
            without = {**await self._removals.read(again=True), "chunking_session": sorted(stale)}
            where = search.where
            asked = max(asked, min(_WIDER * asked + _WIDER_SPARE, _MAX_ASKED))

    async def with_neighbours(self, hits: Hits) -> Hits:
        """Returns hits of a search, the best one with the passages next to it; see `retrieval.neighbours`.

        If the vector index does not respond by now, returns the hits as they are.
        """
        if not hits or self._index is None:
            return hits
        try:
            return await with_neighbours(self._vectors, self._index.collection, hits)
        except DependencyUnavailableError as error:
            log.warning("the best passage is given without those next to it", error=error.detail or str(error))
            return hits

    async def encode_question(self, text: str) -> EncodedQuestion:
        """Returns the encoded question; without a vector if the active embedder is down or does not support it."""
        if not language_model.is_loaded():
            await asyncio.to_thread(language_model.load)
        language = query_language(text)
        numbers = sorted(set(map(term_id, terms(asked_about(text), language.language))))
        index = self._index or await active_index(self._pool)
        try:
            if index is not None and await self._serves(index.model_id, language.language):
                vector = await self._embeddings.embed_query(text, index.model_id)
                return EncodedQuestion(numbers, index.model_id, encode_vector(vector))
        except DependencyUnavailableError:
            log.warning("rated question has no vector, compared by its words")
        return EncodedQuestion(numbers)

    async def active_model(self) -> str:
        """Returns the id of the active index's embedding model, as of the last search; empty if there is none."""
        index = self._index or await active_index(self._pool)
        return index.model_id if index else ""

    async def _serves(self, model_id: str, language: str) -> bool:
        if model_id not in self._languages or is_endpoint(model_id):
            self._languages[model_id] = frozenset((await self._embeddings.get_model(model_id)).languages)
        return language in self._languages[model_id]

    async def _visible(
        self,
        index: Index,
        search: SearchParameters,
        found: Sequence[Found],
        question: Question,
        *,
        voted: bool,
    ) -> tuple[list[Hit], set[str], Index | None]:
        """Returns the valid hits: matching the filter, of the document's current version, and readable for the reader.

        Also returns the sessions of the other versions that were found, and the active index at that moment.
        """
        ids = {point.payload["document_id"] for point in found}
        votes: Mapping[int, Sequence[Vote]] = {}
        reader, notebook_id = search.reader, search.notebook.id if search.notebook else None
        if voted:
            documents, current, votes = await voted_documents(self._pool, reader, ids, notebook_id)
        else:
            by_source = self._removals.has_source_permissions
            documents, current = await self._checks.call(AccessCheck(reader, notebook_id, by_source, ids))
        if search.documents.folder and "document_id" not in search.where:
            inside = await matching_documents(self._pool, reader, search.documents, len(ids), ids)
            documents = {document_id: documents[document_id] for document_id in inside if document_id in documents}
        counting, replaced = [], set()
        for point in found:
            document = documents.get(point.payload["document_id"])
            if document is None or not search.documents.allows(document):
                continue
            if str(document.chunking_session) == point.payload["chunking_session"]:
                counting.append(point)
            else:
                replaced.add(point.payload["chunking_session"])
        if votes:
            asked = Asked(reader.user_id, index.model_id, question.dense, question.terms)
            counting = reordered(counting, votes, asked)
        hits = [make_hit(point, documents[point.payload["document_id"]], question) for point in counting]
        return hits, replaced, current

    async def _check(self, checks: Sequence[AccessCheck]) -> list[tuple[dict[int, ReadableDocument], Index | None]]:
        """Returns the documents that each check of the same reader asks for, by one statement."""
        reader, notebook_id, by_source, _ = checks[0]
        ids = set[int]().union(*(check.ids for check in checks))
        documents = await readable_documents(self._pool, reader, ids, notebook_id, by_source=by_source)
        return [documents] * len(checks)

    async def read(
        self, reader: Principal, document_id: int, start: int, end: int, *, notebook_id: int | None = None
    ) -> Hit:
        """Reads a part of a document as a passage.

        Args:
            reader: The asker.
            document_id: The document.
            start: First code point of its text.
            end: Last code point, exclusive; truncated to the end of the text.
            notebook_id: The reader's notebook, of which it must be a source; None for no notebook.

        Raises:
            NotFoundError: The document does not exist, or the reader may not read it.
            DocumentNotReadyError: It has no text yet.
        """
        is_again = False
        while True:
            document = await readable_document(self._pool, reader, document_id, notebook_id)
            if document is None:
                message = f"There is no document {document_id}, or you may not see it."
                raise NotFoundError(message, resource="document", id=str(document_id))
            session = document.chunking_session
            if session is None:
                message = f"The document's text is not ready: it is {document.status}."
                raise DocumentNotReadyError(message, document_id=str(document_id), status=document.status)
            try:
                text = (await self._objects.get(text_key(document_id, session))).decode()
                break
            except NotFoundError:
                # Another version may have been published, and the text of this one removed.
                if is_again:
                    raise
                is_again = True
        start = max(0, min(start, len(text)))
        end = max(start, min(end, len(text)))
        return Hit(
            str(uuid5(session, f"{start}-{end}")),
            document_id,
            document.connector_id,
            str(session),
            single_line(document.title, TITLE_CHARACTERS),
            storable(text[start:end]),
            (),
            None,
            start,
            end,
            None,
            1.0,
            document.language or "",
        )


def _encodable(query: str) -> str:
    """Returns a query without halves of surrogate pairs, which JSON may contain."""
    return query.encode(errors="replace").decode()
