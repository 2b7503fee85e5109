"""What a search is made with, and what is asked of the database about its hits."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from echomind_lib.access import Principal
from echomind_lib.access.notebooks import NotebookScope
from echomind_lib.retrieval.documents import DocumentFilter

Mode = Literal["hybrid", "dense", "lexical"]


class AccessCheck(NamedTuple):
    """Which of some documents a reader may read."""

    reader: Principal
    notebook_id: int | None
    by_source: bool
    ids: Set[int]


@dataclass(frozen=True, slots=True)
class SearchParameters:
    """The parameters of a search, and its reader."""

    reader: Principal
    query: str
    limit: int
    depth: int
    """How many hits are wanted, of which `limit` are returned."""
    mode: Mode
    where: Mapping[str, Any]
    """Filter of the vector index."""
    documents: DocumentFilter
    """Filter that the vector index does not know."""
    notebook: NotebookScope | None
