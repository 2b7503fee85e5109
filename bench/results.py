"""Results files: one JSON for programs and one Markdown for people, beside each other in `bench/results/`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent / "results"

Cell = str | int | float | None


def table(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Returns a Markdown table; figures are rounded to about three significant digits."""
    lines = [_line(head), "|" + "---|" * len(head)]
    lines += [_line([_text(cell) for cell in row]) for row in rows]
    return "\n".join(lines) + "\n"


def share(part: int, whole: int) -> str:
    """Returns how many of a number have a property, as a percentage; empty for none of none."""
    return f"{100 * part / whole:.1f} %" if whole else ""


def write(name: str, title: str, data: Mapping[str, object], text: str, folder: Path | None = None) -> None:
    """Writes `NAME.json` and `NAME.md`, and prints the text.

    Args:
        name: Stem of the files.
        title: Heading of the Markdown file.
        data: Everything that was measured.
        text: The same as tables.
        folder: Folder of the files; `bench/results` by default.
    """
    folder = folder or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    page = f"# {title}\n\n{text.rstrip()}\n"
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(page, encoding="utf-8")
    print(page)
    print(f"Written: {folder / name}.json and .md")


def machine_line(machine: Mapping[str, object]) -> str:
    """Returns the machine in a sentence."""
    return (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, "
        f"Python {machine['python']}."
    )


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        size = abs(cell)
        return f"{cell:.0f}" if size >= 100 else f"{cell:.1f}" if size >= 1 else f"{cell:.2f}"
    return str(cell)
