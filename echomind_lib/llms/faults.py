"""Converts network and HTTP failures to an `LlmError` that a person can act on."""

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from echomind_lib.llms.answer import UNDECODABLE
from echomind_lib.llms.config import LlmConfig
from echomind_lib.llms.errors import (
    LlmAuthFailed,
    LlmBadRequest,
    LlmContentFiltered,
    LlmContextTooLong,
    LlmError,
    LlmQuotaExhausted,
    LlmRateLimited,
    LlmStreamBroken,
    LlmUnavailable,
)
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.retry_after import retry_after
from echomind_lib.text import single_line

DETAIL_CHARACTERS = 400

# Messages of OpenAI, vLLM, TGI, Anthropic, llama.cpp, Gemini and xAI for a prompt that is too long.
_TOO_LONG = re.compile(
    r"context[_ ](length|size|window|limit)|maximum (model|prompt) length|prompt is too long"
    r"|exceed_context|input token count|max_new_tokens. must be"
    r"|`inputs` must have less|input is too long|too many (input )?tokens",
    re.IGNORECASE,
)
_NO_QUOTA = re.compile(r"insufficient_quota|billing|credit balance|insufficient (balance|credit)", re.IGNORECASE)
_FILTERED = re.compile(r"content_filter|content management policy|content_policy_violation", re.IGNORECASE)
_REFUSED = re.compile(
    r"unsupported|not support|deprecated|unrecogni[sz]ed|unknown|unexpected|extra inputs|not permitted|not allowed"
    r"|unavailable",
    re.IGNORECASE,
)

