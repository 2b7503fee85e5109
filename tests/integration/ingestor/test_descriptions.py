"""Images, described by the model of a server that an administrator names."""

from base64 import b64decode
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
import pytest_asyncio
from PIL import Image

from echomind_ingestor.pipeline.descriptions import Describer
from echomind_lib.config import DescriptionSettings
from echomind_lib.errors import DependencyUnavailableError, FileRejectedError
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


@pytest.fixture
def describer(double: MediaDouble) -> Describer:
    return Describer(DescriptionSettings(url=double.url, model="eyes", api_key="sk-secret"))  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("status", "answer", "error", "message"),
    [
        (200, ["what"], FileRejectedError, "answers something else"),
        (401, None, FileRejectedError, "refuses the file"),
        (503, None, DependencyUnavailableError, "does not answer"),
    ],
)
async def test_what_a_server_cannot_do_is_said(
    double: MediaDouble, describer: Describer, status: int, answer: object, error: type[Exception], message: str
) -> None:
    double.status, double.answer = status, answer
    with pytest.raises(error, match=message) as raised:
        await describer.describe(photo(), "a.png", "image/png")
    assert "sk-secret" not in str(raised.value)


def test_a_server_needs_an_address_and_a_model() -> None:
    with pytest.raises(ValueError, match="name the model"):
        DescriptionSettings(url="http://gpu:8000/v1")
    with pytest.raises(ValueError, match="beginning with http"):
        DescriptionSettings(url="gpu:8000", model="eyes")
    assert not DescriptionSettings().url
