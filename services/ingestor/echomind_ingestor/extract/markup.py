"""Texts in reStructuredText, AsciiDoc and Org as Markdown.

Headings, tables, code and lists are converted, and marks of links and roles are removed. What is not known stays as it
is written, so that no words are lost.
"""

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

_RST_ADORNMENT = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}[ \t]*$")
_RST_DIRECTIVE = re.compile(r"\.\.[ \t]+(?P<name>[\w:-]+)::[ \t]*(?P<rest>.*)$")
_RST_NOTE = re.compile(r"\.\.[ \t]+(\[[^\]\n]+\][ \t]+\S.*)$")
_RST_COMMENT = re.compile(r"\.\.(?:[ \t]|$)")
_RST_CODE = frozenset({"code", "code-block", "sourcecode", "highlight", "parsed-literal", "prompt"})
_RST_LEFT_OUT = frozenset({"toctree", "contents", "image", "figure", "index", "highlight", "include", "currentmodule"})
_RST_OPTION = re.compile(r"[ \t]+:[\w -]+:(?:[ \t].*)?$")
_RST_ROLE = re.compile(r":[\w:-]+:`([^`<\n]*?)[ \t]*(?:<[^`\n]*>)?`")
_RST_LINK = re.compile(r"`([^`<\n]+?)[ \t]*<([^`\n>]+)>`__?")
_RST_LITERAL = re.compile(r"``([^`\n]+)``")
_RST_RULE = re.compile(r"={2,}(?:[ \t]+={2,})+[ \t]*$")
_GRID_RULE = re.compile(r"\+(?:[-=]+\+)+[ \t]*$")
_ADOC_HEADING = re.compile(r"(={1,6})[ \t]+(\S.*)$")
_ADOC_LEFT_OUT = re.compile(r"//|:[\w!-]+:|\[[^\]]*\]$|(?:={4,}|\*{4,}|_{4,}|\+|-{2}|<{3}|toc::\[\])[ \t]*$")
_ADOC_FENCE = re.compile(r"(?:-{4,}|\.{4,}|`{3,})[ \t]*\w*$")
_ADOC_LINK = re.compile(r"(?:link:|(?=https?://))([^\s\[\]]{1,500})\[([^\]\n]{1,300})\]")
_ADOC_REFERENCE = re.compile(r"<<[^,>\n]{1,200},[ \t]*([^>\n]{1,300})>>")
_ADOC_ITEM = re.compile(r"(\*{1,5}|\.{1,5}|-)[ \t]+(?=\S)")
_ORG_HEADING = re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*$")
_ORG_KEYWORD = re.compile(r"[ \t]*#\+(?P<name>\w+):?[ \t]*(?P<value>.*)$")
_ORG_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*$")
_ORG_LINK = re.compile(r"\[\[([^\]\n]+)\](?:\[([^\]\n]+)\])?\]")
_ORG_RULE = re.compile(r"[ \t]*\|-[-+|]*$")
_DEEPEST = 6


def from_rst(text: str) -> str:
    """Returns a text in reStructuredText as Markdown."""
    lines = text.split("\n")
    levels: list[tuple[str, bool]] = []
    written: list[str] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if (
            (over := _RST_ADORNMENT.match(line))
            and below.strip()
            and index + 2 < len(lines)
            and lines[index + 2].rstrip() == line.rstrip()
        ):
            written.append(_heading(below, levels, (over[1], True)))
            index += 3
        elif line[:1].strip() and not over and (under := _RST_ADORNMENT.match(below)) and not _RST_RULE.match(below):
            written.append(_heading(line, levels, (under[1], False)))
            index += 2
        elif _RST_RULE.match(line) or _GRID_RULE.match(line):
            end = _end_of_table(lines, index)
            rows = _grid_rows(lines[index:end]) if _GRID_RULE.match(line) else _simple_rows(lines[index:end])
            written += table(rows)
            index = end
        elif note := _RST_NOTE.match(line):
            written.append(_rst_inline(note[1]))
            index += 1
        elif (directive := _RST_DIRECTIVE.match(line)) or _RST_COMMENT.match(line):
            end = _end_of_block(lines, index + 1, 1)
            if directive:
                written += _directive(directive["name"], directive["rest"], lines[index + 1 : end])
            index = end
        else:
            written.append(_rst_inline(line))
            index += 1
            if line.rstrip().endswith("::") and (end := _end_of_block(lines, index, 1)) > index:
                written[-1] = written[-1].rstrip()[:-1]
                written += _fenced(lines[index:end])
                index = end
    return "\n".join(written)


