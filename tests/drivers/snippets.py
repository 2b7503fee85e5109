"""Snippets of the documentation, and how they are run.

A snippet whose fence has the word `run` after its language is run by tests. The others are in `NOT_RUN` of
`tests/docs/test_snippets.py`, each with its reason.
"""

import asyncio
import gc
import io
import re
import textwrap
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

_FENCE = re.compile(r"^( *)```([a-z]*)( run)?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Snippet:
    """A fenced block of a page.

    Attributes:
        page: The page's path from the root of the checkout.
        language: The word after the fence; empty for none.
        is_run: Whether tests run it.
        text: What is inside.
    """

    page: str
    language: str
    is_run: bool
    text: str

    @property
    def sets_variables(self) -> bool:
        """Whether it only sets variables for a start."""
        return all(re.match(r"(export )?ECHOMIND_[A-Z_]+=", line) for line in self.text.splitlines())

    def __str__(self) -> str:
        return f"{self.page}: {self.text.splitlines()[0]}"


def snippets(page: Path) -> list[Snippet]:
    """Returns the fenced blocks of a page, in order."""
    name = page.relative_to(ROOT).as_posix()
    found = _FENCE.findall(page.read_text(encoding="utf-8"))
    return [Snippet(name, language, bool(mark), textwrap.dedent(text)) for _, language, mark, text in found]


def to_run(page: str, *languages: str) -> list[Snippet]:
    """Returns the snippets in some languages that tests run, of a page in `docs/guide`."""
    found = snippets(ROOT / "docs" / "guide" / page)
    return [snippet for snippet in found if snippet.is_run and snippet.language in languages]


async def run_python(text: str) -> str:
    """Runs a program in this process, which has its libraries already, and returns what it prints."""
    return await asyncio.to_thread(_run, text)


def _run(text: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        # Programs leave their connections to the end of their process.
        warnings.simplefilter("ignore", ResourceWarning)
        exec(compile(text, "<snippet>", "exec"), {"__name__": "__main__"})
        gc.collect()
    return printed.getvalue()
