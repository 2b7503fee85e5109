"""A model server of almost no cost, speaking the OpenAI chat-completions protocol on loopback.

    python stub_llm.py --port 9100 [--tool-name NAME]

    POST /v1/chat/completions   streaming and not, with tool calls
    GET  /v1/models, /stats, /health

The model's name says how it answers, so that one stub serves every profile at once:

    stub-t100-d5        100 tokens, 5 ms between tokens, each on its own clock: a late token delays none after it
    stub-t100-d0-tool   first calls the tool NAME of the request (else the first) with the question as its argument,
                        then answers once the tool's result is there
    stub-t100-d0-cite   the answer cites the sources [1] to [3], a sentence of 20 tokens each
    stub-t100-d0-deaf   answers so whatever it is asked; the others write a title, rewrite a question and extract
                        nothing when EchoMind asks for that, as a model does that understands what it is asked

The answer's first token is FIRST and its last is LAST: a client finds the first text, and sees whether a stream was
whole, whatever protocol a system wraps it in.
"""

import argparse
import asyncio
import itertools
import json
import re
import time

import httptools

FIRST, LAST = "Alpha0", "Omega9"
WORDS = (
    "the answer depends on how the index was built and which passages were found "
    "so check the source before you rely on it"
).split()
SENTENCE = 20
"""Tokens of a sentence that cites."""
SOURCES = 3
"""Sources that are cited in turn."""
QUESTION = re.compile(r"<question>\s*(.*?)\s*</question>", re.DOTALL)

_ids = itertools.count(1)


def dumps(data):
    return json.dumps(data, separators=(",", ":")).encode()


