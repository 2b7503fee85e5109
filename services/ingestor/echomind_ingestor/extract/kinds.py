"""Detects the kind of a file by its content, then by its name, as names and MIME types may be wrong."""

import struct
import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from echomind_ingestor.extract.decode import decode
from echomind_ingestor.extract.result import MAX_CHARACTERS, UnreadableError, too_long

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
HTML = "text/html"
MARKDOWN = "text/markdown"
EMAIL = "message/rfc822"
TEXT = "text/plain"
CALENDAR = "text/calendar"
CONTACTS = "text/vcard"
SUBTITLES = "text/vtt"
MAILBOX = "application/mbox"
SVG = "image/svg+xml"
RST = "text/x-rst"
ASCIIDOC = "text/asciidoc"
ORG = "text/org"
LATEX = "text/x-tex"
ZIP = "application/zip"
TAR = "application/x-tar"
GZIP = "application/gzip"
BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
ARCHIVES = frozenset({ZIP, TAR, GZIP, BZIP2, XZ, MAILBOX})

_MAX_ENTRIES = 20_000
_MAX_UNPACKED = 1024**3
_MAX_RATIO = 200
"""Maximum compression ratio; spreadsheets with repeated cells reach 100."""

_REFUSED = (
    ("a program", (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm")),
    ("an archive", (b"7z\xbc\xaf'\x1c", b"Rar!\x1a", b"\x28\xb5\x2f\xfd")),
    ("an image", (b"8BPS", b"\0\0\1\0")),
    ("a sound or a film", (b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")),
    ("a database", (b"SQLite format 3\0", b"PAR1")),
    ("a winmail.dat of Outlook", (b"\x78\x9f\x3e\x22",)),
)
_ADVICE = {
    "a program": "Programs hold no text to search.",
    "an archive": "Upload the files in it, or pack them as ZIP.",
    "an image": "Save it as PNG or JPEG and upload that.",
    "a sound or a film": "Upload a transcript.",
    "a database": "Export it as text or CSV.",
    "a winmail.dat of Outlook": "Ask its sender for the attachments themselves, or save them with a mail program.",
}
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)
_MEDIA = (
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_CONTAINERS = {b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
"""Kinds of RIFF files with sound."""
_PACKED = ((b"\x1f\x8b", GZIP), (b"BZh", BZIP2), (b"\xfd7zXZ", XZ))
_TAR_MARK = (257, b"ustar")
"""Offset and content in the header of a TAR archive."""
_PICTURE_BRANDS = (b"heic", b"heix", b"mif1", b"msf1", b"avif")
"""Brands of images in the container of films."""
_BMP_HEADER = 40
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_KINDS = {
    ".doc": "application/msword",
    ".xls": "application/vnd.ms-excel",
    ".ppt": "application/vnd.ms-powerpoint",
    ".msg": "application/vnd.ms-outlook",
}
_WORD = "WordDocument"
_OLE_STREAMS = {
    _WORD: _OLE_KINDS[".doc"],
    "Workbook": _OLE_KINDS[".xls"],
    "Book": _OLE_KINDS[".xls"],
    "PowerPoint Document": _OLE_KINDS[".ppt"],
    "__properties_version1.0": _OLE_KINDS[".msg"],
}
"""Streams that only files of one kind have."""
_OLE_ENCRYPTED = ("EncryptedPackage", "EncryptedSummary")
"""Streams of encrypted files of new and old Office."""
_CURRENT_USER, _SLIDES_ENCRYPTED = "Current User", b"\xdf\xc4\xd1\xf3"
"""A stream of PowerPoint files, and what stands at offset 12 of it if they are encrypted ([MS-PPT] 2.3.2)."""
_WORD_FLAGS, _WORD_ENCRYPTED = 11, 1
"""Offset of a byte of flags in a Word file ([MS-DOC] 2.5.2), and the flag `fEncrypted` in it."""
_ZIP_KINDS = {"word/document.xml": DOCX, "ppt/presentation.xml": PPTX, "xl/workbook.xml": XLSX}
_OFFICE_PARTS = frozenset({"[Content_Types].xml", "mimetype"})
"""Files that only archives of office programs have."""
_IWORK_PARTS = frozenset({"Index/Document.iwa", "Index.zip"})
"""Files that only documents of Pages, Numbers and Keynote have."""
_ODF = "application/vnd.oasis.opendocument."
_ZIP_MIMETYPES = frozenset({f"{_ODF}text", f"{_ODF}spreadsheet", f"{_ODF}presentation", "application/epub+zip"})
_TEXT_KINDS = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".eml": EMAIL,
    ".mht": EMAIL,
    ".mhtml": EMAIL,
    ".ics": CALENDAR,
    ".vcf": CONTACTS,
    ".srt": SUBTITLES,
    ".vtt": SUBTITLES,
    ".mbox": MAILBOX,
    ".svg": SVG,
    ".rst": RST,
    ".adoc": ASCIIDOC,
    ".asciidoc": ASCIIDOC,
    ".org": ORG,
    ".tex": LATEX,
    ".ipynb": "application/x-ipynb+json",
}
MARKED_UP = frozenset({RST, ASCIIDOC, ORG, LATEX})
_STATED = frozenset(
    {HTML, MARKDOWN, EMAIL, CALENDAR, CONTACTS, SUBTITLES, "text/csv", "text/tab-separated-values", *MARKED_UP}
)
_UNMARKED = frozenset({TEXT, MARKDOWN, "text/csv", "text/tab-separated-values", *MARKED_UP})
"""Kinds whose files hold nothing but their text."""
_TEXT_BYTES = 4 * MAX_CHARACTERS
"""A text of more bytes has too many characters in any encoding."""


def detect(data: bytes, name: str, stated: str) -> str:
    """Returns the MIME type of a supported file.

    Args:
        data: The file.
        name: Its name.
        stated: The MIME type declared by its sender; used only if content and name are inconclusive.

    Raises:
        UnreadableError: It is empty, of an unsupported kind, or decompresses to too much; the message says what to
            do.
    """
    if not data.strip():
        raise UnreadableError("The file is empty.")
    suffix = PurePosixPath(name).suffix.lower()
    for what, marks in _REFUSED:
        if data.startswith(marks):
            raise UnreadableError(f"This is {what}, not a document. {_ADVICE[what]}")
    if image := image_kind(data):
        return image
    if data[:4] == b"RIFF" or data[4:8] == b"ftyp":
        what = "an image" if data[8:12] in _PICTURE_BRANDS else "a sound or a film"
        raise UnreadableError(f"This is {what}, not a document. {_ADVICE[what]}")
    if data.startswith(b"PK\x03\x04"):
        return _zip_kind(data)
    if packed := next((kind for mark, kind in _PACKED if data.startswith(mark)), ""):
        return packed
    if is_tar(data):
        return TAR
    # After archives, which may begin with a PDF that is not compressed.
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(_OLE):
        return _ole_kind(data, suffix)
    if data.startswith(b"{\\rtf"):
        return "application/rtf"
    if decode(data[:_TEXT_BYTES]) is None:
        raise UnreadableError(
            "Unsupported file type. Supported: PDF, Office, OpenDocument, RTF, EPUB, HTML, Markdown, CSV, e-mail, "
            "images, ZIP and TAR archives, and plain text. Save it as PDF and upload that."
        )
    kind = _text_kind(data, suffix, stated)
    if len(data) > _TEXT_BYTES and kind in _UNMARKED:
        raise too_long(MAX_CHARACTERS)
    return kind


def media_kind(data: bytes) -> str:
    """Returns the MIME type of a sound or a film; empty for other files."""
    if data[:4] == b"RIFF":
        return _CONTAINERS.get(data[8:12], "")
    if data[4:8] == b"ftyp":
        brand = data[8:12]
        if brand in _PICTURE_BRANDS:
            return ""
        return "audio/mp4" if brand.startswith(b"M4A") else "video/mp4"
    return next((kind for mark, kind in _MEDIA if data.startswith(mark)), "")


def is_tar(data: bytes) -> bool:
    """Returns whether a file is a TAR archive."""
    offset, mark = _TAR_MARK
    return data[offset : offset + len(mark)] == mark


def image_kind(data: bytes) -> str:
    """Returns the MIME type of an image that can be recognised; empty for other files."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and int.from_bytes(data[14:18], "little") >= _BMP_HEADER and data[6:10] == b"\0\0\0\0":
        return "image/bmp"
    return next((kind for mark, kind in _IMAGES if data.startswith(mark)), "")


def _text_kind(data: bytes, suffix: str, stated: str) -> str:
    if suffix in _TEXT_KINDS:
        return _TEXT_KINDS[suffix]
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return HTML
    stated = stated.partition(";")[0].strip().lower()
    return stated if stated in _STATED and suffix == "" else TEXT


def _ole_kind(data: bytes, suffix: str) -> str:
    import olefile  # type: ignore[import-untyped]

    try:
        with olefile.OleFileIO(BytesIO(data)) as document:
            found = next((kind for stream, kind in _OLE_STREAMS.items() if document.exists(stream)), "")
            is_encrypted = any(map(document.exists, _OLE_ENCRYPTED))
            if document.exists(_CURRENT_USER):
                is_encrypted |= document.openstream(_CURRENT_USER).read(16)[12:] == _SLIDES_ENCRYPTED
            if found == _OLE_KINDS[".doc"]:
                head = document.openstream(_WORD).read(_WORD_FLAGS + 1)
                is_encrypted = len(head) > _WORD_FLAGS and bool(head[_WORD_FLAGS] & _WORD_ENCRYPTED)
    except (OSError, ValueError, IndexError, KeyError, TypeError, struct.error):
        found, is_encrypted = "", False
    if is_encrypted or suffix in {".docx", ".xlsx", ".pptx"}:
        raise UnreadableError(
            "This document is password-protected: remove the password in the program that made it and upload it again.",
        )
    if not found and suffix not in _OLE_KINDS:
        raise UnreadableError("This looks like an old Office file, but its name does not say which: save it as PDF.")
    return found or _OLE_KINDS[suffix]


def _zip_kind(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            unpacked = sum(entry.file_size for entry in entries)
            if len(entries) > _MAX_ENTRIES or unpacked > min(_MAX_UNPACKED, _MAX_RATIO * max(len(data), 1024**2)):
                raise UnreadableError(
                    f"This unpacks to {len(entries):,} files and {unpacked / 1e6:,.0f} MB: that is too much to read.",
                )
            names = {entry.filename for entry in entries}
            for member, kind in _ZIP_KINDS.items():
                if member in names:
                    return kind
            if "mimetype" in names and (entry := archive.getinfo("mimetype")).file_size < 100:
                stated = archive.read(entry).decode("ascii", "replace").strip()
                if stated in _ZIP_MIMETYPES:
                    return stated
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError, EOFError) as error:
        raise UnreadableError("This file is damaged: open it, save it again and upload it.") from error
    if _IWORK_PARTS & names:
        raise UnreadableError("This is a document of Pages, Numbers or Keynote: export it as PDF and upload that.")
    if _OFFICE_PARTS & names:
        raise UnreadableError("This file is damaged: open it, save it again and upload it.")
    return ZIP
