"""Files in S3: the bytes of documents and their extracted text."""

from echomind_lib.objects.store import (
    ObjectStore,
    Stored,
    extracted_keys,
    markdown_key,
    original_key,
    text_key,
)

__all__ = ["ObjectStore", "Stored", "extracted_keys", "markdown_key", "original_key", "text_key"]
