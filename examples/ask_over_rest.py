"""Asks a question over REST, with nothing but Python's standard library.

The route comes from the OpenAPI description, so that no path is written here.

    KEY=$(bin/echomind keys add examples) python examples/ask_over_rest.py "How many days of leave do I get?"
"""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator

URL = os.environ.get("ECHOMIND_URL", "http://127.0.0.1:8080")
KEY = os.environ["KEY"]
QUESTION = sys.argv[1] if len(sys.argv) > 1 else "How many days of paid leave do I get?"


def send(method: str, path: str, body: dict | None = None):
    """Opens a request to EchoMind."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body is not None else None
    return urllib.request.urlopen(urllib.request.Request(URL + path, data, headers, method=method))


def route(operation_id: str) -> tuple[str, str]:
    """Returns the method and the path of an operation."""
    with send("GET", "/api/v1/openapi.json") as response:
        paths = json.load(response)["paths"]
    return next(
        (method.upper(), path)
        for path, operations in paths.items()
        for method, operation in operations.items()
        if operation["operationId"] == operation_id
    )


def events(question: str) -> Iterator[dict]:
    """Asks in a new conversation, and yields what happens until the answer is there."""
    method, path = route("ChatMessageService_StreamMessage")
    with send(method, path.replace("{chat_session_id}", "-"), {"content": question}) as stream:
        for line in stream:
            if line.startswith(b"data:"):
                yield json.loads(line[len("data:") :])


for event in events(QUESTION):
    if event.get("text"):
        print(f"· {event['text']}", file=sys.stderr)
    if "finished" in event:
        message = event["finished"]["message"]
        print(message["content"])
        for citation in message["citations"]:
            print(f"[{citation['number']}] {citation['title']}: {citation['snippet']}")
