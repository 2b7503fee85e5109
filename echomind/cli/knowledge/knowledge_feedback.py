"""What people say of entities of knowledge, and what the entities have said before."""

from typing import Annotated, Any

import typer

from echomind.cli.api import Api, api_command
from echomind.cli.knowledge.knowledge_entities import KnowledgeId, Limit, compared
from echomind.cli.rendering import moment, one_line


@api_command
async def rate_knowledge(
    api: Api,
    knowledge_id: KnowledgeId,
    helpful: Annotated[bool | None, typer.Option("--helpful/--not-helpful", help="Whether it was helpful.")] = None,
    accuracy: Annotated[int | None, typer.Option(min=1, max=5, help="Accuracy.")] = None,
    comment: Annotated[str, typer.Option(help="Comment, which its owner reads.")] = "",
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw your rating.")] = False,
) -> None:
    """Rate an entity. You have one rating of each, which a later one replaces."""
    from echomind_lib.models.public import KnowledgeService

    if withdraw:
        rated = await api.client.call(KnowledgeService.delete_knowledge_feedback, {"id": knowledge_id})
    else:
        feedback: dict[str, Any] = {"accuracy_rating": accuracy or 0, "comment": comment}
        if helpful is not None:
            feedback["helpful"] = helpful
        request = {"id": knowledge_id, "feedback": feedback}
        rated = await api.client.call(KnowledgeService.set_knowledge_feedback, request)
    api.terminal.report(rated, f"{rated.title}: confidence {rated.confidence:.0%}.")


@api_command
async def list_feedback(api: Api, knowledge_id: KnowledgeId, limit: Limit = 50) -> None:
    """List the ratings of an entity that you may change."""
    from echomind_lib.models.public import KnowledgeService

    given = (
        await api.client.collect(KnowledgeService.list_knowledge_feedback, {"id": knowledge_id}, limit=limit)
    ).feedback
    api.terminal.json({"feedback": given})
    words = {True: "helpful", False: "not helpful", None: ""}
    api.terminal.table(
        ("WHO", "HELPFUL", "RATING", "COMMENT", "GIVEN"),
        (
            (
                one.user_name,
                words[one.helpful],
                one.accuracy_rating or "",
                one_line(one.comment, 60),
                moment(one.last_update or one.creation_date),
            )
            for one in given
        ),
        empty="Nobody has said anything.",
    )


@api_command
async def show_history(api: Api, knowledge_id: KnowledgeId, limit: Limit = 50) -> None:
    """Show the history of an entity that you may change, newest change first."""
    from echomind_lib.models.public import KnowledgeService

    request = {"id": knowledge_id}
    found = (await api.client.collect(KnowledgeService.list_knowledge_revisions, request, limit=limit)).revisions
    api.terminal.json({"revisions": found})
    for one in found:
        learned = f", learned from conversation {one.chat_session_id}" if one.chat_session_id else ""
        by = f" by {one.user_name}" if one.user_name else ""
        api.terminal.line(f"{one.revision}. {moment(one.creation_date)}{by}{learned}: {one.title}")
        api.terminal.line(compared(one.differences) or one.content)
