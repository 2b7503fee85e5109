"""`echomind connectors accounts` and `disconnect`: your own accounts that connectors read with."""

from typing import Annotated

import typer

from echomind.cli import completion, nouns
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.tables import Table
from echomind_lib.models import public

_ACCOUNTS = Table(
    "ConnectorService.list_connected_accounts",
    "ID CONNECTOR:connector_name TYPE:type_name VISIBLE_TO PROVIDER ACCOUNT",
    "No connector reads with an account of yours.",
    {"VISIBLE_TO": lambda each: f"group {each.scope_id}" if each.scope_id else each.scope.word},
)


async def list_accounts(api: Api) -> None:
    """List your accounts at other programs that connectors read with."""
    await _ACCOUNTS.show(api)


async def disconnect(
    api: Api,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|ID",
            help="Name or id of a connector that you have signed in for.",
            autocompletion=completion.connected_accounts,
        ),
    ],
    yes: Yes = False,
) -> None:
    """Take back your sign-in for a connector.

    It keeps its documents, and is not synced until somebody signs in again.
    """
    account = await nouns.CONNECTED_ACCOUNTS.find(api, name)
    loss = f"Disconnect {account.account} from the connector {account.connector_name}, which is not synced any more"
    await confirm(api.terminal, loss, yes=yes)
    done = await api.client.call(public.ConnectorService.disconnect_account, {"id": account.id})
    api.terminal.report(done, f"Disconnected {account.account} from {account.connector_name}.")
    if done.is_revoked:
        api.terminal.note(f"{account.provider} has ended EchoMind's access to the account.")
    elif done.access_url:
        api.terminal.note(f"You see and end EchoMind's access to the account at {done.access_url}.")
