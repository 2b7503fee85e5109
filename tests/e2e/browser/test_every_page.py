"""Pages without a journey: their headings, and axe checks."""

import re

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import check_frame, look, sign_in, visit

PAGES = {
    "/assistants/new": "New assistant",
    "/admin/invitations": "Invitations",
    "/admin/groups": "Groups",
    "/admin/service-accounts": "Service accounts",
    "/admin/audit": "Audit log",
    "/admin/dead-letters": "Dead letters",
    "/admin/secret-keys": "Encryption keys",
    "/admin/privacy": "Privacy",
    "/admin/retention": "Retention",
    "/admin/quotas": "Quotas",
    "/admin/webhooks": "Webhooks",
    "/settings/api-keys": "API keys",
    "/settings/connect": "Connect a tool",
    "/settings/import": "Import",
    "/device": "Sign in a device",
    "/connectors/sign-in": "Sign in to a connector",
    "/nowhere": "Page not found",
}
"""Their addresses and headings."""


async def test_pages_without_a_journey(up: Up, page: Page) -> None:
    await sign_in(up, page)
    for path, heading in PAGES.items():
        await visit(page, path)
        await expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()
        await look(page, f"page{path.replace('/', '-')}")
        await check_frame(page, path)
    await visit(page, "/documents")
    await page.get_by_role("table", name="Documents", exact=True).get_by_role("link").first.click()
    await expect(page).to_have_url(re.compile(r"/documents/\d+$"))
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await look(page, "page-document")
    await check_frame(page, "document")
