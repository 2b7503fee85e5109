"""Whose words the messages of a prompt are.

Questions of a conversation that the person has not written, as in a fork of somebody else's, are delimited. So prompts
that are made of another prompt's messages keep telling them apart from the person's own words.
"""

from typing import Final, NamedTuple

from echomind_agent.text.delimiting import Tag, delimited
from echomind_lib.llms import Message

_DELIMITED: Final[tuple[Tag, ...]] = ("somebody_else", "result")
"""The tags of messages with the role of a person that no person has written."""

NAMES: Final[dict[Tag, str]] = {
    "person": "Person",
    "assistant": "Assistant",
    "somebody_else": "Somebody else",
    "question": "Task",
    "result": "Result of a tool",
}
"""The speakers by their tags. A task is what the agent that started a sub-run has written; results are of tools of the
program that asks."""


class Spoken(NamedTuple):
    """What somebody says in a message."""

    by: Tag
    """One of `NAMES`."""
    text: str
    """Without delimiters."""


def question_message(text: str, *, is_own: bool) -> Message:
    """Returns a question as a message; delimited unless it is the person's own."""
    return Message("user", text if is_own else delimited("somebody_else", text))


def spoken(message: Message) -> Spoken:
    """Returns who says what in a message of a person or the assistant."""
    text = message.content
    if message.role == "assistant":
        return Spoken("assistant", text)
    for tag in _DELIMITED:
        opening, closing = f"<{tag}>\n", f"\n</{tag}>"
        if text.startswith(opening) and text.endswith(closing):
            return Spoken(tag, text[len(opening) : -len(closing)])
    return Spoken("person", text)


def spoken_text(message: Message) -> str:
    """Returns the text of a message without delimiters."""
    return spoken(message).text
