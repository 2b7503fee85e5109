"""What the tests of backups share."""

from tests.drivers.stack import embedding_url, extractor, stack

__all__ = ["embedding_url", "extractor", "stack"]
