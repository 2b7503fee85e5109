"""Memories of users across conversations: rows with validity, trust and sources, search and ranking."""

from echomind_lib.learned.memories.changes import NewMemory
from echomind_lib.learned.memories.ranking import Ranked
from echomind_lib.learned.memories.rows import Memory
from echomind_lib.learned.memories.search import find_memories

__all__ = ["Memory", "NewMemory", "Ranked", "find_memories"]
