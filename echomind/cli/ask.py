"""`echomind ask`: one question, its answer as it is written, and where it comes from."""

import uuid
from typing import Annotated

import typer

from echomind.cli.api import Api, api_command
from echomind.cli.conversing import converse
from echomind.cli.run_options import AskClarifications, MaxCost, MaxDepth, MaxSteps, MaxTokens, TimeLimit, run_options


@api_command
async def ask(
    api: Api,
    question: Annotated[str, typer.Argument(help="The question.")],
    session: Annotated[
        int | None, typer.Option(help="Go on with this session.", min=1, show_default="a new one")
    ] = None,
    assistant: Annotated[str, typer.Option(help="Name of the assistant that answers.", show_default="default")] = "",
    ask_clarifications: AskClarifications = None,
    max_steps: MaxSteps = 0,
    time_limit: TimeLimit = 0,
    max_tokens: MaxTokens = 0,
    max_cost: MaxCost = 0,
    max_depth: MaxDepth = None,
) -> None:
    """Ask a question; the answer is streamed, then its sources are listed by number.

    When the run asks back, you are asked; without a terminal, the command ends and says how to answer. Ctrl-C cancels
    the run. The exit code is 0 only when the question was answered.
    """
    from echomind.cli.following import RunFollower
    from echomind_lib.models.public import SendMessageRequest

    if session and assistant:
        raise typer.BadParameter("a session has its assistant already", param_hint="--assistant")
    if not question.strip():
        raise typer.BadParameter("it is empty", param_hint="QUESTION")
    options = run_options(max_steps, time_limit, max_tokens, max_cost, max_depth, ask_clarifications=ask_clarifications)
    request = SendMessageRequest(
        chat_session_id=str(session or "-"),
        content=question,
        assistant_id=await find_assistant(api, assistant) if assistant else 0,
        request_id=str(uuid.uuid4()),
        options=options,
    )
    follower = RunFollower(api.client)
    await converse(api, follower, lambda: follower.ask(request))


async def find_assistant(api: Api, name: str) -> int:
    """The id of the assistant with this name.

    Raises:
        CommandError: There is none.
    """
    from echomind.cli.find import find
    from echomind_lib.models.public import ListAssistantsResponse

    answer = await api.client.collect("/assistants", ListAssistantsResponse, 1000)
    return find(answer.assistants, name, "assistant").id
