"""What the tests of ingestion share."""

from tests.drivers.stack import embedding_url, extractor, stack
from tests.factories.files import book, email, make_pdf, open_document, slides, word_document, workbook

__all__ = [
    "book",
    "email",
    "embedding_url",
    "extractor",
    "make_pdf",
    "open_document",
    "slides",
    "stack",
    "word_document",
    "workbook",
]
