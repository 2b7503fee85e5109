"""The defences switched off, to see that a case succeeds without them: otherwise it would prove nothing."""

from collections.abc import Collection
from typing import Any

import pytest

from echomind_agent.state.call import Call
from echomind_agent.steps import checks
from echomind_agent.toolset.registry import Tool
from echomind_lib.access import Principal
from echomind_lib.retrieval import Hits, Retriever


def _hold_nothing_back(call: Call, tool: Tool, approval_tools: Collection[str], *, untrusted: bool) -> None:
    if call.side_effect or tool.executor != "worker":
        call.status = "pending"


def switch_off(patch: pytest.MonkeyPatch, everybody: Principal) -> None:
    """Lets runs call every tool without approval, and search what another person may search, too.

    Args:
        patch: Undoes it.
        everybody: The other person.
    """
    patch.setattr(checks, "_hold_back", _hold_nothing_back)
    search = Retriever.search

    async def search_for_all(self: Retriever, reader: Principal, query: str, **options: Any) -> Hits:
        own = await search(self, reader, query, **options)
        others = await search(self, everybody, query, **{**options, "notebook": None, "document_ids": ()})
        return Hits([*own, *others], own.missing, own.unranked)

    patch.setattr(Retriever, "search", search_for_all)
