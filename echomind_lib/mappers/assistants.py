"""Assistants."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from echomind_lib.assistants import mcp_servers
from echomind_lib.assistants.mcp_servers import SECRET_FIELDS, SecretMissingError
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Assistant, AssistantMember
from echomind_lib.secrets import Secrets


def to_model(row: Any, members: Sequence[AssistantMember] = (), *, to_manage: bool = True) -> Assistant:
    """Returns the assistant of a row, without the values of its MCP servers' secrets.

    Args:
        row: The row.
        members: The members of its team.
        to_manage: Whether it is for a user who manages assistants. Others see only the names, transports and allowed
            tools of its MCP servers, and not for which groups it is.
    """
    assistant = Assistant.from_row(row, members=list(members))
    if not to_manage:
        assistant = assistant.model_copy(update={"groups": []})
    if assistant.config is None or not assistant.config.mcp_servers:
        return assistant
    # Copied, as the model may share these objects with the row.
    shown = [
        server.model_copy(update={field: dict.fromkeys(getattr(server, field), "") for field in SECRET_FIELDS})
        if to_manage
        else type(server)(name=server.name, transport=server.transport, allowed_tools=server.allowed_tools)
        for server in assistant.config.mcp_servers
    ]
    return assistant.model_copy(update={"config": assistant.config.model_copy(update={"mcp_servers": shown})})


def of_snapshot(snapshot: Mapping[str, Any]) -> Assistant:
    """Returns the assistant of a version's snapshot, with its MCP servers' secrets as stored."""
    columns = {name: value for name, value in snapshot.items() if name != "members"}
    return Assistant.from_row(rows.Assistant(**columns), members=members_of_snapshot(snapshot))


def members_of_snapshot(snapshot: Mapping[str, Any]) -> list[AssistantMember]:
    """Returns the members in a version's snapshot."""
    return [AssistantMember(**member) for member in snapshot.get("members", ())]


def to_columns(
    assistant: Assistant, fields: Iterable[str], secrets: Secrets, stored: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Returns the columns of the assistant; `config` is ProtoJSON, the secrets of its MCP servers encrypted.

    Args:
        assistant: The new values.
        fields: The fields to write.
        secrets: Encrypts the secrets.
        stored: The stored `config`, whose secrets are kept for empty values; None for a new assistant.

    Raises:
        ValidationFailedError: A field cannot be written, or an empty secret has no stored one.
    """
    config = assistant.config
    columns = {
        "name": assistant.name,
        "description": assistant.description,
        "llm_id": assistant.llm_id or None,
        "system_prompt": assistant.system_prompt,
        "task_prompt": assistant.task_prompt,
        "starter_messages": list(assistant.starter_messages),
        "is_default": assistant.is_default,
        "is_visible": assistant.is_visible,
        "groups": list(assistant.groups),
        "display_priority": assistant.display_priority,
        "config": config.model_dump(mode="json", exclude_none=True) if config else {},
    }
    chosen = pick(Assistant, columns, (field for field in fields if field != "members"))
    if "config" in chosen and (servers := chosen["config"].get("mcpServers")):
        try:
            encrypted = mcp_servers.encrypt(servers, (stored or {}).get("mcpServers") or (), secrets)
        except SecretMissingError as error:
            raise ValidationFailedError(str(error), **{error.field: error.rule}) from error
        chosen["config"] = {**chosen["config"], "mcpServers": encrypted}
    return chosen
