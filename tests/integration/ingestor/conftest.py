"""What the tests of ingestion share."""

from tests.fixtures.rows import rows
from tests.integration.ingestor.stack import embedding_url, stack

__all__ = ["embedding_url", "rows", "stack"]