def from_asciidoc(text: str) -> str:
    """Returns a text in AsciiDoc as Markdown."""
    written: list[str] = []
    fence, cells, columns = "", list[str](), 0
    in_table = False
    for line in text.split("\n"):
        stripped = line.strip()
        if fence:
            written.append("```" if stripped == fence else line)
            fence = "" if stripped == fence else fence
        elif stripped == "|===":
            if in_table and columns:
                written += table([cells[at : at + columns] for at in range(0, len(cells), columns)])
            in_table, cells, columns = not in_table, [], 0
        elif in_table:
            found = [_adoc_inline(cell.strip()) for cell in line.split("|")[1:]]
            columns = columns or len(found)
            cells += found
            if not found and stripped and cells:
                cells[-1] += f" {stripped}"
        elif _ADOC_FENCE.match(stripped):
            written.append("```")
            fence = stripped
        elif heading := _ADOC_HEADING.match(line):
            written.append(f"{'#' * len(heading[1])} {heading[2]}")
        elif not _ADOC_LEFT_OUT.match(stripped):
            item = _ADOC_ITEM.match(line)
            mark = "" if item is None else "1. " if item[1][0] == "." else "- "
            written.append(mark + _adoc_inline(line[item.end() if item else 0 :].removeprefix(".")))
    return "\n".join([*written, *(["```"] if fence else []), *(cells if in_table else [])])


def from_org(text: str) -> str:
    """Returns a text in Org as Markdown."""
    written: list[str] = []
    fence = ""
    for line in text.split("\n"):
        keyword = _ORG_KEYWORD.match(line)
        if fence:
            is_end = keyword is not None and keyword["name"].lower() == f"end_{fence}"
            written.append("```" if is_end else line)
            fence = "" if is_end else fence
        elif keyword:
            name = keyword["name"].lower()
            if name in ("begin_src", "begin_example"):
                fence = name.removeprefix("begin_")
                written.append("```")
            elif name in ("title", "caption"):
                written.append(f"# {keyword['value']}" if name == "title" else keyword["value"])
        elif heading := _ORG_HEADING.match(line):
            written.append(f"{'#' * min(len(heading[1]), _DEEPEST)} {_org_inline(heading[2])}")
        elif _ORG_RULE.match(line):
            written.append(line.replace("+", "|"))
        elif not _ORG_DRAWER.match(line):
            written.append(_org_inline(line))
    return "\n".join([*written, *(["```"] if fence else [])])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table in Markdown, whose first row has the names of the columns."""
    width = max(map(len, rows), default=0)
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return ["", *lines[:1], "|" + " --- |" * width, *lines[1:], ""] if lines else []


def _heading(title: str, levels: list[tuple[str, bool]], style: tuple[str, bool]) -> str:
    """Returns a heading, whose level is that of the first one with this adornment."""
    if style not in levels:
        levels.append(style)
    return f"{'#' * min(levels.index(style) + 1, _DEEPEST)} {_rst_inline(title.strip())}"


def _end_of_block(lines: Sequence[str], start: int, indent: int) -> int:
    """Returns the end of the indented lines from `start`, without empty ones at the end."""
    end = index = start
    while index < len(lines) and (not lines[index].strip() or lines[index][:indent].isspace()):
        index += 1
        end = index if lines[index - 1].strip() else end
    return end


def _end_of_table(lines: Sequence[str], start: int) -> int:
    """Returns the end of a table: the first empty line behind its last rule."""
    index = start
    while index < len(lines) and lines[index].strip():
        index += 1
    return index


def _directive(name: str, rest: str, body: Sequence[str]) -> Iterator[str]:
    inside = [line for line in body if not _RST_OPTION.match(line)]
    if name in _RST_CODE:
        yield from _fenced(inside)
    elif name == "list-table":
        yield rest
        yield from table(list(_listed_rows(inside)))
    elif name not in _RST_LEFT_OUT:
        yield f"{name.capitalize()}: {rest}".rstrip(" ") if rest else f"{name.capitalize()}:"
        yield from_rst(dedent("\n".join(inside)))


def _fenced(lines: Sequence[str]) -> list[str]:
    return ["", "```", *dedent("\n".join(lines)).strip("\n").split("\n"), "```", ""]


def _listed_rows(lines: Sequence[str]) -> Iterator[list[str]]:
    row: list[str] = []
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("* -"):
            if row:
                yield row
            row = [_rst_inline(stripped[3:].strip())]
        elif stripped.startswith("- ") or stripped == "-":
            row.append(_rst_inline(stripped[1:].strip()))
        elif stripped and row:
            row[-1] += f" {_rst_inline(stripped)}"
    if row:
        yield row


def _grid_rows(lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    begins = True
    for line in lines:
        if _GRID_RULE.match(line):
            begins = True
            continue
        cells = [_rst_inline(cell.strip()) for cell in line.strip().strip("|").split("|")]
        if begins or len(cells) != len(rows[-1]):
            rows.append(cells)
        else:
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
        begins = False
    return rows


def _simple_rows(lines: Sequence[str]) -> list[list[str]]:
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    ends: list[int | None] = [*starts[1:], None]
    return [
        [_rst_inline(line[start:end].strip()) for start, end in zip(starts, ends, strict=True)]
        for line in lines
        if not _RST_RULE.match(line)
    ]


def _rst_inline(line: str) -> str:
    return _RST_ROLE.sub(r"\1", _RST_LINK.sub(r"[\1](\2)", _RST_LITERAL.sub(r"`\1`", line)))


def _adoc_inline(line: str) -> str:
    return _ADOC_REFERENCE.sub(r"\1", _ADOC_LINK.sub(r"[\2](\1)", line))


def _org_inline(line: str) -> str:
    return _ORG_LINK.sub(lambda link: f"[{link[2]}]({link[1]})" if link[2] else link[1], line)
