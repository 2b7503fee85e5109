"""Sharing a conversation: a link is created, opened by a stranger, forked by a colleague, and revoked."""

import aiohttp
from playwright.async_api import expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, WIDE, OpenPage, check_frame, look, post, sign_in, visit


async def test_a_shared_conversation(up: Up, http: aiohttp.ClientSession, open_page: OpenPage) -> None:
    session = await post(http, "chat-sessions", {"title": "Großglockner"})
    path = f"/api/v1/chat-sessions/{session['id']}/messages:stream"
    async with http.post(path, json={"content": "What is a checkpoint?"}) as response:
        assert "RUN_STATUS_COMPLETED" in (await response.read()).decode()
    page, stranger = await open_page(), await open_page(viewport=PHONE)
    await sign_in(up, page, path=f"/chat/{session['id']}")
    await page.get_by_role("button", name="Actions for this conversation").click()
    await page.get_by_role("menuitem", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share conversation")
    await dialog.get_by_role("button", name="Create link").click()
    link = await dialog.get_by_label("Link", exact=True).input_value()
    assert link.startswith(f"{up.url}/shared/")
    await expect(dialog.get_by_role("list", name="Shared conversations").get_by_role("listitem")).to_have_count(1)
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

    await visit(page, "/settings/shares")
    await expect(page.get_by_role("list", name="Shared conversations").get_by_role("listitem")).to_have_count(1)
    await look(page, "shares")
    await page.get_by_role("button", name="Revoke Großglockner").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(page.get_by_text("You have not shared anything yet.")).to_be_visible()
    answered = await stranger.goto(link)
    assert answered is not None
    assert answered.status == 404
    await expect(stranger.get_by_role("heading", name="This link does not work")).to_be_visible()
    await look(stranger, "shared-dead")


async def test_a_conversation_shared_by_name(up: Up, http: aiohttp.ClientSession, open_page: OpenPage) -> None:
    for name in ("receiver", "outsider"):
        up.run("users", "add", name, f"{name}@example.org")
    session = await post(http, "chat-sessions", {"title": "Matterhorn"})
    path = f"/api/v1/chat-sessions/{session['id']}/messages:stream"
    async with http.post(path, json={"content": "What is a checkpoint?"}) as response:
        assert "RUN_STATUS_COMPLETED" in (await response.read()).decode()
    page, receiver = await open_page(), await open_page(locale="de-DE", viewport=PHONE)
    outsider = await open_page()
    await sign_in(up, page, path=f"/chat/{session['id']}")
    await page.get_by_role("button", name="Actions for this conversation").click()
    await page.get_by_role("menuitem", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share conversation")
    preview = dialog.get_by_role("group", name="What they will see")
    await expect(preview.get_by_role("region", name="Answer")).to_be_visible()
    await expect(preview.get_by_role("blockquote")).to_have_count(0)
    await dialog.get_by_label("Show the cited words").check()
    await expect(preview.get_by_role("blockquote").first).to_be_attached()
    await dialog.get_by_label("People and groups").fill("receiv")
    await dialog.get_by_label("receiver").check()
    await look(page, "share-by-name")
    await page.set_viewport_size(PHONE)
    await look(page, "share-by-name-phone")
    await page.set_viewport_size(WIDE)
    await dialog.get_by_role("button", name="Share", exact=True).click()
    row = dialog.get_by_role("list", name="Shared conversations").get_by_role("listitem")
    await expect(row).to_contain_text("receiver")
    await expect(row).to_contain_text("With quotes")

    await sign_in(up, receiver, "receiver", path="/received")
    await expect(receiver.get_by_role("link", name="Matterhorn")).to_be_visible()
    await look(receiver, "received-phone")
    await receiver.get_by_role("link", name="Matterhorn").click()
    await expect(receiver.get_by_text("Geteilt von owner")).to_be_visible()
    await expect(receiver.get_by_role("blockquote").first).to_be_visible()
    await receiver.get_by_role("button", name="Quelle 1").first.click()
    await expect(receiver.get_by_role("list", name="Quellen").get_by_role("listitem").first).to_be_focused()
    await look(receiver, "received-share-phone")
    await check_frame(receiver, "received-share")
    received = receiver.url

    await sign_in(up, outsider, "outsider", path="/received")
    await expect(outsider.get_by_text("Nobody shares a conversation with you at the moment.")).to_be_visible()
    await look(outsider, "received-empty")
    await visit(outsider, received.removeprefix(up.url))
    await expect(outsider.get_by_role("heading", name="This is not shared with you")).to_be_visible()
    await look(outsider, "received-lost")

    await row.get_by_role("button", name="People and groups of receiver").click()
    people = page.get_by_role("dialog", name="People and groups")
    await look(page, "share-people")
    await people.get_by_role("button", name="Remove receiver").click()
    await expect(people.get_by_text("It is shared with nobody by name.")).to_be_visible()
    await receiver.goto(received)
    await expect(receiver.get_by_role("heading", name="Das ist nicht mit Ihnen geteilt")).to_be_visible()
    await visit(page, "/settings/shares")
    await expect(page.get_by_role("button", name="Revoke Matterhorn")).to_be_visible()
    await look(page, "shares-by-name")
    await page.get_by_role("button", name="Revoke Matterhorn").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(page.get_by_text("You have not shared anything yet.")).to_be_visible()
