"""Files to text with headings and pages, read by child processes with limits.

Only `child` and what it imports touch a file's bytes.
"""

from echomind_ingestor.extract.extractor import Extractor

__all__ = ["Extractor"]
