"""The review of knowledge: proposals of its owners, and what superadmins decide."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.knowledge.knowledge_entities import KnowledgeId, compared
from echomind.cli.rendering import moment
from echomind_lib.models import public


async def propose_knowledge(
    api: Api,
    knowledge_id: KnowledgeId,
    note: Annotated[str, typer.Option(help="Note for the superadmin who decides.")] = "",
) -> None:
    """Propose an entity of yours for everyone."""
    proposed = await api.client.call(public.KnowledgeService.propose_knowledge, {"id": knowledge_id, "note": note})
    api.terminal.report(proposed, f"Proposed {proposed.title}; a superadmin decides.")


async def withdraw_knowledge(api: Api, knowledge_id: KnowledgeId) -> None:
    """Withdraw a proposal."""
    entity = await api.client.call(public.KnowledgeService.withdraw_knowledge, {"id": knowledge_id})
    api.terminal.report(entity, f"{entity.title} is not proposed any more.")


async def review_knowledge(api: Api, knowledge_id: KnowledgeId) -> None:
    """Show a proposal with similar entities; for superadmins."""
    review = await api.client.call(public.KnowledgeService.get_knowledge_review, {"id": knowledge_id})
    api.terminal.json(review)
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
    for each in review.similar:
        kind = "duplicate" if each.is_duplicate else "similar"
        api.terminal.line()
        api.terminal.line(f"{each.knowledge.title} (id {each.knowledge.id}) {kind}, {each.likeness:.0%}:")
        api.terminal.line(compared(each.differences))


async def approve_knowledge(
    api: Api,
    knowledge_id: KnowledgeId,
    revision: Annotated[int, typer.Option(help="Revision that you have read, as `review` shows it.", min=1)],
    replace: Annotated[
        int | None,
        typer.Option(
            metavar="ID", help="Entity for everyone that it replaces.", min=1, autocompletion=completion.knowledge
        ),
    ] = None,
) -> None:
    """Approve a proposal; for superadmins."""
    request = {"id": knowledge_id, "revision": revision, "replaced_id": replace or 0}
    approved = await api.client.call(public.KnowledgeService.approve_knowledge, request)
    api.terminal.report(approved, f"{approved.title} (id {approved.id}) is for everyone.")


async def reject_knowledge(
    api: Api, knowledge_id: KnowledgeId, comment: Annotated[str, typer.Argument(help="Reason, which its owner reads.")]
) -> None:
    """Reject a proposal; for superadmins."""
    rejected = await api.client.call(public.KnowledgeService.reject_knowledge, {"id": knowledge_id, "comment": comment})
    api.terminal.report(rejected, f"Rejected {rejected.title}; its owner sees why.")


async def verify_knowledge(api: Api, knowledge_id: KnowledgeId) -> None:
    """Verify that an entity for everyone is still valid; for superadmins."""
    verified = await api.client.call(public.KnowledgeService.verify_knowledge, {"id": knowledge_id})
    api.terminal.report(verified, f"{verified.title} is verified until {moment(verified.review_after)}.")
