"""The order of slides, which is not that of their files, and diagrams on them as tables.

A table has a row for each category, with a column for each series.
"""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

_MAX_XML = 16 * 1024**2
"""Bytes of a part, unpacked, up to which it is read."""
_MAX_CHARTS = 50
"""Diagrams of a slide that are read."""
_MAX_POINTS = 2000
"""Categories of a diagram that are read."""
PAGE_MARK = re.compile("\ue000(\\d{1,9})\ue001\\s*")
"""What stands before each page or slide in the text of the parser."""
_SLIDE_FILE = re.compile(r"ppt/slides/slide(\d{1,6})\.xml")
_MAIN = "ppt/presentation.xml"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHART = "/chart"
_DAMAGED = (zipfile.BadZipFile, etree.LxmlError, KeyError, OSError, ValueError, RuntimeError, EOFError)

Table = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Slide:
    """A slide of a presentation."""

    file: int
    """Its place in the order of the slides' files, from 1."""
    charts: Sequence[tuple[str, Table]]
    """Title and rows of its diagrams: those that the program stored with them."""


def slides_of(data: bytes) -> list[Slide]:
    """Returns the slides of a presentation in the order in which they are shown; empty if that cannot be read.

    Args:
        data: A PPTX file that another library has read.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            files = sorted(
                (int(match[1]), name)
                for name in archive.namelist()
                if (match := _SLIDE_FILE.fullmatch(name)) is not None
            )
            places = {name: place for place, (_, name) in enumerate(files, start=1)}
            has_charts = any(name.startswith("ppt/charts/") for name in archive.namelist())
            targets = dict(_relations(archive, _MAIN))
            names = [targets[each.get(f"{_R}id")] for each in _part(archive, _MAIN).iter("{*}sldId")]
            return [Slide(places[name], _charts(archive, name) if has_charts else ()) for name in names]
    except _DAMAGED:
        return []


def in_order(text: str, slides: Sequence[Slide], shown: Callable[[str, Table], str]) -> str:
    """Returns the text of a presentation with its slides in order, each followed by its diagrams.

    Args:
        text: The text in the order of the slides' files, with a mark before each.
        slides: The slides in order; the text stays as it is if it has others.
        shown: Returns a diagram as text, of its title and its rows.
    """
    pieces = PAGE_MARK.split(text)
    by_file = dict(zip(map(int, pieces[1::2]), pieces[2::2], strict=True))
    if not slides or sorted(by_file) != sorted(slide.file for slide in slides):
        return text
    parts = [pieces[0]]
    for number, slide in enumerate(slides, start=1):
        charts = [shown(title, rows) for title, rows in slide.charts]
        parts += [f"\n\n\ue000{number}\ue001\n\n", "\n\n".join([by_file[slide.file], *charts])]
    return "".join(parts)


def _charts(archive: zipfile.ZipFile, slide: str) -> list[tuple[str, Table]]:
    if f"ppt/slides/_rels/{posixpath.basename(slide)}.rels" not in archive.namelist():
        return []
    parts = [target for _, target in _relations(archive, slide, _CHART)]
    tables = [_table(_part(archive, part)) for part in parts[:_MAX_CHARTS]]
    return [(title, rows) for title, rows in tables if rows]


def _relations(archive: zipfile.ZipFile, part: str, kind: str = "") -> Iterator[tuple[str, str]]:
    """Yields id and path of the parts that a part refers to, of one kind."""
    folder, name = posixpath.split(part)
    for each in _part(archive, f"{folder}/_rels/{name}.rels"):
        if each.get("Type", "").endswith(kind) and each.get("TargetMode") != "External":
            # A path from the root stays as it is when it is joined.
            target = posixpath.normpath(posixpath.join(f"/{folder}", each.get("Target", "")))
            yield each.get("Id", ""), target.lstrip("/")


def _part(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > _MAX_XML:
        raise ValueError(name)
    with archive.open(name) as source:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        return etree.fromstring(source.read(_MAX_XML), parser)


def _table(chart: Any) -> tuple[str, Table]:
    """Returns title and rows of a diagram; no rows if it has no values."""
    title = chart.find(f".//{_C}chart/{_C}title")
    named = "" if title is None else " ".join("".join(each.itertext()) for each in title.iter(f"{_A}t"))
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in chart.iter(f"{_C}ser"):
        points = _points(series, "val") or _points(series, "yVal")
        if not points:
            continue
        names.append(_points(series, "tx").get(0) or f"Series {len(names) + 1}")
        columns.append(points)
        categories |= _points(series, "cat") or _points(series, "xVal")
    indexes = sorted({index for points in columns for index in points})[:_MAX_POINTS]
    rows = [
        [categories.get(index, str(index + 1)), *(points.get(index, "") for points in columns)] for index in indexes
    ]
    return named, [["Category", *names], *rows] if rows else []


def _points(series: Any, name: str) -> dict[int, str]:
    """Returns the stored values of a part of a series, by index."""
    part = series.find(f"{_C}{name}")
    points = [] if part is None else part.iter(f"{_C}pt")
    return {int(point.get("idx")): (point.findtext(f"{_C}v") or "").strip() for point in points}
