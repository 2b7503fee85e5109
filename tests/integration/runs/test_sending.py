"""Questions as they are stored: after the head, beside another, answered once more."""

import asyncio
from uuid import UUID

import pytest
from nats.aio.msg import Msg

from echomind_lib.conversations.questions import (
    EditedQuestion,
    FirstQuestion,
    NextQuestion,
    Regeneration,
    StoredQuestion,
    Submission,
    submit,
)
from echomind_lib.db.database import Database
from echomind_lib.errors import (
    AmbiguousInputError,
    LlmUnavailableError,
    NotFoundError,
    RunActiveError,
    ValidationFailedError,
)
from echomind_lib.events.replay import read_events
from echomind_lib.messaging import RUNS_REQUESTED
from echomind_lib.models.public import RunOptions
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored, RunRequested
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.conversation import Conversation
from tests.factories.questions import ask
from tests.factories.rows import Rows


async def test_an_edited_question_is_a_sibling_of_the_old_one(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    second = await conversation.ask("Two?")
    edited = await conversation.edit(second.user_message_id, "Two, really?")
    assert edited.parent_message_id == second.parent_message_id == first.assistant_message_id
    assert edited.is_new
    session = await conversation.session()
    assert session["head_message_id"] == edited.assistant_message_id
    assert session["most_recent_run_id"] == edited.run_id
    assert session["title"] == "One?"
    assert [(m["content"], m["parent_message_id"]) for m in await conversation.messages() if m["role"] == "user"] == [
        ("One?", None),
        ("Two?", first.assistant_message_id),
        ("Two, really?", first.assistant_message_id),
    ]


async def test_first_question_can_be_edited(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    edited = await conversation.edit(first.user_message_id, "Uno?")
    assert edited.parent_message_id is None


@pytest.mark.parametrize("of", ["question", "answer"])
async def test_a_regenerated_answer_is_a_sibling_of_the_old_one(conversation: Conversation, of: str) -> None:
    first = await conversation.ask("One?")
    again = await conversation.regenerate(first.user_message_id if of == "question" else first.assistant_message_id)
    assert again.user_message_id == first.user_message_id
    assert (again.content, again.token_count, again.asked_at) == ("One?", first.token_count, first.asked_at)
    messages = await conversation.messages()
    assert [(m["role"], m["parent_message_id"], m["run_id"]) for m in messages] == [
        ("user", None, None),
        ("assistant", first.user_message_id, first.run_id),
        ("assistant", first.user_message_id, again.run_id),
    ]
    session = await conversation.session()
    assert (session["head_message_id"], session["message_count"]) == (again.assistant_message_id, 3)
    run = await conversation.pool.fetchrow("SELECT * FROM runs WHERE id = $1", again.run_id)
    assert run is not None
    assert (run["input"], run["chat_session_id"]) == ("One?", conversation.session_id)
    events = await read_events(conversation.pool, conversation.session_id, 0, 10)
    assert [event.queued.assistant_message_id for event in events] == [
        first.assistant_message_id,
        again.assistant_message_id,
    ]


async def test_an_answer_cannot_be_edited(conversation: Conversation) -> None:
    first = await conversation.ask()
    with pytest.raises(ValidationFailedError, match=f"edit its question, {first.user_message_id}, or regenerate"):
        await conversation.edit(first.assistant_message_id, "x")


async def test_a_message_without_a_question_cannot_be_regenerated(conversation: Conversation) -> None:
    await conversation.ask()
    alone = await conversation.pool.fetchval(
        "INSERT INTO chat_messages (chat_session_id, role) VALUES ($1, 'assistant') RETURNING id",
        conversation.session_id,
    )
    with pytest.raises(ValidationFailedError, match="name a question"):
        await conversation.regenerate(alone)


async def test_foreign_and_deleted_messages_are_not_found(
    conversation: Conversation, database: Database, rows: Rows
) -> None:
    first = await conversation.ask()
    stranger = await rows.user("stranger")
    for user_id, message_id in ((stranger, first.user_message_id), (rows.user_id, 10**15)):
        other = Conversation(conversation.log, user_id)
        with pytest.raises(NotFoundError):
            await other.edit(message_id, "x")
        with pytest.raises(NotFoundError):
            await other.regenerate(message_id)
    await database.pool.execute("UPDATE chat_sessions SET deleted_date = now()")
    with pytest.raises(NotFoundError):
        await conversation.regenerate(first.user_message_id)
    assert await database.pool.fetchval("SELECT count(*) FROM chat_messages") == 2


async def test_nothing_is_asked_beside_an_active_run(conversation: Conversation) -> None:
    first = await conversation.ask()
    active = await conversation.ask(end=False)
    for attempt in (
        conversation.ask(),
        conversation.edit(first.user_message_id, "x"),
        conversation.regenerate(first.assistant_message_id),
    ):
        with pytest.raises(RunActiveError) as caught:
            await attempt
        assert caught.value.metadata["run_id"] == str(active.run_id)
    assert len(await conversation.messages()) == 4


async def test_repeated_requests_store_nothing(conversation: Conversation) -> None:
    first = await conversation.ask()
    edit = EditedQuestion(user_id=conversation.user_id, message_id=first.user_message_id, content="x", request_id="e")
    edited = await submit(conversation.log, edit)
    repeated = await submit(conversation.log, edit)
    assert (repeated.run_id, repeated.question.user_message_id, repeated.is_new) == (
        edited.run_id,
        edited.question.user_message_id,
        False,
    )
    await conversation.end(edited.run_id)
    regeneration = Regeneration(
        user_id=conversation.user_id, message_id=edited.question.user_message_id, request_id="r"
    )
    again = await submit(conversation.log, regeneration)
    await conversation.end(again.run_id)
    repeated = await submit(conversation.log, regeneration)
    assert (repeated.run_id, repeated.question.status, list(repeated.events)) == (again.run_id, "completed", [])
    assert len(await conversation.messages()) == 5


async def test_a_request_whose_session_is_removed_is_not_found(conversation: Conversation) -> None:
    question = FirstQuestion(user_id=conversation.user_id, content="x", request_id="r")
    await submit(conversation.log, question)
    await conversation.pool.execute("UPDATE chat_sessions SET deleted_date = now()")
    with pytest.raises(NotFoundError, match="request r was removed"):
        await submit(conversation.log, question)


async def test_a_question_is_stored_then_published_then_handed_to_workers(conversation: Conversation) -> None:
    bus, order = conversation.log.bus, []
    published: list[SessionEvent] = []
    woken: asyncio.Queue[str] = asyncio.Queue()

    async def on_events(message: Msg) -> None:
        order.append("published")
        published.extend(EventsStored.FromString(message.data).events)

    async def on_request(message: Msg) -> None:
        order.append("woken")
        await woken.put(RunRequested.FromString(message.data).run_id)

    async def before_wake(submission: Submission) -> None:
        await bus.flush()
        order.append("before")
        assert submission.is_new
        assert await conversation.pool.fetchval("SELECT status FROM runs WHERE id = $1", submission.run_id) == "queued"

    await bus.subscribe("events.*", on_events)
    await bus.subscribe(RUNS_REQUESTED, on_request)
    question = FirstQuestion(user_id=conversation.user_id, content="What?")
    submission = await submit(conversation.log, question, before_wake=before_wake)
    async with asyncio.timeout(60):
        assert await woken.get() == str(submission.run_id)
    assert order == ["published", "before", "woken"]
    assert published == list(submission.events)
    (queued,) = published
    assert queued.queued.assistant_message_id == submission.question.assistant_message_id
    assert (queued.queued.user_message.id, queued.queued.user_message.content) == (
        submission.question.user_message_id,
        "What?",
    )


async def test_the_built_in_model_gets_no_goal(conversation: Conversation) -> None:
    sent = await conversation.ask()
    user, goal = conversation.user_id, RunOptions(auto_run=True)
    for question in (
        FirstQuestion(user_id=user, content="Write it.", options=goal),
        NextQuestion(user_id=user, session_id=conversation.session_id, content="Write it.", options=goal),
        EditedQuestion(user_id=user, message_id=sent.user_message_id, content="Write it.", options=goal),
        Regeneration(user_id=user, message_id=sent.user_message_id, options=goal),
    ):
        with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
            await submit(conversation.log, question)
    assert len(await conversation.messages()) == 2


async def test_of_many_at_once_one_is_asked(conversation: Conversation) -> None:
    first = await conversation.ask()
    asked = await asyncio.gather(
        *(conversation.ask(str(number), end=False) for number in range(3)),
        *(conversation.edit(first.user_message_id, str(number), end=False) for number in range(3)),
        *(conversation.regenerate(first.assistant_message_id, end=False) for _ in range(3)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, StoredQuestion) for each in asked) == 1
    assert sum(isinstance(each, RunActiveError) for each in asked) == 8
    assert (await conversation.session())["head_message_id"] == max(m["id"] for m in await conversation.messages())


class TestWaitingRun:
    async def _answer(self, conversation: Conversation, request_id: str = "") -> Submission:
        return await submit(
            conversation.log,
            NextQuestion(
                user_id=conversation.user_id,
                session_id=conversation.session_id,
                content="The blue one.",
                request_id=request_id,
            ),
        )

    async def test_a_text_is_its_answer(self, conversation: Conversation) -> None:
        run_id = await conversation.wait_for_input()
        answered = await self._answer(conversation)
        assert (answered.run_id, answered.question.status, answered.question.content) == (run_id, "queued", "What?")
        assert not answered.is_new
        assert {event.run_id for event in answered.events} == {str(run_id)}
        assert await conversation.pool.fetchval("SELECT result FROM tool_calls") == "The blue one."
        assert len(await conversation.messages()) == 2

    async def test_a_text_approves_nothing(self, conversation: Conversation) -> None:
        run_id = await conversation.wait_for_input("APPROVAL")
        with pytest.raises(RunActiveError) as caught:
            await self._answer(conversation)
        assert caught.value.metadata["run_id"] == str(run_id)

    @pytest.mark.parametrize("meanwhile", ["is queued", "asks again", "has ended"])
    async def test_a_repeated_answer_returns_its_run_and_has_no_effect(
        self, conversation: Conversation, meanwhile: str
    ) -> None:
        run_id = await conversation.wait_for_input()
        await self._answer(conversation, "key")
        if meanwhile == "asks again":
            await conversation.ask_back(run_id)
        elif meanwhile == "has ended":
            await conversation.end(run_id)
        repeated = await self._answer(conversation, "key")
        assert (repeated.run_id, repeated.question.content, repeated.is_new) == (run_id, "What?", False)
        assert not repeated.events
        assert len(await conversation.messages()) == 2
        answers = await conversation.pool.fetch("SELECT result FROM tool_calls WHERE result IS NOT NULL")
        assert [row["result"] for row in answers] == ["The blue one."]

    async def test_an_answer_of_another_key_is_another_one(self, conversation: Conversation) -> None:
        run_id = await conversation.wait_for_input()
        assert (await self._answer(conversation, "one")).events
        with pytest.raises(RunActiveError):
            await self._answer(conversation, "two")
        await conversation.ask_back(run_id)
        assert (await self._answer(conversation, "two")).events

    async def test_of_the_same_answer_many_times_at_once_one_counts(self, conversation: Conversation) -> None:
        run_id = await conversation.wait_for_input()
        sent = await asyncio.gather(*(self._answer(conversation, "key") for _ in range(5)))
        assert [each.run_id for each in sent] == [run_id] * 5
        assert sum(bool(each.events) for each in sent) == 1

    async def test_an_answer_key_is_the_persons_own(self, conversation: Conversation, rows: Rows) -> None:
        run_id = await conversation.wait_for_input()
        await self._answer(conversation, "key")
        sent = await ask(conversation.log, await rows.user("other"), request_id="key")
        assert sent.is_new
        assert sent.run_id != run_id

    async def test_a_text_answers_the_only_sub_agent_that_waits_for_one(self, conversation: Conversation) -> None:
        root, sub_run, other = await self._sub_agents(conversation)
        await conversation.ask_back(sub_run, "OUTCOME")
        await conversation.ask_back(other, "APPROVAL")
        answered = await self._answer(conversation, "key")
        assert (answered.run_id, answered.question.status) == (root, "waiting_for_children")
        assert {event.run_id for event in answered.events} == {str(sub_run)}
        repeated = await self._answer(conversation, "key")
        assert (repeated.run_id, list(repeated.events)) == (root, [])
        with pytest.raises(RunActiveError):
            await self._answer(conversation, "another")

    async def test_a_text_for_several_runs_answers_none(self, conversation: Conversation) -> None:
        _, *sub_runs = await self._sub_agents(conversation)
        for run_id in sub_runs:
            await conversation.ask_back(run_id, "OUTCOME")
        with pytest.raises(AmbiguousInputError) as caught:
            await self._answer(conversation)
        assert caught.value.metadata["run_ids"] == ",".join(map(str, sub_runs))
        assert await conversation.pool.fetchval("SELECT count(result) FROM tool_calls") == 0

    async def _sub_agents(self, conversation: Conversation) -> list[UUID]:
        """Returns a root that waits for two sub-agents."""
        root = (await conversation.ask(end=False)).run_id
        await conversation.pool.execute("UPDATE runs SET status = 'waiting_for_children' WHERE id = $1", root)
        made = await conversation.pool.fetch(
            "INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, depth, status)"
            " SELECT user_id, chat_session_id, id, 'sub_agent', 1, 'running' FROM runs, generate_series(1, 2)"
            " RETURNING id"
        )
        return [root, *sorted(row["id"] for row in made)]
