"""The models of an embedding process, loaded when they are asked for."""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Self

import structlog

from echomind_lib.embeddings.embedder import Embedder
from echomind_lib.embeddings.model_ids import MINILM, MULTILINGUAL_E5
from echomind_lib.process.freed_memory import release_freed_memory

log = structlog.get_logger(__name__)

IDLE_SECONDS: Final = 900.0
"""Time after which a model that nobody uses is unloaded, unless it is the only one."""


class UnknownEmbedderError(Exception):
    """The process cannot load the model."""


class ModelLoadingError(Exception):
    """The model is being loaded, which takes longer than the caller wanted to wait: ask again."""


class Embedders:
    """Models by id. The one that embedded the last question is the default, and loaded first after a restart."""

    def __init__(
        self,
        loaders: Mapping[str, Callable[[], Embedder]],
        default: str,
        *,
        remembered: Path | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """Stores how models are loaded.

        Args:
            loaders: Returns each model, by its id; called in another thread.
            default: The model that is used before the first question, unless a caller names one.
            remembered: File that keeps the id of the default model; None for none.
            idle_seconds: Time after which an unused model is unloaded.
        """
        self._loaders, self._default = loaders, default
        self._remembered, self._idle_seconds = remembered, idle_seconds
        self._loaded: dict[str, Embedder] = {}
        self._used: dict[str, float] = {}
        self._loading: dict[str, asyncio.Task[Embedder]] = {}
        self._one_at_a_time = asyncio.Lock()
        if remembered is not None and remembered.is_file():
            known = remembered.read_text(encoding="utf-8").strip()
            self._default = known if known in loaders else default

    @classmethod
    def of(cls, embedder: Embedder) -> Self:
        """Returns the models of a process that has only this one."""
        return cls({embedder.model_id: lambda: embedder}, embedder.model_id)

    async def get(self, model_id: str, *, seconds: float | None = None) -> Embedder:
        """Returns a model, which is loaded if it is not; empty means the default one.

        A model whose loading has begun is loaded, even if nobody waits for it any more.

        Args:
            model_id: The model.
            seconds: How long to wait for a model that is not loaded; None for as long as it takes.

        Raises:
            UnknownEmbedderError: There is no such model, or its files are not the expected ones.
            ModelLoadingError: It is not loaded within that time.
        """
        model_id = model_id or self._default
        if (embedder := self._loaded.get(model_id)) is None:
            if model_id not in self._loaders:
                names = ", ".join(sorted(self._loaders))
                raise UnknownEmbedderError(f"The embedding process has no model {model_id!r}. It has: {names}.")
            if (loading := self._loading.get(model_id)) is None:
                loading = self._loading[model_id] = asyncio.create_task(self._load(model_id))
                # Nobody may be left who waits for its failure.
                loading.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                embedder = await asyncio.wait_for(asyncio.shield(loading), seconds)
            except TimeoutError as error:
                raise ModelLoadingError(f"The model {model_id!r} is being loaded: try again.") from error
            except ValueError as error:
                raise UnknownEmbedderError(str(error)) from error
        self._used[model_id] = time.monotonic()
        return embedder

    async def _load(self, model_id: str) -> Embedder:
        try:
            async with self._one_at_a_time:
                embedder = await asyncio.to_thread(self._loaders[model_id])
        finally:
            del self._loading[model_id]
        self._loaded[model_id], self._used[model_id] = embedder, time.monotonic()
        log.info("embedding model loaded", model=model_id)
        return embedder

    async def remember(self, model_id: str) -> None:
        """Makes a model that embeds a question the default one, now and after a restart."""
        if model_id == self._default:
            return
        self._default = model_id
        if self._remembered is not None:
            await asyncio.to_thread(self._remembered.write_text, model_id, encoding="utf-8")

    def unload_idle(self) -> None:
        """Unloads the models that were not used for a while, except the default one."""
        oldest = time.monotonic() - self._idle_seconds
        for model_id, used in list(self._used.items()):
            if used < oldest and model_id != self._default:
                del self._loaded[model_id], self._used[model_id]
                release_freed_memory()
                log.info("embedding model unloaded", model=model_id)

    async def watch(self) -> None:
        """Unloads idle models until cancelled."""
        while True:
            await asyncio.sleep(self._idle_seconds / 4)
            self.unload_idle()


def built_in(threads: int, remembered: Path | None) -> Embedders:
    """Returns the built-in models.

    Args:
        threads: Threads of one model call.
        remembered: File that keeps the id of the default model; None for none.
    """

    def minilm() -> Embedder:
        from echomind_lib.embeddings.minilm import MiniLm

        return MiniLm(threads)

    def multilingual() -> Embedder:
        from echomind_lib.embeddings.multilingual_e5 import MultilingualE5

        return MultilingualE5(threads)

    return Embedders({MINILM: minilm, MULTILINGUAL_E5: multilingual}, MINILM, remembered=remembered)
