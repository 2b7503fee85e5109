"""The load client: virtual users, each holding sessions of several turns with one system.

    python loadgen.py --adapter echomind --base http://127.0.0.1:8080 --model stub-t100-d0 \
        --concurrency 16 --seconds 8 --turns 5 [--option key=value ...]

Prints one JSON object: turns, errors, turns a second, and the milliseconds to the first token and to the end of a
turn. The first token is there when the stub's first word has arrived in the answer's stream, in whatever protocol the
system wraps it; a turn counts only when the stub's last word has arrived too. One keep-alive connection a user,
loopback only.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import time
import uuid
from urllib.parse import urlsplit

import httptools

FIRST, LAST = b"Alpha0", b"Omega9"
QUESTIONS = [
    "How does the index decide which passages answer a question?",
    "And what changes when two sources disagree about it?",
    "Which of them would you trust for a date or a figure, and why?",
    "Give me the short version of what you have told me so far.",
    "What should I read next to check it for myself?",
]
TURN_TIMEOUT = 60
MOST_ERRORS = 50


class Connection(asyncio.Protocol):
    """One connection; `begin` before each request, then await what it gives."""

    def connection_made(self, transport):
        self.transport = transport
        self.ended = None
        self.is_open = True

    def connection_lost(self, error):
        self.is_open = False
        if self.ended and not self.ended.done():
            self.ended.set_exception(error or ConnectionError("the server closed the connection"))

    def begin(self):
        self.parser = httptools.HttpResponseParser(self)
        self.status = 0
        self.parts = []
        self.first_token_at = 0.0
        self.is_whole = False
        self.tail = b""
        self.ended = asyncio.get_running_loop().create_future()
        return self.ended

    def data_received(self, data):
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self.ended.done():
                self.ended.set_exception(error)
            self.transport.close()

    def on_body(self, part):
        self.parts.append(part)
        seen = self.tail + part
        if not self.first_token_at and FIRST in seen:
            self.first_token_at = time.perf_counter()
        if not self.is_whole and LAST in seen:
            self.is_whole = True
        self.tail = part[-8:]

    def on_message_complete(self):
        self.status = self.parser.get_status_code()
        if not self.ended.done():
            self.ended.set_result(time.perf_counter())
        if not self.parser.should_keep_alive():
            self.is_open = False
            self.transport.close()

    @property
    def body(self):
        return b"".join(self.parts)


class Client:
    """One virtual user's way to the server."""

    def __init__(self, base):
        url = urlsplit(base)
        if url.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise SystemExit("loopback only")
        self.host, self.port = url.hostname, url.port or 80
        self.connection = None

    async def request(self, method, path, body, content_type="application/json", headers=()):
        """Gives the connection with its answer, when the request went out and when the answer ended."""
        if self.connection is None or not self.connection.is_open:
            loop = asyncio.get_running_loop()
            _, self.connection = await loop.create_connection(Connection, self.host, self.port)
        ended = self.connection.begin()
        lines = [f"{method} {path} HTTP/1.1", f"host: {self.host}:{self.port}", f"content-type: {content_type}"]
        lines += ["accept: */*", f"content-length: {len(body)}", *(f"{name}: {value}" for name, value in headers)]
        self.connection.transport.write("\r\n".join([*lines, "\r\n"]).encode() + body)
        sent_at = time.perf_counter()
        ended_at = await asyncio.wait_for(ended, TURN_TIMEOUT)
        return self.connection, sent_at, ended_at


class Turn:
    """One turn's times, and the pieces that its text came in (0: not counted)."""

    def __init__(self, sent_at, first_token_at, ended_at, deltas=0):
        self.sent_at, self.first_token_at, self.ended_at, self.deltas = sent_at, first_token_at, ended_at, deltas


