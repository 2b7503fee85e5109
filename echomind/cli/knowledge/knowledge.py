"""`echomind knowledge`: entities of knowledge, which complement documents."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.knowledge.knowledge_entities import KnowledgeId, Limit, review_state
from echomind.cli.knowledge.knowledge_feedback import list_feedback, rate_knowledge, show_history
from echomind.cli.knowledge.knowledge_reviews import (
    approve_knowledge,
    propose_knowledge,
    reject_knowledge,
    review_knowledge,
    verify_knowledge,
    withdraw_knowledge,
)
from echomind.cli.lists import read_until
from echomind.cli.options import given
from echomind.cli.rendering import moment
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public

app = CommandGroup("What is known beyond documents: rules, ways of working, lessons.")

Category = Annotated[str, typer.Option(help="Category, such as methodology.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Tag; repeatable.")]
_LEVELS = {"individual": "its owner", "organization": "everyone", "public": "public"}

_HITS = Table(
    "KnowledgeService.search_knowledge",
    "ID:knowledge.id SCORE TITLE:knowledge.title:40 CONTENT:knowledge.content:80",
    "Nothing that is known fits.",
    {"SCORE": lambda each: f"{each.score:.2f}"},
)
_KNOWLEDGE = Table(
    "KnowledgeService.list_knowledge",
    "ID TITLE::50 OF:user_name:30 FOR CATEGORY CONFIDENCE USED:usage_count REVIEW",
    "Nothing is known yet; `echomind knowledge add TITLE CONTENT` adds something.",
    {
        "FOR": lambda each: _LEVELS[each.level.word],
        "CONFIDENCE": lambda each: f"{each.confidence:.0%}",
        "REVIEW": review_state,
    },
)


@app.command("list")
async def list_knowledge(
    api: Api,
    limit: Limit = 50,
    own: Annotated[bool, typer.Option("--own", help="Only your own.")] = False,
    lapsed: Annotated[bool, typer.Option("--lapsed", help="Only those whose review has lapsed.")] = False,
    category: Category = "",
    tag: Annotated[str, typer.Option(help="Only with this tag.")] = "",
    query: Annotated[str, typer.Option(help="Only with these words.")] = "",
    learned: Annotated[bool, typer.Option("--learned", help="Only what was learned from sessions.")] = False,
    run: Annotated[
        str, typer.Option(metavar="ID", help="Only your lessons from this failed run.", autocompletion=completion.runs)
    ] = "",
    session: Annotated[
        int | None,
        typer.Option(
            metavar="ID", help="Only what runs of this session have found.", min=1, autocompletion=completion.sessions
        ),
    ] = None,
    proposals: Annotated[
        bool, typer.Option("--proposals", help="Only those that wait for a review; for superadmins.")
    ] = False,
) -> None:
    """List entities of knowledge, newest first."""
    if proposals:
        found, token = await read_until(api.client, "KnowledgeService.list_knowledge_proposals", limit=limit)
        _KNOWLEDGE.write(api.terminal, found, token=token)
        return
    filters: dict[str, Any] = {"own": own, "lapsed": lapsed, "category": category, "tag": tag, "query": query}
    filters |= {"run_id": run, "found_in_session_id": session or 0}
    if learned:
        filters["source_type"] = "KNOWLEDGE_SOURCE_TYPE_CONVERSATION"
    await _KNOWLEDGE.show(api, filters, limit=limit)


@app.command("search")
async def search_knowledge(
    api: Api,
    query: Annotated[str, typer.Argument(help="Question.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="Max entities to show.")] = 5,
) -> None:
    """Search knowledge for a question, best matches first."""
    await _HITS.show(api, {"query": query, "limit": limit})


@app.command("show")
async def show_knowledge(api: Api, knowledge_id: KnowledgeId) -> None:
    """Show an entity."""
    entity = await api.client.call(public.KnowledgeService.get_knowledge, {"id": knowledge_id})
    api.terminal.json(entity)
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
            ("Review", review_state(entity)),
            ("Reason", entity.review_comment),
            ("Documents", sources),
            ("Session", entity.source_session_id or ""),
            ("Failed run", entity.source_run_id),
            ("Changed", moment(entity.last_update or entity.creation_date)),
        )
    )
    api.terminal.line()
    api.terminal.line(entity.content)


@app.command("add")
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
        ),
    ] = None,
    answer: Annotated[int | None, typer.Option(metavar="ID", help="Answer of yours that it keeps.", min=1)] = None,
    for_everybody: Annotated[
        bool, typer.Option("--for-everybody", help="Add it for everyone; for superadmins.")
    ] = False,
) -> None:
    """Add something that you know. It is yours until you propose it and a superadmin approves it."""
    values: dict[str, Any] = {"title": title, "content": content, "category": category, "tags": tag or []}
    values["sources"] = [{"document_id": each} for each in document or []]
    if for_everybody:
        values["level"] = "KNOWLEDGE_LEVEL_ORGANIZATION"
    made = await api.client.call(
        public.KnowledgeService.create_knowledge, {"knowledge": values, "message_id": answer or 0}
    )
    api.terminal.report(made, f"Added {made.title} (id {made.id}).")


@app.command("update")
async def update_knowledge(
    api: Api,
    knowledge_id: KnowledgeId,
    title: Annotated[str | None, typer.Option(help="New title.")] = None,
    content: Annotated[str | None, typer.Option(help="New content.")] = None,
    category: Annotated[str | None, typer.Option(help="New category; empty: none.")] = None,
    tag: Tags = None,
) -> None:
    """Change an entity."""
    change = given(title=title, content=content, category=category, tags=tag)
    if not change:
        raise NothingToChangeError("Say what to change: --title, --content, --category or --tag.")
    changed = await api.client.call(public.KnowledgeService.update_knowledge, {"id": knowledge_id, "knowledge": change})
    api.terminal.report(changed, f"Changed {changed.title}.")


@app.command("remove")
async def remove_knowledge(api: Api, knowledge_id: KnowledgeId, yes: Yes = False) -> None:
    """Remove an entity permanently."""
    entity = await api.client.call(public.KnowledgeService.get_knowledge, {"id": knowledge_id})
    await confirm(api.terminal, f"Remove {entity.title} with all that people said of it", yes=yes)
    await api.client.call(public.KnowledgeService.delete_knowledge, {"id": knowledge_id})
    api.terminal.report(entity, f"Removed {entity.title}.")


app.command("rate")(rate_knowledge)
app.command("feedback")(list_feedback)
app.command("history")(show_history)
app.command("propose")(propose_knowledge)
app.command("withdraw")(withdraw_knowledge)
app.command("review")(review_knowledge)
app.command("approve")(approve_knowledge)
app.command("reject")(reject_knowledge)
app.command("verify")(verify_knowledge)
