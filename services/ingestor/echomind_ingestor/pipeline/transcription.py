"""Sound and films as text, by a server with OpenAI's interface for transcription."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from io import BytesIO
from typing import Final

import msgspec
import structlog

from echomind_ingestor.pipeline.media_servers import MediaServer, plain_line
from echomind_lib.config import TranscriptionSettings
from echomind_lib.errors import DependencyUnavailableError, FileRejectedError

log = structlog.get_logger(__name__)

TRANSCRIBING: Final = "Transcribing the sound"
"""The status message of a document meanwhile."""
_SECTION_SECONDS: Final = 60.0
"""Seconds of speech under one heading, which is the time of its beginning."""
_TOO_LARGE: Final = 413
_ENDINGS: Final = {
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/x-msvideo": "avi",
}
"""Endings of names by MIME type: servers go by them, and need not know what a file is called."""


class _Segment(msgspec.Struct):
    text: str = ""
    start: float = 0.0


class _Transcript(msgspec.Struct):
    text: str = ""
    segments: list[_Segment] | None = None


class Transcriber:
    """A server, as the settings name it. Safe for concurrent use."""

    def __init__(self, settings: TranscriptionSettings) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            settings: With an address.

        Raises:
            LlmConfigInvalid: The address or the key cannot be used.
        """
        self._model = settings.model
        self._server = MediaServer(
            settings.url,
            "/audio/transcriptions",
            model=settings.model,
            api_key=settings.api_key,
            seconds=settings.seconds,
            kind="transcription",
        )

    async def transcribe(self, data: bytes, name: str, media_type: str) -> str:
        """Returns what is said, as Markdown: sections of a minute under the times of their beginnings.

        Args:
            data: The file.
            name: Its name, for errors.
            media_type: Its MIME type, as of `media_kind`.

        Raises:
            DependencyUnavailableError: The server does not answer, or may later.
            FileRejectedError: The server refuses the file, or there is no speech in it.
        """
        from echomind_lib.llms import LlmError

        try:
            answer = await self._request(data, media_type)
        except LlmError as error:
            log.warning("sound not transcribed", name=name, error=str(error))
            if error.status == _TOO_LARGE:
                raise FileRejectedError(
                    "This is too large for the server that transcribes sound: divide it.", name=name
                ) from error
            if error.retryable:
                raise DependencyUnavailableError(
                    "The server that transcribes sound does not answer or is overloaded: try again later.",
                    dependency="transcription",
                ) from error
            raise FileRejectedError(
                "The server that transcribes sound refuses the file: tell an administrator, whose log of the ingestor "
                "says why.",
                name=name,
            ) from error
        try:
            found = msgspec.json.decode(answer, type=_Transcript)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            log.warning("sound not transcribed", name=name, error="the answer is no transcript")
            raise FileRejectedError(
                "The server that transcribes sound answers something else: tell an administrator, who can check its "
                "address.",
                name=name,
            ) from error
        text = "\n\n".join(_sections(found.segments) if found.segments else filter(None, [plain_line(found.text)]))
        if not text:
            raise FileRejectedError("No speech was found in it. Upload a transcript if it has some.", name=name)
        return text

    async def _request(self, data: bytes, media_type: str) -> bytes:
        import aiohttp

        form = aiohttp.FormData()
        form.add_field("file", BytesIO(data), filename=f"sound.{_ENDINGS[media_type]}", content_type=media_type)
        form.add_field("model", self._model)
        form.add_field("response_format", "verbose_json")
        return await self._server.post(data=form)


def _sections(segments: Sequence[_Segment]) -> Iterator[str]:
    """Yields headings and paragraphs, the first segment of each at least a minute after that of the one before."""
    begin: float | None = None
    said: list[str] = []
    for segment in segments:
        if not (text := plain_line(segment.text)):
            continue
        if begin is None or segment.start >= begin + _SECTION_SECONDS:
            if said:
                yield " ".join(said)
            begin, said = segment.start, []
            yield f"## {timedelta(seconds=int(max(0.0, min(begin, 1e6))))}"
        said.append(text)
    if said:
        yield " ".join(said)
