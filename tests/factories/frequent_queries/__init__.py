"""The queries that are asked often, by noun, and the indexes that they must use."""

from tests.factories.frequent_queries.conversations import CONVERSATIONS
from tests.factories.frequent_queries.documents import DOCUMENTS
from tests.factories.frequent_queries.knowledge import KNOWLEDGE
from tests.factories.frequent_queries.people import PEOPLE
from tests.factories.frequent_queries.query import Query
from tests.factories.frequent_queries.runs import RUNS

__all__ = ["QUERIES", "Query"]

QUERIES = [*KNOWLEDGE, *CONVERSATIONS, *RUNS, *DOCUMENTS, *PEOPLE]
