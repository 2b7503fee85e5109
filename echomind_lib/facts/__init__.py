"""Facts: memories of people and knowledge, found by what they mean.

Their rows in PostgreSQL are the truth. A trigger notes each change of one in `fact_changes`, and a background job lets
its vector follow, so no vector is lost with the process that changed the row. They are in a collection of their own
beside the chunks of each index.
"""

from echomind_lib.facts.changes import index_soon
from echomind_lib.facts.kinds import FactKind
from echomind_lib.facts.vectors import FactVectors, FoundFact, facts_collection

__all__ = ["FactKind", "FactVectors", "FoundFact", "facts_collection", "index_soon"]
