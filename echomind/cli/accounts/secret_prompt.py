"""Asks for passwords and keys without showing what is typed."""

import warnings
from getpass import GetPassWarning

import typer

from echomind.cli.terminal import CommandError


def ask_secret(prompt: str, *, default: str | None = None, is_repeated: bool = False) -> str:
    """Returns what the user types.

    Args:
        prompt: What to type.
        default: Result when nothing is typed; None to ask again.
        is_repeated: Whether it must be typed twice.

    Raises:
        CommandError: There is no terminal that can hide it.
    """
    with warnings.catch_warnings():
        # What is typed would be shown.
        warnings.simplefilter("error", GetPassWarning)
        try:
            typed: str = typer.prompt(
                prompt, default=default, hide_input=True, confirmation_prompt=is_repeated, err=True
            )
        except GetPassWarning as warning:
            typer.echo(err=True)
            raise CommandError(f"{prompt}: it is asked for in a terminal, so run this command in one.") from warning
    return typed
