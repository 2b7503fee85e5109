"""Options for what programs keep with sessions and runs: values, and IDs of their own."""

from collections.abc import Sequence
from typing import Annotated

import typer

Metadata = Annotated[
    list[str] | None, typer.Option(metavar="KEY=VALUE", help="Value to keep with it, for programs; repeatable.")
]
ExternalId = Annotated[str, typer.Option(metavar="ID", help="Its ID at your program.")]
MetadataFilter = Annotated[
    list[str] | None,
    typer.Option("--metadata", metavar="KEY=VALUE", help="Only with this value; repeatable.", show_default="any"),
]
ExternalIdFilter = Annotated[
    str, typer.Option("--external-id", metavar="ID", help="Only with this ID at your program.", show_default="any")
]


def parsed_metadata(pairs: Sequence[str] | None) -> dict[str, str]:
    """Returns the values of `--metadata`.

    Raises:
        BadParameter: One is not `key=value`.
    """
    return {key: value for key, _, value in (pair.partition("=") for pair in checked_pairs(pairs))}


def checked_pairs(pairs: Sequence[str] | None) -> list[str]:
    """Returns values of `--metadata` as they are.

    Raises:
        BadParameter: One is not `key=value`.
    """
    for pair in pairs or ():
        if "=" not in pair or pair.startswith("="):
            raise typer.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="--metadata")
    return list(pairs or ())


def shown_metadata(metadata: dict[str, str]) -> str:
    """Returns values on one line."""
    return ", ".join(f"{key}={value}" for key, value in sorted(metadata.items()))
