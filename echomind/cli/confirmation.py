"""Confirmation of actions that cannot be undone: `--yes`, or the user confirms at the terminal."""

from typing import Annotated

import typer

from echomind.cli.terminal import CommandError, Terminal

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


async def confirm(terminal: Terminal, loss: str, *, yes: bool, name: str = "") -> None:
    """Asks for confirmation.

    Args:
        terminal: The terminal.
        loss: The action and what will be lost, as `Remove Rules and its 12 documents`.
        yes: Whether it was confirmed on the command line.
        name: Name to type instead of `y`; for connectors and accounts.

    Raises:
        CommandError: The user declines, or there is no terminal.
    """
    if yes:
        return
    if not terminal.can_ask:
        raise CommandError(f"Not confirmed: {loss}. Without a terminal, and with --json, confirm it with --yes.")
    question = f"{loss}? Type {name} to confirm:" if name else f"{loss}? [y/N]"
    answer = await terminal.ask(question) or ""
    if (answer != name) if name else (answer.lower() not in {"y", "yes"}):
        raise CommandError("Not confirmed: nothing has changed.")
