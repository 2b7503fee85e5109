"""The calls about conversations, their runs and plans."""

from typing import Any

from tests.drivers.client import Client
from tests.factories import rows
from tests.factories.permissions.rows import (
    ANYTHING,
    EVERYONE,
    PERSONAL,
    SESSIONS_READ,
    SESSIONS_WRITTEN,
    SUPERADMINS,
    Row,
    by_id,
    empty,
    patch,
)
from tests.factories.world import World, name


def by_token(token: Any) -> dict[str, Any]:
    return {"token": str(token)}


def first_step(run: Any) -> dict[str, Any]:
    return {"id": run, "stepNumber": 1}


async def verified_address(world: World, _ownership: str, _somebody: Client) -> str:
    email = f"{name()}@example.org"
    await rows.user(world.pool, user_name=name(), email=email, is_email_verified=True)
    return email


EXPORTED = (
    '{"conversationId": "c", "title": "T", "messages": [{"messageId": "m", "text": "What?", "isCreatedByUser": true}]}'
)
"""A conversation of another program."""

ROWS: dict[str, Row] = {
    "ChatMessageService/SendMessage": Row(
        World.session, lambda session: {"chatSessionId": str(session), "content": "x"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/StreamMessage": Row(
        World.session, lambda session: {"chatSessionId": str(session), "content": "x"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/EditMessage": Row(
        World.answered, lambda message: {"id": message, "content": "y"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/RegenerateMessage": Row(World.answered, by_id, SESSIONS_WRITTEN),
    "ChatMessageService/ExcludeMessage": Row(
        World.message, lambda message: {"id": message, "excluded": True}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/ListMessages": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "ChatMessageService/GetMessage": Row(World.message, by_id, SESSIONS_READ),
    "ChatMessageService/ListCitations": Row(World.message, by_id, SESSIONS_READ),
    "ChatMessageService/SetFeedback": Row(
        World.message, lambda message: {"id": message, "feedback": {"isPositive": True}}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/DeleteFeedback": Row(World.message, by_id, SESSIONS_WRITTEN),
    "ChatMessageService/SetCitationFeedback": Row(
        World.citing_message,
        lambda message: {"messageId": message, "chunkId": "passage", "feedback": {"isPositive": True}},
        SESSIONS_WRITTEN,
    ),
    "ChatMessageService/DeleteCitationFeedback": Row(
        World.message, lambda message: {"messageId": message, "chunkId": "passage"}, SESSIONS_WRITTEN
    ),
    "ChatSessionService/ListChatSessions": Row(World.nothing, empty, ANYTHING),
    "ChatSessionService/SearchChatSessions": Row(World.nothing, lambda _: {"query": "x"}, ANYTHING),
    "ChatSessionService/GetChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/CreateChatSession": Row(World.nothing, lambda _: {"chatSession": {}}, ANYTHING),
    "ChatSessionService/UpdateChatSession": Row(World.session, patch("chatSession", "title", name), SESSIONS_WRITTEN),
    "ChatSessionService/PauseChatSession": Row(World.running_session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ResumeChatSession": Row(World.paused_session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/CancelChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/DeleteChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/RestoreChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ExportChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/PurgeChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/MoveHead": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ForkChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/SummarizeChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "CheckpointService/ListCheckpoints": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "CheckpointService/GetCheckpoint": Row(World.checkpoint, by_id, SESSIONS_READ),
    "CheckpointService/CreateCheckpoint": Row(
        World.session, lambda session: {"chatSessionId": session, "checkpoint": {"name": "x"}}, SESSIONS_WRITTEN
    ),
    "CheckpointService/RestoreCheckpoint": Row(World.checkpoint, by_id, SESSIONS_WRITTEN),
    "CheckpointService/DeleteCheckpoint": Row(World.checkpoint, by_id, SESSIONS_WRITTEN),
    "RunService/ListRuns": Row(World.nothing, empty, ANYTHING),
    "RunService/GetRun": Row(World.run, by_id, SESSIONS_READ),
    "RunService/ListSteps": Row(World.run, by_id, SESSIONS_READ),
    "RunService/CancelRun": Row(World.run, by_id, SESSIONS_READ),
    "RunService/PauseRun": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/ResumeRun": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/ProvideInput": Row(World.run, lambda run: {"id": run, "content": "x"}, SESSIONS_WRITTEN),
    "RunService/ApproveToolCall": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/GetRunTree": Row(World.run, by_id, SESSIONS_READ),
    "RunService/GetRunDetails": Row(World.run, by_id, SESSIONS_READ),
    "RunService/GetStepPrompt": Row(World.stepped_run, first_step, SESSIONS_WRITTEN),
    "RunService/ExcludeStep": Row(World.stepped_run, first_step, SESSIONS_WRITTEN),
    "RunService/ListRunEvents": Row(World.run, by_id, SESSIONS_READ),
    "RunService/StreamSessionEvents": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "ImportService/ImportChatSession": Row(World.nothing, lambda _: {"content": EXPORTED}, ANYTHING),
    "ImportService/ImportUserChatSession": Row(
        verified_address, lambda email: {"content": EXPORTED, "email": str(email)}, {"foreign": SUPERADMINS}
    ),
    "SessionShareService/ListSessionShares": Row(World.nothing, empty, ANYTHING),
    "SessionShareService/CreateSessionShare": Row(
        World.session, lambda session: {"chatSessionId": session}, SESSIONS_WRITTEN
    ),
    "SessionShareService/PreviewSessionShare": Row(
        World.session, lambda session: {"chatSessionId": session}, SESSIONS_WRITTEN
    ),
    "SessionShareService/AddSessionShareRecipients": Row(
        World.session_share, lambda share: {"id": share, "recipients": [{"userId": 1}]}, PERSONAL
    ),
    "SessionShareService/RemoveSessionShareRecipients": Row(
        World.session_share, lambda share: {"id": share, "recipients": [{"userId": 1}]}, PERSONAL
    ),
    "SessionShareService/RefreshSessionShare": Row(World.session_share, by_id, PERSONAL),
    "SessionShareService/DeleteSessionShare": Row(World.session_share, by_id, PERSONAL),
    "SessionShareService/ReadSharedSession": Row(World.share_token, by_token, {"own": EVERYONE, "foreign": EVERYONE}),
    "SessionShareService/ForkSharedSession": Row(World.share_token, by_token, {"own": EVERYONE, "foreign": EVERYONE}),
    "SessionShareService/ListReceivedShares": Row(World.nothing, empty, ANYTHING),
    "SessionShareService/ReadReceivedShare": Row(World.received_share, by_id, PERSONAL),
    "SessionShareService/ForkReceivedShare": Row(World.received_share, by_id, PERSONAL),
    "TodoService/ListTodos": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "TodoService/GetTodo": Row(World.todo, by_id, SESSIONS_READ),
    "TodoService/CreateTodo": Row(
        World.session, lambda session: {"chatSessionId": session, "todo": {"title": "x"}}, SESSIONS_WRITTEN
    ),
    "TodoService/UpdateTodo": Row(World.todo, patch("todo", "title", name), SESSIONS_WRITTEN),
    "TodoService/DeleteTodo": Row(World.todo, by_id, SESSIONS_WRITTEN),
}
