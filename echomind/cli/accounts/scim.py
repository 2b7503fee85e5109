"""`echomind scim`: identity systems that maintain accounts and groups by SCIM 2.0."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import moment, plain
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("Identity systems that maintain accounts and groups by SCIM 2.0.")

Name = Annotated[
    str, typer.Argument(metavar="CLIENT", help="Name or id of a client.", autocompletion=completion.scim_clients)
]

_CLIENTS = Table(
    "ScimClientService.list_scim_clients",
    "ID NAME PROVIDER PEOPLE:user_count GROUPS:group_count LAST_USED:last_used_at TOKENS",
    "No identity system maintains accounts; `echomind scim add NAME` adds one.",
    {
        "TOKENS": lambda each: (
            ", ".join(f"{token.prefix} until {moment(token.expires_at)}" for token in each.tokens) or "none"
        )
    },
)


@app.command("list")
async def list_scim_clients(api: Api) -> None:
    """List the clients with their tokens, and when they were last used."""
    await _CLIENTS.show(api)


@app.command("add")
async def add_scim_client(
    api: Api,
    new_client: Annotated[str, typer.Argument(metavar="NAME", help="Name, which never changes: a-z, 0-9, _ and -.")],
    provider: Annotated[
        str,
        typer.Option(
            help="Provider where the same people sign in.",
            show_default="none",
            autocompletion=completion.identity_providers,
        ),
    ] = "",
) -> None:
    """Add a client. `echomind scim token NAME` then makes its token."""
    new = {"name": new_client, "provider": provider}
    added = await api.client.call(public.ScimClientService.create_scim_client, {"scim_client": new})
    api.terminal.report(
        added,
        f"Added {added.name} (id {added.id}). Its address is /scim/v2 behind the public URL of EchoMind; "
        f"`echomind scim token {added.name}` makes its token.",
    )


@app.command("token")
async def make_scim_token(
    api: Api,
    client: Name,
    days: Annotated[
        int | None, typer.Option(help="Days until the token expires.", min=1, max=730, show_default="365")
    ] = None,
) -> None:
    """Make a token for a client and print it; it cannot be shown again.

    A client has at most two: enter the new one in the identity system, then remove the other with
    `echomind scim remove-token`.
    """
    found = find(await _clients(api), client, "client")
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    request = {"id": found.id, "expires_at": expires_at}
    made = await api.client.call(public.ScimClientService.create_scim_token, request)
    token = made.token
    api.terminal.json(plain(made))
    api.terminal.note(f"A token of {found.name}, until {moment(token.expires_at if token else None)}. Shown only once:")
    api.terminal.line(made.secret)


@app.command("remove-token")
async def remove_scim_token(
    api: Api,
    client: Name,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="Id of a token, or its first characters.")],
    yes: Yes = False,
) -> None:
    """Remove a token of a client: it stops working within a minute."""
    found = find(await _clients(api), client, "client")
    own = [each for each in found.tokens if token in {str(each.id), each.prefix}]
    if not own:
        raise CommandError(f"{found.name} has no token {token}; `echomind scim list` shows them.")
    await confirm(api.terminal, f"Remove the token {own[0].prefix} of {found.name}, which stops working", yes=yes)
    await api.client.call(public.ScimClientService.delete_scim_token, {"id": found.id, "token_id": own[0].id})
    api.terminal.report({"id": str(own[0].id)}, f"Removed the token {own[0].prefix} of {found.name}.")


@app.command("give")
async def give_user_to_scim_client(
    api: Api,
    client: Name,
    user: Annotated[
        str, typer.Argument(metavar="USER", help="User name or id of an account.", autocompletion=completion.users)
    ],
    user_name: Annotated[
        str, typer.Option(help="The userName that the client looks for.", show_default="the e-mail address")
    ] = "",
) -> None:
    """Give a client an account, which it then maintains.

    Accounts that it makes itself, and those of people whom its provider has signed in, need not be given.
    """
    found = find(await _clients(api), client, "client")
    accounts = (await api.client.collect(public.UserService.list_users, limit=100_000)).users
    account = find(accounts, user, "account", lambda each: each.user_name)
    request = {"id": found.id, "user_id": account.id, "user_name": user_name}
    changed = await api.client.call(public.ScimClientService.give_user_to_scim_client, request)
    api.terminal.report(changed, f"{changed.name} maintains {account.user_name}.")


@app.command("remove")
async def remove_scim_client(api: Api, client: Name, yes: Yes = False) -> None:
    """Remove a client.

    Its tokens stop working, and the memberships that it gave are taken back. Accounts and groups stay.
    """
    found = find(await _clients(api), client, "client")
    loss = f"Remove {found.name} with the memberships that it gave; {found.user_count} accounts stay"
    await confirm(api.terminal, loss, yes=yes, name=found.name)
    await api.client.call(public.ScimClientService.delete_scim_client, {"id": found.id})
    api.terminal.report({}, f"Removed {found.name}.")


async def _clients(api: Api) -> "list[public.ScimClient]":
    return list((await api.client.call(public.ScimClientService.list_scim_clients, {})).scim_clients)
