"""Images and pages as pixels."""

import warnings
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, ImageSequence

from echomind_ingestor.extract.layout import render

_DPI = 150
_LONGEST_SIDE = 2000
"""Pixels; larger images are scaled down, which limits memory and keeps letters of 8 points legible on A4."""
_MAX_PIXELS = 120_000_000
"""Pixels of an image before it is scaled down, 360 MB."""
FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
"""The image formats that are read; others would reach rarely used decoders."""


class UnreadableImageError(Exception):
    """An image is damaged or too large."""


def frames_of(data: bytes) -> int:
    """Returns the number of pages of an image file: those of a TIFF, 1 for other formats.

    Raises:
        UnreadableImageError: It is damaged, or of another format.
    """
    with _opened(data) as image:
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


def page_image(data: bytes, page: int, *, is_pdf: bool) -> NDArray[np.uint8]:
    """Returns a page of a file as pixels: rows, columns, and blue, green, red.

    Args:
        data: The file.
        page: Number of the page, starting at 1.
        is_pdf: Whether it is a PDF; otherwise it is an image.

    Raises:
        UnreadableImageError: It is damaged or too large, or has no such page.
    """
    if is_pdf:
        try:
            data, page = render(data, page, dpi=_DPI), 1
        except ValueError as error:
            raise UnreadableImageError(str(error)) from error
    try:
        with _opened(data) as image:
            frame = next(each for number, each in enumerate(ImageSequence.Iterator(image), start=1) if number == page)
            if frame.width * frame.height > _MAX_PIXELS:
                raise UnreadableImageError("too many pixels")
            frame.draft("RGB", (_LONGEST_SIDE, _LONGEST_SIDE))
            upright = ImageOps.exif_transpose(frame) or frame
            upright.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
            return np.ascontiguousarray(np.asarray(_opaque(upright))[:, :, ::-1])
    except (OSError, ValueError, SyntaxError, StopIteration, Image.DecompressionBombError) as error:
        raise UnreadableImageError(str(error)) from error


def _opaque(image: Image.Image) -> Image.Image:
    """Returns an image on white, as transparent pixels may have the colour of the letters."""
    if image.mode not in {"RGBA", "LA", "PA"} and "transparency" not in image.info:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    ground = Image.new("RGB", layer.size, "white")
    ground.paste(layer, mask=layer.getchannel("A"))
    return ground


def _opened(data: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large images, which are checked where they are decoded
            return Image.open(BytesIO(data), formats=FORMATS)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnreadableImageError(str(error)) from error
