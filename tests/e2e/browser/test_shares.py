"""Sharing a conversation: a link is created, opened by a stranger, forked by a colleague, and revoked."""

import aiohttp
from playwright.async_api import expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, check_frame, look, post, sign_in


async def test_a_shared_conversation(up: Up, http: aiohttp.ClientSession, open_page: OpenPage) -> None:
    session = await post(http, "chat-sessions", {"title": "Großglockner"})
    path = f"/api/v1/chat-sessions/{session['id']}/messages:stream"
    async with http.post(path, json={"content": "What is a checkpoint?"}) as response:
        assert "RUN_STATUS_COMPLETED" in (await response.read()).decode()
    page, stranger = await open_page(), await open_page(viewport=PHONE)
    await sign_in(up, page)
    await page.goto(f"{up.url}/chat/{session['id']}")
    await page.get_by_role("button", name="Actions for this conversation").click()
    await page.get_by_role("menuitem", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share conversation")
    await dialog.get_by_role("button", name="Create link").click()
    link = await dialog.get_by_label("Link", exact=True).input_value()
    assert link.startswith(f"{up.url}/shared/")
    await expect(dialog.get_by_role("listitem")).to_have_count(1)
    await look(page, "share-dialog")

    answered = await stranger.goto(link)
    assert answered is not None
    assert answered.status == 200
    await expect(stranger.get_by_role("heading", name="Großglockner", level=1)).to_be_visible()
    await expect(stranger.get_by_role("region", name="Answer")).to_be_visible()
    await expect(stranger.get_by_role("list", name="Sources")).to_be_visible()
    await expect(stranger.get_by_role("link", name="Sign in")).to_be_visible()
    await look(stranger, "shared-phone")
    await check_frame(stranger, "shared")

    await page.goto(link)
    await expect(page.get_by_role("region", name="Answer")).to_be_visible()
    await look(page, "shared")
    await page.get_by_role("button", name="Continue in EchoMind").click()
    await page.wait_for_url(f"{up.url}/chat/*")
    assert page.url != f"{up.url}/chat/{session['id']}"
    await expect(page.get_by_role("heading", name="Großglockner", level=1)).to_be_visible()

    await page.goto(f"{up.url}/settings/shares")
    await expect(page.get_by_role("list", name="Shared links").get_by_role("listitem")).to_have_count(1)
    await look(page, "shares")
    await page.get_by_role("button", name="Revoke Großglockner").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(page.get_by_text("You have not shared anything yet.")).to_be_visible()
    answered = await stranger.goto(link)
    assert answered is not None
    assert answered.status == 404
    await expect(stranger.get_by_role("heading", name="This link does not work")).to_be_visible()
    await look(stranger, "shared-dead")
