"""Export formats of Google documents."""

from typing import Final

_PREFIX: Final = "application/vnd.google-apps."
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."

EXPORTS: Final[dict[str, tuple[str, str]]] = {
    f"{_PREFIX}document": (f"{_OFFICE}wordprocessingml.document", ".docx"),
    f"{_PREFIX}spreadsheet": (f"{_OFFICE}spreadsheetml.sheet", ".xlsx"),
    f"{_PREFIX}presentation": (f"{_OFFICE}presentationml.presentation", ".pptx"),
    f"{_PREFIX}drawing": ("application/pdf", ".pdf"),
}
"""The format and extension of each kind's export, which preserves headings, tables and slides."""
_ENDINGS = dict(EXPORTS.values())

ADVICE: Final[dict[str, str]] = {
    "exportSizeLimitExceeded": "Google exports at most 10 MB. Split the document, or store it as a file beside it: "
    "File, Download, and upload that to Drive.",
    "cannotDownloadFile": "Downloading is switched off for viewers. Its owner can allow it under Share, Settings.",
    "cannotExportFile": "Downloading is switched off for viewers. Its owner can allow it under Share, Settings.",
    "fileNotDownloadable": "Google has no file to download for this kind of document.",
    "cannotDownloadAbusiveFile": "Google has marked the file as malware or spam and does not hand it out.",
}
"""Advice for users, by Google's reason for refusing a file."""
NOT_DOWNLOADABLE: Final = ADVICE["cannotDownloadFile"]


def is_google_kind(mime_type: str) -> bool:
    """Returns whether something is a document of a Google format rather than a file."""
    return mime_type.startswith(_PREFIX)


def unsupported_reason(mime_type: str) -> str:
    """Returns why the text of a kind of Google's documents cannot be read; empty when it can."""
    if not is_google_kind(mime_type) or mime_type in EXPORTS:
        return ""
    kind = mime_type.removeprefix(_PREFIX).partition(".")[0]
    return f"Google's kind “{kind}” cannot be exported as a document."


def exported_name(name: str, mime_type: str) -> str:
    """Returns a file name with the extension of a document's export format."""
    ending = _ENDINGS.get(mime_type, "")
    return name if name.lower().endswith(ending) else f"{name}{ending}"
