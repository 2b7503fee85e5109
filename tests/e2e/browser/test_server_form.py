"""A form that an MCP server asks a person to fill in, in the conversation: its fields, a refusal, and the answer."""

import ast

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.mcp_server import make_server, served
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, check_frame, look, post, session_with, sign_in


async def test_a_form_is_filled_in_and_the_call_goes_on(
    up: Up, http: aiohttp.ClientSession, page: Page, open_page: OpenPage, model_server: ModelServer
) -> None:
    model_server.script([Tools([("test__hire", {})]), Text("Hired.")])
    async with served(server=make_server(older=True)) as url:
        server = {"name": "test", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": url, "allowedTools": ["hire"]}
        session = await session_with(http, model_server, {"mcpServers": [server], "askClarifications": True})
        await post(http, f"chat-sessions/{session}/messages", {"content": "Hire somebody"})
        await sign_in(up, page, path=f"/chat/{session}")
        form = page.get_by_role("form", name="Form of test")
        await expect(page.get_by_text("The MCP server test asks: Whom do you hire?")).to_be_visible(timeout=60_000)
        await expect(form.get_by_label("Salary")).to_have_value("100")
        await look(page, "server-form")
        await check_frame(page, "server-form")
        phone = await open_page(locale="de-DE", viewport=PHONE)
        await sign_in(up, phone, path=f"/chat/{session}")
        await expect(phone.get_by_text("Der MCP-Server test fragt: Whom do you hire?")).to_be_visible()
        await look(phone, "server-form-german")
        await form.get_by_role("button", name="Send").click()
        await expect(form).to_be_visible()  # as the name is required
        await form.get_by_label("Name of the person").fill("Ada")
        await form.get_by_label("Department").select_option("red")
        await form.get_by_label("Remote").check()
        await form.get_by_label("soup").check()
        await form.get_by_role("button", name="Send").click()
        await expect(page.get_by_role("list", name="Conversation")).to_contain_text("Hired.", timeout=60_000)
    text = str(model_server.requests[-1]["messages"][-1]["content"])
    given = {"name": "Ada", "department": "red", "salary": 100, "remote": True, "food": ["soup"]}
    assert ast.literal_eval(text.partition("accept ")[2].splitlines()[0]) == given
