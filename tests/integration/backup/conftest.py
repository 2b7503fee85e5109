"""What the tests of backups share."""

from tests.drivers.restores import other_qdrant, source, target
from tests.drivers.stack import embedding_url, extractor, stack

__all__ = ["embedding_url", "extractor", "other_qdrant", "source", "stack", "target"]
