"""A webhook as a person uses it: added, tested, its secret rotated, disabled and removed."""

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, WIDE, check_frame, look, sign_in


async def test_add_a_webhook_and_send_it_a_test_event(up: Up, page: Page) -> None:
    await sign_in(up, page, path="/settings/webhooks")
    await page.get_by_role("button", name="New webhook").click()
    form = page.get_by_role("dialog", name="New webhook")
    await form.get_by_label("Address").fill("http://127.0.0.1/hook")
    await form.get_by_role("button", name="Create").click()
    await expect(form).to_contain_text("private, loopback or reserved")
    address = "https://nowhere.invalid/hook"
    await form.get_by_label("Address").fill(address)
    await form.get_by_label("Document ready").check()
    await look(page, "webhook-new")
    await form.get_by_role("button", name="Create").click()
    created = page.get_by_role("dialog", name="Webhook created")
    assert (await created.get_by_label("Secret", exact=True).input_value()).startswith("whsec_")
    await created.get_by_role("button", name="Done").click()
    await expect(page.get_by_role("list", name="Webhooks")).to_contain_text("Document ready")
    await look(page, "webhooks")
    await check_frame(page, "webhooks")

    await page.get_by_role("link", name=address).click()
    await page.get_by_role("button", name="Send test event").click()
    deliveries = page.get_by_role("list", name="Deliveries", exact=True)
    await expect(deliveries).to_contain_text("Test")
    await expect(deliveries).to_contain_text("there is no such host", timeout=60_000)
    await deliveries.get_by_text("Request", exact=True).first.click()
    await expect(deliveries).to_contain_text('"type":"test"')
    await look(page, "webhook")
    await check_frame(page, "webhook")
    await page.set_viewport_size(PHONE)
    await look(page, "webhook-phone")
    await page.set_viewport_size(WIDE)
    await page.get_by_role("button", name="Rotate secret").click()
    rotation = page.get_by_role("dialog", name="Rotate the secret")
    await rotation.get_by_role("button", name="Rotate").click()
    await page.get_by_role("dialog", name="Secret rotated").get_by_role("button", name="Done").click()
    await expect(page.get_by_text("The earlier secret also signs until")).to_be_visible()
    await page.get_by_role("button", name="Disable").click()
    await expect(page.get_by_role("button", name="Enable")).to_be_visible()
    await expect(page.get_by_role("button", name="Send test event")).to_have_count(0)
    await page.get_by_role("button", name="Remove").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_text("There are no webhooks.")).to_be_visible()
