"""Files that were made to harm their reader: bombs, files within files, encrypted, truncated, mislabelled."""

import io
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from functools import partial
from typing import Final

from tests.factories.archives import encrypted_zip, tar_of, zip_with_wrong_sizes
from tests.factories.files import zip_of

_ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "'
    + "ha" * 50
    + '">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 20}">' for before, name in zip("abcdef", "bcdefg", strict=True))
    + "]>"
)
"""Declarations whose last entity, `g`, stands for 6 GB of text."""
_OUTSIDE = '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY g SYSTEM "file:///etc/passwd">]>'
_WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
_PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType="'
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)


def word_file(document: str) -> bytes:
    """Returns a DOCX file with this `document.xml`."""
    return zip_of({"[Content_Types].xml": _TYPES, "word/document.xml": document})


def _entities(head: str, kind: str) -> bytes:
    """Returns a file that uses the entity `g`: `docx`, `odt`, `xml`, `html` or `svg`."""
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    if kind == "docx":
        return word_file(head + _WORD.format(_PARAGRAPH.format("Before. &g;")))
    if kind == "odt":
        content = (
            f'{head}<office:document-content xmlns:office="{office}" xmlns:text="{text}"><office:body><office:text>'
            "<text:p>Before. &g;</text:p></office:text></office:body></office:document-content>"
        )
        return zip_of({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})
    tags = {"xml": "<d>{}</d>", "html": "<html><body><p>{}</p></body></html>"}
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"><text>{}</text></svg>'
    return (head + tags.get(kind, drawing).format("Before. &g;")).encode()


ENTITY_BOMBS: Final[dict[str, Callable[[], bytes]]] = {
    f"{name}.{kind}": partial(_entities, head, kind)
    for name, head in (("bomb", _ENTITIES), ("outside", _OUTSIDE))
    for kind in ("docx", "odt", "xml", "html", "svg")
}
"""Files of several kinds whose entities stand for gigabytes, or for a file of the server."""


def overlapping_zip(files: int, size: int) -> bytes:
    """Returns a ZIP archive whose list names one packed file many times, to unpack to far more than it holds."""
    whole = zip_of({"word/document.xml": bytes(size)})
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        start = archive.start_dir
        (entry,) = archive.infolist()
    directory = whole[start : whole.rindex(b"PK\x05\x06")]
    name = entry.filename.encode()
    listed = b"".join(directory.replace(name, f"{number:05}".encode() + name[5:]) for number in range(files))
    end = b"PK\x05\x06\0\0\0\0" + files.to_bytes(2, "little") * 2
    return whole[:start] + listed + end + len(listed).to_bytes(4, "little") + start.to_bytes(4, "little") + b"\0\0"


def nested_mail(depth: int) -> bytes:
    """Returns a mail that holds a mail that holds a mail, and so on."""
    inner = EmailMessage()
    inner["Subject"] = "0"
    inner.set_content("The innermost mail.")
    for number in range(1, depth):
        outer = EmailMessage()
        outer["Subject"] = str(number)
        outer.set_content(f"Mail {number}.")
        outer.add_attachment(inner)
        inner = outer
    return bytes(inner)


def multipart_bomb(depth: int) -> bytes:
    """Returns a mail of containers within containers."""
    head = "".join(
        f"--b{number}\r\nContent-Type: multipart/mixed; boundary=b{number + 1}\r\n\r\n" for number in range(depth)
    )
    return f"Subject: x\r\nContent-Type: multipart/mixed; boundary=b0\r\n\r\n{head}--b{depth}\r\n\r\nText.".encode()


def many_pages(count: int) -> bytes:
    """Returns a PDF of many pages, all of which show the same few words."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]
    objects.append(b"<</Length 44>>stream\nBT /F1 12 Tf 72 720 Td (A page of rules.) Tj ET \nendstream")
    objects.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<</Font<</F1 4 0 R>>>>>>"
    objects += [page] * count
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 5 + count))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%b]>>" % (count, kids)
    body, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(body)


def cyclic_pdf() -> bytes:
    """Returns a PDF whose page tree holds itself."""
    return many_pages(1).replace(b"/Kids[5 0 R]", b"/Kids[2 0 R]")


def _pdf() -> bytes:
    return many_pages(3)


def _text() -> bytes:
    return word_file(_WORD.format(_PARAGRAPH.format("A rule.")))


REFUSED: Final[dict[str, tuple[Callable[[], bytes], str]]] = {
    "wrong-sizes.zip": (lambda: zip_with_wrong_sizes(1000), "pack it again"),
    "overlapping.zip": (lambda: overlapping_zip(500, 8 * 1024**2), "too much to read"),
    "many.tar": (lambda: tar_of({f"{number}.txt": b"x" for number in range(1001)}, "w"), "unpack it and upload these"),
    "encrypted.zip": (encrypted_zip, "password-protected: unpack it"),
    "encrypted.docx": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "remove the password"),
    "truncated.pdf": (lambda: _pdf()[:200], "open it, save it again"),
    "truncated.docx": (lambda: _text()[:-40], "open it, save it again"),
    "truncated.tar.gz": (lambda: tar_of({"a.txt": b"text" * 1000})[:60], "pack it again"),
    "cycle.pdf": (cyclic_pdf, "."),
    "program.pdf": (lambda: b"\x7fELF" + bytes(100), "a program, not a document"),
    "noise.pdf": (lambda: b"%PDF-1.7\n" + bytes(range(256)) * 20, "open it, save it again"),
    "noise.txt": (lambda: bytes(range(256)) * 20, "Save it as PDF"),
    "empty.docx": (lambda: b"", "empty"),
}
"""Files that cannot be read: how they are made, and a part of what people are told."""

MISLABELLED: Final[dict[str, tuple[str, Callable[[], bytes], str]]] = {
    "text.pdf": ("application/pdf", lambda: b"Plain words.", "Plain words."),
    "paper.txt": ("text/plain", lambda: many_pages(2), "A page of rules."),
    "picture.png": ("image/png", lambda: word_file(_WORD.format(_PARAGRAPH.format("A rule."))), "A rule."),
    "sheet.xlsx": ("application/zip", lambda: zip_of({"note.txt": "A note."}), "note.txt"),
    "page.docx": ("text/html", lambda: b"<html><body><p>A page.</p></body></html>", "A page."),
}
"""Readable files by a false name: a false type, how they are made, and a part of their text."""
