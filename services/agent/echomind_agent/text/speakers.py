"""Whose words the messages of a prompt are.

Questions of a conversation that the person has not written, as in a fork of somebody else's, are delimited. So prompts
that are made of another prompt's messages keep telling them apart from the person's own words.
"""

from typing import Final, NamedTuple

from echomind_agent.text.delimiting import Tag, delimited
from echomind_lib.llms import Message

_OPENING: Final = "<somebody_else>\n"
_CLOSING: Final = "\n</somebody_else>"

NAMES: Final[dict[Tag, str]] = {
    "person": "Person",
    "assistant": "Assistant",
    "somebody_else": "Somebody else",
    "question": "Task",
}
"""The speakers by their tags; a task is what the agent that started a sub-run has written."""


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
    if text.startswith(_OPENING) and text.endswith(_CLOSING):
        return Spoken("somebody_else", text[len(_OPENING) : -len(_CLOSING)])
    return Spoken("person", text)


def said(message: Message) -> str:
    """Returns the text of a message without delimiters."""
    return spoken(message).text
