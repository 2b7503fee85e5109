"""Memories."""

from typing import Any, cast

from echomind_lib.db.words import MemoryType as MemoryTypeWord
from echomind_lib.models.public import Memory, MemoryType


def type_word(memory_type: MemoryType) -> MemoryTypeWord | None:
    """Returns the word of a type as stored; None for unspecified."""
    return None if memory_type is MemoryType.UNSPECIFIED else cast("MemoryTypeWord", memory_type.word)


def to_model(row: Any) -> Memory:
    """Returns the memory of a row."""
    return Memory.from_row(row)
