"""`echomind devices`: the browsers in which a person is signed in."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import DEVICES
from echomind.cli.rendering import describe_browser
from echomind.cli.tables import Table
from echomind_lib.models import public

app = CommandGroup("Devices: browsers that are signed in to your account.")

_DEVICES = Table(
    "WebSessionService.list_web_sessions",
    "ID BROWSER ADDRESS SIGNED_IN:creation_date LAST_USED:last_seen EXPIRES:expires_at",
    "No browser is signed in to your account.",
    {"BROWSER": lambda each: describe_browser(each.user_agent)},
)


@app.command("list")
async def list_devices(api: Api) -> None:
    """List the browsers that are signed in to your account, the newest first."""
    await _DEVICES.show(api)


@app.command("remove")
async def remove_device(
    api: Api,
    device: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a signed-in browser.", autocompletion=completion.devices)
    ],
    yes: Yes = False,
) -> None:
    """Sign one of your browsers out.

    It is signed out within a minute.
    """
    found = await DEVICES.find(api, device)
    browser = describe_browser(found.user_agent)
    await confirm(api.terminal, f"Sign out {browser} (id {found.id})", yes=yes)
    await api.client.call(public.WebSessionService.delete_web_session, {"id": found.id})
    api.terminal.report({"id": str(found.id)}, f"Signed out {browser} (id {found.id}).")


@app.command("remove-others")
async def remove_other_devices(api: Api, yes: Yes = False) -> None:
    """Sign out all of your browsers, and end your sign-in links.

    API keys stay.
    """
    from echomind_lib.contract import Empty

    devices = await DEVICES.every(api.client)
    loss = f"Sign out all of your browsers ({len(devices)}) and end your sign-in links"
    await confirm(api.terminal, loss, yes=yes)
    await api.client.call(public.WebSessionService.delete_other_web_sessions, Empty())
    api.terminal.report({"ids": [str(device.id) for device in devices]}, "Signed out all of your browsers.")
