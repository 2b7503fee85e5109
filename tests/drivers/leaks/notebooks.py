"""Reads what others say in a notebook, and opens links to conversations."""

import hashlib
from typing import Any

from echomind_api.conversations.access import require_session
from echomind_api.notebooks.sessions import list_notebook_sessions
from echomind_api.notebooks.sources import list_sources
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.conversations.shares import open_share
from echomind_lib.errors import NotFoundError
from echomind_lib.models.public import ListNotebookSessionsRequest
from tests.drivers.leaks.ways import Way
from tests.drivers.leaks.world import PEOPLE, World
from tests.factories import rows as make
from tests.factories.notebooks import notebook


class NotebookReads:
    """Reads the sources and the conversations of a notebook in which everybody is a member."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.notebook_id = 0
        self.sessions: dict[int, tuple[int, frozenset[int]]] = {}
        """Owners of conversations of the notebook, and the documents that these have drawn on."""

    async def build(self) -> None:
        """Makes a notebook with all documents, where everybody has a conversation with a link to it."""
        ids = [person.user_id for person in self.world.people]
        roles: Any = dict.fromkeys(ids, "viewer") | {ids[0]: "owner"}
        self.notebook_id = await notebook(self.world.pool, roles, documents=list(self.world.documents))
        for user_id in ids:
            session_id = (
                await make.chat_session(self.world.pool, user_id=user_id, notebook_id=self.notebook_id, title="Secret")
            )["id"]
            drawn = frozenset(self.world.dice.sample(list(self.world.documents), self.world.dice.randint(1, 2)))
            self.sessions[session_id] = user_id, drawn
            for document_id in drawn:
                source = {"document_id": document_id, "connector_id": self.world.documents[document_id].connector.id}
                await make.session_source(self.world.pool, chat_session_id=session_id, **source)
            message = await make.chat_message(self.world.pool, chat_session_id=session_id, role="assistant")
            link = {"user_id": user_id, "head_message_id": message["id"], "token_hash": token_of(session_id)}
            await make.session_share(self.world.pool, chat_session_id=session_id, **link)

    def ways(self) -> list[Way]:
        """Returns the ways to read."""
        return [
            Way(self.replay, 1000, self.world.may_manage),
            Way(self.notebook_sessions, 50, self.world.may_cite),
            Way(self.notebook_sources, 150, self.world.may_read),
            Way(self.share, 550, self.world.may_cite),
        ]

    async def replay(self, reader: Principal) -> set[int]:
        """Of what happened in somebody else's conversation, which stands behind one check for each way to read it."""
        others = [session for session, (owner, _) in self.sessions.items() if owner != reader.user_id]
        session_id = self.world.dice.choice(others)
        try:
            await require_session(self.world.database, CallContext(principal=reader), session_id, "read")
        except NotFoundError:
            return set()
        return set(self.sessions[session_id][1])

    async def notebook_sessions(self, reader: Principal) -> set[int]:
        """Titles of others' conversations, which carry what their sources say."""
        request = ListNotebookSessionsRequest(id=self.notebook_id, page_size=100)
        async with self.world.database.session() as session:
            found = await list_notebook_sessions(session, reader, request)
        assert len(found.sessions) == PEOPLE
        titled = [each.chat_session_id for each in found.sessions if each.chat_session is not None]
        shown = [self.sessions[each] for each in titled]
        assert [owner for owner, _ in shown].count(reader.user_id) == 1, "one's own is always shown"
        return {item for owner, drawn in shown if owner != reader.user_id for item in drawn}

    async def notebook_sources(self, reader: Principal) -> set[int]:
        async with self.world.database.session() as session:
            found = await list_sources(session, reader, self.notebook_id, for_editor=True)
        assert len(found) == len(self.world.documents)
        return {each.document_id or 0 for each in found if each.title or each.document_id}

    async def share(self, reader: Principal) -> set[int]:
        """Returns a link to the reader's conversation works while they may read all that it shows."""
        session_id = next(each for each, (owner, _) in self.sessions.items() if owner == reader.user_id)
        opened = await open_share(self.world.pool, token_of(session_id), is_signed_in=True)
        assert opened is None or reader.user_id not in self.world.inactive
        return set(self.sessions[session_id][1]) if opened is not None else set()


def token_of(session_id: int) -> bytes:
    return hashlib.sha256(f"session {session_id}".encode()).digest()