class OpenAi:
    """A chat-completions endpoint; the client holds the history (the stub, the pass-through proxy)."""

    path = "/v1/chat/completions"

    def __init__(self, options, base, model):
        self.options, self.base, self.model = options, base, model
        self.headers = [("authorization", f"Bearer {options['token']}")] if options.get("token") else []

    def session(self):
        return {"messages": []}

    async def turn(self, client, session, text):
        session["messages"].append({"role": "user", "content": text})
        body = {"model": self.model, "stream": True, "messages": session["messages"]}
        turn = await self.ask(client, self.path, json.dumps(body).encode())
        session["messages"].append({"role": "assistant", "content": ANSWER})
        return turn

    async def ask(self, client, path, body, content_type="application/json"):
        connection, sent_at, ended_at = await client.request("POST", path, body, content_type, self.headers)
        if connection.status != 200:
            raise RuntimeError(f"status {connection.status}: {connection.body[:300]!r}")
        if not connection.first_token_at or not connection.is_whole:
            raise RuntimeError(f"the stream is not whole; its end: {connection.body[-300:]!r}")
        return Turn(sent_at, connection.first_token_at, ended_at)


ANSWER = " ".join(["Alpha0", *["the answer depends on how the index was built"] * 10, "Omega9"])


class Sse(OpenAi):
    """Sessions held by the server: POST {thread_id, message, model}, answered by server-sent events."""

    def session(self):
        return {"id": str(uuid.uuid4())}

    async def turn(self, client, session, text):
        body = {"thread_id": session["id"], "message": text, "model": self.model}
        return await self.ask(client, "/chat", json.dumps(body).encode())


class Agno(OpenAi):
    """Agno's AgentOS: a form, answered by server-sent events. The agent's id is the model's name."""

    def session(self):
        return {"id": str(uuid.uuid4())}

    async def turn(self, client, session, text):
        boundary = f"----load{session['id'].replace('-', '')}"
        fields = {"message": text, "stream": "true", "session_id": session["id"], "user_id": "u1"}
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        body = f"{''.join(parts)}--{boundary}--\r\n".encode()
        return await self.ask(client, f"/agents/{self.model}/runs", body, f"multipart/form-data; boundary={boundary}")


class EchoMind(OpenAi):
    """EchoMind: sessions held by the server; the first turn of each begins one, and is checked piece by piece.

    With the option `title`, sessions are begun with a title before their first turn, so that no model writes one.
    """

    def __init__(self, options, base, model):
        super().__init__(options, base, model)
        self.sessions_to_continue = [number for number in options.get("sessions", "").split(",") if number]
        self.sessions = set()

    def session(self):
        return {"id": int(self.sessions_to_continue.pop()) if self.sessions_to_continue else "-"}

    async def begin(self, client, session):
        body = json.dumps({"title": self.options["title"]}).encode()
        connection, _, _ = await client.request("POST", "/api/v1/chat-sessions", body, headers=self.headers)
        if connection.status != 200:
            raise RuntimeError(f"status {connection.status}: {connection.body[:300]!r}")
        session["id"] = int(json.loads(connection.body)["id"])

    async def turn(self, client, session, text):
        if session["id"] == "-" and "title" in self.options:
            await self.begin(client, session)
        path = f"/api/v1/chat-sessions/{session['id']}/messages:stream"
        body = {"content": text}
        if session["id"] == "-" and "assistant" in self.options:
            body["assistantId"] = int(self.options["assistant"])
        turn = await self.ask(client, path, json.dumps(body).encode())
        answer = client.connection.body
        turn.deltas = answer.count(b"SESSION_EVENT_KIND_DELTA")
        if b"SESSION_EVENT_KIND_FINAL" not in answer or b"RUN_STATUS_COMPLETED" not in answer:
            raise RuntimeError(f"the run did not complete; the stream's end: {answer[-300:]!r}")
        if session["id"] == "-":
            session["id"] = int(re.search(rb'"chatSessionId":\s*"?(\d+)', answer)[1])
        if session["id"] not in self.sessions:
            check_text(answer)
        self.sessions.add(session["id"])
        return turn


