"""The chat models of runs, created once per version of their row."""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp

from echomind_agent.extractive.model import ExtractiveModel
from echomind_lib.conversations.goals import GOAL_REFUSED
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import LlmUnavailableError
from echomind_lib.llms import ChatModel, LlmConfig, LlmConfigInvalid, create_chat_model
from echomind_lib.llms.prices import load_prices
from echomind_lib.llms.record import LlmRecord
from echomind_lib.secrets import Secrets


class ChatModels:
    """Chat models by row. A changed row results in a new model; active runs keep the old one."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        secrets: Secrets,
        embeddings: EmbeddingClient,
        active_embedding_model: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        """Stores what models are made with.

        Args:
            http: The session for requests to models.
            secrets: Decrypts keys.
            embeddings: The embedding client, for the built-in model.
            active_embedding_model: Returns the embedding model that searches use; None: the embedding process's
                default one.
        """
        self._http = http
        self._secrets = secrets
        self._extractive = ExtractiveModel(embeddings, active_embedding_model)
        self._models: dict[int, tuple[object, ChatModel]] = {}

    def of(self, record: LlmRecord | None, assistant_id: int, *, auto_run: bool = False) -> ChatModel:
        """Returns the chat model of a row.

        Args:
            record: The row; None if no model is active.
            assistant_id: The assistant, named in errors.
            auto_run: Whether it is for an autonomous run, which the built-in model does not support.

        Raises:
            LlmUnavailableError: There is none, or its configuration is not valid; the message says why.
        """
        if record is None:
            raise LlmUnavailableError(
                "No chat model is active: add one, or make one the default.", assistant_id=str(assistant_id)
            )
        if record.is_extractive:
            if auto_run:
                raise LlmUnavailableError(GOAL_REFUSED, assistant_id=str(assistant_id))
            return self._extractive
        version = record.last_update
        known = self._models.get(record.id)
        if known is not None and known[0] == version:
            return known[1]
        try:
            model = create_chat_model(self._config(record), self._http)
        except LlmConfigInvalid as error:
            raise LlmUnavailableError(
                "The chat model cannot be used as it is set up: tell an administrator.",
                detail=f"{error}.",
                assistant_id=str(assistant_id),
            ) from error
        if record.provider in ("openai", "anthropic") and record.input_price is None:
            # Loading takes half a second, once; the first answer does not wait for it.
            asyncio.get_running_loop().run_in_executor(None, load_prices, record.provider, record.endpoint or None)
        self._models[record.id] = (version, model)
        return model

    def _config(self, record: LlmRecord) -> LlmConfig:
        assert record.provider != "extractive"
        return LlmConfig(
            provider=record.provider,
            model_id=record.model_id,
            endpoint=record.endpoint or None,
            api_key=self._secrets.decrypt(record.api_key) if record.api_key else None,
            max_tokens=_max_tokens(record),
            temperature=record.temperature,
            context_tokens=record.context_tokens,
        )


def _max_tokens(record: LlmRecord) -> int | None:
    """Returns the maximum tokens of an answer: at most half of the window, which prompts leave free."""
    if record.max_tokens and record.context_tokens:
        return min(record.max_tokens, max(1, record.context_tokens // 2))
    return record.max_tokens or None
