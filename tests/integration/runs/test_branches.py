"""Branches: moving a session's head, reading, and the invariants of the tree under any sequence of acts."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nats.aio.msg import Msg

from echomind_lib.conversations import branches, checkpoints, forks
from echomind_lib.conversations.restore import restore
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError, RunActiveError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.conversation import Conversation
from tests.factories.rows import Rows


async def move(conversation: Conversation, message_id: int, **options: Any) -> None:
    await branches.move_head(conversation.log, conversation.session_id, message_id, conversation.user_id, **options)


async def test_undo_and_continue(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    second = await conversation.ask("Two?")
    published: list[SessionEvent] = []

    async def on_events(message: Msg) -> None:
        published.extend(EventsStored.FromString(message.data).events)

    bus = conversation.log.bus
    await bus.subscribe("events.*", on_events)
    await move(conversation, first.assistant_message_id)
    await bus.flush()
    created, event = published
    assert created.session_changed.change == session_event_pb2.SESSION_CHANGE_CHECKPOINT_CREATED
    assert created.session_changed.head_message_id == second.assistant_message_id
    assert event.session_changed.change == session_event_pb2.SESSION_CHANGE_HEAD_MOVED
    assert event.session_changed.head_message_id == first.assistant_message_id
    assert [m.content for m in await conversation.shown()][::2] == ["One?"]
    third = await conversation.ask("Three?")
    assert third.parent_message_id == first.assistant_message_id
    assert [m.content for m in await conversation.shown()][::2] == ["One?", "Three?"]
    assert [e for e in await conversation.events() if e.id in (created.id, event.id)] == [created, event]
    kept = await conversation.pool.fetchrow("SELECT * FROM checkpoints")
    assert kept is not None
    assert (kept["checkpoint_type"], kept["run_id"]) == ("auto", None)
    assert kept["session_state"]["head_message_id"] == second.assistant_message_id


async def test_back_before_the_first_question(conversation: Conversation) -> None:
    await conversation.ask("One?")
    await move(conversation, 0)
    assert await conversation.shown() == []
    begun = await conversation.ask("Uno?")
    assert begun.parent_message_id is None
    assert len(await conversation.messages()) == 4


async def test_on_to_the_newest_answer(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    second = await conversation.ask("Two?")
    edited = await conversation.edit(first.user_message_id, "Uno?")
    await move(conversation, first.user_message_id, to_latest=True)
    assert (await conversation.session())["head_message_id"] == second.assistant_message_id
    await move(conversation, first.assistant_message_id, to_latest=True)
    assert (await conversation.session())["head_message_id"] == second.assistant_message_id
    await move(conversation, 0, to_latest=True)
    assert (await conversation.session())["head_message_id"] == edited.assistant_message_id


async def test_where_the_head_is_already_nothing_happens(conversation: Conversation) -> None:
    sent = await conversation.ask()
    await move(conversation, sent.assistant_message_id)
    assert len(await conversation.events()) == 1
    assert await conversation.pool.fetchval("SELECT count(*) FROM checkpoints") == 0


async def test_a_head_is_an_answer_of_its_session(conversation: Conversation, rows: Rows) -> None:
    sent = await conversation.ask()
    other = Conversation(conversation.log, rows.user_id)
    foreign = await other.ask()
    with pytest.raises(ValidationFailedError, match="name an answer"):
        await move(conversation, sent.user_message_id)
    with pytest.raises(NotFoundError, match=f"no message {foreign.assistant_message_id} in this"):
        await move(conversation, foreign.assistant_message_id)
    with pytest.raises(NotFoundError):
        await branches.move_head(conversation.log, 10**6, 0, rows.user_id)
    unanswered = await conversation.pool.fetchval(
        "INSERT INTO chat_messages (chat_session_id, role) VALUES ($1, 'user') RETURNING id", conversation.session_id
    )
    with pytest.raises(ValidationFailedError, match="regenerate"):
        await move(conversation, unanswered, to_latest=True)


async def test_no_head_moves_while_a_run_is_active(conversation: Conversation) -> None:
    first = await conversation.ask()
    active = await conversation.ask(end=False)
    with pytest.raises(RunActiveError) as caught:
        await move(conversation, first.assistant_message_id)
    assert caught.value.metadata["run_id"] == str(active.run_id)
    assert (await conversation.session())["head_message_id"] == active.assistant_message_id


async def test_a_question_and_a_move_at_once_follow_each_other(conversation: Conversation) -> None:
    """Whoever comes second finds what the first has done: a question never loses its place to a move."""
    first = await conversation.ask("One?")
    for _ in range(10):
        before = await conversation.ask("Two?")
        asked, moved = await asyncio.gather(
            conversation.ask("Three?", end=False),
            move(conversation, first.assistant_message_id),
            return_exceptions=True,
        )
        assert not isinstance(asked, BaseException)
        if moved is None:
            assert asked.parent_message_id == first.assistant_message_id
        else:
            assert isinstance(moved, RunActiveError)
            assert asked.parent_message_id == before.assistant_message_id
        assert (await conversation.session())["head_message_id"] == asked.assistant_message_id
        await conversation.end(asked.run_id)


class TestReading:
    async def test_siblings(self, conversation: Conversation) -> None:
        first = await conversation.ask("One?")
        second = await conversation.ask("Two?")
        edited = await conversation.edit(second.user_message_id, "Two, really?")
        again = await conversation.regenerate(edited.user_message_id)
        assert [m.sibling_ids for m in await conversation.shown()] == [
            [],
            [],
            [second.user_message_id, edited.user_message_id],
            [edited.assistant_message_id, again.assistant_message_id],
        ]
        begun = await conversation.edit(first.user_message_id, "Uno?")
        assert [m.sibling_ids for m in await conversation.shown()] == [
            [first.user_message_id, begun.user_message_id],
            [],
        ]

    async def test_pages(self, conversation: Conversation) -> None:
        for number in range(5):
            await conversation.ask(str(number))
        whole = await conversation.shown()
        assert len(whole) == 10
        for page in (1, 3, 9, 10, 11):
            assert await conversation.shown(page=page) == whole

    async def test_an_excluded_message_stays_readable(self, conversation: Conversation) -> None:
        sent = await conversation.ask()
        await conversation.pool.execute("UPDATE chat_messages SET discarded = TRUE WHERE id = $1", sent.user_message_id)
        assert [m.excluded for m in await conversation.shown()] == [True, False]


@dataclass
class Tree:
    """What a session must look like: the test's own account of it."""

    parents: dict[int, int | None] = field(default_factory=dict)
    contents: dict[int, str] = field(default_factory=dict)
    head: int | None = None

    def branch(self) -> list[int]:
        found, message_id = [], self.head
        while message_id is not None:
            found.append(message_id)
            message_id = self.parents[message_id]
        return found[::-1]

    def newest_below(self, message: int) -> int:
        below = {message}
        for each in sorted(self.parents):
            if self.parents[each] in below:
                below.add(each)
        return max(below)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["ask", "ask", "ask", "edit", "regenerate", "undo", "switch", "restart", "fork", "checkpoint", "restore",
             "todo", "goal"]
        ),
        st.integers(0, 10**6),
    ),
    min_size=1,
    max_size=15,
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTS)
async def test_nothing_is_overwritten_or_lost(
    database: Database, rows: Rows, event_log: EventLog, acts: list[tuple[str, int]]
) -> None:
    pool = database.pool
    conversation = Conversation(event_log, rows.user_id)
    await conversation.ask("0")
    tree = Tree()
    saved: dict[int, Tree] = {}

    async def learn() -> None:
        """Adds new messages to the account; old ones must be as they were."""
        for message in await conversation.messages():
            known = message["id"] in tree.parents
            if known:
                assert message["parent_message_id"] == tree.parents[message["id"]]
                assert message["content"] == tree.contents[message["id"]]
            tree.parents[message["id"]] = message["parent_message_id"]
            tree.contents[message["id"]] = message["content"]
        assert len(tree.parents) == len(await conversation.messages())

    await learn()
    tree.head = max(tree.parents)
    for act, number in acts:
        questions = [m["id"] for m in await conversation.messages() if m["role"] == "user"]
        answers = sorted(tree.parents.keys() - set(questions))
        some = (questions + answers)[number % len(tree.parents)]
        if act == "ask":
            sent = await conversation.ask(str(number))
            assert sent.parent_message_id == tree.head
            tree.head = sent.assistant_message_id
        elif act == "edit":
            question = questions[number % len(questions)]
            sent = await conversation.edit(question, str(number))
            assert sent.parent_message_id == tree.parents[question]
            tree.head = sent.assistant_message_id
        elif act == "regenerate":
            sent = await conversation.regenerate(some)
            assert sent.user_message_id == (some if some in questions else tree.parents[some])
            tree.head = sent.assistant_message_id
        elif act == "undo":
            tree.head = answers[number % len(answers)]
            await move(conversation, tree.head)
        elif act == "switch":
            await move(conversation, some, to_latest=True)
            tree.head = tree.newest_below(some)
        elif act == "restart":
            await move(conversation, 0)
            tree.head = None
        elif act == "todo":
            await conversation.todo(str(number))
        elif act == "goal":
            await pool.execute("UPDATE chat_sessions SET goal = $2 WHERE id = $1", conversation.session_id, str(number))
        elif act == "fork":
            forked = await forks.fork_session(
                conversation.log, conversation.session_id, tree.head or answers[0], conversation.user_id
            )
            copied = tree.branch() if tree.head else [tree.parents[answers[0]], answers[0]]
            assert [m.content for m in await conversation.shown(forked.session_id)] == [
                tree.contents[each or 0] for each in copied
            ]
        elif act == "checkpoint":
            created = await checkpoints.create(conversation.log, conversation.session_id, "manual", str(number))
            saved[created.checkpoint_id] = Tree(head=tree.head)
        elif saved:
            chosen = sorted(saved)[number % len(saved)]
            await restore(conversation.log, chosen, conversation.user_id)
            tree.head = saved[chosen].head
            now = await checkpoints.create(conversation.log, conversation.session_id, "manual", "as restored")
            states = await pool.fetch(
                "SELECT session_state FROM checkpoints WHERE id = ANY ($1)", [chosen, now.checkpoint_id]
            )
            assert states[0] == states[1]
        await learn()
        session = await conversation.session()
        assert session["head_message_id"] == tree.head
        assert session["message_count"] == len(tree.parents)
        assert tree.head is None or tree.head not in questions
        assert all(parent is None or parent < child for child, parent in tree.parents.items())
        listed = await conversation.shown(page=1 + number % 5)
        assert [m.id for m in listed] == tree.branch()
        for message in listed:
            beside = [each for each in sorted(tree.parents) if tree.parents[each] == tree.parents[message.id]]
            assert message.sibling_ids == (beside if len(beside) > 1 else [])
