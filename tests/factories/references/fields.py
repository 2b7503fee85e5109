"""The fields of requests that may refer to something, and those of them that do not."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor

from echomind_lib.contract.behavior import set_by_server
from tests.drivers.client import METHODS
from tests.factories.permissions import TABLE


def _is_reference(field: str) -> bool:
    named = {"id", "ids", "name", "groups", "tools", "approval_tools", "dependencies"}
    return field in named or field.endswith(("_id", "_ids", "_name"))


def references(message: Descriptor, path: str = "") -> Iterator[str]:
    """The fields of a request that may refer to something, by their paths."""
    for field in message.fields:
        reference = f"{path}{field.name}"
        inner = field.message_type
        if inner and inner.full_name.startswith("echomind.") and not inner.GetOptions().map_entry:
            yield from references(inner, f"{reference}.")
        elif _is_reference(field.name):
            yield reference


def own_resource(method: str) -> set[str]:
    """Returns the fields by which the matrix names the resource that a method is about."""
    return {_snake(path) for path, value in _leaves(TABLE[method].ask(7654321)) if value in (7654321, "7654321")}


def _leaves(given: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a request by their paths, of a list each one."""
    for name_, value in given.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{path}{name_}.")
        else:
            yield from ((f"{path}{name_}", each) for each in (value if isinstance(value, list) else [value]))


def _snake(field: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


NO_REFERENCE = {
    "assistant.config.mcp_servers.name": "what it is called",
    "assistant.name": "what it is called",
    "chat_session.external_id": "the session's id at the caller",
    "chat_session.preferences.tools": "names of tools, which may be none of the assistant",
    "checkpoint.name": "what it is called",
    "dataset.name": "what it is called",
    "actor_id": "filters the audit log, which has accounts that are gone",
    "after_id": "a place in the audit log",
    "client_name": "what a machine is called",
    "connector.name": "what it is called",
    "connector.type_name": "the name of an installed type",
    "embedding_model.model_id": "its server's name of the model",
    "embedding_model.model_name": "what it is called",
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
    "notebook.tools": "names of tools, which grant none: the assistant of the person who asks must have them",
    "options.tools": "names of tools, which may be none of the assistant",
    "reranker.model_id": "its server's name of the model",
    "reranker.name": "what it is called",
    "request_id": "the caller's key against repetition",
    "scim_client.name": "what it is called",
    "service_account.name": "what it is called",
    "user_name": "what the client calls the person",
    "session_external_id": "the session's id at the caller, which the caller may begin",
    "source_id": "a document's name in its connector",
    "type_name": "the name of an installed type",
    "user.first_name": "what the person is called",
    "user.groups": "made by being named",
    "user.last_name": "what the person is called",
    "user.preferences.run_options.tools": "names of tools, which may be none of the assistant",
    "user.user_name": "what the account is called",
}
"""Fields that are named like a reference and refer to nothing, with what they are."""


def _set_by_server(message: Descriptor, path: str, *, inside: bool) -> Iterator[str]:
    for field in message.fields:
        reference, inner = f"{path}{field.name}", field.message_type
        ignored = inside or (bool(path) and field.name in set_by_server(message))
        if inner and inner.full_name.startswith("echomind.") and not inner.GetOptions().map_entry:
            yield from _set_by_server(inner, f"{reference}.", inside=ignored)
        elif ignored and _is_reference(field.name):
            yield reference


SET_BY_SERVER = {path for method in METHODS.values() for path in _set_by_server(method.input_type, "", inside=False)}
"""Fields of resources that are sent in vain."""
