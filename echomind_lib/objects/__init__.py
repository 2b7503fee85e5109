"""Files in S3: the bytes of documents and their extracted text."""

from echomind_lib.objects.store import ObjectStore, Stored, original_key, text_key

__all__ = ["ObjectStore", "Stored", "original_key", "text_key"]
