"""Creates chat models from configurations."""

import aiohttp

from echomind_lib.llms.anthropic import AnthropicFormat
from echomind_lib.llms.client import HttpChatModel, WireFormat
from echomind_lib.llms.config import LlmConfig
from echomind_lib.llms.endpoints import ModelConnector, normalise_endpoint
from echomind_lib.llms.openai import OpenAiFormat
from echomind_lib.llms.types import ChatModel


def create_chat_model(config: LlmConfig, http: aiohttp.ClientSession) -> ChatModel:
    """Returns the chat model for a configuration. Nothing is sent yet.

    Args:
        config: The model.
        http: A session of `endpoints.open_model_session`, shared by any number of models. The caller closes it.

    Raises:
        LlmConfigInvalid: The endpoint cannot be used.
        TypeError: The session does not check the addresses that it connects to.
    """
    if not isinstance(http.connector, ModelConnector):
        raise TypeError("chat models need a session of echomind_lib.llms.open_model_session()")
    endpoint = normalise_endpoint(config.provider, config.endpoint)
    return HttpChatModel(config, endpoint, wire_format(config, endpoint), http)


def wire_format(config: LlmConfig, endpoint: str) -> WireFormat:
    """Returns the protocol that a configuration's provider speaks."""
    return AnthropicFormat(config) if config.provider == "anthropic" else OpenAiFormat(config, endpoint)
