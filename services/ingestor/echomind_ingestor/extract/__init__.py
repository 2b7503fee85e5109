"""Extraction of text, headings and pages from files, in child processes with limits.

Only `child` and its imports process a file's bytes.
"""

from echomind_ingestor.extract.extractor import Extractor

__all__ = ["Extractor"]
