"""`echomind service-accounts`: accounts of programs, which belong to groups."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.accounts.key_options import KeyOptions, LimitOptions, OverlapHours
from echomind.cli.accounts.keys import revoke, show_keys, show_rotated, show_secret, used_quotas
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import GROUPS, SERVICE_ACCOUNTS
from echomind.cli.rendering import last_change, moment, plain
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Service accounts: accounts of programs, which belong to groups.")

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Name or id of a service account.", autocompletion=completion.service_accounts),
]
Key = Annotated[str, typer.Argument(metavar="KEY", help="Name or id of one of its keys.")]
Owner = typer.Option("--owner", help="Group that it belongs to, by name or id.", autocompletion=completion.groups)
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        help="Further group that it is a member of; repeat it for several.",
        autocompletion=completion.groups,
        show_default="none",
    ),
]
RoleOption = Annotated[words.Role | None, typer.Option("--role", help="Role: user or admin.", show_default="user")]
Purpose = typer.Option(help="What it is for, and where the program runs.")

_ACCOUNTS = Table(
    "ServiceAccountService.list_service_accounts",
    "ID NAME BELONGS_TO ROLES KEYS:key_count LAST_USED:last_used_at:never PURPOSE::60",
    "There is no service account; `echomind service-accounts add NAME --owner GROUP` adds one.",
    {
        "NAME": lambda each: each.name if each.is_active else f"{each.name} (inactive)",
        "BELONGS_TO": lambda each: each.owner_group_display_name or each.owner_group,
    },
)


@app.command("list")
async def list_service_accounts(api: Api) -> None:
    """List the service accounts.

    Admins see all, others those of the groups that they are an admin of.
    """
    await _ACCOUNTS.show(api)


@app.command("show")
async def show_service_account(api: Api, name: Name) -> None:
    """Show a service account with its keys, without their secrets."""
    account = await SERVICE_ACCOUNTS.find(api, name)
    keys = await _keys(api, account)
    api.terminal.json(plain(account) | {"apiKeys": keys})
    api.terminal.fields(
        (
            ("Service account", f"{account.name} (id {account.id})"),
            ("State", "active" if account.is_active else "inactive"),
            ("Purpose", account.purpose),
            ("Belongs to", account.owner_group_display_name or account.owner_group),
            ("Roles", ", ".join(role.word for role in account.roles)),
            ("Groups", ", ".join(account.groups)),
            ("Last used", moment(account.last_used_at) or "never"),
            ("Created", " by ".join(filter(None, [moment(account.creation_date), account.created_by_name]))),
            ("Changed", last_change(account)),
        )
    )
    command = f"echomind service-accounts add-key {account.name} KEY"
    await show_keys(api, keys, empty=f"It has no key; `{command}` adds one.")


@app.command("add")
async def add_service_account(
    api: Api,
    new_account: Annotated[str, typer.Argument(metavar="NAME", help="Name, which no other account has.")],
    owner: Annotated[str, Owner],
    purpose: Annotated[str, Purpose] = "",
    group: Groups = None,
    role: RoleOption = None,
) -> None:
    """Add a service account, which has no key yet.

    You give it no more than you may give: admins of a group the role user and groups that they are admins of.
    """
    account = public.ServiceAccount(
        name=new_account,
        purpose=purpose,
        owner_group_id=(await GROUPS.find(api, owner)).id,
        roles=[public.Role.from_word(role or words.Role.USER)],
        groups=group or [],
        is_active=True,
    )
    added = await api.client.call(public.ServiceAccountService.create_service_account, {"service_account": account})
    command = f"echomind service-accounts add-key {added.name} KEY"
    api.terminal.report(added, f"Added {added.name} (id {added.id}). `{command}` makes its first key.")


@app.command("update")
async def update_service_account(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    purpose: Annotated[str | None, Purpose] = None,
    owner: Annotated[str | None, Owner] = None,
    group: Groups = None,
    no_groups: Annotated[
        bool, typer.Option("--no-groups", help="Remove it from all groups but the one that it belongs to.")
    ] = False,
    role: RoleOption = None,
    active: Annotated[
        bool | None, typer.Option("--active/--inactive", help="Whether it may be used; inactive ends its keys.")
    ] = None,
) -> None:
    """Change a service account.

    --group replaces its groups. --inactive ends its keys permanently and cancels its runs; after --active it needs new
    keys.
    """
    if group and no_groups:
        raise typer.BadParameter("it contradicts --group", param_hint="--no-groups")
    given = {"name": new_name, "purpose": purpose, "is_active": active}
    changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    if role:
        changes["roles"] = [public.Role.from_word(role)]
    if group or no_groups:
        changes["groups"] = group or []
    if owner is not None:
        changes["owner_group_id"] = (await GROUPS.find(api, owner)).id
    if not changes:
        raise NothingToChangeError(
            "Say what to change: --name, --purpose, --owner, --group, --no-groups, --role, --active or --inactive."
        )
    account = await SERVICE_ACCOUNTS.find(api, name)
    request = {"id": account.id, "service_account": changes}
    changed = await api.client.call(public.ServiceAccountService.update_service_account, request)
    state = "active" if changed.is_active else "inactive"
    roles, groups = ", ".join(each.word for each in changed.roles), ", ".join(changed.groups)
    text = f"{changed.name}: {state}, belongs to {changed.owner_group}, roles {roles}, groups {groups}."
    api.terminal.report(changed, text)


@app.command("remove")
async def remove_service_account(api: Api, name: Name, yes: Yes = False) -> None:
    """Delete a service account permanently with its keys, sessions and private documents.

    Connectors that it shares become yours. `echomind service-accounts update NAME --inactive` only deactivates it.
    """
    account = await SERVICE_ACCOUNTS.find(api, name)
    loss = f"Delete the service account {account.name} with its keys, sessions and private documents, permanently"
    await confirm(api.terminal, loss, yes=yes, name=account.name)
    await api.client.call(public.ServiceAccountService.delete_service_account, {"id": account.id})
    api.terminal.report(account, f"Removed {account.name}.")


@app.command("add-key")
async def add_service_account_key(
    api: Api,
    name: Name,
    new_key: Annotated[
        str, typer.Argument(metavar="KEY", help="Name of the key, for example the machine that uses it.")
    ],
    options: KeyOptions = KeyOptions(),  # noqa: B008 - frozen
) -> None:
    """Create a key of a service account and print it; it cannot be shown again.

    Its scopes are among read, ask, ingest and manage. With --assistant or --connector, it asks, searches and reads
    within these limits and does nothing else.
    """
    if words.ApiKeyScope.ADMINISTER in (options.scope or []):
        raise typer.BadParameter("a service account administers nothing", param_hint="--scope")
    account = await SERVICE_ACCOUNTS.find(api, name)
    request = {"id": account.id, "name": new_key, **await options.fields(api)}
    show_secret(api, await api.client.call(public.ServiceAccountService.create_service_account_key, request))


@app.command("limit-key")
async def limit_service_account_key(
    api: Api,
    name: Name,
    key: Key,
    options: LimitOptions = LimitOptions(),  # noqa: B008 - frozen
) -> None:
    """Limit how much may be asked with a key of a service account.

    Keys that were created with it count together with it. --questions, --tokens and --cost are for each month, or for
    each day with --each day; what was used stays. What you do not name stays as it is, and 0 removes a limit.
    """
    account = await SERVICE_ACCOUNTS.find(api, name)
    found = find(await _keys(api, account), key, "key")
    request = {"id": account.id, "key_id": found.id} | options.changed(found)
    changed = await api.client.call(public.ServiceAccountService.set_service_account_key_quotas, request)
    api.terminal.report(changed, f"{changed.name} of {account.name}: {used_quotas(changed) or 'no limit'}.")


@app.command("rotate-key")
async def rotate_service_account_key(api: Api, name: Name, key: Key, overlap_hours: OverlapHours = 24) -> None:
    """Give a key of a service account another secret and print it; it cannot be shown again.

    Programs that have the earlier secret continue to work until the overlap is over.
    """
    account = await SERVICE_ACCOUNTS.find(api, name)
    found = find(await _keys(api, account), key, "key")
    request = public.RotateServiceAccountKeyRequest(
        id=account.id, key_id=found.id, overlap_seconds=overlap_hours * 3600
    )
    show_rotated(api, await api.client.call(public.ServiceAccountService.rotate_service_account_key, request))


@app.command("remove-key")
async def remove_service_account_key(api: Api, name: Name, key: Key, yes: Yes = False) -> None:
    """Revoke a key of a service account and the keys that were created with it.

    They stop working within a minute.
    """
    account = await SERVICE_ACCOUNTS.find(api, name)
    call, keys = public.ServiceAccountService.delete_service_account_key, await _keys(api, account)
    await revoke(api, call, {"id": account.id}, keys, key, of=f" of {account.name}", yes=yes)


async def _keys(api: Api, account: "public.ServiceAccount") -> "list[public.ApiKey]":
    request = {"id": account.id}
    listed = await api.client.collect(public.ServiceAccountService.list_service_account_keys, request, limit=100_000)
    return list(listed.api_keys)
