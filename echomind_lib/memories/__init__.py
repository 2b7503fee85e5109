"""What is remembered of people across conversations: rows with validity, trust and sources, found and ranked."""

from echomind_lib.memories.ranking import Ranked
from echomind_lib.memories.rows import Memory, NewMemory
from echomind_lib.memories.search import find_memories

__all__ = ["Memory", "NewMemory", "Ranked", "find_memories"]
