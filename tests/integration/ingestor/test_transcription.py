"""Sound and films, transcribed by a server that an administrator names."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from echomind.local.embedded.process import free_port
from echomind_ingestor.extract.kinds import media_kind
from echomind_ingestor.pipeline import media_servers
from echomind_ingestor.pipeline.processing import Processor
from echomind_ingestor.pipeline.transcription import Transcriber
from echomind_lib.config import TranscriptionSettings
from echomind_lib.errors import DependencyUnavailableError, FileRejectedError
from echomind_lib.llms import open_model_session
from echomind_lib.objects import text_key
from echomind_lib.process.retries import retry_after
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


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_model_session() as session:
        yield session


@pytest.fixture
def transcribing(
    stack: Stack, double: MediaDouble, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> Processor:
    settings = TranscriptionSettings(url=double.url, api_key="sk-secret", model="whisper-large")  # type: ignore[arg-type]
    monkeypatch.setattr(stack.processor, "_transcriber", Transcriber(settings, http))
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


async def test_a_server_without_segments_gives_the_text_alone(double: MediaDouble, http: aiohttp.ClientSession) -> None:
    transcriber = Transcriber(TranscriptionSettings(url=f"{double.url}/audio/transcriptions/"), http)
    double.answer = {"text": " - One.\nTwo. "}
    assert await transcriber.transcribe(SOUND, "a.mp3", "audio/mpeg") == "One. Two."
    assert double.requests[0]["key"] == ""


@pytest.mark.parametrize(
    ("status", "answer", "error", "message"),
    [
        (200, {"text": "  "}, FileRejectedError, "No speech was found"),
        (200, {"segments": [{"start": 1.0, "text": " "}]}, FileRejectedError, "No speech was found"),
        (200, ["what"], FileRejectedError, "answers something else"),
        (200, "<html>Welcome</html>", DependencyUnavailableError, "not at its address"),
        (400, None, FileRejectedError, "refuses the file"),
        (413, None, FileRejectedError, "too large"),
        (415, None, FileRejectedError, "refuses the file"),
        (401, None, DependencyUnavailableError, "ECHOMIND_TRANSCRIPTION__API_KEY"),
        (402, None, DependencyUnavailableError, "no credit.*ECHOMIND_TRANSCRIPTION__API_KEY"),
        (403, None, DependencyUnavailableError, "ECHOMIND_TRANSCRIPTION__API_KEY"),
        (404, None, DependencyUnavailableError, "ECHOMIND_TRANSCRIPTION__URL and ECHOMIND_TRANSCRIPTION__MODEL"),
        (504, None, FileRejectedError, "longer than a proxy before it waits"),
        (503, None, DependencyUnavailableError, "does not answer"),
        (429, None, DependencyUnavailableError, "does not answer"),
    ],
)
async def test_what_a_server_cannot_do_is_said(
    double: MediaDouble,
    http: aiohttp.ClientSession,
    status: int,
    answer: object,
    error: type[Exception],
    message: str,
) -> None:
    double.status, double.answer = status, answer
    transcriber = Transcriber(TranscriptionSettings(url=double.url, api_key="sk-secret"), http)  # type: ignore[arg-type]
    with capture_logs() as logs, pytest.raises(error, match=message):
        await transcriber.transcribe(SOUND, "a.mp3", "audio/mpeg")
    if status != 200:
        (entry,) = [each for each in logs if each.get("name") == "a.mp3"]  # others log as well
        assert "not today, ***" in entry["error"]
        assert "sk-secret" not in str(entry)


async def test_a_longer_answer_than_any_transcript_is_not_read(
    double: MediaDouble, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_servers, "_MAX_BYTES", 1_000)
    double.answer = {"text": "word " * 1_000}
    with pytest.raises(FileRejectedError, match="answers something else"):
        await Transcriber(TranscriptionSettings(url=double.url), http).transcribe(SOUND, "a.mp3", "audio/mpeg")


async def test_the_server_says_when_to_try_again(double: MediaDouble, http: aiohttp.ClientSession) -> None:
    double.status, double.headers = 429, {"Retry-After": "240"}
    with pytest.raises(DependencyUnavailableError) as raised:
        await Transcriber(TranscriptionSettings(url=double.url), http).transcribe(SOUND, "a.mp3", "audio/mpeg")
    assert retry_after(raised.value) == 240


async def test_a_file_that_takes_too_long_is_sent_once(
    stack: Stack, double: MediaDouble, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    double.delay = 2
    transcriber = Transcriber(TranscriptionSettings(url=double.url, seconds=0.5), http)
    monkeypatch.setattr(stack.processor, "_transcriber", transcriber)
    document = await stack.document(await stack.index(SOUND, "talk.mp3"))
    assert document["status"] == "failed"
    assert "longer than 0.5 seconds: divide it" in document["status_message"]
    assert len(double.requests) == 1


async def test_a_server_that_cannot_be_reached_is_tried_again(http: aiohttp.ClientSession) -> None:
    transcriber = Transcriber(TranscriptionSettings(url=f"http://127.0.0.1:{free_port()}/v1"), http)
    with pytest.raises(DependencyUnavailableError, match="does not answer"):
        await transcriber.transcribe(SOUND, "a.mp3", "audio/mpeg")


@pytest.mark.parametrize("status", [503, 401, 404])
async def test_a_document_waits_while_the_server_is_away_or_set_wrongly(
    stack: Stack, double: MediaDouble, transcribing: Processor, status: int
) -> None:
    double.status = status
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