def check_text(answer):
    """The pieces that were streamed must be the stored answer's beginning, in order and without gaps."""
    text, stored = "", ""
    for line in answer.split(b"\n"):
        if line.startswith(b"data: "):
            event = json.loads(line[6:])
            if "snapshot" in event:
                text = event["snapshot"]["text"]
            elif "delta" in event:
                if event["delta"].get("offset", 0) != len(text):
                    raise RuntimeError(f"a piece at {event['delta'].get('offset', 0)} follows {len(text)} characters")
                text += event["delta"]["text"]
            stored = event.get("finished", {}).get("message", {}).get("content", stored)
    if not stored.startswith(text):
        raise RuntimeError(f"streamed {text[-100:]!r}, stored {stored[-100:]!r}")


ADAPTERS = {"openai": OpenAi, "sse": Sse, "agno": Agno, "echomind": EchoMind}


def percentile(values, percent):
    """Milliseconds of seconds."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(percent / 100 * len(ordered)))] * 1000, 2)


async def load(arguments):
    options = dict(option.split("=", 1) for option in arguments.option)
    adapter = ADAPTERS[arguments.adapter](options, arguments.base, arguments.model)
    turns, errors = [], []
    end = time.perf_counter() + arguments.seconds
    left = arguments.max_turns

    async def use(number):
        nonlocal left
        client = Client(arguments.base)
        if arguments.concurrency > 1:
            await asyncio.sleep(min(0.3, 0.005 * number))  # not all at once at the start
        while time.perf_counter() < end and left > 0 and len(errors) < MOST_ERRORS:
            session = adapter.session()
            try:
                for number_of_turn in range(arguments.turns):
                    if time.perf_counter() >= end or left <= 0:
                        return
                    left -= 1
                    turns.append(await adapter.turn(client, session, QUESTIONS[number_of_turn % len(QUESTIONS)]))
            except (OSError, RuntimeError, TimeoutError, httptools.HttpParserError) as error:
                errors.append(repr(error)[:400])
                client.connection = None
                await asyncio.sleep(0.05)

    await asyncio.gather(*(use(number) for number in range(arguments.concurrency)))
    return summary(turns, errors, end) | {"sessions": sorted(getattr(adapter, "sessions", ()))}


def summary(turns, errors, end):
    result = {"turns": len(turns), "errors": len(errors), "error_examples": errors[:2]}
    if not turns:
        return result
    began = min(turn.sent_at for turn in turns)
    last = max(turn.ended_at for turn in turns)
    inside = sum(turn.ended_at <= end for turn in turns)
    # Two estimates of the rate, each too low where the other is right: turns that ended in the window, and, for a
    # server so loaded that turns outlast the window, all turns until the last end.
    rate = max(inside / (min(end, last) - began), len(turns) / (last - began))
    first = [turn.first_token_at - turn.sent_at for turn in turns]
    whole = [turn.ended_at - turn.sent_at for turn in turns]
    result["turns_per_s"] = round(rate, 2)
    for name, values in (("ttft", first), ("turn", whole)):
        for percent in (10, 50, 90, 99):
            result[f"{name}_p{percent}_ms"] = percentile(values, percent)
    result["deltas_a_turn"] = round(statistics.fmean(turn.deltas for turn in turns), 2)
    return result


if __name__ == "__main__":
    import uvloop

    parser = argparse.ArgumentParser(description="Loads a system with conversations.")
    parser.add_argument("--adapter", choices=ADAPTERS, required=True)
    parser.add_argument("--base", required=True)
    parser.add_argument("--model", default="stub-t100-d0")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--turns", type=int, default=5, help="of a session")
    parser.add_argument("--max-turns", type=int, default=100_000, help="of all sessions")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    print(json.dumps(uvloop.run(load(parser.parse_args()))), flush=True)
    os._exit(0)  # does not wait for the sockets
