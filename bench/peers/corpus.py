"""Makes a corpus to ingest from English prose that a machine has anyway.

    python corpus.py --out DIR [--documents 500] [--words 1500] [--from DIR ...]

Paragraphs are taken from the running Python's docstrings and from text files under --from, such as the system's
/usr/share/doc; they are deduplicated, shuffled with a fixed seed and packed into Markdown and text files of about so
many words. When they run out they are used again in another order. Prints {"documents", "words", "bytes", ...}.
"""

import argparse
import ast
import gzip
import json
import random
import re
import sysconfig
from pathlib import Path

SEED = 7
LARGEST_SOURCE = 2_000_000
TEXT_NAME = re.compile(r"(\.txt|\.md|\.rst|\.html?|README|NEWS|copyright|FAQ|\.gz)")


def prose(text):
    """The paragraphs of a text that read like English prose."""
    for block in re.split(r"\n\s*\n", text):
        paragraph = " ".join(block.split())
        words = paragraph.split()
        if not 15 <= len(words) <= 250:
            continue
        letters = sum(letter.isalpha() or letter == " " for letter in paragraph)
        if letters / len(paragraph) > 0.88 and re.search(r"\b(the|is|are|of|to)\b", paragraph):
            yield paragraph


def docstrings():
    for file in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        try:
            tree = ast.parse(file.read_text("utf-8", "ignore"))
        except (SyntaxError, ValueError, OSError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield ast.get_docstring(node) or ""


def texts_below(folder):
    for file in sorted(Path(folder).rglob("*")):
        if not file.is_file() or file.is_symlink() or file.stat().st_size > LARGEST_SOURCE:
            continue
        if not TEXT_NAME.search(file.name) or "changelog" in file.name.lower():
            continue
        try:
            if file.suffix == ".gz":
                with gzip.open(file, "rt", errors="ignore") as opened:
                    text = opened.read()
            else:
                text = file.read_text("utf-8", "ignore")
        except (OSError, EOFError, UnicodeError):
            continue
        yield re.sub(r"<[^>]+>", " ", text)


def collect(folders, wanted):
    """Distinct paragraphs with about so many words in all, fewer when there are no more."""
    seen, paragraphs, words = set(), [], 0
    sources = [docstrings, *(lambda folder=folder: texts_below(folder) for folder in folders)]
    for source in sources:
        for text in source():
            for paragraph in prose(text):
                if (key := paragraph[:120].lower()) not in seen:
                    seen.add(key)
                    paragraphs.append(paragraph)
                    words += len(paragraph.split())
            if words > wanted:
                return paragraphs
    return paragraphs


def endless(paragraphs, order):
    while True:
        order.shuffle(paragraphs)
        yield from paragraphs


def main():
    parser = argparse.ArgumentParser(description="Makes a corpus to ingest.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--words", type=int, default=1500, help="of a document, about")
    parser.add_argument("--from", dest="folders", action="append", default=[])
    arguments = parser.parse_args()
    paragraphs = collect(arguments.folders, arguments.documents * arguments.words)
    source = endless(paragraphs, random.Random(SEED))
    arguments.out.mkdir(parents=True, exist_ok=True)
    words = size = 0
    for number in range(arguments.documents):
        is_markdown = number % 2 == 0
        title = f"Document {number}"
        parts, length = [f"# {title}" if is_markdown else title], 0
        while length < arguments.words:
            paragraph = next(source)
            if is_markdown and len(parts) % 6 == 1:
                parts.append("## " + " ".join(paragraph.split()[:6]).strip(".,:;"))
            parts.append(paragraph)
            length += len(paragraph.split())
        body = "\n\n".join(parts) + "\n"
        (arguments.out / f"doc{number:05}.{'md' if is_markdown else 'txt'}").write_text(body, "utf-8")
        words += length
        size += len(body)
    print(json.dumps({"documents": arguments.documents, "words": words, "bytes": size, "paragraphs": len(paragraphs)}))


if __name__ == "__main__":
    main()
