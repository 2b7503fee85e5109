"""`echomind dead-letters`: background jobs that failed permanently."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.lists import read_list
from echomind.cli.rendering import counted, moment
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("Dead letters: background jobs that failed permanently.")

Kind = Annotated[str, typer.Option("--kind", help="Only jobs of this kind, such as connector.sync.")]
Id = Annotated[
    int, typer.Argument(metavar="ID", help="Id of a dead letter.", min=1, autocompletion=completion.dead_letters)
]
Ids = Annotated[
    list[int] | None,
    typer.Argument(metavar="[ID...]", help="Ids of dead letters.", min=1, autocompletion=completion.dead_letters),
]
All = Annotated[bool, typer.Option("--all", help="All of them, or those of --kind.")]

_DEAD_LETTERS = Table(
    "DeadLetterService.list_dead_letters",
    "ID KIND SUBJECT:subject_id ATTEMPTS FAILED:failed_at REASON::80",
    "There are no dead letters.",
)


@app.command("list")
async def list_dead_letters(api: Api, kind: Kind = "") -> None:
    """List the dead letters, the newest jobs first."""
    await _DEAD_LETTERS.show(api, {"kind": kind})


@app.command("show")
async def show_dead_letter(api: Api, dead_letter: Id) -> None:
    """Show a dead letter."""
    found = await api.client.call(public.DeadLetterService.get_dead_letter, {"id": dead_letter})
    api.terminal.json(found)
    api.terminal.fields(
        (
            ("Dead letter", found.id),
            ("Kind", found.kind),
            ("Subject", found.subject_id),
            ("Attempts", found.attempts),
            ("Requested", moment(found.requested_at)),
            ("Failed", moment(found.failed_at)),
            ("Reason", found.reason),
        )
    )


@app.command("replay")
async def replay_dead_letters(api: Api, dead_letters: Ids = None, every: All = False, kind: Kind = "") -> None:
    """Put dead letters back into their queues, with all their attempts."""
    ids = await _chosen(api, dead_letters, kind, every=every)
    for dead_letter in ids:
        await api.client.call(public.DeadLetterService.replay_dead_letter, {"id": dead_letter})
    api.terminal.report({"ids": [str(each) for each in ids]}, f"Put back {counted(len(ids), 'dead letter')}.")


@app.command("discard")
async def discard_dead_letters(
    api: Api, dead_letters: Ids = None, every: All = False, kind: Kind = "", yes: Yes = False
) -> None:
    """Take dead letters off the list: their jobs stay undone until something requests them again."""
    ids = await _chosen(api, dead_letters, kind, every=every)
    if ids:
        await confirm(api.terminal, f"Discard {counted(len(ids), 'dead letter')}", yes=yes)
    for dead_letter in ids:
        await api.client.call(public.DeadLetterService.discard_dead_letter, {"id": dead_letter})
    api.terminal.report({"ids": [str(each) for each in ids]}, f"Discarded {counted(len(ids), 'dead letter')}.")


async def _chosen(api: Api, ids: list[int] | None, kind: str, *, every: bool) -> list[int]:
    """Returns the ids that a command names, or with `--all` those of the list.

    Raises:
        CommandError: It names none, or both.
    """
    if bool(ids) == every or (ids and kind):
        raise CommandError("Name ids of dead letters, or --all for those of the list or of --kind.")
    if ids:
        return ids
    found = await read_list(api.client, _DEAD_LETTERS.call, {"kind": kind})
    return [each.id for each in found]
