"""References of conversations, their questions, answers and runs."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

from tests.drivers.client import Client
from tests.factories import rows
from tests.factories.permissions.rows import HIDDEN, OK
from tests.factories.references.notebooks import no_name
from tests.factories.references.use import NOTHING, Use, about, asks
from tests.factories.world import Make, World, name


async def tool_call(world: World, ownership: str, somebody: Client) -> str:
    """Returns a call that waits for an approval in a run of somebody else."""
    run = UUID(await world.stepped_run(ownership, somebody))
    await world.pool.execute("UPDATE runs SET status = 'waiting_for_input' WHERE id = $1", run)
    made: str = await world.pool.fetchval(
        "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, approval)"
        " SELECT id, $2, 'x', 'pending', 'required' FROM steps WHERE run_id = $1 RETURNING tool_call_id",
        run,
        uuid4().hex,
    )
    return made


async def cited_passage(world: World, ownership: str, somebody: Client) -> str:
    """Returns a passage of a document that an answer of the caller's own cites."""
    document, message = await world.document(ownership, somebody), await world.message("own", somebody)
    made: str = (
        await rows.citation(world.pool, chat_message_id=message, document_id=document, chunk_id=name(), number=1)
    )["chunk_id"]
    return made


def of_passage(given: dict[str, Any]) -> Callable[[World, Client, Any], Awaitable[dict[str, Any]]]:
    """Returns a request about a passage of the answer that cites it."""

    async def request(world: World, _: Client, passage: Any) -> dict[str, Any]:
        message = await world.pool.fetchval(
            "SELECT chat_message_id FROM chat_message_documents WHERE chunk_id = $1", passage
        )
        return {"messageId": message, "chunkId": passage} | given

    return request


LLM = Use(World.llm, asks(lambda llm: {"content": "x", "options": {"llmId": llm}}), "")


DOCUMENTS = Use(
    World.document, asks(lambda item: {"content": "x", "documentIds": [item]}), "foreign", role="superadmin"
)


ASSISTANT = Use(World.assistant, asks(lambda item: {"content": "x", "assistantId": item}), "hidden")


async def answered_session(world: World, ownership: str, somebody: Client) -> int:
    """Returns a session with a finished answer."""
    session = await world.session(ownership, somebody)
    answer = {"role": "assistant", "content": "x", "status": "completed"}
    made = await rows.chat_message(world.pool, chat_session_id=session, **answer)
    await world.pool.execute("UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1", session, made["id"])
    return session


async def answered_share(world: World, ownership: str, somebody: Client) -> int:
    """Returns a share of a session with a finished answer."""
    made = await rows.session_share(world.pool, chat_session_id=await answered_session(world, ownership, somebody))
    return int(made["id"])


def _recipients(
    method: str, path: str, make: Make, ask: Callable[[Any, dict[str, Any]], dict[str, Any]], expected: str = HIDDEN
) -> dict[tuple[str, str], Use]:
    """Returns the ways to name whom a session is shared with; `OK` where they are ignored."""

    def use(made: Make, field: str) -> Use:
        hidden = "" if made is no_name else "foreign"
        return Use(made, about(make, lambda own, item: ask(own, {field: item})), hidden, expected)

    return {
        (method, f"{path}recipients.user_id"): use(World.user, "userId"),
        (method, f"{path}recipients.group_id"): use(World.group, "groupId"),
        (method, f"{path}recipients.user_name"): use(no_name, "userName"),
    }


def _shared_with(session: int, recipient: dict[str, Any]) -> dict[str, Any]:
    return {"chatSessionId": session, "sessionShare": {"recipients": [recipient]}}


def _with_recipient(share: int, recipient: dict[str, Any]) -> dict[str, Any]:
    return {"id": share, "recipients": [recipient]}


