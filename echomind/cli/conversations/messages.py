"""`echomind messages`: show, edit, regenerate, exclude, rate."""

import uuid
from typing import Annotated

import typer

from echomind.cli.answers.basis import basis_words, other_tools_words
from echomind.cli.api import Api
from echomind.cli.conversations.answer_writer import source_lines
from echomind.cli.conversations.conversing import converse
from echomind.cli.conversations.message_details import show_details
from echomind.cli.conversations.run_options import QuestionOptions
from echomind.cli.help_format import CommandGroup
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("Messages of sessions: questions and answers.")

MessageId = Annotated[int, typer.Argument(metavar="ID", help="Id of the message.", min=1)]


@app.command("show")
async def show_message(api: Api, message_id: MessageId) -> None:
    """Show a message with its sources, and how they were found."""
    message = await api.client.call(public.ChatMessageService.get_message, {"id": message_id})
    api.terminal.json(message)
    api.terminal.markdown(message.content or message.error)
    for line in source_lines(message.citations):
        api.terminal.line(line)
    if words := basis_words(message.basis):
        api.terminal.line(words)
    if words := other_tools_words(message.other_tools):
        api.terminal.line(words)
    show_details(api, message)
    if message.feedback:
        reason = f": {message.feedback.feedback_text}" if message.feedback.feedback_text else ""
        api.terminal.line(f"You rated it {_rating_of(message.feedback)}{reason}")


@app.command("edit")
async def edit_message(
    api: Api,
    message_id: MessageId,
    text: Annotated[str, typer.Argument(help="New text of the question.")],
    options: QuestionOptions = QuestionOptions(),  # noqa: B008 - frozen
) -> None:
    """Edit a question and have it answered; the old one stays as another branch."""
    if not text.strip():
        raise typer.BadParameter("it is empty", param_hint="TEXT")
    request = public.EditMessageRequest(
        id=message_id, content=text, request_id=str(uuid.uuid4()), options=options.as_message()
    )
    await _follow(api, await api.client.call(public.ChatMessageService.edit_message, request))


@app.command("regenerate")
async def regenerate_message(
    api: Api,
    message_id: MessageId,
    options: QuestionOptions = QuestionOptions(),  # noqa: B008 - frozen
) -> None:
    """Regenerate an answer; the old one stays as another branch."""
    request = public.RegenerateMessageRequest(id=message_id, request_id=str(uuid.uuid4()), options=options.as_message())
    await _follow(api, await api.client.call(public.ChatMessageService.regenerate_message, request))


@app.command("exclude")
async def exclude_message(
    api: Api,
    message_id: MessageId,
    undo: Annotated[bool, typer.Option("--undo", help="Include the message again.")] = False,
) -> None:
    """Exclude a message from context: later prompts do not contain it."""
    message = await api.client.call(public.ChatMessageService.exclude_message, {"id": message_id, "excluded": not undo})
    api.terminal.report(message, f"Message {message_id} is {'included in' if undo else 'excluded from'} later prompts.")


@app.command("rate")
async def rate_message(
    api: Api,
    message_id: MessageId,
    helpful: Annotated[
        bool | None, typer.Option("--helpful/--not-helpful", help="Whether the answer was helpful.")
    ] = None,
    text: Annotated[str, typer.Option("--comment", "--text", help="Reason.")] = "",
    undo: Annotated[bool, typer.Option("--withdraw", "--undo", help="Withdraw your rating.")] = False,
    source: Annotated[
        int, typer.Option(metavar="NUMBER", help="Rate this source of the answer instead.", min=0, show_default=False)
    ] = 0,
) -> None:
    """Rate an answer, or one of its sources, as helpful or not.

    A new rating replaces the old one. A source that you rate ranks higher or lower when you ask
    something like it again.
    """
    if undo == (helpful is not None):
        raise typer.BadParameter("give one of --helpful, --not-helpful and --withdraw")
    if source:
        given = None if undo else public.Feedback(is_positive=bool(helpful), feedback_text=text)
        await _rate_source(api, message_id, source, given)
        return
    if undo:
        await api.client.call(public.ChatMessageService.delete_feedback, {"id": message_id})
        api.terminal.report({}, f"Your rating of answer {message_id} is withdrawn.")
        return
    rating = {"id": message_id, "feedback": public.Feedback(is_positive=bool(helpful), feedback_text=text)}
    feedback = await api.client.call(public.ChatMessageService.set_feedback, rating)
    api.terminal.report(feedback, f"Answer {message_id} is rated {_rating_of(feedback)}.")


async def _rate_source(api: Api, message_id: int, number: int, rating: "public.Feedback | None") -> None:
    """Rates a source of an answer by its number, or withdraws the rating."""
    message = await api.client.call(public.ChatMessageService.get_message, {"id": message_id})
    chunk_id = next((each.chunk_id for each in message.citations if each.number == number), None)
    if chunk_id is None:
        raise CommandError(
            f"Answer {message_id} has no source {number}: `echomind messages show {message_id}` lists them."
        )
    passage = {"message_id": message_id, "chunk_id": chunk_id}
    if rating is None:
        await api.client.call(public.ChatMessageService.delete_citation_feedback, passage)
        api.terminal.report({}, f"Your rating of source {number} of answer {message_id} is withdrawn.")
        return
    feedback = await api.client.call(public.ChatMessageService.set_citation_feedback, passage | {"feedback": rating})
    api.terminal.report(feedback, f"Source {number} of answer {message_id} is rated {_rating_of(feedback)}.")


def _rating_of(feedback: "public.Feedback") -> str:
    return "helpful" if feedback.is_positive else "not helpful"


async def _follow(api: Api, sent: "public.SendMessageResponse") -> None:
    """Writes the answer of a started run."""
    from echomind.cli.conversations.following import RunFollower

    assert sent.run is not None
    follower = RunFollower(api.client, session_id=sent.run.chat_session_id, run_id=sent.run.id)
    await converse(api, follower, follower.watch)
