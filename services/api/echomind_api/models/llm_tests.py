"""Tests of chat models, stored or not: a tiny question, the models that their server offers, and why it failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from echomind_lib.db import models as rows
from echomind_lib.llms import (
    LlmAuthFailed,
    LlmBadRequest,
    LlmConfig,
    LlmConfigInvalid,
    LlmError,
    LlmQuotaExhausted,
    LlmRateLimited,
    LlmStreamBroken,
    LlmUnavailable,
    Provider,
    offered_models,
    probe,
)
from echomind_lib.models.public import ListOfferedModelsResponse, LlmFault, TestLlmResponse
from echomind_lib.secrets import Secrets, SecretUnreadableError

TESTED: Final = ("provider", "model_id", "endpoint", "api_key", "max_tokens", "temperature", "context_tokens")
"""Fields of a model that its answer depends on."""
_FAULTS: Final[Mapping[type[Exception], LlmFault]] = {
    LlmConfigInvalid: LlmFault.SETTINGS,
    LlmUnavailable: LlmFault.UNREACHABLE,
    LlmAuthFailed: LlmFault.KEY,
    LlmQuotaExhausted: LlmFault.QUOTA,
    LlmRateLimited: LlmFault.RATE,
    LlmBadRequest: LlmFault.REFUSED,
    LlmStreamBroken: LlmFault.PROTOCOL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedLlm:
    """The values of a model, as columns; the key is encrypted."""

    provider: Provider
    model_id: str
    endpoint: str | None
    api_key: str | None
    max_tokens: int | None
    temperature: float | None
    context_tokens: int | None

    @classmethod
    def of(cls, row: rows.Llm) -> Self:
        """Returns the values of a stored model."""
        columns: dict[str, Any] = {name: getattr(row, name) for name in TESTED}
        return cls(**columns)


async def test_model(llm: TestedLlm, secrets: Secrets) -> TestLlmResponse:
    """Asks a model for one word and returns the result."""
    try:
        config = _config(llm, secrets)
    except LlmConfigInvalid as error:
        return TestLlmResponse(ok=False, message=str(error), fault=LlmFault.SETTINGS)
    except SecretUnreadableError as error:
        return TestLlmResponse(ok=False, message=str(error), fault=LlmFault.KEY)
    result = await probe(config)
    return TestLlmResponse(
        ok=result.ok, message=result.message, latency_ms=round(result.latency_ms), fault=_fault(result.fault)
    )


async def list_offered(llm: TestedLlm, secrets: Secrets) -> ListOfferedModelsResponse:
    """Asks a model's server which models it offers; the model's own name is not used."""
    try:
        return ListOfferedModelsResponse(model_ids=await offered_models(_config(llm, secrets)))
    except SecretUnreadableError as error:
        return ListOfferedModelsResponse(message=str(error), fault=LlmFault.KEY)
    except (LlmConfigInvalid, LlmError) as error:
        return ListOfferedModelsResponse(message=str(error), fault=_fault(error))


def _config(llm: TestedLlm, secrets: Secrets) -> LlmConfig:
    return LlmConfig(
        provider=llm.provider,
        model_id=llm.model_id,
        endpoint=llm.endpoint,
        api_key=secrets.decrypt(llm.api_key) if llm.api_key else None,
        max_tokens=llm.max_tokens,
        temperature=llm.temperature,
        context_tokens=llm.context_tokens,
    )


def _fault(error: Exception | None) -> LlmFault:
    return next((_FAULTS[kind] for kind in type(error).__mro__ if kind in _FAULTS), LlmFault.UNSPECIFIED)
