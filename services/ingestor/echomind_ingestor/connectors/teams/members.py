"""Readers of channels and chats: their members, as groups of the permission sync."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from echomind_ingestor.connectors.graph import PROVIDER, Graph, segment
from echomind_ingestor.connectors.protocol import Group, GroupPage, Readers, group_key, user_key
from echomind_ingestor.connectors.vendor_client import RequestRefusedError

_TEAMS: Final = "teams"
_PREFIX: Final = group_key(_TEAMS, "")
_PAGE: Final = "999"


def channel_readers(team_id: str, channel_id: str) -> Readers:
    """Returns the readers of a channel: its direct members, and those of its team or teams it is shared with."""
    return Readers(principals=frozenset({group_key(_TEAMS, f"channel/{team_id}/{channel_id}")}))


def chat_readers(chat_id: str) -> Readers:
    """Returns the readers of a chat: its members."""
    return Readers(principals=frozenset({group_key(_TEAMS, f"chat/{chat_id}")}))


async def read_members(graph: Graph, named: Sequence[str]) -> AsyncIterator[GroupPage]:
    """Yields the members of the named channels and chats."""
    for key in named:
        if key.startswith(_PREFIX):
            yield GroupPage(groups=[await _members(graph, key, key.removeprefix(_PREFIX))])


async def _members(graph: Graph, key: str, location: str) -> Group:
    kind, _, ids = location.partition("/")
    if kind == "channel":
        team_id, _, channel_id = ids.partition("/")
        # `members` excludes people who have access through a team that the channel is shared with.
        path = f"teams/{segment(team_id)}/channels/{segment(channel_id)}/allMembers"
    else:
        path = f"chats/{segment(ids)}/members"
    members: set[str] = set()
    is_complete = True
    try:
        async for member in graph.values(path, {"$top": _PAGE} if kind == "channel" else None):
            if user_id := member.get("userId"):
                members.add(user_key(PROVIDER, user_id))
            else:
                is_complete = False
    except RequestRefusedError as error:
        if error.status != 404:
            is_complete = False
    return Group(key=key, members=frozenset(members), is_complete=is_complete)
