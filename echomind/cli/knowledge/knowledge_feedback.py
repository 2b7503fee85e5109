"""What people say of entities of knowledge, and what the entities have said before."""

from typing import Annotated, Any

import typer

from echomind.cli.api import Api
from echomind.cli.knowledge.knowledge_entities import KnowledgeId, Limit, compared
from echomind.cli.lists import more
from echomind.cli.rendering import moment, one_line
from echomind_lib.models import public


async def rate_knowledge(
    api: Api,
    knowledge_id: KnowledgeId,
    helpful: Annotated[bool | None, typer.Option("--helpful/--not-helpful", help="Whether it was helpful.")] = None,
    accuracy: Annotated[int | None, typer.Option(min=1, max=5, help="Accuracy.")] = None,
    comment: Annotated[str, typer.Option(help="Comment, which its owner reads.")] = "",
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw your rating.")] = False,
) -> None:
    """Rate an entity. You have one rating of each, which a later one replaces."""
    if withdraw:
        rated = await api.client.call(public.KnowledgeService.delete_knowledge_feedback, {"id": knowledge_id})
    else:
        feedback: dict[str, Any] = {"accuracy_rating": accuracy or 0, "comment": comment}
        if helpful is not None:
            feedback["helpful"] = helpful
        request = {"id": knowledge_id, "feedback": feedback}
        rated = await api.client.call(public.KnowledgeService.set_knowledge_feedback, request)
    api.terminal.report(rated, f"{rated.title}: confidence {rated.confidence:.0%}.")


async def list_feedback(api: Api, knowledge_id: KnowledgeId, limit: Limit = 50) -> None:
    """List the ratings of an entity that you may change."""
    request = {"id": knowledge_id}
    found = await api.client.collect(public.KnowledgeService.list_knowledge_feedback, request, limit=limit)
    given = found.feedback
    api.terminal.json({"feedback": given} | more(api.terminal, found.next_page_token, len(given)))
    words = {True: "helpful", False: "not helpful", None: ""}
    api.terminal.table(
        ("WHO", "HELPFUL", "RATING", "COMMENT", "GIVEN"),
        (
            (
                each.user_name,
                words[each.helpful],
                each.accuracy_rating or "",
                one_line(each.comment, 60),
                moment(each.last_update or each.creation_date),
            )
            for each in given
        ),
        empty="Nobody has said anything.",
    )


async def show_history(api: Api, knowledge_id: KnowledgeId, limit: Limit = 50) -> None:
    """Show the history of an entity that you may change, newest change first."""
    request = {"id": knowledge_id}
    page = await api.client.collect(public.KnowledgeService.list_knowledge_revisions, request, limit=limit)
    found = page.revisions
    api.terminal.json({"revisions": found} | more(api.terminal, page.next_page_token, len(found)))
    for each in found:
        learned = f", learned from conversation {each.chat_session_id}" if each.chat_session_id else ""
        by = f" by {each.user_name}" if each.user_name else ""
        api.terminal.line(f"{each.revision}. {moment(each.creation_date)}{by}{learned}: {each.title}")
        api.terminal.line(compared(each.differences) or each.content)
