"""E-mails in the form that the parser reads: their headers and texts in UTF-8."""

import email.policy
import re
from email.message import EmailMessage
from email.parser import BytesParser

from echomind_ingestor.extract.decode import decode, encoding_of

_READ = re.compile(r"utf-?8|us-ascii|iso-8859-1|windows-125[12]|koi8-r", re.IGNORECASE)
"""Encodings that the parser knows."""
_STATED = re.compile(rb"charset=[\"']?([\w.:-]{2,40})|=\?([\w.:-]{2,40})\?[bq]\?", re.IGNORECASE)
_HEADERS = ("subject", "from", "to", "cc", "bcc", "reply-to")
_DAMAGED = (LookupError, ValueError, TypeError, AttributeError)
"""What Python's e-mail package raises for parts that are not what they state."""


def parse_mail(data: bytes) -> EmailMessage:
    """Returns an e-mail, parsed."""
    return BytesParser(EmailMessage, policy=email.policy.default).parsebytes(data)


def formatted_body(data: bytes) -> str:
    """Returns the text of an e-mail as HTML; empty if it has it as plain text, too, or not at all."""
    try:
        body = parse_mail(data).get_body(("plain", "html"))
        is_page = isinstance(body, EmailMessage) and body.get_content_type() == "text/html"
        return _text_of(body) if is_page and isinstance(body, EmailMessage) else ""
    except _DAMAGED:
        return ""


def in_utf8(data: bytes) -> bytes:
    """Returns an e-mail with its headers and texts in UTF-8, or as it is if it has no other encoding than known ones.

    The parser reads few encodings: those of Chinese, Japanese and Korean become other characters, and texts that
    state none, too. An e-mail that Python cannot write again stays as it is.
    """
    stated = {(found[0] or found[1]).decode("ascii") for found in _STATED.findall(data)}
    if all(map(_READ.fullmatch, stated)) and (stated or data.isascii()) and not _has_shifts(data):
        return data
    message = parse_mail(data)
    try:
        for name in _HEADERS:
            if values := message.get_all(name):
                del message[name]
                message[name] = ", ".join(str(value) for value in values)
        for part in message.walk():
            if part.get_content_maintype() == "text" and not part.get_filename():
                text = _text_of(part)
                part.set_content(text, subtype=part.get_content_subtype(), charset="utf-8", cte="base64")
        return bytes(message)
    except _DAMAGED:
        return data


def _has_shifts(data: bytes) -> bool:
    return b"\x1b$" in data


def _text_of(part: EmailMessage) -> str:
    """Returns the text of a part, in the encoding that it states, or else in the one that it is likely in."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    encoding = encoding_of(str(part.get_content_charset("")))
    if encoding and encoding != "cp1252":
        return content.decode(encoding, "replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode(encoding, "replace") if encoding else decode(content) or ""
