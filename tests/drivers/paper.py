"""A file that is stored and processed while parts of the product die."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import aiohttp

from tests.drivers.model_server import Json
from tests.drivers.stage import Scene


class Paper:
    """A file that is stored and processed while parts die: in the end each passage is there once."""

    def __init__(self, stage: Scene, paragraphs: int = 160) -> None:
        self._stage = stage
        self._name = f"paper-{next(stage.numbers)}.txt"
        sentences = "Paragraph {0} of {1} says that the answer is {2}. " * 12
        self.text = "\n\n".join(sentences.format(n, self._name, n * 7).strip() for n in range(paragraphs))
        self.id = 0
        self._paragraphs = paragraphs
        self._stopped_at = ""

    async def upload(self) -> None:
        """Stores it, again while something is away."""
        async with asyncio.timeout(self._stage.patience):
            while not self.id:
                form = aiohttp.FormData()
                form.add_field("file", self.text.encode(), filename=self._name, content_type="text/plain")
                with suppress(aiohttp.ClientError, OSError):
                    async with self._stage.http.post("/api/v1/documents:upload", data=form) as response:
                        if response.status == 200:
                            self.id = int((await response.json())["documents"][0]["id"])
                            return
                await asyncio.sleep(0.1)

    async def is_under_way(self) -> None:
        """Stores it and waits until passages are being indexed."""
        await self.upload()
        row = await self._until(lambda row: "Indexing" in row.get("statusMessage", ""))
        self._stopped_at = row["statusMessage"]

    async def is_taken_up(self) -> None:
        """Waits until somebody works on it who was not at it when it was last looked at."""
        await self._until(lambda row: row.get("statusMessage", "") != self._stopped_at)

    async def has_ended(self) -> None:
        """Waits until it is processed."""
        await self._until(lambda row: row["status"] == "DOCUMENT_STATUS_COMPLETED")

    async def _until(self, condition: Callable[[Json], bool]) -> Json:
        async with asyncio.timeout(self._stage.patience):
            while True:
                row = await self._stage.call("GET", f"documents/{self.id}")
                assert row["status"] != "DOCUMENT_STATUS_FAILED", row
                if condition(row):
                    return row
                await asyncio.sleep(0.05)

    async def is_whole(self) -> None:
        """Each passage is stored once, and its text is."""
        row = await self._stage.call("GET", f"documents/{self.id}")
        found, token = [], ""
        while True:
            page = await self._stage.call("GET", f"documents/{self.id}/chunks?pageSize=100&pageToken={token}")
            found += page["chunks"]
            if not (token := page.get("nextPageToken", "")):
                break
        assert [chunk.get("position", 0) for chunk in found] == list(range(row["chunkCount"])), self._name
        assert len(found) > 0.6 * self._paragraphs
        text = (await self._stage.call("GET", f"documents/{self.id}/text"))["text"]
        assert self.text.startswith(text) or text.strip() == self.text
