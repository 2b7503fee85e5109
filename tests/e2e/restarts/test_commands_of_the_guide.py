"""The commands of the documentation, typed page by page into an installation that has what the pages speak of.

It is one of its own, as pages change what is everybody's: roles, retention, quotas, models.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import web

from tests.drivers.model_server import ModelServer
from tests.drivers.office import PLACE, PLACES, Office, commands, furnish, in_place, reply
from tests.drivers.serving import answering, serving
from tests.drivers.tables import for_each
from tests.drivers.up import start_up, stop_up, wait_ready

pytestmark = pytest.mark.timeout(400)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    settings = {"ECHOMIND_CONNECTORS__FOLDERS": str(folder / "srv"), "ECHOMIND_FETCH__ALLOWED_HOSTS": "127.0.0.1"}
    up = start_up(folder / "data", settings=settings)
    try:
        async with ModelServer() as model, serving(answering(_page)) as site:
            model.respond(reply)
            await asyncio.to_thread(wait_ready, up)
            made = Office(up, folder, site=site)
            await asyncio.to_thread(furnish, made, model.url)
            yield made
    finally:
        await asyncio.to_thread(stop_up, up)


async def _page(_: web.Request) -> web.Response:
    return web.Response(text="<h1>Parking</h1><p>The garage opens at six in the morning.</p>", content_type="text/html")


@for_each("page", PLACES)
async def test_commands_work_in_the_order_of_their_page(office: Office, page: str) -> None:
    found = list(commands(page))
    assert found, "no snippet of it is marked"
    for command in found:
        values = await asyncio.to_thread(PLACES[page], office)
        values |= {PLACE: office.up.url, "localhost:8080": office.up.url}
        await asyncio.to_thread(office.type, in_place(command, values))
