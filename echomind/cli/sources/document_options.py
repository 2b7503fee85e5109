"""Arguments and options that select documents, for all commands of `echomind documents`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from echomind.cli import completion
from echomind.cli.sources.connectors import find_connector
from echomind_lib.models import public
from echomind_lib.models.public import words

if TYPE_CHECKING:
    from echomind.cli.api import Api

DocumentId = Annotated[
    int, typer.Argument(metavar="ID", min=1, help="Id of the document.", autocompletion=completion.documents)
]
DocumentIds = Annotated[
    list[int], typer.Argument(metavar="ID...", min=1, help="Ids of the documents.", autocompletion=completion.documents)
]
SomeDocumentIds = Annotated[
    list[int] | None,
    typer.Argument(
        metavar="ID...", min=1, help="Ids of the documents; none with --matching.", autocompletion=completion.documents
    ),
]
Matching = Annotated[
    bool,
    typer.Option(
        "--matching", help="All that the filter options choose and that you may change; without such options, all."
    ),
]


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """Options that filter documents; each one that is given narrows the selection."""

    search: Annotated[str, typer.Option(metavar="WORDS", help="Only with these words in title or path.")] = ""
    status: Annotated[
        list[words.DocumentStatus] | None, typer.Option(help="Only with this status; repeatable.", show_default="all")
    ] = None
    kind: Annotated[
        list[words.DocumentKind] | None,
        typer.Option("--type", help="Only files of this type; repeatable.", show_default="all"),
    ] = None
    connector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|ID",
            help="Only of this connector; repeatable.",
            autocompletion=completion.connectors,
            show_default="all",
        ),
    ] = None
    folder: Annotated[str, typer.Option(metavar="PATH", help="Only in this folder and below.", show_default="all")] = ""
    scope: Annotated[
        words.Scope | None,
        typer.Option(help="Only those visible to one person, to a group, or to everyone.", show_default="all"),
    ] = None
    group: Annotated[
        str,
        typer.Option(
            help="Only those of this group, with --scope group.", autocompletion=completion.groups, show_default="all"
        ),
    ] = ""

    @property
    def is_empty(self) -> bool:
        """Returns whether no option is given."""
        return self == FilterOptions()

    async def message(self, api: "Api") -> "public.DocumentFilter":
        """Returns the filter as the API has it.

        Raises:
            CommandError: A connector does not exist.
            typer.BadParameter: The group lacks its scope.
        """
        if self.group and self.scope is not words.Scope.GROUP:
            raise typer.BadParameter("it goes with --scope group", param_hint="--group")
        return public.DocumentFilter(
            query=self.search,
            statuses=[public.DocumentStatus[status.name] for status in self.status or ()],
            kinds=[public.DocumentKind.from_word(kind) for kind in self.kind or ()],
            connector_ids=[(await find_connector(api, name)).id for name in self.connector or ()],
            folder=self.folder.rstrip("/"),
            scope=public.Scope.from_word(self.scope) if self.scope else public.Scope.UNSPECIFIED,
            group=self.group,
        )
