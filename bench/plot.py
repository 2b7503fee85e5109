"""A line drawing as SVG, without a library: enough for "does it stay flat"."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 50
_COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df")
_TICKS = 5


def draw(file: Path, title: str, across: str, up: str, lines: Mapping[str, Points]) -> None:
    """Writes a drawing; both axes begin at zero.

    Args:
        file: Where to.
        title: What it shows.
        across: What is on the horizontal axis.
        up: What is on the vertical axis.
        lines: Points `(x, y)` of each line, by name.
    """
    right = max(x for points in lines.values() for x, _ in points) or 1.0
    top = 1.15 * max(y for points in lines.values() for _, y in points) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + x / right * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - y / top * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = [_text(_WIDTH / 2, 20, title, 15), _text(_WIDTH / 2, _HEIGHT - 10, across, 12)]
    parts.append(f'<g transform="rotate(-90 16 {_HEIGHT / 2})">{_text(16, _HEIGHT / 2, up, 12)}</g>')
    for tick in range(_TICKS + 1):
        x, y = right * tick / _TICKS, top * tick / _TICKS
        (left, level), (column, floor) = place(0, y), place(x, 0)
        parts.append(f'<path d="M{left:.1f} {level:.1f}H{_WIDTH - _RIGHT}" stroke="#d0d7de"/>')
        parts.append(_text(left - 26, level + 4, _figure(y), 11))
        parts.append(_text(column, floor + 16, _figure(x), 11))
    for number, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        parts.append(f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(_LEFT + 90 + 140 * number, 36, f"— {name}", 12, colour))
    body = "\n".join(parts)
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n{body}\n</svg>\n',
        encoding="utf-8",
    )


def _text(x: float, y: float, text: str, size: int, colour: str = "#1f2328") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" fill="{colour}">{escape(text)}</text>'
    )


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.1f}"
