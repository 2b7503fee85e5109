"""A browser that uses sign-in links."""

import aiohttp

from tests.drivers.client import Client


async def open_link(client: Client, path: str) -> aiohttp.ClientResponse:
    """Opens the page of a link."""
    return await client.session.get(client.http_url + path, headers=client.headers, allow_redirects=False)


async def use_link(client: Client, path: str, **fields: str) -> aiohttp.ClientResponse:
    """Presses the button on the page of a link."""
    form = {"token": path.partition("=")[2]} | fields
    headers = client.headers | {"Origin": client.http_url}
    return await client.session.post(f"{client.http_url}/auth/link", data=form, headers=headers, allow_redirects=False)


def browser_of(client: Client, response: aiohttp.ClientResponse) -> Client:
    return client.browser(response.cookies[client.cookie_name].value)
