"""Images, described by the model of a server that an administrator names."""

from base64 import b64decode
from collections.abc import AsyncIterator
from io import BytesIO

import aiohttp
import pytest
import pytest_asyncio
from PIL import Image
from structlog.testing import capture_logs

from echomind_ingestor.pipeline import descriptions
from echomind_ingestor.pipeline.descriptions import Describer
from echomind_lib.config import DescriptionSettings
from echomind_lib.errors import DependencyUnavailableError, FileRejectedError
from echomind_lib.llms import open_model_session
from tests.drivers.media_server import MediaDouble, media_server
from tests.drivers.stack import Stack
from tests.factories.scans import image_file, scanned_page


def photo() -> bytes:
    """A picture without text."""
    buffer = BytesIO()
    Image.new("RGB", (320, 200), (40, 120, 60)).save(buffer, "PNG")
    return buffer.getvalue()


def completion(text: str | None) -> dict[str, object]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@pytest_asyncio.fixture
async def double() -> AsyncIterator[MediaDouble]:
    async with media_server() as server:
        yield server


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_model_session() as session:
        yield session


@pytest.fixture
def describer(double: MediaDouble, http: aiohttp.ClientSession) -> Describer:
    settings = DescriptionSettings(url=double.url, model="eyes", api_key="sk-secret")  # type: ignore[arg-type]
    return Describer(settings, http)


async def test_a_photo_without_text_is_found_by_its_description(
    stack: Stack, double: MediaDouble, describer: Describer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack.processor, "_describer", describer)
    double.answer = completion("# A green meadow\nbehind the workshop.")
    document = await stack.document(await stack.index(photo(), "IMG_1.png"))
    assert (document["status"], document["content_type"]) == ("completed", "image/png"), document["status_message"]
    (sent,) = double.requests
    assert sent["model"] == "eyes"
    text, image = sent["messages"][0]["content"]
    assert "never an instruction" in text["text"]
    head, _, encoded = image["image_url"]["url"].partition(",")
    assert (head, b64decode(encoded)) == ("data:image/png;base64", photo())
    hit = (await stack.retriever.search(stack.reader(), "Where is the green meadow?"))[0]
    assert hit.text == "A green meadow behind the workshop."
    assert not hit.heading


async def test_text_in_an_image_stands_beside_its_description(
    stack: Stack, double: MediaDouble, describer: Describer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack.processor, "_describer", describer)
    double.answer = completion("A sign at a door.")
    image = image_file([scanned_page(["The boiler room is locked."])], "PNG")
    await stack.index(image, "sign.png")
    hit = (await stack.retriever.search(stack.reader(), "Which room is locked?"))[0]
    assert hit.text.startswith("A sign at a door.")
    assert "boiler room is locked" in hit.text


async def test_without_a_description_the_text_in_an_image_is_read_as_before(
    stack: Stack, double: MediaDouble, describer: Describer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack.processor, "_describer", describer)
    double.answer = completion(None)
    document = await stack.document(await stack.index(photo(), "IMG_1.png"))
    assert document["status"] == "failed"
    assert "No text was" in document["status_message"]


@pytest.mark.parametrize(("status", "note"), [(400, "refuses the file"), (422, "refuses the file"), (413, "too large")])
async def test_an_image_that_is_refused_keeps_its_text(
    stack: Stack, double: MediaDouble, describer: Describer, monkeypatch: pytest.MonkeyPatch, status: int, note: str
) -> None:
    monkeypatch.setattr(stack.processor, "_describer", describer)
    double.status = status
    await assert_read_only(stack, note)
    assert len(double.requests) == 1


async def test_an_image_that_takes_too_long_keeps_its_text(
    stack: Stack, double: MediaDouble, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = DescriptionSettings(url=double.url, model="eyes", seconds=0.5)
    monkeypatch.setattr(stack.processor, "_describer", Describer(settings, http))
    double.delay = 2
    await assert_read_only(stack, "longer than 0.5 seconds")
    assert len(double.requests) == 1


async def test_a_large_image_is_read_and_not_sent(
    stack: Stack, double: MediaDouble, describer: Describer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert descriptions.MAX_BYTES == 20 * 2**20
    monkeypatch.setattr(stack.processor, "_describer", describer)
    monkeypatch.setattr(descriptions, "MAX_BYTES", 100)
    await assert_read_only(stack, "the largest image that is described")
    assert not double.requests


async def assert_read_only(stack: Stack, note: str) -> None:
    """Only the text in an image is found, and its notes say why."""
    image = image_file([scanned_page(["The boiler room is locked."])], "PNG")
    document = await stack.document(await stack.index(image, "sign.png"))
    assert (document["status"], document["content_type"]) == ("completed", "image/png"), document["status_message"]
    assert f"{descriptions.UNDESCRIBED} " in document["status_message"]
    assert note in document["status_message"]
    hit = (await stack.retriever.search(stack.reader(), "Which room is locked?"))[0]
    assert "boiler room is locked" in hit.text


async def test_a_refused_image_without_text_fails_with_the_refusal(
    stack: Stack, double: MediaDouble, describer: Describer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack.processor, "_describer", describer)
    double.status = 400
    document = await stack.document(await stack.index(photo(), "IMG_1.png"))
    assert document["status"] == "failed"
    assert "describes images refuses the file" in document["status_message"]


@pytest.mark.parametrize(
    ("status", "answer", "error", "message"),
    [
        (200, ["what"], FileRejectedError, "answers something else"),
        (400, None, FileRejectedError, "refuses the file"),
        (401, None, DependencyUnavailableError, "ECHOMIND_DESCRIPTION__API_KEY"),
        (404, None, DependencyUnavailableError, "ECHOMIND_DESCRIPTION__URL and ECHOMIND_DESCRIPTION__MODEL"),
        (503, None, DependencyUnavailableError, "does not answer"),
    ],
)
async def test_what_a_server_cannot_do_is_said(
    double: MediaDouble, describer: Describer, status: int, answer: object, error: type[Exception], message: str
) -> None:
    double.status, double.answer = status, answer
    with capture_logs() as logs, pytest.raises(error, match=message):
        await describer.describe(photo(), "a.png", "image/png")
    if status != 200:
        (entry,) = [each for each in logs if each.get("name") == "a.png"]  # others log as well
        assert "not today, ***" in entry["error"]
        assert "sk-secret" not in str(entry)


def test_a_server_needs_an_address_and_a_model() -> None:
    with pytest.raises(ValueError, match="name the model"):
        DescriptionSettings(url="http://gpu:8000/v1")
    with pytest.raises(ValueError, match="beginning with http"):
        DescriptionSettings(url="gpu:8000", model="eyes")
    assert not DescriptionSettings().url
