"""Tests of embedding models of servers, before they are stored and afterwards."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from echomind_api.models.hosts import refuse_host_of
from echomind_lib.db import models as rows
from echomind_lib.errors import EmbeddingModelStateError, ValidationFailedError
from echomind_lib.llms import LlmConfigInvalid, LlmError, open_model_session
from echomind_lib.mappers import embedding_models
from echomind_lib.models.public import TestEmbeddingModelResponse
from echomind_lib.network.origins import same_origin
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.secrets import Secrets, SecretUnreadableError

if TYPE_CHECKING:
    from echomind_lib.embeddings.calibrated import Calibration

TESTED: Final = ("model_id", "protocol", "endpoint", "api_key", "query_prefix", "passage_prefix")
"""Columns that a model's vectors depend on."""
_SECONDS: Final = 60.0
"""Time limit of each request of a test: a local server may load the model first."""
_ONCE: Final = RetryPolicy(first=0.25, attempts=1)


async def measure(columns: Mapping[str, Any], secrets: Secrets, dimension: int | None = None) -> "Calibration":
    """Tests a model and returns what was measured.

    Args:
        columns: The columns `TESTED`; the key is encrypted.
        secrets: Decrypts it.
        dimension: The dimension of its index; None if it has none.

    Raises:
        ValidationFailedError: It cannot be used; the message says why.
    """
    try:
        calibration = await _calibrated(columns, secrets)
    except SecretUnreadableError as error:
        raise ValidationFailedError.of("api_key", str(error)) from None
    except (LlmConfigInvalid, LlmError) as error:
        raise ValidationFailedError.of("endpoint", str(error)) from error
    if dimension is not None and calibration.dimension != dimension:
        raise ValidationFailedError.of("endpoint", _other_model(calibration.dimension, dimension))
    if not calibration.languages:
        raise ValidationFailedError.of("endpoint", _tells_nothing(calibration))
    return calibration


async def test_stored(row: rows.EmbeddingModel, secrets: Secrets) -> TestEmbeddingModelResponse:
    """Tests a stored model of a server and returns the result."""
    began = time.perf_counter()
    try:
        calibration = await _calibrated({name: getattr(row, name) for name in TESTED}, secrets)
    except (SecretUnreadableError, LlmConfigInvalid, LlmError) as error:
        return TestEmbeddingModelResponse(ok=False, message=str(error))
    latency = round((time.perf_counter() - began) * 1000)
    ok, message = True, _summary(calibration)
    if calibration.dimension != row.model_dimension:
        ok, message = False, _other_model(calibration.dimension, row.model_dimension)
    elif not calibration.languages:
        ok, message = False, _tells_nothing(calibration)
    return TestEmbeddingModelResponse(
        ok=ok,
        message=message,
        model_dimension=calibration.dimension,
        languages=list(calibration.languages),
        latency_ms=latency,
    )


async def _calibrated(columns: Mapping[str, Any], secrets: Secrets) -> "Calibration":
    """Lets a model embed questions and passages.

    Raises:
        LlmConfigInvalid: The endpoint or the key cannot be used.
        LlmError: Its server cannot be reached, refuses the request, or answers something else.
        SecretUnreadableError: Its key cannot be decrypted.
    """
    # Imported at first use: numpy takes 20 MB, and few gateways ever test a model.
    from echomind_lib.embeddings.endpoints import EndpointConfig, EndpointModel, measured

    key = columns["api_key"]
    config = EndpointConfig(
        protocol=columns["protocol"],
        endpoint=columns["endpoint"] or "",
        model_id=columns["model_id"],
        api_key=secrets.decrypt(key) if key else None,
        query_prefix=columns["query_prefix"],
        passage_prefix=columns["passage_prefix"],
    )
    async with open_model_session() as http:
        return await measured(EndpointModel(config, http, retries=_ONCE), _SECONDS)


def _summary(calibration: "Calibration") -> str:
    return (
        f"It answers with {calibration.dimension} dimensions and finds the right passage for {calibration.found} of "
        f"{calibration.asked} questions in English, German and Chinese."
    )


def _other_model(given: int, expected: int) -> str:
    return f"Its vectors have {given} dimensions instead of {expected}: the server has another model."


def _tells_nothing(calibration: "Calibration") -> str:
    return (
        f"It answers, but finds the right passage for only {calibration.found} of {calibration.asked} questions: check "
        "that it is a model for embeddings, and its prefixes."
    )


def check_endpoint(columns: Mapping[str, Any]) -> None:
    """Raises an error for an endpoint that is not allowed or not a URL."""
    from echomind_lib.embeddings.endpoints import EndpointConfig

    endpoint = columns["endpoint"] or ""
    if not endpoint:
        raise ValidationFailedError.of("endpoint", "is missing: give the URL of the server")
    refuse_host_of(endpoint)
    try:
        _ = EndpointConfig(protocol=columns["protocol"], endpoint=endpoint, model_id=columns["model_id"]).url
    except LlmConfigInvalid as error:
        raise ValidationFailedError.of("endpoint", str(error)) from None


def check_key(row: rows.EmbeddingModel, columns: Mapping[str, Any]) -> None:
    """Raises an error if the stored key would go elsewhere: for a new address the key is given again or removed."""
    if row.api_key is None or "api_key" in columns or "endpoint" not in columns:
        return
    if not same_origin(row.endpoint or "", columns["endpoint"] or ""):
        rule = (
            "must be given again, or be given empty to remove it: the stored key was given for another address, and is "
            "not sent elsewhere"
        )
        raise ValidationFailedError.of("api_key", rule)


def state_error(row: rows.EmbeddingModel, message: str) -> EmbeddingModelStateError:
    """Returns the error of a model whose state does not allow something."""
    status = embedding_models.status_of(row).word
    return EmbeddingModelStateError(message, embedding_model_id=row.id, status=status)
