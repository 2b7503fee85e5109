"""Entities of knowledge on the command line: their ids, states and comparisons."""

from typing import TYPE_CHECKING, Annotated

import typer

from echomind.cli import completion
from echomind_lib.models import public

if TYPE_CHECKING:
    from collections.abc import Sequence


KnowledgeId = Annotated[
    int,
    typer.Argument(
        metavar="ID",
        help="Id of an entity, as `echomind knowledge list` shows it.",
        min=1,
        autocompletion=completion.knowledge,
    ),
]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Max entities to list.")]


def review_state(entity: "public.KnowledgeEntity") -> str:
    """Returns where the review of an entity stands; empty if it never had one."""
    if entity.review_status.word in ("proposed", "rejected"):
        return entity.review_status.word
    if entity.review_after is None:
        return ""
    return "verified" if entity.is_verified else "lapsed"


def compared(parts: "Sequence[public.TextDifference]") -> str:
    """Returns a comparison as one text, with removed and added parts marked."""
    marks = {"removed": ("[-", "-]"), "added": ("{+", "+}")}
    texts = []
    for part in parts:
        begin, end = marks.get(part.change.word, ("", ""))
        texts.append(f"{begin}{part.text}{end}")
    return "".join(texts)
