"""Retrieval of passages for a reader: the lexical encoder, language detection, and access to the vector index."""

from echomind_lib.retrieval.hits import Hit, Hits
from echomind_lib.retrieval.language import document_language, query_language
from echomind_lib.retrieval.parameters import Mode
from echomind_lib.retrieval.search import Retriever
from echomind_lib.retrieval.sparse import ENCODER_ID, content_terms, content_words, encode_document, encode_query

__all__ = [
    "ENCODER_ID",
    "Hit",
    "Hits",
    "Mode",
    "Retriever",
    "content_terms",
    "content_words",
    "detect_language",
    "document_language",
    "encode_document",
    "encode_query",
    "query_language",
]


def detect_language(text: str) -> str:
    """Returns the most likely language of a question or an answer, as an ISO 639-1 code."""
    return query_language(text).language
