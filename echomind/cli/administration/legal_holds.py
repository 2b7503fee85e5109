"""`echomind legal-holds`: what is kept whatever rules and people say."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import USERS
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("Legal holds: what is kept whatever rules and people say, for superadmins.")

Id = Annotated[
    int, typer.Argument(metavar="ID", help="Id of a legal hold.", min=1, autocompletion=completion.legal_holds)
]


@app.command("list")
async def list_holds(
    api: Api, released: Annotated[bool, typer.Option("--released", help="Those that were released, too.")] = False
) -> None:
    """List the legal holds, the newest first."""
    await _HOLDS.show(api, {"with_released": released})


@app.command("place")
async def place_hold(
    api: Api,
    reason: Annotated[str, typer.Option("--reason", help="Why, for superadmins.")],
    user: Annotated[
        str, typer.Option("--user", help="Keep what belongs to this person.", autocompletion=completion.users)
    ] = "",
    session: Annotated[
        int, typer.Option("--session", help="Keep this conversation.", min=0, autocompletion=completion.sessions)
    ] = 0,
) -> None:
    """Keep what belongs to a person, or a conversation, until the hold is released."""
    if bool(user) == bool(session):
        raise CommandError("Give --user NAME or --session ID.")
    new: dict[str, Any] = {"reason": reason}
    new |= {"user_id": (await USERS.find(api, user)).id} if user else {"chat_session_id": session}
    hold = await api.client.call(public.LegalHoldService.create_legal_hold, {"legal_hold": new})
    api.terminal.report(hold, f"Placed legal hold {hold.id} on {subject(hold)}.")


@app.command("release")
async def release_hold(api: Api, hold: Id, yes: Yes = False) -> None:
    """Release a legal hold: what it kept is deleted from now on as rules and people say."""
    await confirm(api.terminal, f"Release legal hold {hold}", yes=yes)
    released = await api.client.call(public.LegalHoldService.release_legal_hold, {"id": hold})
    api.terminal.report(released, f"Released legal hold {released.id} on {subject(released)}.")


def subject(hold: "public.LegalHold") -> str:
    """Returns what a hold keeps."""
    if hold.user_id:
        return hold.user_name or f"account {hold.user_id}"
    return f"session {hold.chat_session_id}"


_HOLDS = Table(
    "LegalHoldService.list_legal_holds",
    "ID KEEPS REASON::60 PLACED:creation_date BY:placed_by_name RELEASED:released_at",
    "There are no legal holds.",
    {"KEEPS": subject},
)
