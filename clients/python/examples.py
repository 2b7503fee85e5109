"""What a program does most: ask, follow an answer, search, list, and handle errors.

pip install echomind-client
KEY=$(echomind keys add examples) python examples.py
"""

import asyncio
import os

from echomind_client import RESTART, AsyncEchoMind, EchoMind, EchoMindError
from echomind_client.models import ChatMessageService, ChatSessionService, DocumentService, RunService, SearchService

URL = os.environ.get("ECHOMIND_URL", "http://127.0.0.1:8080")
KEY = os.environ["KEY"]


def without_event_loop() -> None:
    """Uploads and downloads, searches, asks, and reads a list."""
    with EchoMind(URL, KEY) as client:
        (document,) = client.upload([("shed.txt", b"The bicycle shed is behind the canteen.")])
        print("downloaded:", client.download(document.id).decode())
        client.call(DocumentService.delete_document, {"id": document.id})
        found = client.call(SearchService.search, {"query": "paid leave"})
        print("passages:", len(found.hits))
        for event in client.stream(
            ChatMessageService.stream_message, {"content": "How many days of paid leave do I get?"}
        ):
            if event.finished is not None and event.finished.message is not None:
                print("answer:", event.finished.message.content)
        sessions = client.collect(ChatSessionService.list_chat_sessions, limit=50)
        print("conversations:", len(sessions.chat_sessions))
        try:
            # A call that only reads may be repeated, here while the server restarts.
            client.call(RunService.get_run, {"id": "00000000-0000-7000-8000-000000000000"}, retries=RESTART)
        except EchoMindError as error:
            print("refused:", error.reason)


async def with_event_loop() -> None:
    """Asks two questions at once."""

    async def ask(client: AsyncEchoMind, question: str) -> str:
        request = {"content": question}
        async for event in client.stream(ChatMessageService.stream_message, request):
            if event.finished is not None and event.finished.message is not None:
                return event.finished.message.content
        return ""

    async with AsyncEchoMind(URL, KEY) as client:
        answers = await asyncio.gather(ask(client, "How many days of leave?"), ask(client, "Who approves leave?"))
        print("answers at once:", len(answers))


if __name__ == "__main__":
    without_event_loop()
    asyncio.run(with_event_loop())
