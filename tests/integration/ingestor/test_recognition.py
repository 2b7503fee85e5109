"""Text of images, recognised by the models that are installed, in the confined child."""

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from echomind_ingestor.extract import Extractor
from echomind_lib.errors import FileRejectedError
from tests.factories.scans import image_file, scanned_page

TABLE = (
    ("Stadt", "Grenze", "Ab"),
    ("Köln", "120", "1.5."),
    ("Besançon", "95", "1.6."),
    ("Bern", "180", "1.7."),
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def extractor() -> AsyncIterator[Extractor]:
    async with Extractor(1) as running:
        yield running


async def test_text_and_table_of_a_scan(extractor: Extractor) -> None:
    """English, German and French with their accents; the page lies a little askew."""
    lines = (
        "Travel expenses are paid in May.",
        "Größere Beträge genehmigt die Leitung.",
        "Où déjeuner à Noël",
    )
    page = scanned_page(lines, TABLE, angle=0.4, columns=(40, 320, 600))
    reported = []

    async def progress(done: int, total: int) -> None:
        reported.append((done, total))

    found = await extractor.extract(image_file([page], "PDF"), "scan.pdf", "", progress=progress)
    for line in lines:
        assert line in found.text
    rows = [line for line in found.text.split("\n") if line.startswith("- ")]
    assert rows == [
        "- Stadt: Köln; Grenze: 120; Ab: 1.5.",
        "- Stadt: Besançon; Grenze: 95; Ab: 1.6.",
        "- Stadt: Bern; Grenze: 180; Ab: 1.7.",
    ]
    assert reported == [(0, 1)]


async def test_an_image_without_text_is_refused(extractor: Extractor) -> None:
    with pytest.raises(FileRejectedError, match="No text was recognised"):
        await extractor.extract(image_file([scanned_page()], "JPEG"), "photo.jpg", "")


async def test_nothing_is_loaded_that_reports_usage() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import sys\nfrom echomind_ingestor.extract.recognition import engine\nengine._engine()\n"
        "sys.exit('openvino_telemetry' in sys.modules)",
    )
    assert await process.wait() == 0
