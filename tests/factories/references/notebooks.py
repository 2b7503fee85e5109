"""References of notebooks, and references to them."""

from uuid import uuid4

from tests.drivers.client import Client
from tests.factories.references.use import NOTHING, Use, about, asks
from tests.factories.world import World


async def no_name(world: World, ownership: str, somebody: Client) -> str:
    return f"nobody-{uuid4().hex}"


NOTEBOOK = Use(World.notebook, asks(lambda item: {"content": "x", "notebookId": item}), role="superadmin")


SUMMARY = {"template": "NOTEBOOK_TEMPLATE_SUMMARY"}


USES: dict[tuple[str, str], Use] = {
    ("ChatMessageService/SendMessage", "notebook_id"): NOTEBOOK,
    ("ChatMessageService/StreamMessage", "notebook_id"): NOTEBOOK,
    ("ChatSessionService/CreateChatSession", "chat_session.notebook_id"): Use(
        World.notebook, asks(lambda item: {"chatSession": {"notebookId": item}})
    ),
    ("ChatSessionService/ListChatSessions", "notebook_id"): Use(
        World.notebook, asks(lambda item: {"notebookId": item}), expected=NOTHING
    ),
    ("ChatSessionService/UpdateChatSession", "chat_session.notebook_id"): Use(
        World.notebook,
        about(
            World.session,
            lambda session, item: {"id": session, "chatSession": {"notebookId": item}, "updateMask": "notebookId"},
        ),
        "",
        expected="VALIDATION_FAILED",
    ),
    ("NotebookService/AddNotebookSources", "connector_ids"): Use(
        World.connector, about(World.notebook, lambda own, item: {"id": own, "connectorIds": [item]}), role="superadmin"
    ),
    ("NotebookService/AddNotebookSources", "document_ids"): Use(
        World.document, about(World.notebook, lambda own, item: {"id": own, "documentIds": [item]}), role="superadmin"
    ),
    ("NotebookNoteService/SaveNotebookNote", "message_id"): Use(
        World.message, about(World.notebook, lambda own, item: {"notebookId": own, "messageId": item})
    ),
    ("NotebookService/SetNotebookMember", "user_id"): Use(
        World.user,
        about(World.notebook, lambda own, item: {"id": own, "userId": item, "role": "NOTEBOOK_ROLE_VIEWER"}),
    ),
    ("NotebookService/SetNotebookMember", "user_name"): Use(
        no_name,
        about(World.notebook, lambda own, item: {"id": own, "userName": item, "role": "NOTEBOOK_ROLE_VIEWER"}),
        "",
    ),
    ("NotebookService/RemoveNotebookMember", "user_id"): Use(
        World.user, about(World.notebook, lambda own, item: {"id": own, "userId": item})
    ),
    ("NotebookService/SetNotebookGroup", "group_id"): Use(
        World.group,
        about(World.notebook, lambda own, item: {"id": own, "groupId": item, "role": "NOTEBOOK_ROLE_VIEWER"}),
        "",
    ),
    ("NotebookService/RemoveNotebookGroup", "group_id"): Use(
        World.group, about(World.notebook, lambda own, item: {"id": own, "groupId": item}), ""
    ),
    ("NotebookService/StartNotebookTemplate", "document_ids"): Use(
        World.document,
        about(World.notebook, lambda own, item: {"id": own, "documentIds": [item], **SUMMARY}),
        expected="VALIDATION_FAILED",
        role="superadmin",
    ),
    ("NotebookService/StartNotebookTemplate", "assistant_id"): Use(
        World.assistant, about(World.notebook, lambda own, item: {"id": own, "assistantId": item, **SUMMARY}), "hidden"
    ),
}
