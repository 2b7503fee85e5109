"""Text between tags, so that a model takes it as material and never as instructions.

All text that a person or EchoMind itself did not write stands in a prompt like this, whatever it is.
"""

import re
from typing import Final, Literal, TypeAlias, get_args

Tag: TypeAlias = Literal[
    "source",
    "web_page",
    "result",
    "goal",
    "inherited_context",
    "conversation_summary",
    "important_steps",
    "notebook_instructions",
    "earlier_steps",
    "summary_so_far",
    "memories",
    "memory",
    "person",
    "assistant",
    "question",
    "knowledge",
]
"""What the text is."""

TAGS: Final = "|".join(get_args(Tag))
"""All of them, as a regular expression."""

# Models also read `< / Sources >` as a tag. No two parts of the pattern match the same text, so it runs in linear time.
_ALIKE = re.compile(rf"<(?=[^\w<>‹]*+(?:{TAGS})s?\b)", re.IGNORECASE)


def delimited(tag: Tag, text: str, **attributes: str | int | None) -> str:
    """Returns a text between an opening and a closing tag, each on a line of its own.

    Args:
        tag: Its kind.
        text: Any text. It can neither close the tag nor open or close any other one: see `harmless`.
        **attributes: What else the opening tag says, in this order; those that are None are left out.
    """
    said = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items() if value is not None)
    return f"<{tag}{said}>\n{harmless(text)}\n</{tag}>"


def harmless(text: str) -> str:
    """Returns a text without these tags: `<` becomes `‹` where one could begin. Other code points stay as they are."""
    return _ALIKE.sub("‹", text)


def _attribute(value: str | int) -> str:
    return " ".join(str(value).replace("<", "‹").replace(">", "›").replace('"', "'").split())
