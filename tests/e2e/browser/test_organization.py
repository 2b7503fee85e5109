"""An organization is set up from nothing, and two people of different groups see what they should."""

import asyncio

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider
from tests.drivers.up import Up
from tests.drivers.web_pages import OpenPage, check_frame, look, post, sign_in, visit

TEXTS = {
    "research": "The telescope of the research department weighs 412 kilograms.",
    "sales": "The largest customer of the sales department is the Acme corporation.",
}
QUESTIONS = {
    "research": "How much does the telescope of the research department weigh?",
    "sales": "Who is the largest customer of the sales department?",
}
LISTS = {
    "/sources": "Connectors",
    "/documents": "Documents",
    "/notebooks": "Notebooks",
    "/assistants": "Assistants",
}
"""Pages of what a person may read, and their headings."""


async def test_two_people_of_different_groups_see_what_they_should(
    up: Up, http: aiohttp.ClientSession, page: Page, open_page: OpenPage
) -> None:
    await sign_in(up, page, path="/admin/groups")
    for group in TEXTS:
        await page.get_by_role("button", name="New group").click()
        dialog = page.get_by_role("dialog", name="New group")
        await dialog.get_by_label("Name", exact=True).fill(group)
        await dialog.get_by_role("button", name="Create").click()
        await expect(page.get_by_role("list", name="Groups")).to_contain_text(group)
    await look(page, "organization-groups")
    async with openid_provider() as provider:
        made = [path for group in TEXTS for path in await _fill(http, group)]
        await _add_provider(page, provider)
        await asyncio.gather(*(_until_found(http, text) for text in TEXTS.values()))
        kim, lee = await open_page(), await open_page()
        await _sign_in_at(up, kim, provider, "kim", "staff-research")
        await _sign_in_at(up, lee, provider, "lee", "staff-sales")
        await _sees(up, kim, "research", "sales")
        await _sees(up, lee, "sales", "research")
        await look(lee, "organization-answer")
        await _effective_access(page, "Kim Doe", "research", "sales")
        await _remove(http, [f"identity-providers/{await _provider_id(http)}", *made])


async def _add_provider(page: Page, provider: OpenIdProvider) -> None:
    """Adds the provider with its groups as an administrator does, and tests it."""
    await page.get_by_role("link", name="Single sign-on").click()
    await page.get_by_role("button", name="Add a provider").click()
    dialog = page.get_by_role("dialog", name="Add a provider")
    given = {
        "Name": "staff",
        "Title on the sign-in page (optional)": "Staff",
        "Issuer": provider.url,
        "Client ID": CLIENT_ID,
        "Client secret": CLIENT_SECRET,
        "Groups by the provider's groups": "staff-research=research\nstaff-sales=sales",
    }
    for label, value in given.items():
        await dialog.get_by_label(label, exact=True).fill(value)
    await look(page, "organization-provider")
    await dialog.get_by_role("button", name="Add").click()
    providers = page.get_by_role("list", name="Providers")
    await expect(providers).to_contain_text("2 groups mapped")
    await page.get_by_role("button", name="Actions for Staff").click()
    await page.get_by_role("menuitem", name="Test the connection").click()
    await expect(providers).to_contain_text("People sign in at")
    await look(page, "organization-providers")


async def _fill(http: aiohttp.ClientSession, group: str) -> list[str]:
    """Gives a group the administrator as a member, a document, a notebook and an assistant; returns their paths."""
    async with http.get("/api/v1/groups") as response:
        (group_id,) = [each["id"] for each in (await response.json())["groups"] if each["name"] == group]
    async with http.get("/api/v1/users/me") as response:
        owner_id = (await response.json())["id"]
    await post(http, f"groups/{group_id}/members:add", {"userIds": [owner_id]})
    form = aiohttp.FormData({"connector": f"Files of {group}", "scope": "group", "group": group})
    form.add_field("file", TEXTS[group].encode(), filename=f"{group}.txt", content_type="text/plain")
    async with http.post("/api/v1/documents:upload", data=form) as response:
        assert response.status == 200, await response.text()
        (document,) = (await response.json())["documents"]
    notebook = await post(http, "notebooks", {"title": f"Notebook of {group}"})
    path = f"notebooks/{notebook['id']}"
    await post(http, f"{path}/sources:add", {"documentIds": [document["id"]]})
    await post(http, f"{path}/groups:set", {"groupId": group_id, "role": "NOTEBOOK_ROLE_VIEWER"})
    assistant = await post(http, "assistants", {"name": f"Assistant of {group}", "isVisible": True, "groups": [group]})
    return [path, f"assistants/{assistant['id']}", f"connectors/{document['connectorId']}", f"groups/{group_id}"]


