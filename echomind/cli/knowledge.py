"""`echomind knowledge`: entities of knowledge, which complement documents."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api, api_command
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.options import given
from echomind.cli.rendering import moment, one_line, plain
from echomind.cli.terminal import NothingToChangeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echomind_lib.models.public import KnowledgeEntity, TextDifference

app = CommandGroup("What is known beyond documents: rules, ways of working, lessons.")

Id = Annotated[
    int,
    typer.Argument(
        metavar="ID",
        help="Id of an entity, as `echomind knowledge list` shows it.",
        min=1,
        autocompletion=completion.knowledge,
    ),
]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Max entities to list.")]
Category = Annotated[str, typer.Option(help="Category, such as methodology.", show_default=False)]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Tag; repeatable.", show_default=False)]
_LEVELS = {"individual": "mine", "organization": "everyone", "public": "public"}


@app.command("list")
@api_command
async def list_knowledge(
    api: Api,
    limit: Limit = 50,
    own: Annotated[bool, typer.Option("--own", help="Only your own.")] = False,
    lapsed: Annotated[bool, typer.Option("--lapsed", help="Only those whose review has lapsed.")] = False,
    category: Category = "",
    tag: Annotated[str, typer.Option(help="Only with this tag.", show_default=False)] = "",
    query: Annotated[str, typer.Option(help="Only with these words.", show_default=False)] = "",
    learned: Annotated[bool, typer.Option("--learned", help="Only what was learned from sessions.")] = False,
    run: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="Only your lessons from this failed run.",
            autocompletion=completion.runs,
            show_default=False,
        ),
    ] = "",
    session: Annotated[
        int | None,
        typer.Option(
            metavar="ID",
            help="Only what runs of this session have found.",
            min=1,
            autocompletion=completion.sessions,
            show_default=False,
        ),
    ] = None,
    proposals: Annotated[
        bool, typer.Option("--proposals", help="Only those that wait for a review; for superadmins.")
    ] = False,
) -> None:
    """List entities of knowledge, newest first."""
    from echomind_lib.models.public import KnowledgeService

    if proposals:
        found = (await api.client.collect(KnowledgeService.list_knowledge_proposals, {}, limit=limit)).knowledge
    else:
        wanted: dict[str, Any] = {"own": own, "lapsed": lapsed, "category": category, "tag": tag, "query": query}
        wanted |= {"run_id": run, "found_in_session_id": session or 0}
        if learned:
            wanted["source_type"] = "KNOWLEDGE_SOURCE_TYPE_CONVERSATION"
        found = (await api.client.collect(KnowledgeService.list_knowledge, wanted, limit=limit)).knowledge
    _table(api, found, "Nothing is known yet; `echomind knowledge add TITLE CONTENT` adds something.")


@app.command("search")
@api_command
async def search_knowledge(
    api: Api,
    query: Annotated[str, typer.Argument(help="Question.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="Max entities to show.")] = 5,
) -> None:
    """Search knowledge for a question, best matches first."""
    from echomind_lib.models.public import KnowledgeService

    answer = await api.client.call(KnowledgeService.search_knowledge, {"query": query, "limit": limit})
    if api.terminal.as_json:
        api.terminal.json({"hits": [plain(hit) for hit in answer.hits]})
    api.terminal.table(
        ("ID", "SCORE", "TITLE", "CONTENT"),
        (
            (
                hit.knowledge.id,
                f"{hit.score:.2f}",
                one_line(hit.knowledge.title, 40),
                one_line(hit.knowledge.content, 80),
            )
            for hit in answer.hits
        ),
        empty="Nothing that is known fits.",
    )


@app.command("show")
@api_command
async def show_knowledge(api: Api, knowledge_id: Id) -> None:
    """Show an entity."""
    from echomind_lib.models.public import KnowledgeService

    entity = await api.client.call(KnowledgeService.get_knowledge, {"id": knowledge_id})
    if api.terminal.as_json:
        api.terminal.json(plain(entity))
    sources = ", ".join(source.title or f"document {source.document_id}" for source in entity.sources)
    api.terminal.fields(
        (
            ("Title", f"{entity.title} (id {entity.id})"),
            ("Of", entity.user_name),
            ("For", _LEVELS[entity.level.word]),
            ("Category", entity.category),
            ("Tags", ", ".join(entity.tags)),
            ("Confidence", f"{entity.confidence:.0%}"),
            ("Used", entity.usage_count),
            ("Review", _review(entity)),
            ("Documents", sources),
            ("Session", entity.source_session_id or ""),
            ("Failed run", entity.source_run_id),
            ("Changed", moment(entity.last_update or entity.creation_date)),
        )
    )
    api.terminal.line()
    api.terminal.line(entity.content)


@app.command("add")
@api_command
async def add_knowledge(
    api: Api,
    title: Annotated[str, typer.Argument(help="Title.")],
    content: Annotated[str, typer.Argument(help="What is known, in a few sentences.")],
    category: Category = "",
    tag: Tags = None,
    document: Annotated[
        list[int] | None,
        typer.Option(
            metavar="ID",
            help="Document that it was drawn from; repeatable.",
            min=1,
            autocompletion=completion.documents,
            show_default=False,
        ),
    ] = None,
    answer: Annotated[
        int | None, typer.Option(metavar="ID", help="Answer of yours that it keeps.", min=1, show_default=False)
    ] = None,
    for_everybody: Annotated[
        bool, typer.Option("--for-everybody", help="Add it for everyone; for superadmins.")
    ] = False,
) -> None:
    """Add something that you know. It is yours until you propose it and a superadmin approves it."""
    from echomind_lib.models.public import KnowledgeService

    values: dict[str, Any] = {"title": title, "content": content, "category": category, "tags": tag or []}
    values["sources"] = [{"document_id": each} for each in document or []]
    if for_everybody:
        values["level"] = "KNOWLEDGE_LEVEL_ORGANIZATION"
    made = await api.client.call(KnowledgeService.create_knowledge, {"knowledge": values, "message_id": answer or 0})
    _say(api, made, f"Added {made.title} (id {made.id}).")


@app.command("update")
@api_command
async def update_knowledge(
    api: Api,
    knowledge_id: Id,
    title: Annotated[str | None, typer.Option(help="New title.", show_default=False)] = None,
    content: Annotated[str | None, typer.Option(help="New content.", show_default=False)] = None,
    category: Annotated[str | None, typer.Option(help="New category; empty: none.", show_default=False)] = None,
    tag: Tags = None,
) -> None:
    """Change an entity."""
    from echomind_lib.models.public import KnowledgeService

    change = given(title=title, content=content, category=category, tags=tag)
    if not change:
        raise NothingToChangeError("Say what to change: --title, --content, --category or --tag.")
    changed = await api.client.call(KnowledgeService.update_knowledge, {"id": knowledge_id, "knowledge": change})
    _say(api, changed, f"Changed {changed.title}.")


@app.command("remove")
@api_command
async def remove_knowledge(api: Api, knowledge_id: Id, yes: Yes = False) -> None:
    """Remove an entity permanently."""
    from echomind_lib.models.public import KnowledgeService

    entity = await api.client.call(KnowledgeService.get_knowledge, {"id": knowledge_id})
    await confirm(api.terminal, f"Remove {entity.title} with all that people said of it", yes=yes)
    await api.client.call(KnowledgeService.delete_knowledge, {"id": knowledge_id})
    _say(api, entity, f"Removed {entity.title}.")


@app.command("rate")
@api_command
async def rate_knowledge(
    api: Api,
    knowledge_id: Id,
    helpful: Annotated[bool | None, typer.Option("--helpful/--not-helpful", help="Whether it was helpful.")] = None,
    accuracy: Annotated[int | None, typer.Option(min=1, max=5, help="Accuracy.", show_default=False)] = None,
    comment: Annotated[str, typer.Option(help="Comment, which its owner reads.", show_default=False)] = "",
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
    _say(api, rated, f"{rated.title}: confidence {rated.confidence:.0%}.")


@app.command("feedback")
@api_command
async def list_feedback(api: Api, knowledge_id: Id, limit: Limit = 50) -> None:
    """List the ratings of an entity that you may change."""
    from echomind_lib.models.public import KnowledgeService

    given = (
        await api.client.collect(KnowledgeService.list_knowledge_feedback, {"id": knowledge_id}, limit=limit)
    ).feedback
    if api.terminal.as_json:
        api.terminal.json({"feedback": [plain(one) for one in given]})
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


@app.command("history")
@api_command
async def show_history(api: Api, knowledge_id: Id, limit: Limit = 50) -> None:
    """Show the history of an entity that you may change, newest change first."""
    from echomind_lib.models.public import KnowledgeService

    request = {"id": knowledge_id}
    found = (await api.client.collect(KnowledgeService.list_knowledge_revisions, request, limit=limit)).revisions
    if api.terminal.as_json:
        api.terminal.json({"revisions": [plain(one) for one in found]})
    for one in found:
        learned = f", learned from conversation {one.chat_session_id}" if one.chat_session_id else ""
        by = f" by {one.user_name}" if one.user_name else ""
        api.terminal.line(f"{one.revision}. {moment(one.creation_date)}{by}{learned}: {one.title}")
        api.terminal.line(_compared(one.differences) or one.content)


def _compared(parts: "Sequence[TextDifference]") -> str:
    """Returns a comparison as one text, with removed and added parts marked."""
    marks = {"removed": ("[-", "-]"), "added": ("{+", "+}")}
    texts = []
    for part in parts:
        begin, end = marks.get(part.change.word, ("", ""))
        texts.append(f"{begin}{part.text}{end}")
    return "".join(texts)


@app.command("propose")
@api_command
async def propose_knowledge(
    api: Api,
    knowledge_id: Id,
    note: Annotated[str, typer.Option(help="Note for the superadmin who decides.", show_default=False)] = "",
) -> None:
    """Propose an entity of yours for everyone."""
    from echomind_lib.models.public import KnowledgeService

    proposed = await api.client.call(KnowledgeService.propose_knowledge, {"id": knowledge_id, "note": note})
    _say(api, proposed, f"Proposed {proposed.title}; a superadmin decides.")


@app.command("withdraw")
@api_command
async def withdraw_knowledge(api: Api, knowledge_id: Id) -> None:
    """Withdraw a proposal."""
    from echomind_lib.models.public import KnowledgeService

    entity = await api.client.call(KnowledgeService.withdraw_knowledge, {"id": knowledge_id})
    _say(api, entity, f"{entity.title} is not proposed any more.")


@app.command("review")
@api_command
async def review_knowledge(api: Api, knowledge_id: Id) -> None:
    """Show a proposal with similar entities; for superadmins."""
    from echomind_lib.models.public import KnowledgeService

    review = await api.client.call(KnowledgeService.get_knowledge_review, {"id": knowledge_id})
    if api.terminal.as_json:
        api.terminal.json(plain(review))
    entity = review.knowledge
    api.terminal.fields(
        (
            ("Title", f"{entity.title} (id {entity.id}, revision {entity.revision})"),
            ("Proposed by", entity.user_name),
            ("Note", entity.proposal_note),
            ("Blocked", review.blocked_reason),
        )
    )
    api.terminal.line()
    api.terminal.line(entity.content)
    for one in review.similar:
        kind = "says the same" if one.is_duplicate else "is alike"
        api.terminal.line()
        api.terminal.line(f"{one.knowledge.title} (id {one.knowledge.id}) {kind}, {one.likeness:.0%}:")
        api.terminal.line(_compared(one.differences))


@app.command("approve")
@api_command
async def approve_knowledge(
    api: Api,
    knowledge_id: Id,
    revision: Annotated[int, typer.Option(help="Revision that you have read, as `review` shows it.", min=1)],
    replace: Annotated[
        int | None,
        typer.Option(
            metavar="ID",
            help="Entity for everyone that it replaces.",
            min=1,
            autocompletion=completion.knowledge,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Approve a proposal; for superadmins."""
    from echomind_lib.models.public import KnowledgeService

    request = {"id": knowledge_id, "revision": revision, "replaced_id": replace or 0}
    approved = await api.client.call(KnowledgeService.approve_knowledge, request)
    _say(api, approved, f"{approved.title} (id {approved.id}) is for everyone.")


