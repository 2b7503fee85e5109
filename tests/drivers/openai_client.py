"""The official client of OpenAI's interface, for people of the tests."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from openai import OpenAI

from tests.drivers.client import Client

T = TypeVar("T")


def program(somebody: Client) -> OpenAI:
    """Returns the official client of somebody; it blocks, so that it is called in a thread."""
    return OpenAI(base_url=f"{somebody.http_url}/v1", api_key=somebody.key, max_retries=0)


async def using(somebody: Client, work: Callable[[OpenAI], T]) -> T:
    """Does something with the official client of somebody, in a thread."""
    with program(somebody) as client:
        return await asyncio.to_thread(work, client)


def upload(client: OpenAI, file_name: str, content: bytes) -> str:
    """Uploads a file, and returns its id."""
    return client.files.create(file=(file_name, content), purpose="assistants").id
