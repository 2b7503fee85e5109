"""`echomind checkpoints`: stored states of a conversation that can be restored."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import moment, plain
from echomind.cli.tables import Table
from echomind_lib.models import public

app = CommandGroup("Checkpoints: states of a session to return to.")

SessionId = Annotated[
    int, typer.Argument(metavar="SESSION", help="Id of the session.", autocompletion=completion.sessions, min=1)
]
CheckpointId = Annotated[int, typer.Argument(metavar="ID", help="Id of the checkpoint.", min=1)]

_CHECKPOINTS = Table(
    "CheckpointService.list_checkpoints",
    "ID TYPE CREATED:creation_date STEP:step_number: NAME::60 DESCRIPTION::60",
    "There is no checkpoint.",
    {"TYPE": lambda each: each.checkpoint_type.word.replace("_", " ")},
)


@app.command("list")
async def list_checkpoints(
    api: Api, session_id: SessionId, limit: Annotated[int, typer.Option(help="Max checkpoints to list.", min=1)] = 50
) -> None:
    """List a session's checkpoints, newest first."""
    await _CHECKPOINTS.show(api, {"chat_session_id": session_id}, limit=limit)


@app.command("show")
async def show_checkpoint(api: Api, checkpoint_id: CheckpointId) -> None:
    """Show a checkpoint and its state."""
    import json

    checkpoint = await _checkpoint(api, checkpoint_id)
    api.terminal.json(checkpoint)
    api.terminal.fields(
        (
            ("Checkpoint", f"{checkpoint.name} (id {checkpoint.id})"),
            ("Description", checkpoint.description),
            ("Type", checkpoint.checkpoint_type.word.replace("_", " ")),
            ("Session", checkpoint.chat_session_id),
            ("Run", checkpoint.run_id),
            ("Step", checkpoint.step_number or ""),
            ("Created", moment(checkpoint.creation_date)),
        )
    )
    api.terminal.line(json.dumps(plain(checkpoint).get("sessionState", {}), indent=2, ensure_ascii=False))


@app.command("add")
async def add_checkpoint(
    api: Api,
    session_id: SessionId,
    name: Annotated[str, typer.Argument(help="Name of the checkpoint.", show_default="its time")] = "",
    description: Annotated[str, typer.Option(help="Description.")] = "",
) -> None:
    """Add a checkpoint: the session as it is now."""
    request = {"chat_session_id": session_id, "checkpoint": {"name": name, "description": description}}
    added = await api.client.call(public.CheckpointService.create_checkpoint, request)
    api.terminal.report(added, f"Added checkpoint {added.id}: {added.name}.")


@app.command("restore")
async def restore_checkpoint(api: Api, checkpoint_id: CheckpointId) -> None:
    """Restore a checkpoint: the session as it was then.

    Later messages stay as a branch, and the state before is kept as a checkpoint.
    """
    session = await api.client.call(public.CheckpointService.restore_checkpoint, {"id": checkpoint_id})
    api.terminal.json(session)
    where = f"message {session.head_message_id}" if session.head_message_id else "the beginning"
    api.terminal.line(f"Session {session.id} is as it was then: it continues from {where}.")


@app.command("remove")
async def remove_checkpoint(api: Api, checkpoint_id: CheckpointId, yes: Yes = False) -> None:
    """Remove a checkpoint."""
    checkpoint = await _checkpoint(api, checkpoint_id)
    await confirm(api.terminal, f"Remove the checkpoint {checkpoint.name}", yes=yes)
    await api.client.call(public.CheckpointService.delete_checkpoint, {"id": checkpoint_id})
    api.terminal.report({"id": str(checkpoint.id), "name": checkpoint.name}, f"Removed {checkpoint.name}.")


async def _checkpoint(api: Api, checkpoint_id: int) -> "public.Checkpoint":
    return await api.client.call(public.CheckpointService.get_checkpoint, {"id": checkpoint_id})
