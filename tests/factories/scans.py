"""Images of pages as scanners make them, small enough to be recognised quickly."""

import io
from collections.abc import Sequence
from pathlib import Path

import reportlab  # type: ignore[import-untyped]
from PIL import Image, ImageDraw, ImageFont

_FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
WIDTH = 900
"""Pixels."""


def scanned_page(
    lines: Sequence[str] = (), table: Sequence[Sequence[str]] = (), *, angle: float = 0.0, columns: Sequence[int] = ()
) -> Image.Image:
    """Returns an image of lines of text, and of a table below them.

    Args:
        lines: The lines.
        table: The rows of the table.
        angle: Degrees by which the page lies askew.
        columns: The left edges of the table's columns in pixels.
    """
    font = ImageFont.truetype(_FONT, 24)
    page = Image.new("L", (WIDTH, 80 + 44 * (len(lines) + len(table))), 250)
    draw = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        draw.text((40, 30 + 44 * number), line, fill=20, font=font)
    for number, row in enumerate(table, start=len(lines)):
        for left, cell in zip(columns, row, strict=True):
            draw.text((left, 50 + 44 * number), cell, fill=20, font=font)
    return page.rotate(angle, fillcolor=250)


def image_file(pages: Sequence[Image.Image], kind: str) -> bytes:
    """Returns pages as a file: `PNG` or `JPEG` for one, `TIFF` or `PDF` for several."""
    buffer = io.BytesIO()
    if kind in {"TIFF", "PDF"}:
        packed = {"compression": "tiff_adobe_deflate"} if kind == "TIFF" else {}
        pages[0].save(buffer, kind, save_all=True, append_images=list(pages[1:]), **packed)
    else:
        pages[0].save(buffer, kind)
    return buffer.getvalue()
