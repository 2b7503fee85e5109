"""Tests of rerankers: whether they put the right passage of some questions first."""

import time
from collections.abc import Mapping
from typing import Any, Final

from echomind_api.models.hosts import refuse_host_of
from echomind_lib.errors import ValidationFailedError
from echomind_lib.llms import LlmConfigInvalid, LlmError, open_model_session
from echomind_lib.models.public import TestRerankerResponse
from echomind_lib.secrets import Secrets, SecretUnreadableError

TESTED: Final = ("protocol", "model_id", "endpoint", "api_key")
"""Columns that a test depends on."""
_SECONDS: Final = 30.0
"""Time limit of a question: a local server may load the model first."""
_NEEDED: Final = 0.75
"""Share of the questions whose right passage must be first. Of 24 passages, by chance one in 24 is."""


async def test_reranker(columns: Mapping[str, Any], secrets: Secrets) -> TestRerankerResponse:
    """Lets a reranker order the passages of questions and returns how often the right one was first.

    Args:
        columns: The columns `TESTED`; the key is encrypted.
        secrets: Decrypts it.
    """
    # Imported at first use: numpy takes 20 MB, and few gateways ever test a model.
    from echomind_lib.embeddings.calibrated import questions
    from echomind_lib.rerankers.endpoints import RerankerConfig, RerankerEndpoint

    pairs = questions()["en"]
    passages = [passage for _, passage in pairs]
    found, began = 0, time.perf_counter()
    try:
        key = columns["api_key"]
        config = RerankerConfig(
            protocol=columns["protocol"],
            endpoint=columns["endpoint"],
            model_id=columns["model_id"],
            api_key=secrets.decrypt(key) if key else None,
        )
        async with open_model_session() as http:
            endpoint = RerankerEndpoint(config, http)
            for index, (question, _) in enumerate(pairs):
                scores = await endpoint.scores(question, passages, _SECONDS)
                found += scores.index(max(scores)) == index
    except (SecretUnreadableError, LlmConfigInvalid, LlmError) as error:
        return TestRerankerResponse(ok=False, message=str(error))
    latency = round((time.perf_counter() - began) * 1000 / len(pairs))
    ok, message = True, f"It puts the right passage first for {found} of {len(pairs)} questions."
    if found < _NEEDED * len(pairs):
        ok = False
        message = (
            f"It answers, but puts the right passage first for only {found} of {len(pairs)} questions: check that it "
            "is a model for reranking."
        )
    return TestRerankerResponse(ok=ok, message=message, latency_ms=latency)


async def require_usable(columns: Mapping[str, Any], secrets: Secrets) -> None:
    """Raises an error if a reranker fails the test.

    Raises:
        ValidationFailedError: It does; the message says why.
    """
    tested = await test_reranker(columns, secrets)
    if not tested.ok:
        raise ValidationFailedError(f"endpoint: {tested.message}", endpoint=tested.message)


def check_endpoint(columns: Mapping[str, Any]) -> None:
    """Raises an error for an endpoint that is not allowed or not a URL.

    Raises:
        EndpointRefusedError: No model may be there.
        ValidationFailedError: It is not an HTTP URL.
    """
    from echomind_lib.rerankers.endpoints import RerankerConfig

    refuse_host_of(columns["endpoint"])
    try:
        _ = RerankerConfig(protocol=columns["protocol"], endpoint=columns["endpoint"], model_id=columns["model_id"]).url
    except LlmConfigInvalid as error:
        raise ValidationFailedError(f"endpoint: {error}", endpoint=str(error)) from None
