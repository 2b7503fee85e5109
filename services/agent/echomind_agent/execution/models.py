"""The chat models that runs use, made once for each version of their row."""

import asyncio

import aiohttp
import asyncpg

from echomind_agent.extractive.model import ExtractiveModel
from echomind_lib.conversations.questions import GOAL_REFUSED
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import LlmUnavailableError
from echomind_lib.llms import ChatModel, LlmConfig, LlmConfigInvalid, create_chat_model
from echomind_lib.llms.prices import load_prices
from echomind_lib.secrets import Secrets


class ChatModels:
    """Chat models by row. A changed row gives a new model; runs that have begun keep the old one."""

    def __init__(self, http: aiohttp.ClientSession, secrets: Secrets, embeddings: EmbeddingClient) -> None:
        self._http = http
        self._secrets = secrets
        self._extractive = ExtractiveModel(embeddings)
        self._models: dict[int, tuple[object, ChatModel]] = {}

    def of(self, run: asyncpg.Record) -> ChatModel:
        """The model of a run as `lease.claim` gives it.

        Raises:
            LlmUnavailableError: The run has none, or its configuration cannot work; the message says why.
        """
        if run["llm_id"] is None:
            raise LlmUnavailableError(
                "No chat model is active: add one, or make one the default.", assistant_id=str(run["assistant_id"])
            )
        if run["provider"] == "extractive":
            if run["auto_run"]:
                raise LlmUnavailableError(GOAL_REFUSED, assistant_id=str(run["assistant_id"]))
            return self._extractive
        version = run["llm_last_update"]
        known = self._models.get(run["llm_id"])
        if known is not None and known[0] == version:
            return known[1]
        try:
            model = create_chat_model(
                LlmConfig(
                    provider=run["provider"],
                    model_id=run["model_id"],
                    endpoint=run["endpoint"] or None,
                    api_key=self._secrets.decrypt(run["api_key"]) if run["api_key"] else None,
                    max_tokens=_most_tokens(run),
                    temperature=run["temperature"],
                    context_tokens=run["context_tokens"],
                ),
                self._http,
            )
        except LlmConfigInvalid as error:
            raise LlmUnavailableError(
                "The chat model cannot be used as it is set up: tell an administrator.",
                detail=f"{error}.",
                assistant_id=str(run["assistant_id"]),
            ) from error
        if run["provider"] in ("openai", "anthropic"):
            # Takes half a second, once; the first answer must not wait for it.
            asyncio.get_running_loop().run_in_executor(None, load_prices, run["provider"], run["endpoint"] or None)
        self._models[run["llm_id"]] = (version, model)
        return model


def _most_tokens(run: asyncpg.Record) -> int | None:
    """Most tokens of an answer: never more than half of the window, which prompts leave free for it."""
    if run["max_tokens"] and run["context_tokens"]:
        return int(min(run["max_tokens"], max(1, run["context_tokens"] // 2)))
    return run["max_tokens"] or None
