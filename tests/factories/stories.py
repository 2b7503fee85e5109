"""Kinds of runs whose end is known: what the model says in each, step by step, and what is left in the end."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.drivers.model_server import Json, Text, Tools, Turn
from tests.factories.turns import delegated

NOTE = "The printer on the third floor takes cards with a blue stripe only."
"""The document that one of them finds."""
UNSEARCHABLE = "The documents could not be searched."
"""What the model says instead when no search found it."""
_LONG = " ".join([f"{NOTE[:-1]} [1].", *(f"wörd{number}" for number in range(180))])
_PLAN = [{"number": 1, "title": "Part A"}, {"number": 2, "title": "Part B", "depends_on": [1]}]


@dataclass(frozen=True)
class Kind:
    """A kind of story: what the model says step by step, and what is left in the end."""

    turns: Callable[[str], list[Turn]]
    content: str
    options: Json = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    """Tools of the root's calls, in order."""
    children: int = 0


KINDS = {
    "stream": Kind(
        lambda key: [Tools([("search_documents", {"query": "printer third floor cards"})]), Text(_LONG, delay_ms=12)],
        _LONG,
        calls=("search_documents",),
    ),
    "tool": Kind(
        lambda key: [Tools([("test__hold", {"key": key})], text="Looking."), Text("Held.")],
        "Looking.\n\nHeld.",
        calls=("test__hold",),
    ),
    "ask": Kind(
        lambda key: [Tools([("ask_user", {"question": "Which year?"})]), Text("In that year.")],
        "In that year.",
        options={"askClarifications": True},
        calls=("ask_user",),
    ),
    "order": Kind(
        lambda key: [Tools([("test__record", {"key": key})], text="I will."), Text("Recorded.")],
        "I will.\n\nRecorded.",
        calls=("test__record",),
    ),
    "tree": Kind(
        lambda key: [
            Tools([("write_todos", {"todos": _PLAN})]),
            Tools(
                [("spawn_sub_agent", {"goal": f"held {key}A"}), ("spawn_sub_agent", {"goal": f"quick {key}B"})],
                text="In parts.",
            ),
            Tools([("update_todo", {"number": 1, "status": "completed", "result": "A"})]),
            Tools([("update_todo", {"number": 2, "status": "completed", "result": "B"})]),
            Text("Both parts."),
        ],
        "In parts.\n\nBoth parts.",
        options={"autoRun": True},
        calls=("write_todos", "spawn_sub_agent", "spawn_sub_agent", "update_todo", "update_todo"),
        children=2,
    ),
    "team": Kind(
        lambda key: [
            Tools(
                [
                    delegated("ada", f"held {key}A"),
                    delegated("bob", f"found {key}"),
                    delegated("eve", f"noted {key}"),
                ]
            ),
            Text(f"{NOTE[:-1]} [1]. Two parts are done."),
        ],
        f"{NOTE[:-1]} [1]. Two parts are done.",
        calls=("delegate_task", "delegate_task", "delegate_task"),
        children=3,
    ),
    "found": Kind(
        lambda key: [Tools([("search_documents", {"query": "printer third floor cards"})]), Text(f"{NOTE[:-1]} [1].")],
        "",
    ),
    "noted": Kind(
        lambda key: [
            Tools([("test__record", {"key": key})]),
            Tools([("test__hold", {"key": f"{key}B"})]),
            Text("Noted."),
        ],
        "",
    ),
    "held": Kind(lambda key: [Tools([("test__hold", {"key": key})]), Text("Part A.")], ""),
    "quick": Kind(lambda key: [Text("At once.")], "At once."),
}


def respond(body: Json) -> Turn:
    """Returns what the model says: nothing but the conversation decides, so that a repetition gives the same.

    It says of the document only what a tool has told it.
    """
    positions = [position for position, message in enumerate(body["messages"]) if message["role"] == "user"]
    content = body["messages"][positions[-1]]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    found = re.findall(rf"\b({'|'.join(KINDS)}) (\w+)", text)
    kind, key = found[-1]
    turns = KINDS[kind].turns(key)
    step: int = sum(message["role"] == "assistant" for message in body["messages"][positions[-1] :])
    turn = turns[step]
    if kind in ("stream", "found", "team") and isinstance(turn, Text):
        results = [
            str(message["content"]) for message in body["messages"][positions[-1] :] if message["role"] == "tool"
        ]
        if not any(NOTE[:-1] in text for text in results):
            return Text(UNSEARCHABLE)
    return turn
