"""Stands before an MCP server at an address."""

import asyncio
import json
from typing import Any


class Switch:
    """Stands before a server: notes headers, and refuses or floods while it is told to."""

    def __init__(self, seen: list[dict[str, str]]) -> None:
        self.status = 0
        self.is_endless = False
        self.is_old = False
        """Whether it knows only the protocol with sessions."""
        self.forgets = False
        """Whether it forgets the session of the next call."""
        self.holds = False
        """Whether it keeps who ends a session waiting until `let_go`."""
        self.let_go = asyncio.Event()
        self.has_news = True
        """Whether it has a stream of news."""
        self.location = ""
        self.error: dict[str, Any] | None = None
        """What it answers each message with."""
        self.methods: list[str] = []
        self._seen = seen

    def around(self, app: Any) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            request = {name.decode(): value.decode() for name, value in scope["headers"]}
            self._seen.append(request)
            self.methods.append(scope["method"])
            if self.holds and scope["method"] == "DELETE":
                await self.let_go.wait()
            status = self.status
            if not self.has_news and scope["method"] == "GET":
                status = 405
            if self.error is not None and scope["method"] == "POST":
                asked = json.loads((await receive())["body"])
                body = json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "error": self.error}).encode()
                start = {"type": "http.response.start", "status": 200}
                await send(start | {"headers": [(b"content-type", b"application/json")]})
                await send({"type": "http.response.body", "body": body})
                return
            if self.is_old and request.get("mcp-method") == "server/discover":
                status = 400
            elif self.forgets and "mcp-session-id" in request and scope["method"] == "POST":
                self.forgets, status = False, 404
            if not status and not self.is_endless:
                await app(scope, receive, send)
                return
            headers = [(b"content-type", b"application/json"), (b"location", self.location.encode())]
            await send({"type": "http.response.start", "status": status or 200, "headers": headers})
            piece = b" " * 2**20
            for _ in range(64 if self.is_endless else 0):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

        return answer
