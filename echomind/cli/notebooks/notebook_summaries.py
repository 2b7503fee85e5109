"""`echomind notebooks summary`: what the sources of a notebook are about."""

import asyncio
from typing import Annotated, Final

import typer

from echomind.cli.api import Api
from echomind.cli.notebooks.notebooks import Name, find_notebook
from echomind.cli.rendering import counted
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

_POLL_SECONDS: Final = 1.0


async def show_summary(
    api: Api,
    name: Name,
    retry: Annotated[bool, typer.Option("--retry", help="Request it again if it could not be written.")] = False,
) -> None:
    """Show a summary of the sources of a notebook that you may read, with suggested questions.

    It is requested if there is none of these sources yet, and waited for.
    """
    notebook = {"id": (await find_notebook(api, name)).id}
    summary = await api.client.call(public.NotebookService.get_notebook_summary, notebook)
    if summary.state is public.NotebookSummaryState.NOT_REQUESTED or (
        retry and summary.state is public.NotebookSummaryState.FAILED
    ):
        summary = await api.client.call(public.NotebookService.request_notebook_summary, notebook)
        api.terminal.note("It is being written.")
    while summary.state is public.NotebookSummaryState.PENDING:
        await asyncio.sleep(_POLL_SECONDS)
        summary = await api.client.call(public.NotebookService.get_notebook_summary, notebook)
    if summary.state is public.NotebookSummaryState.FAILED:
        raise CommandError(f"It could not be written: {summary.status_message} --retry requests it again.")
    api.terminal.json(summary)
    if summary.state is not public.NotebookSummaryState.READY:
        api.terminal.line("There is no indexed document that you may read and that may be summarized.")
        return
    api.terminal.line(summary.content)
    for question in summary.questions:
        api.terminal.line(f"- {question}")
    covered = counted(summary.documents, "document")
    api.terminal.note(f"Of {covered} that you may read; `echomind ask QUESTION --notebook {notebook['id']}` asks.")
