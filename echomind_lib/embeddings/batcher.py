"""The queue of the thread that runs the embedder."""

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from echomind_lib.embeddings.embedder import Embedder, Vectors
from echomind_lib.errors import OverloadedError
from echomind_lib.process.freed_memory import release_freed_memory

_QUIET_SECONDS = 10.0
"""Time without passages after which the memory that they took is given back."""
_WINDOW = 64
"""Passages taken from the queue together, so that those of similar length share a model call."""
_QUERIES = 8
"""Questions taken from the queue together: a model call of eight takes two thirds of the time of eight calls."""
_BACKGROUND_WINDOW = 16
"""The same for work that nobody waits for: others wait until it is embedded."""


class Priority(IntEnum):
    """The order in which texts are embedded."""

    QUERY = 0
    PASSAGE = 1
    BACKGROUND = 2


@dataclass(slots=True, eq=False)
class _Job:
    """Texts of one caller."""

    embedder: Embedder
    texts: Sequence[str]
    vectors: Vectors
    missing: int
    done: asyncio.Future[Vectors]


class Batcher:
    """Runs embedders in a dedicated thread: batches passages of all callers, and embeds questions before them.

    A question waits for at most one slice of passages and one call for questions of others; questions that wait share
    model calls, those of different callers first. Requests of callers that were cancelled are not computed.
    """

    def __init__(self, *, max_passages: int = 2048, max_queries: int = 512) -> None:
        """Starts the thread.

        Args:
            max_passages: Maximum number of queued passages, and as many more of the lowest priority.
            max_queries: Maximum number of queued queries.
        """
        self._max_passages, self._max_queries = max_passages, max_queries
        self._passages: dict[Priority, deque[tuple[_Job, int]]] = {
            Priority.PASSAGE: deque(),
            Priority.BACKGROUND: deque(),
        }
        self._queries: deque[_Job] = deque()
        self._state = threading.Condition()
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="embedder", daemon=True)
        self._thread.start()

    async def embed(self, embedder: Embedder, texts: Sequence[str], priority: Priority) -> Vectors:
        """Returns the vectors of texts, `[texts, dimension]`, in their order.

        Args:
            embedder: The model; only this thread uses it.
            texts: One or more texts.
            priority: The priority; `QUERY` also makes them questions.

        Raises:
            OverloadedError: Too many texts are queued; none was added.
        """
        vectors = np.empty((len(texts), embedder.dimension), dtype=np.float32)
        job = _Job(embedder, texts, vectors, len(texts), self._loop.create_future())
        is_query = priority is Priority.QUERY
        with self._state:
            if is_query:
                waiting, limit = sum(other.missing for other in self._queries), self._max_queries
            else:
                waiting, limit = len(self._passages[priority]), self._max_passages
            if self._closed or waiting + len(texts) > limit:
                raise OverloadedError(
                    "The embedding process has too much to do: try again later.", retry_after_seconds=1
                )
            if is_query:
                self._queries.append(job)
            else:
                self._passages[priority].extend((job, row) for row in range(len(texts)))
            self._state.notify()
        return await job.done

    async def close(self) -> None:
        """Rejects new texts, finishes the queued ones and ends the thread."""
        with self._state:
            self._closed = True
            self._state.notify()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        has_embedded = False  # whether there may be memory to give back
        while True:
            with self._state:
                is_woken = self._state.wait_for(
                    lambda: self._has_work() or self._closed, _QUIET_SECONDS if has_embedded else None
                )
                if is_woken and not self._has_work():
                    return
            if not is_woken:
                release_freed_memory()
                has_embedded = False
                continue
            self._answer_queries()
            has_embedded = self._embed_window() or has_embedded

    def _has_work(self) -> bool:
        return bool(self._queries) or any(self._passages.values())

    def _next_window(self) -> list[tuple[_Job, int]]:
        """Removes the next passages from the queue, all of one embedder."""
        with self._state:
            passages, limit = self._passages[Priority.PASSAGE], _WINDOW
            if not passages:
                passages, limit = self._passages[Priority.BACKGROUND], _BACKGROUND_WINDOW
            taken: list[tuple[_Job, int]] = []
            while passages and len(taken) < limit and passages[0][0].embedder is (taken or passages)[0][0].embedder:
                taken.append(passages.popleft())
        return [(job, row) for job, row in taken if not job.done.done()]

    def _embed_window(self) -> bool:
        """Embeds the next passages; returns whether there were any."""
        window = self._next_window()
        if not window:
            return False
        embedder = window[0][0].embedder
        try:
            for indexes, vectors in embedder.embed_batches([job.texts[row] for job, row in window]):
                for index, vector in zip(indexes, vectors, strict=True):
                    self._store(*window[index], vector)
                self._answer_queries()
        except Exception as error:  # noqa: BLE001 - it belongs to the callers; the thread continues with the next
            for job in {id(job): job for job, _ in window}.values():
                self._finish(job, error)
        return True

    def _next_queries(self) -> list[tuple[_Job, int]]:
        """Removes callers from the queue, all of one embedder, each with its next question; empty if nobody waits.

        Where few wait, they have further ones.
        """
        with self._state:
            queries = self._queries
            jobs: list[_Job] = []
            while queries and len(jobs) < _QUERIES and queries[0].embedder is (jobs or queries)[0].embedder:
                if not (job := queries.popleft()).done.done():
                    jobs.append(job)
        window = [(job, len(job.texts) - job.missing) for job in jobs]
        for job, row in window[:]:
            further = range(row + 1, min(len(job.texts), row + 1 + _QUERIES - len(window)))
            window.extend((job, each) for each in further)
        return window

    def _answer_queries(self) -> None:
        while window := self._next_queries():
            embedder = window[0][0].embedder
            try:
                for indexes, vectors in embedder.embed_queries([job.texts[row] for job, row in window]):
                    for index, vector in zip(indexes, vectors, strict=True):
                        self._store(*window[index], vector)
            except Exception as error:  # noqa: BLE001 - it belongs to the callers; the thread continues with the next
                for job, _ in window:
                    self._finish(job, error)
                continue
            with self._state:
                # To the end, behind queries of other callers.
                self._queries.extend({id(job): job for job, _ in window if job.missing}.values())

    def _store(self, job: _Job, row: int, vector: NDArray[np.float32]) -> None:
        job.vectors[row] = vector
        job.missing -= 1
        if job.missing == 0:
            self._finish(job)

    def _finish(self, job: _Job, error: Exception | None = None) -> None:
        def settle() -> None:
            if job.done.done():
                return  # the caller was cancelled
            if error is None:
                job.done.set_result(job.vectors)
            else:
                job.done.set_exception(error)

        self._loop.call_soon_threadsafe(settle)
