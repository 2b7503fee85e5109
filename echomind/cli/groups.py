"""`echomind groups`: groups of people, with whom connectors are shared."""

from typing import TYPE_CHECKING, Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api, api_command
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import counted, last_change, moment, one_line, plain
from echomind.cli.users import find_users

if TYPE_CHECKING:
    from echomind_lib.models.public import Group

app = CommandGroup("Groups of people, with whom connectors are shared.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of a group.", autocompletion=completion.groups)]
Users = Annotated[
    list[str], typer.Argument(metavar="USER...", help="User names or ids.", autocompletion=completion.users)
]


@app.command("list")
@api_command
async def list_groups(api: Api) -> None:
    """List the groups."""
    groups = await _groups(api)
    api.terminal.json({"groups": groups})
    api.terminal.table(
        ("ID", "NAME", "MEMBERS", "CONNECTORS", "DESCRIPTION", "CREATED"),
        (
            (
                group.id,
                group.name,
                group.member_count,
                group.connector_count,
                one_line(group.description, 60),
                moment(group.creation_date),
            )
            for group in groups
        ),
        empty="There is no group; `echomind groups add NAME` adds one.",
    )


@app.command("show")
@api_command
async def show_group(api: Api, name: Name) -> None:
    """Show a group with its members."""
    from echomind_lib.models.public import UserService

    group = find(await _groups(api), name, "group")
    users = (await api.client.collect(UserService.list_users, {"group": group.name}, limit=100_000)).users
    api.terminal.json(plain(group) | {"members": users})
    api.terminal.fields(
        (
            ("Group", f"{group.name} (id {group.id})"),
            ("Description", group.description),
            ("Connectors", group.connector_count),
            ("Created", moment(group.creation_date)),
            ("Changed", last_change(group)),
            ("Members", ", ".join(user.user_name for user in users) or "none"),
        )
    )


@app.command("add")
@api_command
async def add_group(
    api: Api,
    name: Annotated[str, typer.Argument(help="Name of the group, which never changes.")],
    description: Annotated[str, typer.Option(help="What the group is for.", show_default=False)] = "",
) -> None:
    """Add a group without members."""
    from echomind_lib.models.public import GroupService

    group = await api.client.call(GroupService.create_group, {"group": {"name": name, "description": description}})
    api.terminal.report(group, f"Added {group.name} (id {group.id}).")


@app.command("update")
@api_command
async def update_group(
    api: Api, name: Name, description: Annotated[str, typer.Option(help="What the group is for; empty: nothing.")]
) -> None:
    """Change the description of a group."""
    from echomind_lib.models.public import GroupService

    group = find(await _groups(api), name, "group")
    change = {"id": group.id, "group": {"description": description}}
    api.terminal.report(await api.client.call(GroupService.update_group, change), f"Changed {group.name}.")


@app.command("join")
@api_command
async def add_members(api: Api, name: Name, users: Users) -> None:
    """Add people to a group."""
    from echomind_lib.models.public import GroupService

    group = find(await _groups(api), name, "group")
    members = {"id": group.id, "user_ids": [user.id for user in await find_users(api, users)]}
    changed = await api.client.call(GroupService.add_group_members, members)
    api.terminal.report(changed, f"{changed.name} has {counted(changed.member_count, 'member')}.")


@app.command("leave")
@api_command
async def remove_members(api: Api, name: Name, users: Users) -> None:
    """Remove people from a group.

    They stop reading its documents within a minute.
    """
    from echomind_lib.models.public import GroupService

    group = find(await _groups(api), name, "group")
    members = {"id": group.id, "user_ids": [user.id for user in await find_users(api, users)]}
    changed = await api.client.call(GroupService.remove_group_members, members)
    api.terminal.report(changed, f"{changed.name} has {counted(changed.member_count, 'member')}.")


@app.command("remove")
@api_command
async def remove_group(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove a group that no connector is shared with."""
    from echomind_lib.models.public import GroupService

    group = find(await _groups(api), name, "group")
    await confirm(
        api.terminal, f"Remove the group {group.name} with its {counted(group.member_count, 'membership')}", yes=yes
    )
    await api.client.call(GroupService.delete_group, {"id": group.id})
    api.terminal.report({"id": str(group.id), "name": group.name}, f"Removed {group.name}.")


async def _groups(api: Api) -> "list[Group]":
    from echomind_lib.models.public import GroupService

    return (await api.client.collect(GroupService.list_groups, limit=10_000)).groups
