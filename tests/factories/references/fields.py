"""The fields of requests that may refer to something, and those of them that do not."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor

from tests.factories.permissions import TABLE


def _is_reference(field: str) -> bool:
    named = {"id", "ids", "name", "groups", "tools", "approval_tools", "dependencies"}
    return field in named or field.endswith(("_id", "_ids", "_name"))


def references(message: Descriptor, path: str = "") -> Iterator[str]:
    """The fields of a request that may refer to something, by their paths."""
    for field in message.fields:
        place = f"{path}{field.name}"
        inner = field.message_type
        if inner and inner.full_name.startswith("echomind.") and not inner.GetOptions().map_entry:
            yield from references(inner, f"{place}.")
        elif _is_reference(field.name):
            yield place


def own_resource(method: str) -> set[str]:
    """Returns the fields by which the matrix names the resource that a method is about."""
    return {_snake(path) for path, value in _leaves(TABLE[method].ask(7654321)) if value in (7654321, "7654321")}


def _leaves(given: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a request by their paths, of a list each one."""
    for name_, value in given.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{path}{name_}.")
        else:
            yield from ((f"{path}{name_}", one) for one in (value if isinstance(value, list) else [value]))


def _snake(field: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


NO_REFERENCE = {
    "assistant.config.mcp_servers.name": "what it is called",
    "assistant.members.name": "what it is called; set by the server",
    "assistant.name": "what it is called",
    "chat_session.external_id": "the session's id at the caller",
    "chat_session.preferences.tools": "names of tools, which may be none of the assistant",
    "checkpoint.name": "what it is called",
    "connector.name": "what it is called",
    "connector.type_name": "the name of an installed type",
    "group.display_name": "what it is called",
    "group.name": "what it is called",
    "identity_provider.client_id": "what EchoMind is called at the provider",
    "identity_provider.mapping.groups": "made by being named",
    "identity_provider.name": "what it is called",
    "invitation.groups": "made by being named",
    "external_id": "the run's or the session's id at the caller",
    "files.source_id": "a document's name in its connector",
    "llm.model_id": "the provider's name of the model",
    "llm.name": "what it is called",
    "name": "what it is called",
    "options.tools": "names of tools, which may be none of the assistant",
    "request_id": "the caller's key against repetition",
    "session_external_id": "the session's id at the caller, which the caller may begin",
    "source_id": "a document's name in its connector",
    "document.file_name": "the name of a file",
    "note.citations.file_name": "the name of a file",
    "recipients.name": "what the person is called; set by the server",
    "type_name": "the name of an installed type",
    "user.external_id": "the name of a person at a provider; set by the server",
    "user.first_name": "what the person is called",
    "user.groups": "made by being named",
    "user.last_name": "what the person is called",
    "user.preferences.run_options.tools": "names of tools, which may be none of the assistant",
    "user.user_name": "what the account is called",
}
"""Fields that are named like a reference and refer to nothing, with what they are."""

SET_BY_SERVER = {
    "assistant.draft_of_id",
    "assistant.id",
    "chat_session.forked_from_message_id",
    "chat_session.head_message_id",
    "chat_session.id",
    "chat_session.important_steps.run_id",
    "chat_session.last_summarized_message_id",
    "chat_session.most_recent_run_id",
    "chat_session.parent_session_id",
    "chat_session.user_id",
    "checkpoint.chat_session_id",
    "checkpoint.id",
    "checkpoint.run_id",
    "connector.id",
    "connector.sync.connector_id",
    "connector.sync.id",
    "document.connector_id",
    "document.id",
    "document.parent_id",
    "document.source_id",
    "connector.user_id",
    "feedback.user_id",
    "feedback.user_name",
    "group.id",
    "identity_provider.id",
    "invitation.accepted_user_id",
    "invitation.id",
    "knowledge.id",
    "knowledge.my_feedback.chat_session_id",
    "knowledge.my_feedback.user_id",
    "knowledge.my_feedback.user_name",
    "knowledge.source_message_ids",
    "knowledge.source_run_id",
    "knowledge.source_session_id",
    "knowledge.user_id",
    "knowledge.user_name",
    "llm.id",
    "note.citations.chunk_id",
    "note.citations.document_id",
    "note.id",
    "note.message_id",
    "note.notebook_id",
    "note.user_id",
    "note.user_name",
    "notebook.id",
    "notebook.user_id",
    "notebook.user_name",
    "session_share.chat_session_id",
    "session_share.id",
    "session_share.recipients.name",
    "memory.id",
    "memory.source_message_ids",
    "memory.source_session_id",
    "todo.chat_session_id",
    "todo.id",
    "todo.run_id",
    "user.id",
    *(
        f"{noun}.updated_by_name"
        for noun in (
            "assistant",
            "connector",
            "group",
            "identity_provider",
            "llm",
            "notebook",
            "settings",
            "user",
        )
    ),
}
"""Fields of resources that are sent in vain."""
