"""Runs: the list with its filters, one as a waterfall with its prompt, two side by side."""

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, check_frame, look, post, sign_in, visit


async def test_runs(up: Up, http: aiohttp.ClientSession, page: Page, open_page: OpenPage) -> None:
    session = await post(http, "chat-sessions", {"title": "Waterfalls"})
    for question in ("What is a checkpoint?", "What is a fork?"):
        async with http.post(
            f"/api/v1/chat-sessions/{session['id']}/messages:stream", json={"content": question}
        ) as got:
            await got.read()
    await sign_in(up, page)
    await page.get_by_role("navigation", name="Main").get_by_role("link", name="Build").click()
    await page.get_by_role("navigation", name="Build").get_by_role("link", name="Runs").click()
    await page.get_by_role("combobox", name="Status").select_option("Completed")
    await expect(page).to_have_url(f"{up.url}/runs?state=completed")
    await expect(page.get_by_role("row", name="What is a fork?")).to_be_visible()
    await look(page, "runs")
    await check_frame(page, "runs")
    await page.get_by_role("row", name="What is a fork?").first.get_by_text("What is a fork?").click()
    await expect(page.get_by_role("heading", name="What is a fork?", level=1)).to_be_visible()
    timeline = page.get_by_role("list", name="Timeline")
    await timeline.get_by_role("button", name="search documents").click()
    await expect(page.get_by_role("region", name="Details")).to_contain_text("Parameters")
    await timeline.get_by_role("button", name="Step 1", exact=False).first.click()
    await page.get_by_role("button", name="Show prompt").click()
    await expect(page.get_by_role("list", name="Prompt")).to_contain_text("What is a fork?")
    await page.keyboard.press("Escape")
    await look(page, "run")
    phone = await open_page(viewport=PHONE)
    await sign_in(up, phone, path=page.url.removeprefix(up.url))
    await expect(phone.get_by_role("list", name="Timeline")).to_be_visible()
    await look(phone, "run-phone")
    await page.get_by_text("Events", exact=True).click()
    await expect(page.get_by_role("list", name="Events").get_by_role("listitem").first).to_contain_text("queued")
    await page.get_by_role("link", name="Open the conversation").click()
    await expect(page).to_have_url(f"{up.url}/chat/{session['id']}")
    await visit(page, "/runs")
    for question in ("What is a fork?", "What is a checkpoint?"):
        await page.get_by_role("checkbox", name=f"Select {question}").first.check()
    await page.get_by_role("button", name="Compare").click()
    await expect(page.get_by_role("region", name="What is a checkpoint?")).to_be_visible()
    await look(page, "runs-compared")
