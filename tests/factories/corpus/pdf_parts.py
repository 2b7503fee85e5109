"""What the PDFs of the corpus are made with."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.platypus import (  # type: ignore[import-untyped]
    BaseDocTemplate,
    Flowable,
    Frame,
    PageTemplate,
    Paragraph,
)

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
"""A font with Hebrew and Arabic letters; a subset of it is in the files."""
STYLES = getSampleStyleSheet()
PROSE = tuple(
    f"Remark {number}: the harbour office keeps the berths in the order in which the ships arrive, day and night."
    for number in range(14)
)


def h1(text: str) -> Paragraph:
    return Paragraph(text, STYLES["Heading1"])


def h2(text: str) -> Paragraph:
    return Paragraph(text, STYLES["Heading2"])


def p(text: str) -> Paragraph:
    return Paragraph(text, STYLES["BodyText"])


def build(
    story: Sequence[Flowable],
    *,
    size: tuple[float, float] = A4,
    frames: Sequence[Frame] = (),
    on_page: Callable[[Any, Any], None] | None = None,
) -> bytes:
    buffer = io.BytesIO()
    document = BaseDocTemplate(buffer, pagesize=size, invariant=1)
    whole = Frame(60, 60, size[0] - 120, size[1] - 120)
    document.addPageTemplates(PageTemplate(frames=list(frames) or [whole], onPage=on_page or _nothing))
    document.build(list(story))
    return buffer.getvalue()


def _nothing(canvas: Any, document: Any) -> None:
    """Draws nothing around the text of a page."""
