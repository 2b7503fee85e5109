"""Facts: memories and knowledge, which are found by their meaning.

The source of truth are their rows in PostgreSQL. A trigger records each change in `fact_changes`, and a background job
updates the vectors, so that a crashed process loses no vector. Each index has a separate collection for them beside
that of its chunks.
"""

from echomind_lib.learned.facts.changes import index_soon
from echomind_lib.learned.facts.kinds import FactKind
from echomind_lib.learned.facts.vectors import FactVectors, FoundFact, facts_collection

__all__ = ["FactKind", "FactVectors", "FoundFact", "facts_collection", "index_soon"]
