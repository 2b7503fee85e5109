"""Requests with what belongs to others, for each field of the contract that refers to something."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from echomind_lib.contract.http_call import http_rule
from tests.drivers.client import METHODS
from tests.factories.permissions import TABLE
from tests.factories.references import USES
from tests.factories.references.fields import NO_REFERENCE, SET_BY_SERVER, references

NOUNS = {
    "ConnectorSyncService/SyncConnector.id": "connectors",
    "ConnectorSyncService/CancelConnectorSync.id": "connectors",
    "NotebookService/GiveNotebookAccess.source_ids": "notebook_sources",
    "NotebookService/RemoveNotebookSources.source_ids": "notebook_sources",
    "ChatMessageService/SetCitationFeedback.chunk_id": "chat_message_documents.chunk_id",
    "ChatMessageService/DeleteCitationFeedback.chunk_id": "chat_message_documents.chunk_id",
    "EvaluationDatasetService/UpdateEvaluationCase.id": "evaluation_cases",
    "EvaluationDatasetService/DeleteEvaluationCase.id": "evaluation_cases",
    "dataset": "evaluation_datasets",
    "WebhookService/ReplayWebhookDelivery.id": "webhook_deliveries",
    "judge_llm": "llms",
    "found_in_session": "chat_sessions",
    "ScimClientService/DeleteScimToken.token_id": "scim_tokens",
    "ServiceAccountService/RotateServiceAccountKey.key_id": "api_keys",
    "ServiceAccountService/SetServiceAccountKeyQuotas.key_id": "api_keys",
    "ServiceAccountService/DeleteServiceAccountKey.key_id": "api_keys",
    "service_account": "users",
    "owner_group": "groups",
    "parent": "documents",
    "head_message": "chat_messages",
    "message": "chat_messages",
    "default_assistant": "assistants",
    "replaced": "knowledge_entities",
    "knowledge": "knowledge_entities",
    "memory": "agent_memories",
    "dead_letter": "background_jobs",
    "dependencies": "todos",
    "tool_call": "tool_calls.tool_call_id",
    "user_name": "users.user_name",
    "scope": "groups.name",
    "groups": "groups.name",
    "tools": "",
    "approval_tools": "",
    "name": "connectors.name",
}
"""What a field refers to, where its name or service does not say it: a table, or a column of one; "" for no row."""


@dataclass(frozen=True)
class Field:
    """A field of a request that refers to something."""

    method: str
    path: str
    table: str
    column: str = "id"

    @property
    def is_read(self) -> bool:
        return is_read(self.method)


def is_read(method: str) -> bool:
    """Returns whether a method changes nothing: those with GET, and searches and counts."""
    rule = http_rule(METHODS[method])
    verb = method.partition("/")[2]
    if rule is not None and rule.verb == "GET":
        return True
    return verb.startswith(("Get", "List", "Search", "Count", "Stream")) and verb != "StreamMessage"


def fields(tables: list[str]) -> list[Field]:
    """Returns the fields of the whole contract that refer to something.

    Raises:
        AssertionError: A field's noun is unknown.
    """
    found = []
    for method, descriptor in METHODS.items():
        for path in references(descriptor.input_type):
            if path in SET_BY_SERVER or (path in NO_REFERENCE and (method, path) not in USES):
                continue
            noun = _noun(method, path, tables)
            if noun:
                table, _, column = noun.partition(".")
                found.append(Field(method, path, table, column or "id"))
    return found


def _noun(method: str, path: str, tables: list[str]) -> str:
    name = re.sub(r"_ids?$", "", path.rpartition(".")[2])
    if name in ("id", "ids"):
        service = method.partition("Service/")[0]
        name = re.sub(r"(?<!^)([A-Z])", r"_\1", service).lower()
    for known in (f"{method}.{path}", name):
        if known in NOUNS:
            return NOUNS[known]
    assert f"{name}s" in tables, (
        f"{method} has a field {path} that refers to something, and there is no table {name}s. Add what it refers to to"
        " NOUNS in tests/drivers/foreign/requests.py, or to NO_REFERENCE in tests/factories/references/fields.py."
    )
    return f"{name}s"


def words(method: str) -> list[str]:
    """Returns the paths of a read's texts that filter or ask: those that refer to nothing by id."""
    known = {*references(METHODS[method].input_type), "page_token", "token", "time_zone", "run_id"}
    return [
        path
        for path, field in _leaves(METHODS[method].input_type)
        if field.type == FieldDescriptor.TYPE_STRING and path not in known
    ]


def _leaves(message: Descriptor, path: str = "") -> Iterator[tuple[str, FieldDescriptor]]:
    for field in message.fields:
        inner = field.message_type
        if inner and inner.full_name.startswith("echomind.") and not inner.GetOptions().map_entry:
            yield from _leaves(inner, f"{path}{field.name}.")
        elif not inner:
            yield f"{path}{field.name}", field


def request(method: str, own: Any, path: str = "", value: Any = None) -> dict[str, Any]:
    """Returns a request about a resource of the caller's own, with a value at a path."""
    made: dict[str, Any] = deepcopy(TABLE[method].ask(own))
    if not path:
        return made
    part, message = made, METHODS[method].input_type
    *outer, last = path.split(".")
    for name in outer:
        field = message.fields_by_name[name]
        inner = part.setdefault(field.json_name, [{}] if field.is_repeated else {})
        part = inner[0] if isinstance(inner, list) else inner
        assert field.message_type is not None
        message = field.message_type
    field = message.fields_by_name[last]
    part[field.json_name] = [value] if field.is_repeated else value
    if outer and "update_mask" in METHODS[method].input_type.fields_by_name:
        resource = METHODS[method].input_type.fields_by_name[outer[0]].message_type
        assert resource is not None
        made["updateMask"] = resource.fields_by_name[path.split(".")[1]].json_name
    return made
