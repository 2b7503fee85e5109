"""`echomind groups`: groups of people, with whom connectors are shared."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import GROUPS
from echomind.cli.rendering import counted, last_change, moment, plain
from echomind.cli.tables import Table
from echomind_lib.models import public

app = CommandGroup("Groups of people, with whom connectors are shared.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of a group.", autocompletion=completion.groups)]
Users = Annotated[list[str], typer.Argument(metavar="USER...", help="User names.", autocompletion=completion.users)]
DisplayName = Annotated[str | None, typer.Option(help="Name that is shown of the group; empty: its name.")]

_GROUPS = Table(
    "GroupService.list_groups",
    "ID NAME DISPLAY_NAME::60 MEMBERS:member_count CONNECTORS:connector_count DESCRIPTION::60 CREATED:creation_date",
    "There is no group; `echomind groups add NAME` adds one.",
)
_MEMBERS = Table("GroupService.list_group_members", "ID:user_id USER:user_name NAME ADMIN:is_admin ADDED_BY:sources")


@app.command("list")
async def list_groups(api: Api) -> None:
    """List the groups: all for admins, otherwise those that you are an admin of."""
    await _GROUPS.show(api)


@app.command("show")
async def show_group(api: Api, name: Name) -> None:
    """Show a group with its members, and what made them members."""
    group = await GROUPS.find(api, name)
    members = (
        await api.client.collect(public.GroupService.list_group_members, {"id": group.id}, limit=100_000)
    ).members
    api.terminal.json(plain(group) | {"members": members})
    api.terminal.fields(
        (
            ("Group", f"{group.name} (id {group.id})"),
            ("Display name", group.display_name),
            ("Description", group.description),
            ("Connectors", group.connector_count),
            ("Created", moment(group.creation_date)),
            ("Changed", last_change(group)),
        )
    )
    _MEMBERS.write_rows(api.terminal, members, empty=f"{group.name} has no members; `echomind groups join` adds some.")


@app.command("add")
async def add_group(
    api: Api,
    name: Annotated[str, typer.Argument(help="Name of the group, which never changes.")],
    description: Annotated[str, typer.Option(help="What the group is for.")] = "",
    display_name: DisplayName = None,
) -> None:
    """Add a group without members."""
    new = {"name": name, "description": description, "display_name": display_name or ""}
    group = await api.client.call(public.GroupService.create_group, {"group": new})
    api.terminal.report(group, f"Added {group.name} (id {group.id}).")


@app.command("update")
async def update_group(
    api: Api,
    name: Name,
    description: Annotated[str | None, typer.Option(help="What the group is for; empty: nothing.")] = None,
    display_name: DisplayName = None,
) -> None:
    """Change what a group is for, or the name that is shown of it."""
    given = {"description": description, "display_name": display_name}
    changes = {field: value for field, value in given.items() if value is not None}
    if not changes:
        raise typer.BadParameter("Give --description or --display-name.")
    group = await GROUPS.find(api, name)
    changed = await api.client.call(public.GroupService.update_group, {"id": group.id, "group": changes})
    api.terminal.report(changed, f"Changed {group.name}.")


@app.command("join")
async def add_members(api: Api, name: Name, users: Users) -> None:
    """Add people to a group: as a superadmin, or as an admin of the group."""
    group = await GROUPS.find(api, name)
    changed = await api.client.call(public.GroupService.add_group_members, {"id": group.id, "user_names": users})
    api.terminal.report(changed, f"{changed.name} has {counted(changed.member_count, 'member')}.")


@app.command("leave")
async def remove_members(api: Api, name: Name, users: Users) -> None:
    """Remove people from a group.

    They stop reading its documents within a minute.
    """
    group = await GROUPS.find(api, name)
    members = await _find_members(api, group, users)
    request = {"id": group.id, "user_ids": [member.user_id for member in members]}
    changed = await api.client.call(public.GroupService.remove_group_members, request)
    api.terminal.report(changed, f"{changed.name} has {counted(changed.member_count, 'member')}.")


@app.command("remove")
async def remove_group(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove a group that no connector is shared with."""
    group = await GROUPS.find(api, name)
    await confirm(
        api.terminal, f"Remove the group {group.name} with its {counted(group.member_count, 'membership')}", yes=yes
    )
    await api.client.call(public.GroupService.delete_group, {"id": group.id})
    api.terminal.report({"id": str(group.id), "name": group.name}, f"Removed {group.name}.")


@app.command("promote")
async def add_admins(api: Api, name: Name, users: Users) -> None:
    """Make members admins of their group, who add and remove its members."""
    await _set_admins(api, name, users, is_admin=True)


@app.command("demote")
async def remove_admins(api: Api, name: Name, users: Users) -> None:
    """Make admins of a group its plain members."""
    await _set_admins(api, name, users, is_admin=False)


async def _set_admins(api: Api, name: str, users: list[str], *, is_admin: bool) -> None:
    group = await GROUPS.find(api, name)
    changed = [
        await api.client.call(
            public.GroupService.set_group_admin, {"id": group.id, "user_id": member.user_id, "is_admin": is_admin}
        )
        for member in await _find_members(api, group, users)
    ]
    api.terminal.json({"members": changed})
    for member in changed:
        role = "an admin" if member.is_admin else "a plain member"
        api.terminal.line(f"{member.user_name} is {role} of {group.name}.")


async def _find_members(api: Api, group: "public.Group", names: list[str]) -> "list[public.GroupMember]":
    listed = (await api.client.collect(public.GroupService.list_group_members, {"id": group.id}, limit=100_000)).members
    return [find(listed, name, "member", lambda member: member.user_name) for name in names]
