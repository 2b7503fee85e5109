"""Memories of users across conversations: rows with validity, trust and sources, search and ranking."""

from echomind_lib.memories.changes import NewMemory
from echomind_lib.memories.ranking import Ranked
from echomind_lib.memories.rows import Memory
from echomind_lib.memories.search import find_memories

__all__ = ["Memory", "NewMemory", "Ranked", "find_memories"]
