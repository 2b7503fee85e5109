"""What the tests of extraction share."""

from tests.factories.files import book, email, make_pdf, open_document, slides, word_document, workbook

__all__ = ["book", "email", "make_pdf", "open_document", "slides", "word_document", "workbook"]
