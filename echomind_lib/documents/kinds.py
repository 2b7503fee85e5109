"""Kinds of files by MIME type: one table, as a function of a type and as an expression of statements."""

from typing import Final

from sqlalchemy import ColumnElement, String, case, literal

from echomind_lib.db.models import Document

_ODF: Final = "application/vnd.oasis.opendocument."
_OOXML: Final = "application/vnd.openxmlformats-officedocument."

_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "pdf": ("application/pdf",),
    "web_page": ("text/html", "application/xhtml+xml"),
    "word": (
        f"{_OOXML}wordprocessingml.document",
        f"{_ODF}text",
        "application/msword",
        "application/rtf",
        "text/rtf",
        "application/epub+zip",
    ),
    "spreadsheet": (
        f"{_OOXML}spreadsheetml.sheet",
        f"{_ODF}spreadsheet",
        "application/vnd.ms-excel",
        "text/csv",
        "text/tab-separated-values",
    ),
    "presentation": (
        f"{_OOXML}presentationml.presentation",
        f"{_ODF}presentation",
        "application/vnd.ms-powerpoint",
    ),
    "email": ("message/rfc822", "application/vnd.ms-outlook"),
    "archive": (
        "application/zip",
        "application/x-tar",
        "application/gzip",
        "application/x-bzip2",
        "application/x-xz",
        "application/mbox",
    ),
    "text": ("application/json", "application/xml", "application/x-ipynb+json", "application/yaml"),
}
"""The types of each kind; a type belongs to one kind."""
_PREFIXES: Final = {"text": "text/", "image": "image/"}
"""Prefixes of the types of a kind, except for types of other kinds."""
_OTHER: Final = "other"

_BY_TYPE: Final = {name: kind for kind, names in _TYPES.items() for name in names}


def kind_of(content_type: str | None) -> str:
    """Returns the word of `DocumentKind` for a MIME type."""
    if content_type is None:
        return _OTHER
    by_prefix = (kind for kind, prefix in _PREFIXES.items() if content_type.startswith(prefix))
    return _BY_TYPE.get(content_type) or next(by_prefix, _OTHER)


def kind(row: type[Document] = Document) -> ColumnElement[str]:
    """Returns `kind_of` as an expression on documents, or an alias of them."""
    return case(
        *((row.content_type.in_(names), literal(word, String)) for word, names in _TYPES.items()),
        *((row.content_type.startswith(prefix), literal(word, String)) for word, prefix in _PREFIXES.items()),
        else_=literal(_OTHER, String),
    )
