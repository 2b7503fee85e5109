"""Requests to servers that make text of sound and images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
import structlog

from echomind_lib.errors import DependencyUnavailableError, EchoMindError, FileRejectedError

# Here, and others in functions, as most installations have no such server, and importing them takes memory.
if TYPE_CHECKING:
    import aiohttp

    from echomind_lib.config import DescriptionSettings, TranscriptionSettings
    from echomind_lib.llms import LlmError

log = structlog.get_logger(__name__)
T = TypeVar("T")

_MAX_BYTES: Final = 64 * 2**20
_TOO_LARGE: Final = 413
_TOO_LATE: Final = 504
"""What a proxy says that did not wait for the server, which has done the work in vain and would again."""
_UNKNOWN: Final = frozenset({404, 405, 410, 501, 505})
"""Statuses of a path or a model that the server does not have."""
_MARKS: Final = "#>|-*+=~` "
"""Characters that mean something at the beginning of a line of Markdown."""


class MediaServer:
    """A server with an operation of OpenAI's interface. Safe for concurrent use."""

    def __init__(
        self,
        settings: TranscriptionSettings | DescriptionSettings,
        operation: str,
        http: aiohttp.ClientSession,
        *,
        kind: str,
        work: str,
    ) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            settings: With an address, with or without the operation.
            operation: The path of the operation below `/v1`.
            http: A session of `llms.open_model_session`. The caller closes it.
            kind: The section of the settings, for errors.
            work: What it does, for errors.

        Raises:
            LlmConfigInvalid: The address or the key cannot be used.
        """
        from echomind_lib.llms.endpoints import normalise_endpoint
        from echomind_lib.llms.model_server import ModelServer

        self._seconds, self._kind, self._work = settings.seconds, kind, work
        self._prefix = f"ECHOMIND_{kind.upper()}__"
        self._server = ModelServer(
            normalise_endpoint("openai", settings.url.rstrip("/").removesuffix(operation)) + operation,
            http,
            protocol=kind,
            model_id=settings.model,
            endpoint=settings.url,
            api_key=settings.api_key.get_secret_value() or None,
        )

    async def post(self, body: object, answer: type[T], name: str) -> T:
        """Sends a request about a file, and returns the answer.

        Args:
            body: A form, or what is sent as JSON.
            answer: The type of the answer.
            name: The file's name, for errors.

        Raises:
            DependencyUnavailableError: The server cannot be reached or is overloaded, or a setting is wrong.
            FileRejectedError: It refuses the file, takes too long, or answers something else.
        """
        from echomind_lib.llms import LlmError

        try:
            return msgspec.json.decode(await self._server.post(body, self._seconds, _MAX_BYTES), type=answer)
        except LlmError as error:
            log.warning("file not accepted by a server", kind=self._kind, name=name, error=str(error))
            raise self._failure(error, name) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            log.warning(
                "file not accepted by a server", kind=self._kind, name=name, error="the answer has another form"
            )
            raise self._something_else(name) from error

    def _failure(self, error: LlmError, name: str) -> EchoMindError:
        """Returns what an error of the server means for a file.

        What is wrong with the settings is tried again, as it is mended without the file.
        """
        import aiohttp

        from echomind_lib.llms import LlmAuthFailed, LlmQuotaExhausted, LlmStreamBroken

        cause, status = error.__cause__, error.status
        if isinstance(cause, TimeoutError) and not isinstance(cause, aiohttp.ConnectionTimeoutError):
            return FileRejectedError(
                f"It takes the server that {self._work} longer than {self._seconds:g} seconds: divide it, or ask an "
                f"administrator to raise {self._prefix}SECONDS.",
                name=name,
            )
        if status == _TOO_LATE:
            return FileRejectedError(
                f"It takes the server that {self._work} longer than a proxy before it waits: divide it, or ask an "
                "administrator to let that proxy wait longer.",
                name=name,
            )
        if isinstance(error, LlmStreamBroken) and cause is None:
            return self._something_else(name)
        if isinstance(error, LlmAuthFailed):
            return self._unavailable(
                f"The server that {self._work} refuses access: an administrator has to check {self._prefix}API_KEY."
            )
        if isinstance(error, LlmQuotaExhausted):
            return self._unavailable(
                f"The server that {self._work} has no credit or quota left: an administrator has to check the account "
                f"of {self._prefix}API_KEY."
            )
        if error.retryable:
            return self._unavailable(
                f"The server that {self._work} does not answer or is overloaded: try again later.", error.retry_after
            )
        if status == _TOO_LARGE:
            return FileRejectedError(
                f"This is too large for the server that {self._work}: divide it, or make it smaller.", name=name
            )
        if status is None or status < 400 or status in _UNKNOWN:
            return self._unavailable(
                f"The server that {self._work} is not at its address, or does not have the model: an administrator has "
                f"to check {self._prefix}URL and {self._prefix}MODEL."
            )
        return FileRejectedError(
            f"The server that {self._work} refuses the file: tell an administrator, whose log of the ingestor says "
            "why.",
            name=name,
        )

    def _unavailable(self, message: str, wait: float | None = None) -> DependencyUnavailableError:
        asked: dict[str, Any] = {} if wait is None else {"retry_after_seconds": wait}
        return DependencyUnavailableError(message, dependency=self._kind, **asked)

    def _something_else(self, name: str) -> FileRejectedError:
        return FileRejectedError(
            f"The server that {self._work} answers something else: tell an administrator, who can check its address.",
            name=name,
        )


def plain_line(text: str) -> str:
    """Returns a text as a line that begins no heading, list or table of Markdown."""
    return " ".join(text.split()).lstrip(_MARKS)
