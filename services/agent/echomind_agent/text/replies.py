"""One-line replies of models."""

import re

from echomind_lib.text import single_line

_PREFIX = re.compile(r"^(?:title|titel|titre|título|titolo|question|frage)\s*[:：]\s*", re.IGNORECASE)
_AROUND = " \t*_#`'\"“”„‘’‚«»‹›「」《》"
_LETTER = re.compile(r"\w")


def one_line_reply(written: str, limit: int) -> str:
    """Returns the first line of a text that says something, without markup, quotation marks and a name for itself.

    Args:
        written: Output of a model.
        limit: Code points that it may have; a longer one ends in an ellipsis.

    Returns:
        The line; empty when none says anything.
    """
    for line in written.splitlines():
        reply = _PREFIX.sub("", line.strip(_AROUND)).strip(_AROUND)
        if _LETTER.search(reply):
            return single_line(reply, limit)
    return ""
