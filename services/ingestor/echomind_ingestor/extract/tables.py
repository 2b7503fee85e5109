"""Tables as lines with cell labels, as a passage may start far below the heading row."""

import re
from collections.abc import Iterable, Iterator, Sequence

from echomind_ingestor.extract.sheets import rows_text

_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_WORDS = re.compile(r"\S+")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


def label_rows(text: str) -> str:
    """Returns Markdown whose tables are lists of rows, such as `- City: Oslo; Limit: 200`. Code is unchanged."""
    return "\n".join(_labelled(text.split("\n")))


def replace_tables(text: str, tables: Iterable[Sequence[Sequence[str]]]) -> str:
    """Returns a plain text with labelled rows for its tables, which the parser returns separately.

    Args:
        text: The text, with a table's rows as lines of cells separated by spaces or tabs.
        tables: Rows of cells of each table; tables that are not found in the text are ignored.
    """
    words = list(_WORDS.finditer(text))
    plain = [word.group() for word in words]
    replaced: dict[int, tuple[int, str]] = {}
    taken = bytearray(len(words))
    for cells in tables:
        names = [word for row in cells for cell in row for word in cell.split()]
        if (first := _find(names, plain, taken)) is not None:
            end = first + len(names)
            taken[first:end] = b"\1" * len(names)
            replaced[first] = (end, rows_text(cells))
    parts, position = [], 0
    for first, (end, rows) in sorted(replaced.items()):
        parts += [text[position : words[first].start()], rows]
        position = words[end - 1].end()
    return "".join([*parts, text[position:]])


def _find(names: Sequence[str], words: Sequence[str], taken: bytearray) -> int | None:
    """Returns where some words begin in a text; None if they do not stand together in a part that is free."""
    count = len(names)
    start = -1
    while count:
        try:
            start = words.index(names[0], start + 1, max(0, len(words) - count + 1))
        except ValueError:
            return None
        is_likely = words[start : start + min(4, count)] == names[:4]  # cheap, as the first word may be frequent
        if is_likely and words[start : start + count] == names and not any(taken[start : start + count]):
            return start
    return None


def _labelled(lines: Sequence[str]) -> Iterator[str]:
    fence, number = "", 0
    while number < len(lines):
        line = lines[number]
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        names = [] if fence else _cells(line)
        if len(names) < 2 or number + 1 == len(lines) or len(_cells(lines[number + 1])) != len(names):
            names = []
        if not names or not _RULE.fullmatch(lines[number + 1]):
            yield line
            number += 1
            continue
        number += 2
        while number < len(lines) and (cells := _cells(lines[number])):
            named = zip(names, cells, strict=False)
            if row := "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell):
                yield f"- {row}"
            number += 1


def _cells(line: str) -> list[str]:
    """Returns the cells of a table row; empty for another line."""
    if "|" not in line:
        return []
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(inner)]
