"""`echomind mcp`: EchoMind as an MCP server on standard input and output, for programs that start such servers.

Each line of standard input is a message, which is sent to `/mcp`; what is answered there is written to standard output,
a line each.
"""

import asyncio
import json
import re
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from typing import Any

from echomind.cli.api import Api

_VERSION = "io.modelcontextprotocol/protocolVersion"
_FAILED = -32603
"""Internal error, https://www.jsonrpc.org/specification."""
_NAMES = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""The parameter that names what a request is about, in its header."""

Message = dict[str, Any]


async def mcp(api: Api) -> None:
    """Serve EchoMind to a program that starts MCP servers itself, over standard input and output.

    Programs that reach servers by their address use ADDRESS/mcp instead, with an API key.
    """
    await Bridge(api, _write).run(_lines())


class Bridge:
    """Passes messages between a client and the server's address."""

    def __init__(self, api: Api, write: Callable[[str], None]) -> None:
        self._api, self._write = api, write
        self._version = ""
        self._running: dict[Any, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, lines: AsyncIterator[bytes]) -> None:
        """Passes on all messages, until there are no more and all are answered."""
        async for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except ValueError:
                self._write(_error(None, -32700, "The line is not JSON."))
                continue
            if message.get("method") == "notifications/cancelled":
                if task := self._running.get((message.get("params") or {}).get("requestId")):
                    task.cancel()
                continue
            task = asyncio.create_task(self._pass(message, line))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if message.get("method") == "initialize":
                await asyncio.wait({task})  # the version of all that follows
            elif "id" in message:
                self._running[message["id"]] = task
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass(self, message: Message, line: bytes) -> None:
        from echomind_lib.contract.call_errors import CallError
        from echomind_lib.errors import EchoMindError

        number = message.get("id")
        try:
            has_answer = False
            async for answer in self._answers(message, line):
                has_answer = True
                if message.get("method") == "initialize":
                    self._version = (json.loads(answer).get("result") or {}).get("protocolVersion", "")
                self._write(answer)
            if number is not None and not has_answer:
                self._write(_error(number, _FAILED, "EchoMind ended the answer."))
        except (EchoMindError, CallError) as error:
            if number is not None:
                self._write(_error(number, _FAILED, str(error)))
        finally:
            self._running.pop(number, None)

    async def _answers(self, message: Message, line: bytes) -> AsyncIterator[str]:
        from echomind_lib.handwritten_routes import mcp_message

        async with mcp_message(self._api.rest, line, self._routing(message)) as response:
            if response.content_type == "text/event-stream":
                async for raw in response.content:
                    if raw.startswith(b"data:") and (text := raw[5:].strip()):
                        yield text.decode()
            elif body := (await response.read()).strip():
                yield " ".join(body.decode().splitlines())

    def _routing(self, message: Message) -> dict[str, str]:
        """Returns the headers that repeat what a message says, as the protocol requires."""
        method, params = message.get("method", ""), message.get("params") or {}
        version = (params.get("_meta") or {}).get(_VERSION, "")
        if not version:
            return {"Mcp-Protocol-Version": self._version} if self._version else {}
        headers = {"Mcp-Protocol-Version": version, "Mcp-Method": method}
        if name := params.get(_NAMES.get(method, "")):
            headers["Mcp-Name"] = _header_value(str(name))
        return headers


def _header_value(text: str) -> str:
    """Returns a text as the protocol writes it into a header: in Base64 if it is more than plain ASCII."""
    if re.fullmatch(r"[!-~]+", text) and not text.startswith("=?"):
        return text
    return f"=?base64?{b64encode(text.encode()).decode()}?="


def _error(number: Any, code: int, message: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _lines() -> AsyncIterator[bytes]:
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        yield line
