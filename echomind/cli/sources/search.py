"""`echomind search`: passages without a model."""

from datetime import datetime
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import NOTEBOOKS
from echomind_lib.models import public
from echomind_lib.models.public import words

_SNIPPET_CHARACTERS = 300


async def search(
    api: Api,
    query: Annotated[str, typer.Argument(help="Search query.")],
    limit: Annotated[int, typer.Option(help="Max passages to show.", min=1, max=500)] = 10,
    mode: Annotated[
        words.SearchMode, typer.Option(help="By words and meaning (hybrid), by meaning (dense), or by words (lexical).")
    ] = words.SearchMode.HYBRID,
    connector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|ID",
            help="Only in this connector; repeatable.",
            autocompletion=completion.connectors,
            show_default="all",
        ),
    ] = None,
    content_type: Annotated[
        list[str] | None,
        typer.Option(
            "--type", metavar="TYPE", help="Only in files of this MIME type, as text/*; repeatable.", show_default="all"
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Only in documents in this language, as de; repeatable.", show_default="all"),
    ] = None,
    folder: Annotated[
        str,
        typer.Option(
            metavar="FOLDER", help="Only in this folder and those in it, as Contracts/2026.", show_default="all"
        ),
    ] = "",
    notebook: Annotated[
        str | None,
        typer.Option(
            metavar="NOTEBOOK",
            help="Only in the sources of this notebook.",
            autocompletion=completion.notebooks,
            show_default="all documents",
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            metavar="TIME", help="Only in documents stored at this time or later.", show_default="the beginning"
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(metavar="TIME", help="Only in documents stored before this time.", show_default="now"),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show passages that have little in common with the query, too.")
    ] = False,
) -> None:
    """Search the documents that you may read, best passages first.

    The score of the best passage is its similarity with the query; those of the others are in proportion to it.
    """
    from echomind.cli.sources.connectors import find_connector

    if not query.strip():
        raise typer.BadParameter("it is empty", param_hint="QUERY")
    connectors = [(await find_connector(api, name)).id for name in connector or []]
    request = public.SearchRequest(
        query=query,
        limit=limit,
        mode=public.SearchMode.from_word(mode),
        connector_ids=connectors,
        content_types=content_type or [],
        languages=language or [],
        folder=folder,
        notebook_id=(await NOTEBOOKS.find(api, notebook)).id if notebook else None,
        created_from=since and since.astimezone(),
        created_before=until and until.astimezone(),
    )
    answer = await api.client.call(public.SearchService.search, request)
    hits = answer.hits
    if api.terminal.as_json:
        api.terminal.json(
            {
                "hits": [
                    {
                        "documentId": str(hit.document_id),
                        "title": hit.title,
                        "fileName": hit.file_name,
                        "chunkId": hit.chunk_id,
                        "text": hit.text,
                        "snippet": hit.snippet,
                        "score": hit.score,
                        "isWeak": hit.is_weak,
                        "copyIds": [str(copy) for copy in hit.copy_ids],
                    }
                    for hit in hits
                ],
                "missing": answer.missing,
                "unranked": answer.unranked,
            }
        )
        return
    if answer.missing:
        api.terminal.note(answer.missing)
    if answer.unranked:
        api.terminal.note(answer.unranked)
    if not hits:
        api.terminal.note("Nothing was found in what you may read.")
    shown = [hit for hit in hits if show_all or not hit.is_weak]
    for number, hit in enumerate(shown, 1):
        headings = [heading for heading in hit.heading if heading != hit.title]
        file = f" [{hit.file_name}]" if hit.file_name not in {"", hit.title} else ""
        location = " > ".join([hit.title + file, *headings]) + (f", page {hit.page}" if hit.page else "")
        copies = f", also {', '.join(map(str, hit.copy_ids))}" if hit.copy_ids else ""
        api.terminal.line(f"{number}. {location} (score {hit.score:.3f}, document {hit.document_id}{copies})")
        text = hit.snippet
        api.terminal.line(f"   {text[:_SNIPPET_CHARACTERS]}{'…' if len(text) > _SNIPPET_CHARACTERS else ''}")
    if left := len(hits) - len(shown):
        passages = "1 passage has" if left == 1 else f"{left} passages have"
        api.terminal.note(f"{passages} little in common with the query: --all shows them, too.")