@app.command("reject")
@api_command
async def reject_knowledge(
    api: Api, knowledge_id: Id, comment: Annotated[str, typer.Argument(help="Reason, which its owner reads.")]
) -> None:
    """Reject a proposal; for superadmins."""
    from echomind_lib.models.public import KnowledgeService

    rejected = await api.client.call(KnowledgeService.reject_knowledge, {"id": knowledge_id, "comment": comment})
    _say(api, rejected, f"Rejected {rejected.title}; its owner sees why.")


@app.command("verify")
@api_command
async def verify_knowledge(api: Api, knowledge_id: Id) -> None:
    """Verify that an entity for everyone is still valid; for superadmins."""
    from echomind_lib.models.public import KnowledgeService

    verified = await api.client.call(KnowledgeService.verify_knowledge, {"id": knowledge_id})
    _say(api, verified, f"{verified.title} is verified until {moment(verified.review_after)}.")


def _table(api: Api, found: "Sequence[KnowledgeEntity]", empty: str) -> None:
    if api.terminal.as_json:
        api.terminal.json({"knowledge": [plain(entity) for entity in found]})
    api.terminal.table(
        ("ID", "TITLE", "FOR", "CATEGORY", "CONFIDENCE", "USED", "REVIEW"),
        (
            (
                entity.id,
                one_line(entity.title, 50),
                _LEVELS[entity.level.word],
                entity.category,
                f"{entity.confidence:.0%}",
                entity.usage_count,
                _review(entity),
            )
            for entity in found
        ),
        empty=empty,
    )


def _review(entity: "KnowledgeEntity") -> str:
    if entity.review_status.word in ("proposed", "rejected"):
        return entity.review_status.word
    if entity.review_after is None:
        return ""
    return "verified" if entity.is_verified else "lapsed"


def _say(api: Api, entity: "KnowledgeEntity", text: str) -> None:
    if api.terminal.as_json:
        api.terminal.json(plain(entity))
    api.terminal.line(text)
