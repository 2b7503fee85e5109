"""The chart, installed in a cluster of containers, as somebody outside of it uses it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.drivers.containers.cluster import Cluster
from tests.drivers.containers.network import NODE
from tests.drivers.containers.servers import Servers
from tests.drivers.stage import Scene
from tests.drivers.story import Story
from tests.factories.stories import NOTE

PASSWORD = "correct horse battery"
AT_ONCE = 4
"""Questions at the same time while services are replaced."""


class Installed(Scene):
    """The installed chart, as somebody outside of it uses it."""

    cluster: Cluster
    servers: Servers

    async def roll(self, component: str) -> None:
        await asyncio.to_thread(self.cluster.roll, component)


def allow_any_host(app: Any) -> Any:
    """The tools' server accepts its own address only, and is reached by another one."""

    async def call(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope = scope | {"headers": [*headers, (b"host", b"127.0.0.1:1")]}
        await app(scope, receive, send)

    return call


async def owner_key() -> str:
    """Signs in as the owner with the password of the Secret, and makes a key."""
    jar = aiohttp.CookieJar(unsafe=True)  # otherwise it keeps none of an address
    url = f"http://{NODE}"
    headers = {"Origin": url, "X-EchoMind-CSRF": "1"}
    async with aiohttp.ClientSession(url, cookie_jar=jar, headers=headers) as http:
        async with http.post("/auth/sign-in", json={"userName": "owner", "password": PASSWORD}) as signed_in:
            assert signed_in.status == 204, await signed_in.text()
        async with http.post("/api/v1/api-keys", json={"name": "chart"}) as made:
            assert made.status == 200, await made.text()
            return str((await made.json())["secret"])


async def add_document(scene: Scene) -> None:
    """Uploads a document, and waits until it can be found."""
    form = aiohttp.FormData()
    form.add_field("file", NOTE.encode(), filename="printers.txt")
    async with scene.http.post("/api/v1/documents:upload", data=form) as uploaded:
        assert uploaded.status == 200, await uploaded.text()
        (document,) = (await uploaded.json())["documents"]
    async with asyncio.timeout(100):
        while document["status"] != "DOCUMENT_STATUS_COMPLETED":
            assert document["status"] != "DOCUMENT_STATUS_FAILED", document
            await asyncio.sleep(0.2)
            document = await scene.call("GET", f"documents/{document['id']}")


@asynccontextmanager
async def load(scene: Installed) -> AsyncIterator[list[Story]]:
    """Asks all the time, four questions at once, some with a side effect; each answer must be whole in the end."""
    stories: list[Story] = []
    over = asyncio.Event()

    async def ask(number: int) -> None:
        kind = "order" if number == 0 else "stream"
        while not over.is_set():
            stories.append(story := Story(scene, kind))
            await story.has_ended()

    async with asyncio.TaskGroup() as tasks:
        for number in range(AT_ONCE):
            tasks.create_task(ask(number))
        try:
            yield stories
        finally:
            over.set()
    for story in stories:
        await story.is_whole()
