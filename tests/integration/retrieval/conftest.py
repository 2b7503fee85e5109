"""What the tests of retrieval share."""

from tests.drivers.stack import embedding_url, extractor, stack

__all__ = ["embedding_url", "extractor", "stack"]
