"""Which files of a folder are worth uploading."""

from pathlib import PurePath

SUFFIXES = frozenset(
    {
        *(".md", ".markdown", ".txt", ".text", ".rst", ".adoc", ".org", ".tex", ".log"),
        *(".html", ".htm", ".xhtml", ".xml", ".json", ".yaml", ".yml", ".toml", ".csv", ".tsv"),
        *(".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".rtf", ".epub", ".eml", ".ipynb"),
    }
)
"""Kinds of files that text is extracted from, by the end of their names."""


def is_supported(name: str) -> bool:
    """Whether a file of this name is of a kind that text is extracted from."""
    return PurePath(name).suffix.lower() in SUFFIXES
