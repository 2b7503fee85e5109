"""Delimiting of text with tags, so that a model treats it as material and not as instructions.

All text in a prompt that was not written by the user or by EchoMind itself is delimited.
"""

import re
from typing import Final, Literal, TypeAlias, get_args

Tag: TypeAlias = Literal[
    "source",
    "result",
    "goal",
    "caller_instructions",
    "inherited_context",
    "conversation_summary",
    "important_steps",
    "notebook",
    "notebook_instructions",
    "members",
    "assistants",
    "tool_description",
    "earlier_steps",
    "summary_so_far",
    "memories",
    "memory",
    "person",
    "assistant",
    "somebody_else",
    "question",
    "knowledge",
    "right_answer",
    "fact",
]
"""The kind of text."""

TAGS: Final = "|".join(get_args(Tag))
"""All tags, as a regular expression."""

# Models also read `< / Sources >` as a tag. No two parts of the pattern match the same text, so it runs in linear time.
_ALIKE = re.compile(rf"<(?=[^\w<>‹]*+(?:{TAGS})s?\b)", re.IGNORECASE)


def delimited(tag: Tag, text: str, **attributes: str | int | None) -> str:
    """Returns a text between an opening and a closing tag, each on a separate line.

    Args:
        tag: Its kind.
        text: Any text. It can neither close this tag nor open or close another one: see `harmless`.
        **attributes: Attributes of the opening tag, in this order; None values are omitted.
    """
    attributes_text = "".join(
        f' {name}="{_attribute(value)}"' for name, value in attributes.items() if value is not None
    )
    return f"<{tag}{attributes_text}>\n{harmless(text)}\n</{tag}>"


def harmless(text: str) -> str:
    """Returns a text without these tags: `<` becomes `‹` where one could begin. Other code points are unchanged."""
    return _ALIKE.sub("‹", text)


def _attribute(value: str | int) -> str:
    return " ".join(str(value).replace("<", "‹").replace(">", "›").replace('"', "'").split())
