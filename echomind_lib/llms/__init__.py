"""Chat models: one streaming interface over OpenAI chat completions and Anthropic messages.

Built for the hot path with aiohttp and msgspec, without SDKs. Create a session with `open_model_session`, a model with
`create_chat_model`, and read `ChatModel.stream`.
"""

from echomind_lib.llms.config import PROVIDERS, RETRIES, LlmConfig, Provider, Timeouts
from echomind_lib.llms.endpoints import open_model_session
from echomind_lib.llms.errors import (
    LlmAuthFailed,
    LlmBadRequest,
    LlmConfigInvalid,
    LlmContentFiltered,
    LlmContextTooLong,
    LlmError,
    LlmQuotaExhausted,
    LlmRateLimited,
    LlmSearchFailed,
    LlmStreamBroken,
    LlmUnavailable,
)
from echomind_lib.llms.factory import create_chat_model
from echomind_lib.llms.offers import offered_models
from echomind_lib.llms.probe import ProbeResult, probe
from echomind_lib.llms.types import (
    ChatEvent,
    ChatModel,
    ChatRequest,
    Completion,
    FinishReason,
    Message,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCall,
    ToolChoice,
    ToolSpec,
    Usage,
    complete,
)

__all__ = [
    "PROVIDERS",
    "RETRIES",
    "ChatEvent",
    "ChatModel",
    "ChatRequest",
    "Completion",
    "FinishReason",
    "LlmAuthFailed",
    "LlmBadRequest",
    "LlmConfig",
    "LlmConfigInvalid",
    "LlmContentFiltered",
    "LlmContextTooLong",
    "LlmError",
    "LlmQuotaExhausted",
    "LlmRateLimited",
    "LlmSearchFailed",
    "LlmStreamBroken",
    "LlmUnavailable",
    "Message",
    "ProbeResult",
    "Provider",
    "ReasoningDelta",
    "Role",
    "TextDelta",
    "Timeouts",
    "ToolCall",
    "ToolChoice",
    "ToolSpec",
    "Usage",
    "complete",
    "create_chat_model",
    "offered_models",
    "open_model_session",
    "probe",
]
