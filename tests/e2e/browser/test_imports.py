"""Conversations of another program on the page Import: one's own, and those of its people by a superadmin."""

import json
import secrets
from typing import Any

import aiohttp
from playwright.async_api import FilePayload, Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, check_frame, look, post, sign_in


def chats(*owners: str) -> FilePayload:
    """Returns an export of Open WebUI with a conversation of each of these people."""

    def chat(number: int, owner: str) -> dict[str, Any]:
        messages = {"q": {"id": "q", "role": "user", "content": f"Question {number}?", "timestamp": 1_750_000_000}}
        history = {"messages": messages, "currentId": "q"}
        name = f"{secrets.token_hex(4)}-{number}"
        return {"id": name, "user_id": owner, "title": f"Chat {number}", "chat": {"history": history}}

    content = json.dumps([chat(number, owner) for number, owner in enumerate(owners)])
    return FilePayload(name="all-chats.json", mimeType="application/json", buffer=content.encode())


async def test_a_superadmin_imports_for_the_people_of_the_other_program(
    up: Up, http: aiohttp.ClientSession, page: Page, open_page: OpenPage
) -> None:
    name = f"moved-{secrets.token_hex(4)}"
    email = f"{name}@example.org"
    user = await post(http, "users", {"userName": name, "email": email})
    await post(http, f"users/{user['id']}:setEmailVerified", {"isVerified": True})
    people = FilePayload(
        name="people.csv", mimeType="text/csv", buffer=f"id,email\nu1,{email}\nu2,bob-{email}\n".encode()
    )
    await sign_in(up, page, path="/settings/import")
    await expect(page.get_by_text("For the people of the other program")).to_be_visible()
    await look(page, "import-empty")
    await page.get_by_label("For the people of the other program").check()
    await page.get_by_label("Addresses of these people").set_input_files(people)
    await page.get_by_label("Exported files").set_input_files(chats("u1", "u1", "u2", "u3"))
    report = page.get_by_role("region", name="Report")
    await expect(report).to_contain_text("2 conversations imported.", timeout=60_000)
    await expect(report.get_by_role("heading", name="2 belong to nobody here")).to_be_visible()
    await expect(report).to_contain_text(f"u2 (bob-{email}): 1 conversation. No active account has this address")
    await look(page, "import-for-people")
    await check_frame(page, "import-for-people")
    async with http.get("/api/v1/audit-entries", params={"pageSize": "5"}) as response:
        entries = (await response.json())["entries"]
    assert [each["action"] for each in entries].count("ImportService/ImportUserChatSession") == 2
    phone = await open_page(locale="de-DE", viewport=PHONE)
    await sign_in(up, phone, path="/settings/import")
    await phone.get_by_label("Für die Personen des anderen Programms").check()
    await phone.get_by_label("Exportierte Dateien").set_input_files(chats("u4", email))
    await expect(phone.get_by_text("1 gehört hier niemandem")).to_be_visible(timeout=60_000)
    await look(phone, "import-for-people-german")
