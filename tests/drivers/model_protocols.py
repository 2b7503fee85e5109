"""The protocols of the scripted model server: what a real server would refuse, and an answer as it is sent."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from tests.drivers.model_turns import Answer, Json


class Protocol(ABC):
    """One request and its answer in a protocol."""

    def __init__(self, body: Json, number: str) -> None:
        self.body = body
        self.number = number

    @abstractmethod
    def problem(self) -> str:
        """Returns why a real server would refuse the request; empty when it would not."""

    def last_user_text(self) -> str:
        """Returns what the user said last."""
        return next((_text(m["content"]) for m in reversed(self.body["messages"]) if m["role"] == "user"), "")

    @abstractmethod
    def deltas(self, answer: Answer) -> Iterator[bytes]:
        """Returns the events up to the end of the text or the last fragment."""

    @abstractmethod
    def ending(self, answer: Answer) -> Iterator[bytes]:
        """Returns the events that end a complete answer."""

    @abstractmethod
    def whole(self, answer: Answer) -> Json:
        """Returns the answer without streaming."""

    @abstractmethod
    def error(self, message: str, kind: str) -> Json:
        """Returns an error as a body."""

    @abstractmethod
    def error_event(self, message: str, kind: str) -> bytes:
        """Returns an error inside a stream."""

    def prompt_tokens(self) -> int:
        """Returns the words of all messages."""
        return sum(len(_text(message.get("content")).split()) for message in self.body["messages"])


class OpenAi(Protocol):
    """OpenAI's chat completions."""

    def problem(self) -> str:
        if not isinstance(self.body.get("model"), str) or not self.body.get("messages"):
            return "model and messages are required"
        waiting: list[str] = []
        for message in self.body["messages"]:
            if message["role"] == "tool":
                if message.get("tool_call_id") not in waiting:
                    return "a tool message must follow the assistant message with its tool call"
                waiting.remove(message["tool_call_id"])
                continue
            if waiting:
                return f"tool calls without a tool message: {', '.join(waiting)}"
            calls = message.get("tool_calls") or []
            waiting = [call["id"] for call in calls]
            if not calls and not isinstance(message.get("content"), str | list):
                return f"a message of role {message['role']} has no content"
            for call in calls:
                if not isinstance(json.loads(call["function"]["arguments"]), dict):
                    return "arguments of a tool call must be a JSON object as text"
        return f"tool calls without a tool message: {', '.join(waiting)}" if waiting else ""

    def deltas(self, answer: Answer) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in answer.pieces(answer.reasoning):
            yield self._chunk({"reasoning_content": piece})
        for piece in answer.pieces(answer.text):
            yield self._chunk({"content": piece})
        begun: set[int] = set()
        for index, piece in answer.fragments():
            fragment: Json = {"index": index, "function": {"arguments": piece}}
            if index not in begun:
                begun.add(index)
                fragment |= {"id": self._call_id(index), "type": "function"}
                fragment["function"] |= {"name": answer.calls[index][0]}
            yield self._chunk({"tool_calls": [fragment]})

    def ending(self, answer: Answer) -> Iterator[bytes]:
        yield self._chunk({}, answer.finish_reason)
        if answer.usage and (self.body.get("stream_options") or {}).get("include_usage"):
            yield _event({**self._frame("chat.completion.chunk"), "choices": [], "usage": self._usage(answer)})
        yield b"data: [DONE]\n\n"

    def whole(self, answer: Answer) -> Json:
        message: Json = {"role": "assistant", "content": answer.text or None}
        if answer.reasoning:
            message["reasoning_content"] = answer.reasoning
        if answer.calls:
            message["tool_calls"] = [
                {"id": self._call_id(i), "type": "function", "function": {"name": name, "arguments": arguments}}
                for i, (name, arguments) in enumerate(answer.calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
        usage = {"usage": self._usage(answer)} if answer.usage else {}
        return {**self._frame("chat.completion"), "choices": [choice], **usage}

    def error(self, message: str, kind: str) -> Json:
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}

    def error_event(self, message: str, kind: str) -> bytes:
        return _event(self.error(message, kind))

    def _call_id(self, index: int) -> str:
        return f"call_{self.number}_{index}"

    def _frame(self, kind: str) -> Json:
        frame = {"id": f"chatcmpl-{self.number}", "object": kind, "created": 1_700_000_000}
        return frame | {"model": self.body["model"]}

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return _event({**self._frame("chat.completion.chunk"), "choices": [choice]})

    def _usage(self, answer: Answer) -> Json:
        prompt, completion = self.prompt_tokens(), answer.completion_tokens()
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


class Anthropic(Protocol):
    """Anthropic's messages."""

    _STOP_REASONS: Mapping[str, str] = {
        "stop": "end_turn",
        "length": "max_tokens",
        "tool_calls": "tool_use",
        "content_filter": "refusal",
    }

    def problem(self) -> str:
        if not isinstance(self.body.get("max_tokens"), int) or not self.body.get("messages"):
            return "max_tokens and messages are required"
        waiting: list[str] = []
        for message in self.body["messages"]:
            if message["role"] not in {"user", "assistant"}:
                return f"messages: unexpected role {message['role']!r}"
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
                return "messages: text content blocks must be non-empty"
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            if sorted(results) != sorted(waiting):
                return f"`tool_use` ids {waiting} must be followed by exactly their `tool_result` blocks, got {results}"
            if results and any(block["type"] != "tool_result" for block in blocks[: len(results)]):
                return "`tool_result` blocks must come first"
            waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
            if any(not re.fullmatch(r"[a-zA-Z0-9_-]+", call_id) for call_id in waiting):
                return "`tool_use.id` should match '^[a-zA-Z0-9_-]+$'"
            if any(not isinstance(block["input"], dict) for block in blocks if block["type"] == "tool_use"):
                return "`tool_use.input` should be an object"
        return f"`tool_use` ids {waiting} were found without `tool_result` blocks" if waiting else ""

    def deltas(self, answer: Answer) -> Iterator[bytes]:
        usage = {"input_tokens": self.prompt_tokens(), "output_tokens": 1} if answer.usage else None
        message = {**self._frame(), "content": [], "stop_reason": None, "usage": usage}
        yield _event({"type": "message_start", "message": message})
        index = -1
        if answer.reasoning:
            index += 1
            yield self._start(index, {"type": "thinking", "thinking": "", "signature": ""})
            for piece in answer.pieces(answer.reasoning):
                yield self._delta(index, {"type": "thinking_delta", "thinking": piece})
            yield self._delta(index, {"type": "signature_delta", "signature": f"signed-{self.number}"})
            yield self._stop(index)
        if answer.text:
            index += 1
            yield self._start(index, {"type": "text", "text": ""})
            yield _event({"type": "ping"})
            for piece in answer.pieces(answer.text):
                yield self._delta(index, {"type": "text_delta", "text": piece})
            yield self._stop(index)
        begun: set[int] = set()
        for call, piece in answer.fragments():
            if call not in begun:
                begun.add(call)
                block = {"type": "tool_use", "id": self._call_id(call), "name": answer.calls[call][0], "input": {}}
                yield self._start(index + 1 + call, block)
            yield self._delta(index + 1 + call, {"type": "input_json_delta", "partial_json": piece})
        for call in begun:
            yield self._stop(index + 1 + call)

    def ending(self, answer: Answer) -> Iterator[bytes]:
        delta = {"stop_reason": self._STOP_REASONS[answer.finish_reason], "stop_sequence": None}
        usage = {"usage": {"output_tokens": answer.completion_tokens()}} if answer.usage else {}
        yield _event({"type": "message_delta", "delta": delta, **usage})
        yield _event({"type": "message_stop"})

    def whole(self, answer: Answer) -> Json:
        content: list[Json] = []
        if answer.reasoning:
            content.append({"type": "thinking", "thinking": answer.reasoning, "signature": f"signed-{self.number}"})
        if answer.text:
            content.append({"type": "text", "text": answer.text})
        content += [
            {"type": "tool_use", "id": self._call_id(i), "name": name, "input": json.loads(arguments)}
            for i, (name, arguments) in enumerate(answer.calls)
        ]
        usage = {"input_tokens": self.prompt_tokens(), "output_tokens": answer.completion_tokens()}
        stop = {"stop_reason": self._STOP_REASONS[answer.finish_reason], "usage": usage if answer.usage else None}
        return {**self._frame(), "content": content, **stop}

    def error(self, message: str, kind: str) -> Json:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_{self.number}"}

    def error_event(self, message: str, kind: str) -> bytes:
        return _event(self.error(message, kind))

    def _call_id(self, index: int) -> str:
        return f"toolu_{self.number}_{index}"

    def _frame(self) -> Json:
        return {"id": f"msg_{self.number}", "type": "message", "role": "assistant", "model": self.body["model"]}

    def _start(self, index: int, block: Json) -> bytes:
        return _event({"type": "content_block_start", "index": index, "content_block": block})

    def _delta(self, index: int, delta: Json) -> bytes:
        return _event({"type": "content_block_delta", "index": index, "delta": delta})

    def _stop(self, index: int) -> bytes:
        return _event({"type": "content_block_stop", "index": index})


def _event(data: Json) -> bytes:
    """Returns a server-sent event; named by its type where it has one, as Anthropic does."""
    name = f"event: {data['type']}\n" if isinstance(data.get("type"), str) else ""
    return f"{name}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _text(content: Any) -> str:
    """Returns the text of a message's content, which is a text or a list of blocks."""
    if isinstance(content, list):
        return " ".join(_text(block.get("text") or block.get("content") or "") for block in content)
    return content or ""
