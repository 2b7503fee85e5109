"""`echomind invitations`: links by which people create their own accounts."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.accounts.users import GroupsOption, RoleOption
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import INVITATIONS
from echomind.cli.rendering import moment, plain
from echomind.cli.tables import Table
from echomind_lib.models import public

app = CommandGroup("Invitations: links by which people create their own accounts.")

_INVITATIONS = Table(
    "InvitationService.list_invitations",
    "ID E-MAIL:email:any STATUS ROLES GROUPS CREATED:creation_date EXPIRES:expires_at ACCEPTED:accepted_at",
    "Nobody is invited; `echomind invitations add EMAIL` invites somebody.",
)


@app.command("list")
async def list_invitations(api: Api) -> None:
    """List the invitations, the newest first, without their links."""
    await _INVITATIONS.show(api)


@app.command("add")
async def add_invitation(
    api: Api,
    email: Annotated[
        str, typer.Argument(help="E-mail address of the account.", show_default="the person's choice")
    ] = "",
    role: RoleOption = None,
    group: GroupsOption = None,
    days: Annotated[
        int | None, typer.Option(help="Days until the link expires.", min=1, max=90, show_default="7")
    ] = None,
) -> None:
    """Invite a person and print the link; it cannot be shown again.

    The link creates one account, with this role and these groups. EchoMind sends nothing: pass the link on.
    """
    invitation = public.Invitation(
        email=email,
        roles=[public.Role.from_word(role)] if role else [],
        groups=group or [],
        expires_at=datetime.now(UTC) + timedelta(days=days) if days else None,
    )
    created = await api.client.call(public.InvitationService.create_invitation, {"invitation": invitation})
    link = api.link_for_others(created.path)
    made = created.invitation or invitation
    api.terminal.json(plain(made) | {"link": link})
    api.terminal.note(f"The link creates one account, until {moment(made.expires_at)}. It is shown only once:")
    api.terminal.line(link)


@app.command("remove")
async def remove_invitation(
    api: Api,
    invitation: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="Id or e-mail address of an invitation.", autocompletion=completion.invitations
        ),
    ],
    yes: Yes = False,
) -> None:
    """Remove an invitation: its link stops working at once.

    An account that was created by it stays.
    """
    found = await INVITATIONS.find(api, invitation)
    what = f"the invitation of {found.email}" if found.email else f"invitation {found.id}"
    await confirm(api.terminal, f"Remove {what}, whose link stops working", yes=yes)
    await api.client.call(public.InvitationService.delete_invitation, {"id": found.id})
    api.terminal.report({"id": str(found.id), "email": found.email}, f"Removed {what}.")
