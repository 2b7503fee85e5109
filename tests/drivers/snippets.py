"""Programs of the documentation, run as they are."""

import asyncio
import gc
import io
import warnings
from contextlib import redirect_stdout


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
