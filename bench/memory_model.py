"""A model server for `bench.memory`: it extracts memories by rules, as no large model is on this machine.

The rules know nothing of the script that they are measured by. They read what a model would be given, rewrite what the
person states about themselves, and compare it with the notes that they are shown. Instead of the rules a small real
model may write the operations; its answer to a prompt is kept, as it writes the same each time.
"""

import json
import re
import threading
import urllib.request
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from echomind_lib.llms.tokens import count_tokens
from echomind_lib.retrieval import content_terms

MODEL: Final = "scripted"
"""What the server calls itself."""
_EXTRACTION: Final = "You keep notes about one person"
"""How requests for an extraction begin."""
_KNOWLEDGE: Final = "You keep a handbook"
_TITLE: Final = "Write a title for a conversation"
_PERSON: Final = re.compile(r'<person id="(\d+)"[^>]*>\n(.*?)\n</person>', re.DOTALL)
_NOTE: Final = re.compile(r'<memory number="(\d+)" kind="(\w+)"[^>]*>\n(.*?)\n</memory>', re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_LEAD: Final = re.compile(
    r"^(?:by the way|as i said|thanks|also),?\s+|,? (?:by the way|as you know)(?=[.,]|$)", re.IGNORECASE
)
_NO_STATEMENT: Final = re.compile(
    r"\?\s*$|^(?:could|can|would|please|imagine|suppose|if|write|suggest|explain|translate|shorten|what|how|which)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|my|our|we)\b", re.IGNORECASE)
_DATE: Final = re.compile(r"\b\d{1,2} (?:January|February|March|May|June|July|October|November|December) \d{4}\b")
_HAPPENS: Final = re.compile(r"\b(?:fly|presented|visit(?:ed)?|met|meet)\b")
_WAY: Final = re.compile(r"^(?:when|before|after|whenever) I\b")
_CHANGE: Final = re.compile(
    r"\b(?:now|no longer|any more|moved|switched|changed|postponed|left|from now on|since|not)\b"
)
_WITHDRAWN: Final = re.compile(r"\bno longer\b|\bnot\b.*\bany more\b")
_REPLACED: Final = re.compile(r"\b(?:now|but)\b|:")
_LEFT: Final = re.compile(r"\b(?:moved|switched|changed) from (\w+)")
_CHANGED_SHARE: Final = 0.35
"""Share of a note's or statement's terms that both have, from which a change is about that note."""
_SAME_SHARE: Final = 0.6
"""The same without words of change: two statements about one attribute."""
_KNOWN_SHARE: Final = 0.95
_PRONOUNS: Final = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\b[Oo]ur\b", "the person's"),
        (r"\b[Mm]y\b", "the person's"),
        (r"\bI am\b", "the person is"),
        (r"\bI have\b", "the person has"),
        (r"\bI no longer (\w+)", r"the person no longer \1s"),
        (r"\bI (was|moved|presented|switched|decided|met)\b", r"the person \1"),
        (r"\bI (\w+[^aeiou])y\b", r"the person \1ies"),
        (r"\bI (\w+(?:sh|ch|ss))\b", r"the person \1es"),
        (r"\bI (\w+)\b", r"the person \1s"),
        (r"\bcommute by", "commutes by"),
        (r"\bme\b", "the person"),
    )
]


def propose(prompt: str) -> list[dict[str, Any]]:
    """Returns the operations that the rules find in the prompt of an extraction."""
    notes = [(int(number), kind, text) for number, kind, text in _NOTE.findall(prompt)]
    found = []
    for message_id, said in _PERSON.findall(prompt):
        for sentence in _SENTENCE.split(said.replace("\n", " ").strip()):
            operation = _operation(_LEAD.sub("", sentence).strip(), notes)
            if operation:
                found.append(operation | {"messages": [int(message_id)]})
    return found


