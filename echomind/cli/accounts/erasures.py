"""`echomind users erase` and `erasures`: deletion of people, with reports."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.nouns import USERS
from echomind.cli.tables import Table
from echomind_lib.models import public

Name = Annotated[
    str, typer.Argument(metavar="NAME|ID", help="User name or id of an account.", autocompletion=completion.users)
]

_ERASURES = Table(
    "ErasureService.list_erasures",
    "ID ACCOUNT:user_id BEGUN:creation_date BY:erased_by_name STATE LEFT:sessions_left COMPLETED:completed_at",
    "Nobody was erased.",
)


async def erase_user(
    api: Api,
    name: Name,
    preview: Annotated[bool, typer.Option("--preview", help="Only count what would be deleted.")] = False,
    yes: Yes = False,
) -> None:
    """Delete a person like `purge`, and report what was deleted, handed over and kept."""
    user = await USERS.find(api, name)
    if preview:
        report = await api.client.call(public.ErasureService.preview_erasure, {"user_id": user.id})
    else:
        loss = f"Delete {user.user_name} with all that belongs to them, permanently"
        await confirm(api.terminal, loss, yes=yes, name=user.user_name)
        report = await api.client.call(public.ErasureService.erase_user, {"user_id": user.id})
    api.terminal.json(report)
    _show(api, report)
    if not preview:
        note_unfinished(api, report)


async def purge_user(api: Api, name: Name, yes: Yes = False) -> None:
    """Delete an account permanently with its sessions, keys and private documents.

    Connectors that it shares become yours. What takes longer than 20 seconds continues in the background.
    """
    user = await USERS.find(api, name)
    loss = f"Delete the account {user.user_name} with all sessions and private documents, permanently"
    await confirm(api.terminal, loss, yes=yes, name=user.user_name)
    report = await api.client.call(public.ErasureService.erase_user, {"user_id": user.id})
    if report.state == public.ErasureState.COMPLETED:
        api.terminal.report(report, f"Purged {user.user_name}.")
    else:
        api.terminal.report(report, f"{user.user_name} is deactivated, and not purged yet.")
        note_unfinished(api, report)


async def list_erasures(api: Api) -> None:
    """List the reports of erased people, the newest first."""
    await _ERASURES.show(api)


def note_unfinished(api: Api, report: "public.Erasure") -> None:
    """Says why an erasure is not completed, and what becomes of it."""
    if report.state == public.ErasureState.COMPLETED:
        return
    if report.state == public.ErasureState.CANCELLED:
        api.terminal.note("It was cancelled, as the account was activated again: repeat the command if you want to.")
        return
    if report.status_message:
        api.terminal.note(report.status_message)
    api.terminal.note(
        f"{report.sessions_left} conversations are left. It continues in the background: see `echomind users erasures`."
    )


def _show(api: Api, report: "public.Erasure") -> None:
    rows = ((item.store, item.rule.word, item.count, item.reason) for item in report.items)
    api.terminal.table(("STORE", "RULE", "COUNT", "REASON"), rows, empty="Nothing belongs to this person.")
