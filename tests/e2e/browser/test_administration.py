"""Administration and settings as people use them: invite a person, connect a model, make an API key."""

import json
import re
import zipfile

import aiohttp
from playwright.async_api import Locator, Page, expect

from tests.drivers.model_server import ModelServer, Text
from tests.drivers.up import Up
from tests.drivers.web_pages import OpenPage, look, sign_in, visit


async def expect_export(page: Page, link: Locator, name: str) -> None:
    """Expects that a link downloads the export of an account."""
    async with page.expect_download() as started:
        await link.click()
    download = await started.value
    assert re.fullmatch(r"echomind-user-\d+-[\d-]+\.zip", download.suggested_filename)
    with zipfile.ZipFile(await download.path()) as archive:
        assert json.loads(archive.read("data/users.jsonl"))["user_name"] == name


async def test_invite_a_person_connect_a_model_and_make_a_key(
    up: Up, page: Page, model_server: ModelServer, open_page: OpenPage
) -> None:
    await sign_in(up, page)
    await page.get_by_role("link", name="Administration", exact=True).click()
    await page.get_by_role("button", name="Invite").click()
    await page.get_by_label("E-mail address (optional)").fill("grace@example.org")
    await page.get_by_role("button", name="Create link").click()
    link = await page.get_by_role("dialog", name="Invitation link").get_by_label("Link", exact=True).input_value()
    await page.get_by_role("button", name="Done").click()

    hers = await open_page()
    await hers.goto(link)
    await hers.get_by_label("First name").fill("Grace")
    await look(hers, "join")
    await hers.get_by_label("New password").fill("correct horse battery staple")
    await hers.get_by_role("button", name="Create account").click()
    await hers.get_by_role("button", name="Which kinds of files can I add?").click()
    await expect(hers.get_by_text("Quoted from your documents")).to_be_visible()
    people = page.get_by_role("table", name="People")
    await page.reload()
    await page.get_by_label("Search").fill("GRACE@")
    await expect(people).to_contain_text("grace@example.org")
    await expect(people).not_to_contain_text("owner@localhost")
    await expect(page).to_have_url(re.compile(r"\?q=GRACE"))
    await look(page, "people")
    await expect(hers.get_by_role("link", name="Settings")).to_be_visible()
    await expect(hers.get_by_role("link", name="Administration", exact=True)).to_have_count(0)
    await visit(hers, "/admin/people")
    await expect(hers.get_by_role("heading", name="Page not found")).to_be_visible()
    await visit(hers, "/settings/api-keys")
    await hers.get_by_role("button", name="Create key").click()
    await hers.get_by_label("Name").fill("Nightly import")
    await hers.get_by_role("button", name="Create", exact=True).click()
    key = await hers.get_by_role("dialog").get_by_label("API key", exact=True).input_value()
    async with aiohttp.ClientSession(up.url, headers={"Authorization": f"Bearer {key}"}) as program:
        async with program.get("/api/v1/users/me") as response:
            assert (await response.json())["userName"] == "grace"
        await hers.get_by_role("button", name="Done").click()
        await hers.get_by_role("button", name="Revoke Nightly import").click()
        await hers.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        await expect(hers.get_by_text("No API keys yet.")).to_be_visible()
    await hers.get_by_role("link", name="Account").click()
    await hers.get_by_label("Last name").fill("Hopper")
    await hers.get_by_role("button", name="Save").click()
    await expect(hers.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    await look(hers, "account")
    await expect_export(hers, hers.get_by_role("link", name="Export your data"), "grace")

    await page.reload()
    await page.get_by_role("button", name="Actions for Grace Hopper").click()
    await page.get_by_role("menuitem", name="Deactivate").click()
    await page.get_by_role("dialog").get_by_role("button", name="Deactivate").click()
    await expect(people).to_contain_text("Deactivated")
    await page.get_by_role("button", name="Actions for Grace Hopper").click()
    await expect_export(page, page.get_by_role("menuitem", name="Export data"), "grace")
    await hers.reload()
    await expect(hers.get_by_role("heading", name="Sign in to EchoMind")).to_be_visible()
    await page.get_by_role("button", name="Actions for Grace Hopper").click()
    await page.get_by_role("menuitem", name="Delete permanently").click()
    await page.get_by_label("Type “grace” to confirm").fill("grace")
    await page.get_by_role("dialog").get_by_role("button", name="Delete permanently").click()
    await expect(people).not_to_contain_text("grace@example.org")
    await hers.goto(link)
    await expect(hers.get_by_role("heading", name="This invitation does not work")).to_be_visible()
    await look(hers, "dead-invitation")

    model_server.respond(lambda _: Text("Yes."))
    await page.get_by_role("link", name="Models").click()
    await page.get_by_role("button", name="Connect a model").click()
    await page.get_by_label("Model", exact=True).fill("scripted-for-pages")
    await page.get_by_label(re.compile("^Endpoint URL")).fill(model_server.url)
    await page.get_by_label("Make it the default model").uncheck()
    await page.get_by_role("button", name="Connect", exact=True).click()
    await expect(page.get_by_role("dialog", name="Model connected")).to_be_visible()
    await page.get_by_role("button", name="Done").click()
    await page.reload()
    await expect(page).to_have_title("Models · Administration · EchoMind")
    models = page.get_by_role("list", name="Models", exact=True)
    await page.get_by_role("button", name="Actions for scripted-for-pages").click()
    await page.get_by_role("menuitem", name="Test").click()
    await expect(models).to_contain_text("It answered in")
    await look(page, "models")
    await page.get_by_role("button", name="Actions for scripted-for-pages").click()
    await page.get_by_role("menuitem", name="Edit").click()
    await page.get_by_label("Display name").fill("Renamed")
    await page.get_by_label("Context window").fill("32000")
    await look(page, "model")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Renamed is saved.")).to_be_visible()
    await expect(page.get_by_role("heading", name="Renamed")).to_be_visible()
    await page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="Models").click()
    await expect(models).to_contain_text("Context window of 32,000 tokens")
    await page.get_by_role("button", name="Actions for Renamed").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(models).not_to_contain_text("Renamed")