def _operation(statement: str, notes: list[tuple[int, str, str]]) -> dict[str, Any] | None:
    if not statement or _NO_STATEMENT.search(statement) or not _FIRST_PERSON.search(statement):
        return None
    kind = "semantic"
    if _WAY.search(statement):
        kind = "procedural"
    elif _DATE.search(statement) and _HAPPENS.search(statement):
        kind = "episodic"
    text = statement
    for pattern, replacement in _PRONOUNS:
        text = pattern.sub(replacement, text)
    text = text[0].upper() + text[1:].rstrip(".") + "."
    shares = {number: _share(text, note) for number, note_kind, note in notes if note_kind == kind}
    number = max(shares, key=lambda each: shares[each], default=0)
    share = shares.get(number, 0.0)
    if left := _LEFT.search(statement):
        number, share = next(((each, 1.0) for each, _, note in notes if left[1] in note), (number, share))
    is_change = _CHANGE.search(statement) is not None
    if share >= _KNOWN_SHARE and not is_change:
        return None
    if _WITHDRAWN.search(statement) and not _REPLACED.search(statement):
        return {"op": "DELETE", "targets": [number]} if share >= _CHANGED_SHARE else None
    written = {"kind": kind, "text": text, "importance": 0.6, "confidence": 0.9}
    if share >= (_CHANGED_SHARE if is_change else _SAME_SHARE):
        return {"op": "UPDATE", "targets": [number]} | written
    return {"op": "ADD"} | written


def _share(one: str, other: str) -> float:
    first, second = (set(content_terms(text, "en")) - {"person"} for text in (one, other))
    return len(first & second) / max(1, min(len(first), len(second)))


class MemoryModel:
    """The server; a context manager.

    Attributes:
        extractions: Tokens of the prompts and of the answers of requests for an extraction.
        learned: The same of requests for knowledge.
        prompts: The system messages of all other requests, by the question.
    """

    def __init__(self, small_model: str = "", learn: Callable[[str], list[dict[str, Any]]] | None = None) -> None:
        """Does not serve yet.

        Args:
            learn: Writes the operations on knowledge, by the prompt; none are written without it.
            small_model: Address of a real model that writes the operations instead of the rules; empty for the rules.
        """
        self.extractions: list[tuple[int, int]] = []
        self.prompts: dict[str, str] = {}
        self._small_model, self._learn = small_model, learn
        self.learned: list[tuple[int, int]] = []
        self._written: dict[str, str] = {}
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                answer, kind = model.answer(json.loads(self.rfile.read(length)))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The base URL, with `/v1`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: Mapping[str, Any]) -> tuple[bytes, str]:
        """Returns the answer to a request with its media type."""
        messages = body["messages"]
        system, asked = str(messages[0]["content"]), str(messages[-1]["content"])
        if system.startswith(_EXTRACTION):
            text = self._small(body) if self._small_model else json.dumps(propose(asked))
        elif _TITLE in json.dumps(messages):
            text = ""
        elif system.startswith(_KNOWLEDGE):
            text = json.dumps(self._learn(asked)) if self._learn else "[]"
        else:
            self.prompts[asked] = system
            text = "Noted."
        tokens = sum(count_tokens(str(message["content"])) for message in messages)
        usage = {"prompt_tokens": tokens, "completion_tokens": count_tokens(text)}
        usage["total_tokens"] = tokens + usage["completion_tokens"]
        if system.startswith(_EXTRACTION):
            self.extractions.append((tokens, usage["completion_tokens"]))
        if system.startswith(_KNOWLEDGE):
            self.learned.append((tokens, usage["completion_tokens"]))
        whole = {"id": "memory", "created": 1_700_000_000, "model": MODEL}
        if not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            answer = whole | {"object": "chat.completion", "choices": [choice], "usage": usage}
            return json.dumps(answer).encode(), "application/json"
        whole["object"] = "chat.completion.chunk"
        delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
        end = {"index": 0, "delta": {}, "finish_reason": "stop"}
        events = [whole | {"choices": [delta]}, whole | {"choices": [end]}, whole | {"choices": [], "usage": usage}]
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        return ("".join(lines) + "data: [DONE]\n\n").encode(), "text/event-stream"

    def _small(self, body: Mapping[str, Any]) -> str:
        with self._lock:  # one request at a time
            key = json.dumps(body["messages"])
            if key not in self._written:
                expected = {"messages": body["messages"], "max_tokens": body.get("max_tokens", 256), "temperature": 0}
                expected |= {name: body[name] for name in ("response_format",) if name in body}
                request = urllib.request.Request(
                    f"{self._small_model}/chat/completions",
                    data=json.dumps(expected).encode(),
                    headers={"Content-Type": "application/json"},
                )
                with urllib.request.urlopen(request, timeout=600) as response:
                    self._written[key] = str(json.loads(response.read())["choices"][0]["message"]["content"])
            return self._written[key]
