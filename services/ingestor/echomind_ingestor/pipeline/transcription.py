"""Sound and films as text, by a server with OpenAI's interface for transcription."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Final

import msgspec

from echomind_ingestor.pipeline.media_servers import MediaServer, plain_line
from echomind_lib.errors import FileRejectedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import aiohttp

    from echomind_lib.config import TranscriptionSettings

TRANSCRIBING: Final = "Transcribing the sound"
"""The status message of a document meanwhile."""
_SECTION_SECONDS: Final = 60.0
"""Seconds of speech under one heading, which is the time of its beginning."""
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

    def __init__(self, settings: TranscriptionSettings, http: aiohttp.ClientSession) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            settings: With an address.
            http: A session of `llms.open_model_session`. The caller closes it.

        Raises:
            LlmConfigInvalid: The address or the key cannot be used.
        """
        self._model = settings.model
        self._server = MediaServer(
            settings, "/audio/transcriptions", http, kind="transcription", work="transcribes sound"
        )

    async def transcribe(self, data: bytes, name: str, media_type: str) -> str:
        """Returns the speech, as Markdown: sections of a minute under the times of their beginnings.

        Args:
            data: The file.
            name: Its name, for errors.
            media_type: Its MIME type, as of `media_kind`.

        Raises:
            DependencyUnavailableError: The server does not answer, or may later, or a setting is wrong.
            FileRejectedError: The server refuses the file or takes too long, or there is no speech in it.
        """
        import aiohttp

        form = aiohttp.FormData()
        form.add_field("file", BytesIO(data), filename=f"sound.{_ENDINGS[media_type]}", content_type=media_type)
        form.add_field("model", self._model)
        form.add_field("response_format", "verbose_json")
        found = await self._server.post(form, _Transcript, name)
        text = "\n\n".join(_sections(found.segments) if found.segments else filter(None, [plain_line(found.text)]))
        if not text:
            raise FileRejectedError("No speech was found in it. Upload a transcript if it has some.", name=name)
        return text


def _sections(segments: Sequence[_Segment]) -> Iterator[str]:
    """Yields headings and paragraphs, the first segment of each at least a minute after that of the one before."""
    begin: float | None = None
    texts: list[str] = []
    for segment in segments:
        if not (text := plain_line(segment.text)):
            continue
        if begin is None or segment.start >= begin + _SECTION_SECONDS:
            if texts:
                yield " ".join(texts)
            begin, texts = segment.start, []
            yield f"## {timedelta(seconds=int(max(0.0, min(begin, 1e6))))}"
        texts.append(text)
    if texts:
        yield " ".join(texts)