async def _until_found(http: aiohttp.ClientSession, text: str) -> None:
    """Waits until a document can be found."""
    async with asyncio.timeout(60):
        while not any(hit["text"] == text for hit in (await post(http, "search", {"query": text}))["hits"]):  # noqa: ASYNC110
            await asyncio.sleep(0.2)


async def _provider_id(http: aiohttp.ClientSession) -> int:
    async with http.get("/api/v1/identity-providers") as response:
        (found,) = [each["id"] for each in (await response.json())["identityProviders"] if each["name"] == "staff"]
        return int(found)


async def _remove(http: aiohttp.ClientSession, paths: list[str]) -> None:
    """Removes what was made, as other tests use the same installation."""
    for path in paths:
        async with http.delete(f"/api/v1/{path}") as response:
            assert response.status == 200, (path, await response.text())


async def _sign_in_at(up: Up, page: Page, provider: OpenIdProvider, name: str, group: str) -> None:
    """Signs a person in at the provider, whose account is made by that."""
    provider.person = {
        "sub": f"{name}-1",
        "preferred_username": name,
        "given_name": name.title(),
        "family_name": "Doe",
        "email": f"{name}@example.org",
        "email_verified": True,
        "groups": [group],
    }
    await page.goto(up.url)
    await page.get_by_role("link", name="Sign in with Staff").click()
    await expect(page.get_by_role("button", name="Account of")).to_be_visible()


async def _sees(up: Up, page: Page, own: str, others: str) -> None:
    """Checks that a person finds, is answered and is listed what their group has, and nothing of another one."""
    main = page.get_by_role("main")
    for group in (own, others):
        await visit(page, f"/search?q={QUESTIONS[group].replace(' ', '+')}")
        await expect(main.get_by_role("searchbox", name="Search documents")).to_have_value(QUESTIONS[group])
        if group == own:
            await expect(main).to_contain_text(TEXTS[own])
        await expect(page.get_by_role("status", name="Searching")).to_have_count(0)
        await expect(main).not_to_contain_text(TEXTS[others])
    await look(page, f"organization-search-{own}")
    for path, heading in LISTS.items():
        await visit(page, path)
        await expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()
        await expect(main).to_contain_text(own)
        await expect(main).not_to_contain_text(others)
    await visit(page, "/")
    composer = page.get_by_role("textbox").last
    await composer.fill(QUESTIONS[own])
    await composer.press("Enter")
    await expect(main).to_contain_text(TEXTS[own])
    asked = {"content": QUESTIONS[others]}
    path = f"{up.url}/api/v1/chat-sessions/-/messages:stream"
    answered = await page.context.request.post(path, data=asked, headers={"X-EchoMind-CSRF": "1"})
    events = await answered.text()
    assert "RUN_STATUS_COMPLETED" in events
    assert TEXTS[others] not in events


async def _effective_access(page: Page, name: str, own: str, others: str) -> None:
    """Checks that the administrator is shown what a person sees."""
    await page.get_by_role("link", name="People", exact=True).click()
    await page.get_by_role("button", name=f"Actions for {name}").click()
    await page.get_by_role("menuitem", name="What they see").click()
    listed = page.get_by_role("list", name="What the person sees")
    for tab in ("Sources", "Documents", "Assistants", "Notebooks"):
        await page.get_by_role("tab", name=tab).click()
        await expect(listed).to_contain_text(own)
        await expect(listed).not_to_contain_text(others)
    await look(page, "organization-access")
    await check_frame(page, "organization-access")
