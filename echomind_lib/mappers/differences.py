"""Word-by-word differences between two texts, for display."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

_TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a comparison. The kept and removed parts together are the old text, the kept and added the new one."""

    change: Literal["kept", "removed", "added"]
    text: str


def differences(old: str, new: str) -> list[Difference]:
    """Returns the differences between two texts, in reading order."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    parts: list[Difference] = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(Difference("kept", _joined(before, old_from, old_to)))
            continue
        if old_to > old_from:
            parts.append(Difference("removed", _joined(before, old_from, old_to)))
        if new_to > new_from:
            parts.append(Difference("added", _joined(after, new_from, new_to)))
    return parts


def _joined(tokens: Sequence[str], begin: int, end: int) -> str:
    return "".join(tokens[begin:end])
