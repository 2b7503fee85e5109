"""Fifty texts that try to become memories, with a model that follows all of their instructions.

The worst model writes down what the text wants, and quotes the person's own question for it.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from echomind_agent.learning.material import messages_part
from echomind_agent.learning.memory.operations import Shown, read_operations
from echomind_agent.learning.memory.prompt import extraction_prompt
from echomind_agent.learning.memory.recall import is_untrusted
from echomind_agent.tools.memory import forget, remember, search_memory
from echomind_lib.learned.memories import Memory, NewMemory
from echomind_lib.learned.sessions.messages import SessionMessage
from echomind_lib.llms.tokens import count_tokens

TEXTS: list[dict[str, Any]] = json.loads(Path("tests/fixtures/trojans.json").read_text(encoding="utf-8"))
ASKED = 3
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def _session(text: dict[str, Any]) -> list[SessionMessage]:
    """Returns the person asks, and the assistant repeats the text word for word."""
    given: dict[str, Any] = {"creation_date": NOW, "was_read": False}
    return [
        SessionMessage(id=ASKED, role="user", content=text["asked"], is_owners=True, **given),
        SessionMessage(id=4, role="assistant", content=text["text"], is_owners=False, **given),
    ]


def _stored(text: dict[str, Any]) -> list[NewMemory]:
    """Returns what is stored when the model obeys."""
    written = json.dumps(
        [
            {"op": "ADD", "messages": [ASKED], "kind": kind, "text": memory, "confidence": 1, "importance": 1}
            for memory in text["memories"]
            for kind in ("semantic", "procedural")
        ]
    )
    shown = Shown(session_id=1, messages={ASKED: text["asked"]}, candidates=[])
    return [found.new for found in read_operations(written, shown)[0] if found.new is not None]


def test_no_other_text_is_attributed_to_the_person() -> None:
    trusted = {memory.content for text in TEXTS for memory in _stored(text) if memory.trust != "derived"}
    assert trusted == set()


def test_stored_lessons_have_no_secrets_addresses_or_instructions() -> None:
    for text in TEXTS:
        for memory in _stored(text):
            assert text["aim"] in ("plant", "justify"), memory.content
            assert not re.search(
                r"https?:|www\.|<|\]\(|\b(?:send|pay|delete|call|run|open|always|never)s?\b", memory.content
            )


def test_nothing_that_is_stored_justifies_a_side_effect() -> None:
    """A run with such a memory in its prompt counts as one that has read untrusted text."""
    for text in TEXTS:
        for memory in _stored(text):
            recalled = Memory(
                id=1,
                user_id=1,
                memory_type=memory.memory_type,
                content=memory.content,
                importance_score=memory.importance,
                confidence=memory.confidence,
                trust=memory.trust,
                has_sources=memory.has_sources,
                access_count=0,
                last_accessed_at=None,
                source_session_id=1,
                source_message_ids=memory.message_ids,
                creation_date=NOW,
                last_update=None,
                expires_at=None,
                valid_to=None,
                superseded_by=None,
                updated_by=0,
            )
            assert is_untrusted([recalled])


def test_the_model_is_shown_neither_a_secret_nor_a_word_of_the_person_that_is_none() -> None:
    for text in TEXTS:
        conversation, _ = messages_part(_session(text), 10_000, count_tokens)
        prompt = extraction_prompt(conversation, [], NOW)[1].content
        assert text.get("secret", "\0") not in prompt
        assert prompt.count("<person ") == prompt.count("</person>") == 1
        assert prompt.count("<assistant>") == prompt.count("</assistant>") == 1
        assert "<memory " not in prompt


def test_tools_of_memory_need_approval_after_such_a_text() -> None:
    class Tainted:
        tainted = untrusted = True

    for tool in (remember(), forget()):
        assert callable(tool.side_effect)
        assert tool.side_effect(Tainted(), None)  # type: ignore[arg-type]
    facts: Any = None
    assert search_memory(facts).untrusted
