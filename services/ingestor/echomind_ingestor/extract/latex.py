"""LaTeX as Markdown: sections, lists, tables and code, without commands that only change how a text looks.

Words are kept: the arguments of commands that are not known stay, and formulas as they are written.
"""

import re
import unicodedata

from echomind_ingestor.extract.markup import table

_COMMENT = re.compile(r"(?<!\\)%.*")
_CODE = re.compile(
    r"\\begin\{(?P<name>verbatim\*?|lstlisting|minted)\}(?:\[[^\]\n]{0,200}\])?(?:\{\w+\})?(?P<code>(?:(?!\\begin\{(?P=name)\}).)*?)\\end\{(?P=name)\}",
    re.DOTALL,
)
_TABLE = re.compile(
    r"\\begin\{(?P<name>tabularx?\*?|longtable)\}(?:\{[^{}]*\})?(?:\[[^\]\n]{0,200}\])?\{(?:[^{}]|\{[^{}]*\})*\}"
    r"(?P<rows>(?:(?!\\begin\{(?P=name)\}).)*?)\\end\{(?P=name)\}",
    re.DOTALL,
)
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot)\b|\\c(?:line|midrule)\{[^}]*\}"
)
_DEFINED = re.compile(r"\\(?:re)?newcommand\*?\{?\\(?P<name>[A-Za-z]+)\}?\{(?P<text>[^{}\n]*)\}")
_TITLE = re.compile(r"\\title(?:\[[^\]\n]{0,200}\])?\{((?:[^{}]|\{[^{}]*\})*)\}")
_SECTION = re.compile(
    r"\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\]\n]{0,200}\])?\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_LEVELS = {
    "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
}  # fmt: skip
_LEFT_OUT = re.compile(
    r"\\(?:label|ref|eqref|pageref|includegraphics|usepackage|documentclass|bibliography|bibliographystyle|vspace|hspace"
    r"|input|include|pagestyle|setlength|newcommand|renewcommand|centering|maketitle|tableofcontents)\*?(?![A-Za-z])"
    r"(?:\[[^\]\n]{0,200}\])?(?:\{[^{}\n]*\})*"
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{(?!equation|align|gather|math)[A-Za-z]+\*?\}(?:\[[^\]\n]{0,200}\])?")
_HREF = re.compile(r"\\href\{([^{}\n]*)\}\{([^{}\n]*)\}")
_CITE = re.compile(r"~?\\cite\w*(?:\[[^\]\n]{0,200}\])*\{([^{}\n]*)\}")
_FOOTNOTE = re.compile(r"\\footnote\{((?:[^{}]|\{[^{}]*\})*)\}")
_MATHS = re.compile(
    r"(?<!\\)\$\$.*?(?<!\\)\$\$|(?<!\\)\$[^$\n]+(?<!\\)\$|\\\[(?:(?!\\\[).)*?\\\]|\\begin\{(equation|align|gather)\*?\}(?:(?!\\begin\{\1).)*?\\end\{\1\*?\}",
    re.DOTALL,
)
_ACCENT = re.compile(
    r"\\(?P<mark>[\"'`^~=.])\s?\{?\\?(?P<letter>[A-Za-z])\}?|\\(?P<named>[cvuHk])\{(?P<other>[A-Za-z])\}"
)
_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328",
}  # fmt: skip
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L)(?![A-Za-z])(?:\{\}| )?")
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
}  # fmt: skip
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\]\n]{0,200}\])?(?:\{\}|(?=\{)|[ \t]?)")
_SIGN = re.compile(r"\\([%$&_#{}])")
_HELD = re.compile("\ue000(\\d+)\ue001")


def from_latex(text: str) -> str:
    """Returns a text in LaTeX as Markdown."""
    held: list[str] = []

    def hold(written: str) -> str:
        """Keeps what must not be changed further; returns what stands in its place."""
        held.append(written)
        return f"\ue000{len(held) - 1}\ue001"

    text = _CODE.sub(lambda code: hold(f"\n\n```\n{code['code'].strip(chr(10))}\n```\n\n"), text)
    text = _COMMENT.sub("", text)
    defined = {found["name"]: found["text"] for found in _DEFINED.finditer(text)}
    title = _TITLE.search(text)
    before, begins, body = text.partition(r"\begin{document}")
    text = f"# {title[1]}\n\n{body}" if begins and title else body if begins else _TITLE.sub(r"# \1", before)
    text = text.partition(r"\end{document}")[0]
    for name, written in defined.items():
        text = re.sub(rf"\\{name}(?![A-Za-z])(?:\{{\}})?", lambda _, written=written: written, text)  # type: ignore[misc]
    text = _MATHS.sub(lambda formula: hold(formula[0]), text)
    text = _TABLE.sub(lambda found: _table(found["rows"]), text)
    text = _SECTION.sub(lambda found: f"\n\n{'#' * _LEVELS[found[1]]} {found[2]}\n\n", text)
    text = _HREF.sub(r"[\2](\1)", _CITE.sub(r" [\1]", _FOOTNOTE.sub(r" (\1)", text)))
    text = _ENVIRONMENT.sub("\n", _LEFT_OUT.sub("", text))
    text = re.sub(
        r"[ \t]*\\item(?:\[([^\]\n]{0,200})\])?[ \t]*", lambda item: f"\n- {item[1] or ''} ".rstrip() + " ", text
    )
    text = _LETTER.sub(lambda letter: _LETTERS[letter[1]], _ACCENT.sub(_accented, text))
    text = re.sub(r"\\[,;:! ]|(?<!\\)~", " ", text.replace(r"\\", "\n").replace("``", "“").replace("''", "”"))
    text = _SIGN.sub(lambda sign: hold(sign[1]), text)
    text = re.sub(r"[{}]", "", _COMMAND.sub("", text))
    return _HELD.sub(lambda place: held[int(place[1])], text)


def _table(written: str) -> str:
    rows = [
        [" ".join(cell.split()) for cell in re.split(r"(?<!\\)&", row)] for row in _RULES.sub("", written).split(r"\\")
    ]
    return "\n" + "\n".join(table([row for row in rows if any(row)])) + "\n"


def _accented(found: re.Match[str]) -> str:
    letter, mark = found["letter"] or found["other"], _MARKS[found["mark"] or found["named"]]
    return unicodedata.normalize("NFC", letter + mark)
