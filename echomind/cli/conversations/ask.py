"""`echomind ask`: asks a question, and streams its answer with sources."""

import uuid
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.conversations.conversing import converse
from echomind.cli.conversations.metadata import Metadata, parsed_metadata
from echomind.cli.conversations.run_options import AssistantName, QuestionOptions
from echomind.cli.notebooks.notebooks import find_notebook
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind_lib.models import public


async def ask(
    api: Api,
    question: Annotated[str, typer.Argument(help="Question.")],
    session: Annotated[
        int | None,
        typer.Option(
            help="Continue this session.", autocompletion=completion.sessions, min=1, show_default="a new one"
        ),
    ] = None,
    assistant: AssistantName = "",
    model: Annotated[
        str,
        typer.Option(
            help="Name or id of the chat model.", autocompletion=completion.llms, show_default="the assistant's"
        ),
    ] = "",
    document: Annotated[
        list[int] | None,
        typer.Option(
            help="Document to ask with; repeatable.", autocompletion=completion.documents, metavar="ID", min=1
        ),
    ] = None,
    notebook: Annotated[
        str,
        typer.Option(
            help="Title or id of the notebook to ask in.", autocompletion=completion.notebooks, show_default="none"
        ),
    ] = "",
    metadata: Metadata = None,
    external_id: Annotated[str, typer.Option(metavar="ID", help="ID of the run at your program.")] = "",
    session_external_id: Annotated[
        str, typer.Option(metavar="ID", help="Continue or begin the session with this ID at your program.")
    ] = "",
    options: QuestionOptions = QuestionOptions(),  # noqa: B008 - frozen
) -> None:
    """Ask a question; the answer is streamed, then its sources are listed by number.

    When the run needs an answer or an approval, you are asked; without a terminal, the command ends and prints how to
    answer. Ctrl-C cancels the run. The exit code is 0 only if the question was answered.
    """
    from echomind.cli.conversations.following import RunFollower

    if session and assistant:
        raise typer.BadParameter("a session has its assistant already", param_hint="--assistant")
    if session and session_external_id:
        raise typer.BadParameter("--session names the session already", param_hint="--session-external-id")
    if not question.strip():
        raise typer.BadParameter("it is empty", param_hint="QUESTION")
    if session and notebook:
        raise typer.BadParameter("a session is in its notebook already", param_hint="--notebook")
    request = public.SendMessageRequest(
        chat_session_id=session,
        content=question,
        assistant_id=(await ASSISTANTS.find(api, assistant)).id if assistant else 0,
        request_id=str(uuid.uuid4()),
        options=options.as_message(llm_id=(await LLMS.find(api, model)).id if model else 0),
        document_ids=document or [],
        notebook_id=(await find_notebook(api, notebook)).id if notebook else None,
        metadata=parsed_metadata(metadata),
        external_id=external_id,
        session_external_id=session_external_id,
    )
    follower = RunFollower(api.client)
    await converse(api, follower, lambda: follower.ask(request))
