"""`echomind assistants versions`, `diff` and `restore`: the versions of assistants."""

import json
from collections.abc import Iterator, Mapping
from difflib import ndiff
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.lists import more
from echomind.cli.nouns import ASSISTANTS
from echomind.cli.tables import Table
from echomind_lib.models import public

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name or id of an assistant.", autocompletion=completion.assistants)
]
Version = Annotated[int, typer.Argument(help="Number of a version.", min=1)]
Limit = Annotated[int, typer.Option(help="Max versions.", min=1, max=10_000)]

_VERSIONS = Table(
    "AssistantService.list_assistant_versions",
    "VERSION MADE:creation_date BY:created_by_name CHANGED",
    "It has no version.",
    {
        "CHANGED": lambda each: (
            (f"restored version {each.restored_version}: " if each.restored_version else "")
            + ", ".join(each.changed_fields)
        )
    },
)


async def list_versions(api: Api, name: Name, limit: Limit = 20) -> None:
    """List the versions of an assistant, newest first; each change creates one."""
    assistant = await ASSISTANTS.find(api, name)
    found = await api.client.collect(public.AssistantService.list_assistant_versions, {"id": assistant.id}, limit=limit)
    api.terminal.json(found)
    _VERSIONS.write_rows(api.terminal, found.versions)
    more(api.terminal, found.next_page_token, len(found.versions))


async def show_difference(
    api: Api,
    name: Name,
    version: Version,
    base: Annotated[
        int | None, typer.Option(help="Version to compare it with.", min=1, show_default="the one before")
    ] = None,
) -> None:
    """Show what a version of an assistant changed."""
    assistant = await ASSISTANTS.find(api, name)
    request = {"id": assistant.id, "version": version, "base_version": base or 0}
    difference = await api.client.call(public.AssistantService.diff_assistant_versions, request)
    api.terminal.json(difference)
    for change in difference.changes:
        api.terminal.line(change.field)
        for line in _lines(change):
            api.terminal.line(f"  {line}")
    if not difference.changes:
        api.terminal.line("No differences.")


async def restore_version(api: Api, name: Name, version: Version) -> None:
    """Restore an assistant to a version, as a new version."""
    assistant = await ASSISTANTS.find(api, name)
    request = {"id": assistant.id, "version": version}
    restored = await api.client.call(public.AssistantService.restore_assistant_version, request)
    api.terminal.json(restored)
    if restored.version == assistant.version:
        api.terminal.line(f"{restored.name} (id {restored.id}) already is as in version {version}.")
    else:
        api.terminal.line(
            f"Restored version {version} of {restored.name} (id {restored.id}) as version {restored.version}."
        )


def _lines(change: "public.AssistantChange") -> Iterator[str]:
    """Removed lines with `-`, added lines with `+`, and in longer texts the unchanged lines between them."""
    if change.is_secret:
        yield "(a secret, not shown)"
        return
    before, after = (_text(value).splitlines() for value in (change.before, change.after))
    yield from (line for line in ndiff(before, after) if not line.startswith("?"))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    if isinstance(value, Mapping) and "assistantId" in value:
        return describe_member(value["name"], value.get("version", 0), value.get("role", ""))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def describe_member(name: str, version: int, role: str) -> str:
    """Returns a member of a team in words: its name, its pinned version, its role."""
    pinned = f" (version {version})" if version else ""
    return f"{name}{pinned}: {role}" if role else f"{name}{pinned}"
