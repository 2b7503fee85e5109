"""Selects the files of a folder that are worth uploading."""

from pathlib import PurePath

SUFFIXES = frozenset(
    {
        *(".md", ".markdown", ".txt", ".text", ".rst", ".adoc", ".org", ".tex", ".log"),
        *(".html", ".htm", ".xhtml", ".xml", ".json", ".yaml", ".yml", ".toml", ".csv", ".tsv"),
        *(".pdf", ".docx", ".pptx", ".xlsx", ".doc", ".ppt", ".xls", ".odt", ".ods", ".odp", ".rtf", ".epub"),
        *(".eml", ".msg", ".mbox", ".mht", ".mhtml", ".ics", ".vcf", ".srt", ".vtt", ".ipynb"),
        *(".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".tif", ".tiff"),
    }
)
"""Ends of names. The ingestor goes by content and reads any text; of a folder, code and pictures would be noise, but
TIFF files are scans."""


def is_supported(name: str) -> bool:
    """Returns whether a file of this name is a document."""
    return PurePath(name).suffix.lower() in SUFFIXES