USES: dict[tuple[str, str], Use] = {
    ("ChatMessageService/SetCitationFeedback", "chunk_id"): Use(
        cited_passage, of_passage({"feedback": {"isPositive": True}})
    ),
    ("ChatMessageService/DeleteCitationFeedback", "chunk_id"): Use(cited_passage, of_passage({}), expected=NOTHING),
    ("ChatMessageService/SendMessage", "assistant_id"): ASSISTANT,
    ("ChatMessageService/StreamMessage", "assistant_id"): ASSISTANT,
    ("ChatMessageService/SendMessage", "document_ids"): DOCUMENTS,
    ("ChatMessageService/StreamMessage", "document_ids"): DOCUMENTS,
    ("ChatMessageService/SendMessage", "options.llm_id"): LLM,
    ("ChatMessageService/StreamMessage", "options.llm_id"): LLM,
    ("ChatMessageService/EditMessage", "options.llm_id"): Use(
        World.llm,
        about(World.message, lambda message, llm: {"id": message, "content": "x", "options": {"llmId": llm}}),
        "",
    ),
    ("ChatMessageService/RegenerateMessage", "options.llm_id"): Use(
        World.llm, about(World.message, lambda message, llm: {"id": message, "options": {"llmId": llm}}), ""
    ),
    ("ChatSessionService/CreateChatSession", "chat_session.assistant_id"): Use(
        World.assistant, asks(lambda item: {"chatSession": {"assistantId": item}}), "hidden"
    ),
    ("ChatSessionService/UpdateChatSession", "chat_session.assistant_id"): Use(
        World.assistant,
        about(
            World.session,
            lambda session, item: {"id": session, "chatSession": {"assistantId": item}, "updateMask": "assistantId"},
        ),
        "hidden",
    ),
    ("ChatSessionService/CreateChatSession", "chat_session.preferences.llm_id"): Use(
        World.llm, asks(lambda llm: {"chatSession": {"preferences": {"llmId": llm}}}), ""
    ),
    ("ChatSessionService/UpdateChatSession", "chat_session.preferences.llm_id"): Use(
        World.llm,
        about(
            World.session,
            lambda session, llm: {
                "id": session,
                "chatSession": {"preferences": {"llmId": llm}},
                "updateMask": "preferences",
            },
        ),
        "",
    ),
    ("ChatSessionService/MoveHead", "message_id"): Use(
        World.message, about(World.session, lambda session, message: {"id": session, "messageId": message})
    ),
    ("ChatSessionService/ForkChatSession", "message_id"): Use(
        World.message, about(World.session, lambda session, message: {"id": session, "messageId": message})
    ),
    ("SessionShareService/ListSessionShares", "chat_session_id"): Use(
        World.session, asks(lambda session: {"chatSessionId": session})
    ),
    ("SessionShareService/CreateSessionShare", "session_share.head_message_id"): Use(
        World.message,
        about(World.session, lambda session, item: {"chatSessionId": session, "sessionShare": {"headMessageId": item}}),
    ),
    ("SessionShareService/RefreshSessionShare", "session_share.head_message_id"): Use(
        World.message,
        about(World.session_share, lambda share, item: {"id": share, "sessionShare": {"headMessageId": item}}),
    ),
    ("SessionShareService/PreviewSessionShare", "session_share.head_message_id"): Use(
        World.message,
        about(World.session, lambda session, item: {"chatSessionId": session, "sessionShare": {"headMessageId": item}}),
    ),
    **_recipients("SessionShareService/CreateSessionShare", "session_share.", answered_session, _shared_with),
    **_recipients("SessionShareService/PreviewSessionShare", "session_share.", answered_session, _shared_with, OK),
    **_recipients(
        "SessionShareService/RefreshSessionShare",
        "session_share.",
        answered_share,
        lambda share, item: {"id": share, "sessionShare": {"recipients": [item]}},
        OK,
    ),
    **_recipients("SessionShareService/AddSessionShareRecipients", "", World.session_share, _with_recipient),
    **_recipients("SessionShareService/RemoveSessionShareRecipients", "", World.session_share, _with_recipient),
    ("ChatSessionService/ListChatSessions", "assistant_id"): Use(
        World.assistant, asks(lambda item: {"assistantId": item}), hidden="hidden", expected=NOTHING
    ),
    ("FeedbackService/ListFeedback", "assistant_id"): Use(
        World.assistant, asks(lambda item: {"assistantId": item}), "", expected=NOTHING, role="superadmin"
    ),
    ("FeedbackService/ListFeedback", "llm_id"): Use(
        World.llm, asks(lambda item: {"llmId": item}), "", expected=NOTHING, role="superadmin"
    ),
    ("FeedbackService/ListFeedback", "user_id"): Use(
        World.user, asks(lambda item: {"userId": item}), "", expected=NOTHING, role="superadmin"
    ),
    ("FeedbackService/ListFeedback", "connector_id"): Use(
        World.connector, asks(lambda item: {"connectorId": item}), "", expected=NOTHING, role="superadmin"
    ),
    ("RunService/ListRuns", "chat_session_id"): Use(
        World.session, asks(lambda item: {"chatSessionId": item}), expected=NOTHING, role="superadmin"
    ),
    ("RunService/ListRuns", "assistant_id"): Use(
        World.assistant, asks(lambda item: {"assistantId": item}), hidden="hidden", expected=NOTHING
    ),
    ("RunService/ListRuns", "llm_id"): Use(World.llm, asks(lambda item: {"llmId": item}), hidden="", expected=NOTHING),
    ("RunService/ListRuns", "user_id"): Use(World.user, asks(lambda item: {"userId": item}), expected=NOTHING),
    ("RunService/ProvideInput", "chat_session_id"): Use(
        World.session, asks(lambda item: {"chatSessionId": item, "content": "x"}), over_rest=False
    ),
    ("RunService/ApproveToolCall", "tool_call_id"): Use(
        tool_call,
        about(World.stepped_run, lambda run, call: {"id": run, "toolCallId": call, "approved": True}),
        expected="RUN_STATE",
    ),
    ("TodoService/ListTodos", "run_id"): Use(
        World.run, about(World.session, lambda session, run: {"chatSessionId": session, "runId": run}), expected=NOTHING
    ),
    ("TodoService/CreateTodo", "todo.dependencies"): Use(
        World.todo,
        about(
            World.session,
            lambda session, todo: {"chatSessionId": session, "todo": {"title": "x", "dependencies": [todo]}},
        ),
        expected="VALIDATION_FAILED",
    ),
    ("TodoService/UpdateTodo", "todo.dependencies"): Use(
        World.todo,
        about(
            World.todo, lambda own, todo: {"id": own, "todo": {"dependencies": [todo]}, "updateMask": "dependencies"}
        ),
        expected="VALIDATION_FAILED",
    ),
}