def chunk(data):
    """One chunk of HTTP's chunked encoding."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def answer_tokens(count, cite):
    """The tokens of an answer, at least two."""
    words = [f" {WORDS[position % len(WORDS)]}" for position in range(count - 2)]
    if cite:
        for sentence, position in enumerate(range(SENTENCE - 2, len(words), SENTENCE)):
            words[position] += f" [{sentence % SOURCES + 1}]."
    return [FIRST, *words, f" {LAST}"]


def side_answer(request):
    """The answer to what EchoMind asks beside answering: a title, a rewritten question, what is to be learned."""
    messages = request.get("messages") or [{}]
    asked = str(messages[0].get("content") or "")
    if asked.startswith("Write a title"):
        return "How an index decides on passages"
    if asked.startswith("Rewrite the last question"):
        found = QUESTION.search(str(messages[-1].get("content") or ""))
        return found[1] if found else None
    return '{"operations": []}' if asked.startswith(("You keep notes about", "You keep a handbook")) else None


class Profile:
    """How one model name answers; its events are made once, without the answer's id."""

    def __init__(self, model, text=None):
        self.model = model
        self.tokens = int(_number(model, "t", 100)) if text is None else len(text.split())
        self.delay = _number(model, "d", 0) / 1000 if text is None else 0
        self.calls_tool = "-tool" in model and text is None
        self.is_deaf = "-deaf" in model
        texts = answer_tokens(max(2, self.tokens), "-cite" in model) if text is None else [text]
        self.text = "".join(texts)
        self.head = self.event({"role": "assistant", "content": ""})
        self.body = [self.event({"content": text}) for text in texts]
        self.stop = self.event({}, "stop")

    def event(self, delta, finish_reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return self.data([choice])

    def data(self, choices, **more):
        data = {"object": "chat.completion.chunk", "created": 1_700_000_000, "model": self.model, "choices": choices}
        return b"," + dumps(data | more)[1:] + b"\n\n"


def _number(model, letter, default):
    found = re.search(rf"-{letter}(\d+(?:\.\d+)?)", model)
    return float(found[1]) if found else default


def tool_arguments(tool, text):
    """Arguments for a tool, made from its schema: the text for each required string."""
    schema = tool["function"].get("parameters") or {}
    properties = schema.get("properties") or {}
    plain = {"integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
    required = schema.get("required") or list(properties)[:1]
    return json.dumps({name: plain.get(properties.get(name, {}).get("type"), text) for name in required})


class Stub:
    """What the connections share."""

    def __init__(self, tool_name):
        self.tool_name = tool_name
        self.profiles = {}
        self.stats = {"completions": 0, "aborted": 0, "prompt_messages": 0, "tool_calls": 0}

    def profile(self, model):
        if model not in self.profiles:
            self.profiles[model] = Profile(model)
        return self.profiles[model]

    def tool_call(self, profile, request, call_id):
        """The call that the model makes before it answers; None when it answers."""
        messages = request.get("messages") or []
        tools = request.get("tools") or []
        if not (profile.calls_tool and tools and messages and messages[-1].get("role") == "user"):
            return None
        tool = next((tool for tool in tools if tool["function"]["name"] == self.tool_name), tools[0])
        content = messages[-1].get("content") or ""
        text = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
        self.stats["tool_calls"] += 1
        function = {"name": tool["function"]["name"], "arguments": tool_arguments(tool, text)}
        return {"index": 0, "id": call_id, "type": "function", "function": function}


class Connection(asyncio.Protocol):
    """One client's connection: HTTP/1.1, one request after the other."""

    def __init__(self, stub):
        self.stub = stub
        self.loop = asyncio.get_running_loop()
        self.timer = None
        self.alive = True

    def connection_made(self, transport):
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)

    def connection_lost(self, _):
        self.alive = False
        if self.timer:
            self.timer.cancel()
            self.stub.stats["aborted"] += 1

    def data_received(self, data):
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.transport.close()

    def on_message_begin(self):
        self.url, self.parts = b"", []

    def on_url(self, url):
        self.url += url

    def on_header(self, name, _):
        if name.lower() == b"expect":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, part):
        self.parts.append(part)

    def on_message_complete(self):
        path = self.url.split(b"?")[0].decode().rstrip("/")
        if path.endswith("/chat/completions"):
            try:
                self.complete(json.loads(b"".join(self.parts)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self.reply({"error": {"message": repr(error)}}, b"400 Bad Request")
        elif path.endswith("/models"):
            self.reply({"object": "list", "data": [{"id": name, "object": "model"} for name in self.stub.profiles]})
        elif path.endswith("/stats"):
            self.reply(self.stub.stats)
        elif path in ("", "/health"):
            self.reply({"ok": True})
        else:
            self.reply({"error": {"message": "no such path"}}, b"404 Not Found")

    def reply(self, data, status=b"200 OK"):
        body = dumps(data)
        head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
        self.transport.write(head + body)

    def complete(self, request):
        profile = self.stub.profile(request.get("model") or "stub")
        if not profile.is_deaf and (text := side_answer(request)):
            profile = Profile(profile.model, text)
        messages = request.get("messages") or []
        self.stub.stats["completions"] += 1
        self.stub.stats["prompt_messages"] += len(messages)
        number = next(_ids)
        call = self.stub.tool_call(profile, request, f"call_{number:08x}")
        prompt = sum(len(str(message.get("content") or "")) for message in messages) // 4 + 1
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": profile.tokens,
            "total_tokens": prompt + profile.tokens,
        }
        answer_id = f"chatcmpl-{int(time.time()):08x}{number:08x}"
        if request.get("stream"):
            with_usage = (request.get("stream_options") or {}).get("include_usage")
            self.stream(profile, answer_id, call, usage if with_usage else None)
        else:
            self.answer_whole(profile, answer_id, call, usage)

    def answer_whole(self, profile, answer_id, call, usage):
        message = {"role": "assistant", "content": None if call else profile.text}
        if call:
            message["tool_calls"] = [{key: value for key, value in call.items() if key != "index"}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        answer = {"id": answer_id, "object": "chat.completion", "created": int(time.time()), "model": profile.model}
        answer |= {"usage": usage, "choices": [choice]}
        wait = 0 if call else profile.tokens * profile.delay
        self.loop.call_later(wait, lambda: self.alive and self.reply(answer))

    def stream(self, profile, answer_id, call, usage):
        start = b'data: {"id":"%b"' % answer_id.encode()
        body, stop = profile.body, profile.stop
        if call:
            body, stop = [profile.event({"tool_calls": [call]})], profile.event({}, "tool_calls")
        tail = chunk(start + stop)
        if usage:
            tail += chunk(start + profile.data([], usage=usage))
        tail += chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"
        self.transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n"
            b"transfer-encoding: chunked\r\n\r\n" + chunk(start + profile.head)
        )
        began = self.loop.time()
        position = 0

        def step():
            nonlocal position
            self.timer = None
            if not self.alive:
                return
            self.transport.write(chunk(start + body[position]))
            position += 1
            if position == len(body):
                self.transport.write(tail)
            elif profile.delay:
                self.timer = self.loop.call_at(began + position * profile.delay, step)
            else:
                self.timer = self.loop.call_soon(step)

        self.timer = self.loop.call_soon(step)


async def serve(port, stub):
    server = await asyncio.get_running_loop().create_server(lambda: Connection(stub), "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    import uvloop

    parser = argparse.ArgumentParser(description="A model server of almost no cost.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tool-name", default="", help="the tool that -tool models call")
    arguments = parser.parse_args()
    uvloop.run(serve(arguments.port, Stub(arguments.tool_name)))
