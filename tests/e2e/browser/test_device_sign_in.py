"""The command line is signed in by a code that a person types in their browser; keys with limits are made there."""

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Page, expect

from echomind.cli.profiles import FOLDER_VARIABLE, read_profiles
from tests.drivers.terminal import Terminal
from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, check_frame, look, sign_in


async def test_a_code_signs_the_command_line_in(
    up: Up, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    await sign_in(up, page, path="/device")
    api: Any = SimpleNamespace(url=up.url)
    terminal = Terminal(api, tmp_path, "login", up.url, "--scope", "read", "--scope", "ask", "--days", "7")
    await asyncio.to_thread(terminal.until, "Waiting for you")
    found = re.search(r"\b([B-Z]{4}-[B-Z]{4})\b", terminal.shown)
    assert found, terminal.shown
    assert f"{up.url}/device" in terminal.shown
    await expect(page.get_by_role("heading", level=1, name="Sign in a device")).to_be_visible()
    await look(page, "device-empty")
    await page.get_by_label("Code").fill("BBBB-BBBB")
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_text("There is no device with this code")).to_be_visible()
    await page.get_by_label("Code").fill(found[1].lower())
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_text("7 days from now")).to_be_visible()
    await expect(page.get_by_text("127.0.0.1", exact=True)).to_be_visible()
    await look(page, "device-approval")
    await check_frame(page, "device")
    await page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    await look(page, "device-phone")
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("is signed in")).to_be_visible()
    await asyncio.to_thread(terminal.until, "Signed in to")
    assert terminal.end() == 0
    profile = read_profiles()
    assert profile.current == up.url
    assert profile.key(up.url).startswith("em_")


async def test_a_key_for_one_assistant_is_made_and_shown(up: Up, page: Page) -> None:
    await sign_in(up, page, path="/settings/api-keys")
    await page.get_by_role("button", name="Create key").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("For one assistant")
    await dialog.locator("summary", has_text="Only these assistants").click()
    await dialog.get_by_role("group", name="Only these assistants").get_by_role("checkbox").first.check()
    await look(page, "key-limits-dialog")
    await dialog.get_by_role("button", name="Create").click()
    await expect(page.get_by_text("API key created")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_text("Only assistant")).to_be_visible()
    await look(page, "key-limits-list")