# Error types inside a stream, where the HTTP status is 200 already, and the status that each corresponds to.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "validation": 422,  # TGI
    "generation": 424,  # TGI
    "rate_limit_error": 429,
    "overloaded": 429,  # TGI
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class Faults:
    """Creates the errors of a model."""

    def __init__(self, config: LlmConfig, endpoint: str, *, kind: str = "") -> None:
        """Stores what the errors say.

        Args:
            config: The model.
            endpoint: Its base URL.
            kind: What its server is called; empty for the provider's name.
        """
        self._model_id = config.model_id
        self._api_key = config.api_key
        self._server = f"{kind or config.provider} at {urlsplit(endpoint).netloc}"

    def from_response(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Returns the error of an HTTP answer that is not a success."""
        if 300 <= status < 400:
            target = urlsplit(headers.get("Location", "")).netloc or "another path"
            return LlmBadRequest(
                f"{self._server} redirects to {target}; set the endpoint to the final address", status=status
            )
        return self._of_status(status, _error_text(body), retry_after(headers))

    def from_reported(self, error: Any) -> LlmError:
        """Returns the error of an error object in a response with status 200."""
        status = None
        if isinstance(error, dict):
            code, kind = error.get("code"), error.get("type") or error.get("error_type")
            status = _STATUS_OF_TYPE.get(str(kind))
            if isinstance(code, int) and 400 <= code < 600:
                status = code
        return self._of_status(status or 500, _describe(error))

    def from_exception(self, error: BaseException) -> LlmError:
        """Returns the error of a connection that failed or broke."""
        server = self._server
        if isinstance(error, AddressRefusedError):
            return LlmBadRequest(f"{server} was not contacted: {error}, where no model may be")
        if isinstance(error, aiohttp.InvalidURL):
            return LlmBadRequest(f"{server} was not contacted: that is not a valid host; check the endpoint")
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return LlmUnavailable(f"{server} did not accept a connection in time; check that it runs and is reachable")
        if isinstance(error, TimeoutError):
            return LlmUnavailable(f"{server} sent nothing for too long, or took too long in all; try again later")
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return LlmUnavailable(f"{server} cannot be found: its host name does not resolve; check the endpoint")
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return LlmUnavailable(
                f"{server} has a TLS certificate that does not verify ({self._clean(error.certificate_error)}); "
                "for a private authority set SSL_CERT_FILE to its bundle",
                retryable=False,
            )
        if isinstance(error, aiohttp.ClientSSLError):
            return LlmUnavailable(
                f"{server} does not speak TLS as expected ({self._clean(error.os_error)}); check http:// or https://",
                retryable=False,
            )
        if isinstance(error, aiohttp.ClientConnectorError):
            # The event loop's message contains the address in Python's notation.
            reason = os.strerror(error.os_error.errno) if error.os_error.errno else str(error.os_error)
            return LlmUnavailable(f"{server} cannot be reached ({self._clean(reason)}); check that it runs")
        if isinstance(error, aiohttp.ClientPayloadError):
            return LlmStreamBroken(f"{server} cut its answer off; try again")
        if isinstance(error, (aiohttp.ClientConnectionError, OSError)):
            return LlmUnavailable(f"{server} closed the connection without a whole answer; try again")
        return LlmUnavailable(f"{server} does not speak HTTP as expected ({self._clean(error)}); check the endpoint")

    def broken(self, reason: str) -> LlmError:
        """Returns the error of a response that violates the protocol."""
        return LlmStreamBroken(f"the answer of {self._server} cannot be used: {self._clean(reason)}; try again")

    def not_a_model_server(self) -> LlmError:
        """Returns the error of a successful response that is not from a model server, such as a web page."""
        return LlmBadRequest(f"{self._server} answers, but not as a model server; check the endpoint")

    def _of_status(self, status: int, text: str, wait: float | None = None) -> LlmError:
        detail = self._clean(text)
        reason = f" (HTTP {status}{': ' + detail if detail else ''})"
        kind, advice, retryable = _classify(status, detail)
        message = f"{self._server} {advice.format(model=self._model_id)}{reason}"
        return kind(message, retryable=retryable, retry_after=wait, status=status, detail=detail)

    def _clean(self, text: object) -> str:
        """Returns one short line without the API key, which some servers repeat."""
        # Cleaned first: characters that this removes could hide the key from the replacement.
        line = single_line(str(text), None)
        if self._api_key:
            line = line.replace(self._api_key, "***")
        return single_line(line, DETAIL_CHARACTERS)


def _classify(status: int, detail: str) -> tuple[type[LlmError], str, bool | None]:
    """Returns the class of the error, its message, and whether to retry (None: the class's default)."""
    if status == 402 or (status in {400, 403, 429} and _NO_QUOTA.search(detail)):
        return LlmQuotaExhausted, "has no credit or quota left for this key; check the account's billing", None
    if status in {400, 422, 500} and _TOO_LONG.search(detail):
        return LlmContextTooLong, "finds the prompt too long for {model}; shorten it", None
    if status in {400, 403, 422} and _FILTERED.search(detail):
        return LlmContentFiltered, "refuses the prompt by its content filter", None
    if status in {401, 403, 407}:
        return LlmAuthFailed, "denies access to {model}; check the API key and its permissions", None
    if status in {404, 405, 410}:
        return LlmBadRequest, "does not know {model} or this path; check the model id and the endpoint", None
    if status == 413:
        return LlmContextTooLong, "finds the request too large; shorten the prompt", None
    if status == 429:
        return LlmRateLimited, "limits the rate of requests; try again later", None
    if status in {408, 409, 424, 425} or (status >= 500 and status not in {501, 505}):
        return LlmUnavailable, "failed or is overloaded; try again later", None
    return LlmBadRequest, "refuses the request; check the model's settings", None


def refused_parameter(detail: str, candidates: tuple[str, ...]) -> str | None:
    """Returns which of these parameters the server rejects, if any."""
    if not _REFUSED.search(detail):
        return None
    return next((name for name in candidates if re.search(rf"\b{name}\b", detail)), None)


def _error_text(body: bytes) -> str:
    """Returns the error text of a body: from its JSON, or plain text; empty for a web page."""
    try:
        return _describe(msgspec.json.decode(body))
    except UNDECODABLE:
        text = body.decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else text


def _describe(value: Any) -> str:
    """Returns code and message of error objects (OpenAI, Anthropic, TGI, vLLM, FastAPI, Gemini)."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return "" if value is None else str(value)
    error = value.get("error")
    if isinstance(error, dict):
        return _describe(error)
    message = error or value.get("message") or value.get("detail") or ""
    code = value.get("code") or value.get("type") or value.get("error_type") or ""
    label = code if isinstance(code, str) and code != "error" and code not in str(message) else ""
    return f"{label}: {message}" if label and message else label or str(message)
