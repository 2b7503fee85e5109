"""`echomind notebooks join|leave`: people and groups of a notebook."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.find import find
from echomind.cli.notebooks.notebooks import Name, find_notebook
from echomind_lib.models import public
from echomind_lib.models.public import words

Groups = Annotated[
    list[str] | None, typer.Option(help="Group, with its people; repeatable.", autocompletion=completion.groups)
]


async def add_members(
    api: Api,
    name: Name,
    user: Annotated[
        list[str] | None,
        typer.Argument(metavar="USER", help="User name or e-mail; several at once.", autocompletion=completion.users),
    ] = None,
    group: Groups = None,
    role: Annotated[words.NotebookRole, typer.Option(help="Role in the notebook.")] = words.NotebookRole.VIEWER,
) -> None:
    """Add people and groups to a notebook, or give members another role."""
    if not user and not group:
        raise typer.BadParameter("Name a user, or a group with --group.")
    notebook = await find_notebook(api, name)
    request = {"id": notebook.id, "role": public.NotebookRole.from_word(role.value)}
    groups = [await _find_group(api, each) for each in group or ()]
    made = [
        await api.client.call(public.NotebookService.set_notebook_member, request | {"user_name": each})
        for each in user or ()
    ]
    given = [
        await api.client.call(public.NotebookService.set_notebook_group, request | {"group_id": each.group_id})
        for each in groups
    ]
    api.terminal.json({"members": made, "groups": given})
    for member in made:
        api.terminal.line(f"{member.user_name} is {member.role.word} of {notebook.title}.")
    for each in given:
        api.terminal.line(f"The people of the group {each.name} are {each.role.word}s of {notebook.title}.")


async def remove_member(
    api: Api,
    name: Name,
    user: Annotated[str, typer.Argument(metavar="USER", help="User name.", autocompletion=completion.users)] = "",
    group: Annotated[str, typer.Option(help="Group, in place of a user.", autocompletion=completion.groups)] = "",
) -> None:
    """Remove a member or a group, or leave a notebook yourself."""
    if bool(user) == bool(group):
        raise typer.BadParameter("Name either a user, or a group with --group.")
    notebook = await find_notebook(api, name)
    listed = await api.client.call(public.NotebookService.list_notebook_members, {"id": notebook.id})
    if group:
        found = find(listed.groups, group, "group in the notebook")
        request = {"id": notebook.id, "group_id": found.group_id}
        await api.client.call(public.NotebookService.remove_notebook_group, request)
        api.terminal.report(notebook, f"The group {found.name} left {notebook.title}.")
        return
    member = find(listed.members, user, "member", lambda each: each.user_name)
    await api.client.call(public.NotebookService.remove_notebook_member, {"id": notebook.id, "user_id": member.user_id})
    api.terminal.report(notebook, f"{member.user_name} left {notebook.title}.")


async def _find_group(api: Api, name: str) -> "public.DirectoryGroup":
    """Returns the group with a name among those that the caller can share with."""
    groups = (await api.client.call(public.DirectoryService.search_directory, {"query": name})).groups
    return find(groups, name, "group that you can share with")
