"""The queue of the thread that runs the embedder."""

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echomind_lib.embeddings.embedder import Embedder, Vectors
from echomind_lib.errors import OverloadedError
from echomind_lib.freed_memory import release_freed_memory

_QUIET_SECONDS = 10.0
"""Time without passages after which the memory that they took is given back."""
_WINDOW = 64
"""Passages taken from the queue together, so that those of similar length share a model call."""


@dataclass(slots=True, eq=False)
class _Job:
    """Texts of one caller."""

    texts: Sequence[str]
    vectors: Vectors
    missing: int
    done: asyncio.Future[Vectors]


class Batcher:
    """Runs an embedder in a dedicated thread: batches passages of all callers, and embeds questions before them.

    A question waits for at most one slice of passages, and for one question of each other caller. Requests of callers
    that were cancelled are not computed.
    """

    def __init__(self, embedder: Embedder, *, max_passages: int = 2048, max_queries: int = 512) -> None:
        """Starts the thread.

        Args:
            embedder: The model; used only by this thread from now on.
            max_passages: Maximum number of queued passages.
            max_queries: Maximum number of queued queries.
        """
        self._embedder = embedder
        self._max_passages, self._max_queries = max_passages, max_queries
        self._passages: deque[tuple[_Job, int]] = deque()
        self._queries: deque[_Job] = deque()
        self._state = threading.Condition()
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="embedder", daemon=True)
        self._thread.start()

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Returns the vectors of texts, `[texts, dimension]`, in their order.

        Args:
            texts: One or more texts.
            query: Whether they are queries, which are embedded before passages.

        Raises:
            OverloadedError: Too many texts are queued; none was added.
        """
        vectors = np.empty((len(texts), self._embedder.dimension), dtype=np.float32)
        job = _Job(texts, vectors, len(texts), self._loop.create_future())
        with self._state:
            waiting, most = len(self._passages), self._max_passages
            if query:
                waiting, most = sum(other.missing for other in self._queries), self._max_queries
            if self._closed or waiting + len(texts) > most:
                raise OverloadedError("The embedding process has too much to do: try again later.")
            if query:
                self._queries.append(job)
            else:
                self._passages.extend((job, row) for row in range(len(texts)))
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
                    lambda: self._queries or self._passages or self._closed, _QUIET_SECONDS if has_embedded else None
                )
                if is_woken and not self._queries and not self._passages:
                    return
            if not is_woken:
                release_freed_memory()
                has_embedded = False
                continue
            self._answer_queries()
            has_embedded = self._embed_window() or has_embedded

    def _embed_window(self) -> bool:
        """Embeds the next passages; returns whether there were any."""
        with self._state:
            taken = [self._passages.popleft() for _ in range(min(_WINDOW, len(self._passages)))]
        window = [(job, row) for job, row in taken if not job.done.done()]
        try:
            for places, vectors in self._embedder.embed_batches([job.texts[row] for job, row in window]):
                for place, vector in zip(places, vectors, strict=True):
                    job, row = window[place]
                    job.vectors[row] = vector
                    job.missing -= 1
                    if job.missing == 0:
                        self._finish(job)
                self._answer_queries()
        except Exception as error:  # noqa: BLE001 - it belongs to the callers; the thread continues with the next
            for job in {id(job): job for job, _ in window}.values():
                self._finish(job, error)
        return bool(taken)

    def _answer_queries(self) -> None:
        while True:
            with self._state:
                if not self._queries:
                    return
                job = self._queries.popleft()
            if job.done.done():
                continue
            row = len(job.texts) - job.missing
            try:
                job.vectors[row] = self._embedder.embed_query(job.texts[row])
            except Exception as error:  # noqa: BLE001 - it belongs to the caller; the thread continues with the next
                self._finish(job, error)
                continue
            job.missing -= 1
            if job.missing == 0:
                self._finish(job)
            else:
                with self._state:
                    self._queries.append(job)  # to the end, behind queries of other callers

    def _finish(self, job: _Job, error: Exception | None = None) -> None:
        def settle() -> None:
            if job.done.done():
                return  # the caller was cancelled
            if error is None:
                job.done.set_result(job.vectors)
            else:
                job.done.set_exception(error)

        self._loop.call_soon_threadsafe(settle)
