"""Parsing by Kreuzberg, with one configuration, and its failures in words for users."""

import html
import re
from typing import Any

import kreuzberg
from kreuzberg.exceptions import KreuzbergError

from echomind_ingestor.extract import kinds
from echomind_ingestor.extract.decode import normalize
from echomind_ingestor.extract.result import UnreadableError
from echomind_lib.text import TITLE_CHARACTERS, single_line

_USELESS_TITLES = re.compile(
    r"(?i)(untitled|unbenannt|sans titre|sin título)\b.*|\(?(unspecified|anonymous)\)?|microsoft \w+ - .*"
    r"|.*\.(do[ct][xm]?|pdf|pp?[ot][txs][xm]?|xl[st][xm]?|od[tsp]|ot[tsp]|indd|qxd|pages|numbers|key)"
    # The names of templates, sheets and slides.
    r"|(power ?point[- ]?)?(presentation|präsentation|présentation|presentación)\s?\d*|(office|default) (theme|design)"
    r"|(document|dokument|documento|book|workbook|mappe|arbeitsmappe|classeur|libro|sheet|tabelle|blatt|feuil|hoja"
    r"|slide|folie)\s?\d*|normal|titel|title|.*\b(template|vorlage|modèle|plantilla)|(template|vorlage)\b.*"
)
"""Titles of files that programs wrote, or that stayed from the template."""


def parse(data: bytes, kind: str, output: str) -> Any:
    """Returns the result of Kreuzberg for a file.

    Args:
        data: The file.
        kind: Its MIME type.
        output: Form of the text: `plain` or `markdown`.

    Raises:
        UnreadableError: It cannot be read; the message says why and what to do.
    """
    config = kreuzberg.ExtractionConfig(  # type: ignore[call-arg]  # its stub lacks `disable_ocr`
        use_cache=False,
        disable_ocr=True,  # of attachments, which are documents of their own
        enable_quality_processing=False,
        output_format=output,
        pages=kreuzberg.PageConfig(
            extract_pages=True, insert_page_markers=True, marker_format="\n\n\ue000{page_num}\ue001\n\n"
        ),
        # `strip_repeating_text` would remove headings at the top of a page as running heads.
        content_filter=kreuzberg.ContentFilterConfig(
            include_headers=True, include_footers=True, strip_repeating_text=False
        ),
    )
    try:
        return kreuzberg.extract_bytes_sync(data, kind, config=config)
    except (KreuzbergError, OSError, ValueError, RuntimeError) as error:
        message = str(error).lower()
        if "password" in message or "encrypted" in message:
            what = "PDF" if kind == kinds.PDF else "document"
            raise UnreadableError(
                f"This {what} is password-protected: remove the password and upload it again."
            ) from error
        if "limit" in message:
            raise UnreadableError("This unpacks to more than can be read: divide it.") from error
        raise UnreadableError(
            "The file is damaged, or not what its name says: open it, save it again and upload it."
        ) from error


def title_of(result: Any) -> str:
    """Returns a file's own title; empty for none, or one that a program wrote."""
    metadata = result.metadata or {}
    title = single_line(html.unescape(str(metadata.get("title") or metadata.get("subject") or "")), TITLE_CHARACTERS)
    return "" if _USELESS_TITLES.fullmatch(title) else normalize(title)


def warnings_of(result: Any) -> tuple[str, ...]:
    """Returns notes about parts that could not be read."""
    return tuple(dict.fromkeys(warning.message for warning in result.processing_warnings))
