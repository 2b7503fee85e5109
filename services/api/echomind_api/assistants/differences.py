"""Differences between two versions of an assistant, field by field."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from echomind_lib.assistants.mcp_servers import SECRET_FIELDS
from echomind_lib.mappers import assistants
from echomind_lib.models.public import Assistant, AssistantChange, AssistantConfig, McpServer

_SERVERS: Final = "config.mcpServers."
_HIDDEN: Final = ""
"""Shown in place of a secret."""


def differences(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[AssistantChange]:
    """Returns the fields in which two snapshots differ.

    Args:
        before: The earlier snapshot; None for an empty assistant.
        after: The later one.
    """
    old, new = _fields(before) if before is not None else {}, _fields(after)
    changed = [field for field in {**new, **old} if old.get(field) != new.get(field)]
    return [_change(field, old.get(field), new.get(field)) for field in sorted(changed, key=_position)]


def _change(field: str, before: Any, after: Any) -> AssistantChange:
    is_secret = field.startswith(_SERVERS) and any(f".{part}." in field for part in SECRET_FIELDS)
    if is_secret:
        before, after = (None if value is None else _HIDDEN for value in (before, after))
    return AssistantChange(field=field, before=before, after=after, is_secret=is_secret)


def _fields(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a snapshot that are not as in an empty assistant, by their paths."""
    return {field: value for field, value in _leaves(_shown(snapshot)) if value != _EMPTY.get(_plain(field))}


def _shown(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    assistant = assistants.of_snapshot({"config": {}, **snapshot})
    shown: dict[str, Any] = assistant.model_dump(mode="json", exclude_none=True)
    return shown


def _position(field: str) -> int:
    """Returns the position of a field in the list; those of MCP servers are last."""
    return _ORDER.get(field, len(_ORDER))


def _plain(field: str) -> str:
    """Returns the path of a field without the name of an MCP server."""
    if not field.startswith(_SERVERS):
        return field
    return _SERVERS + field.removeprefix(_SERVERS).partition(".")[2]


def _leaves(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        path_of_field = f"{path}{name}"
        if f"{path_of_field}." == _SERVERS:
            for server in part:
                yield from _leaves(server, f"{_SERVERS}{server['name']}.")
        elif isinstance(part, Mapping):
            yield from _leaves(part, f"{path_of_field}.")
        else:
            yield path_of_field, part


_EMPTY: Final = {
    **dict(_leaves(Assistant.model_construct(config=AssistantConfig()).model_dump(mode="json", exclude_none=True))),
    **dict(_leaves(McpServer.model_construct().model_dump(mode="json", exclude_none=True), _SERVERS)),
}
"""The fields of an empty assistant and of an empty server by their paths, in place of the server's name nothing."""
_ORDER: Final = {field: path_of_field for path_of_field, field in enumerate(_EMPTY)}
