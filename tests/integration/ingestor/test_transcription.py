"""Sound and films, transcribed by a server that an administrator names."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from echomind_ingestor.extract.kinds import media_kind
from echomind_ingestor.pipeline.processing import Processor
from echomind_ingestor.pipeline.transcription import Transcriber
from echomind_lib.config import TranscriptionSettings
from echomind_lib.errors import DependencyUnavailableError, FileRejectedError
from echomind_lib.objects import text_key
from tests.drivers.media_server import MediaDouble, media_server
from tests.drivers.stack import Stack

SOUND = b"ID3\x04\x00" + bytes(range(256))
MEETING = {
    "text": "Welcome. The budget is 4,000 euro. Thanks.",
    "segments": [
        {"start": 0.0, "end": 4.0, "text": " Welcome to the meeting about the garden."},
        {"start": 4.0, "end": 61.0, "text": " # We begin with the fence."},
        {"start": 61.5, "end": 70.0, "text": " The budget of the fence is 4,000 euro."},
        {"start": 3725.0, "end": 3730.0, "text": " Thanks, that was all."},
    ],
}


@pytest_asyncio.fixture
async def double() -> AsyncIterator[MediaDouble]:
    async with media_server() as server:
        yield server


@pytest.fixture
def transcribing(stack: Stack, double: MediaDouble, monkeypatch: pytest.MonkeyPatch) -> Processor:
    settings = TranscriptionSettings(url=double.url, api_key="sk-secret", model="whisper-large")  # type: ignore[arg-type]
    monkeypatch.setattr(stack.processor, "_transcriber", Transcriber(settings))
    return stack.processor


async def test_what_is_said_is_found_at_its_time(stack: Stack, double: MediaDouble, transcribing: Processor) -> None:
    double.answer = MEETING
    document_id = await stack.index(SOUND, "Meeting über Zäune.mp3")
    document = await stack.document(document_id)
    assert (document["status"], document["content_type"], document["title"]) == (
        "completed",
        "audio/mpeg",
        "Meeting über Zäune.mp3",
    ), document["status_message"]
    (sent,) = double.requests
    assert (sent["data"], sent["type"], sent["name"]) == (SOUND, "audio/mpeg", "sound.mp3")
    assert (sent["model"], sent["response_format"]) == ("whisper-large", "verbose_json")
    assert sent["key"] == "Bearer sk-secret"
    text = (await stack.objects.get(text_key(document_id, document["chunking_session"]))).decode()
    assert [line for line in text.splitlines() if line] == [
        "## 0:00:00",
        "Welcome to the meeting about the garden. We begin with the fence.",
        "## 0:01:01",
        "The budget of the fence is 4,000 euro.",
        "## 1:02:05",
        "Thanks, that was all.",
    ]
    hit = (await stack.retriever.search(stack.reader(), "What is the budget of the fence?"))[0]
    assert "0:01:01\n\nThe budget of the fence is 4,000 euro." in hit.text


async def test_a_server_without_segments_gives_the_text_alone(double: MediaDouble) -> None:
    transcriber = Transcriber(TranscriptionSettings(url=f"{double.url}/audio/transcriptions/"))
    double.answer = {"text": " - One.\nTwo. "}
    assert await transcriber.transcribe(SOUND, "a.mp3", "audio/mpeg") == "One. Two."
    assert double.requests[0]["key"] == ""


@pytest.mark.parametrize(
    ("status", "answer", "error", "message"),
    [
        (200, {"text": "  "}, FileRejectedError, "No speech was found"),
        (200, {"segments": [{"start": 1.0, "text": " "}]}, FileRejectedError, "No speech was found"),
        (200, ["what"], FileRejectedError, "answers something else"),
        (413, None, FileRejectedError, "too large"),
        (401, None, FileRejectedError, "refuses the file"),
        (404, None, FileRejectedError, "refuses the file"),
        (503, None, DependencyUnavailableError, "does not answer"),
        (429, None, DependencyUnavailableError, "does not answer"),
    ],
)
async def test_what_a_server_cannot_do_is_said(
    double: MediaDouble, status: int, answer: object, error: type[Exception], message: str
) -> None:
    double.status, double.answer = status, answer
    transcriber = Transcriber(TranscriptionSettings(url=double.url, api_key="sk-secret"))  # type: ignore[arg-type]
    with pytest.raises(error, match=message) as raised:
        await transcriber.transcribe(SOUND, "a.mp3", "audio/mpeg")
    assert "sk-secret" not in str(raised.value)


async def test_a_document_waits_while_the_server_is_away(
    stack: Stack, double: MediaDouble, transcribing: Processor
) -> None:
    double.status = 503
    document_id = await stack.add(SOUND, "talk.mp3")
    with pytest.raises(DependencyUnavailableError):
        await transcribing.process(document_id, stack.worker_id)
    assert (await stack.document(document_id))["status"] == "pending"
    double.status, double.answer = 200, MEETING
    await stack.process(document_id)
    assert (await stack.document(document_id))["status"] == "completed"


async def test_without_a_server_sound_is_refused_with_what_to_do(stack: Stack) -> None:
    document = await stack.document(await stack.index(SOUND, "talk.mp3"))
    assert document["status"] == "failed"
    assert "Upload a transcript" in document["status_message"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (SOUND, "audio/mpeg"),
        (b"\xff\xf3\x40", "audio/mpeg"),
        (b"OggS\0", "audio/ogg"),
        (b"fLaC\0", "audio/flac"),
        (b"\x1aE\xdf\xa3", "video/webm"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"RIFF\0\0\0\0AVI LIST", "video/x-msvideo"),
        (b"RIFF\0\0\0\0WEBPVP8 ", ""),
        (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
        (b"\0\0\0\x18ftypisom", "video/mp4"),
        (b"\0\0\0\x18ftypheic", ""),
        (b"%PDF-1.7", ""),
        (b"", ""),
    ],
)
def test_kinds_of_sound_and_films(data: bytes, kind: str) -> None:
    assert media_kind(data) == kind
