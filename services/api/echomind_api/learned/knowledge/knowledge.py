"""Knowledge: entities, their search and feedback, and the review before they are shared with everybody."""

from typing import Any, Final
from uuid import uuid4

from typing_extensions import override

from echomind_api.conversations.access import require_session
from echomind_api.learned.knowledge import opinions, reviews
from echomind_api.learned.knowledge.documents import add_session_sources, require_documents, set_sources
from echomind_api.learned.knowledge.entities import (
    audit_others,
    find,
    readable,
    state_error,
    to_model,
    to_models,
)
from echomind_api.learned.knowledge.history import list_revisions
from echomind_api.learned.knowledge.lists import list_entities, list_proposals
from echomind_api.rows import audit, audit_foreign, missing, reload
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.messages import read_session_id
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.learned.facts import index_soon
from echomind_lib.learned.knowledge.confidence import PRIORS
from echomind_lib.learned.knowledge.revisions import REVISED, revision_of
from echomind_lib.learned.knowledge.search import KnowledgeMatch, KnowledgeSearch
from echomind_lib.mappers import knowledge as mapper
from echomind_lib.messaging import Bus
from echomind_lib.models import public
from echomind_lib.secret_text import secret_in

_Entity = rows.KnowledgeEntity
_CREATED: Final = ("level", "title", "content", "category", "tags", "sources")
_DEFAULT_LIMIT: Final = 5


class Knowledge(public.KnowledgeService):
    """The service `KnowledgeService`."""

    def __init__(self, database: Database, bus: Bus, search: KnowledgeSearch) -> None:
        self._database, self._bus, self._search = database, bus, search

    # -- entities ------------------------------------------------------------------------------------------------------
    @override
    async def list_knowledge(
        self, request: public.ListKnowledgeRequest, call: CallContext
    ) -> public.ListKnowledgeResponse:
        if request.found_in_session_id:
            await require_session(self._database, call, request.found_in_session_id, "read")
        async with self._database.session() as session:
            return await list_entities(session, call.principal, request)

    @override
    async def get_knowledge(self, request: public.GetKnowledgeRequest, call: CallContext) -> public.KnowledgeEntity:
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id)
            model = await to_model(session, call.principal, row)
        await audit_others(self._database, call, row, write=False)
        return model

    @override
    async def create_knowledge(
        self, request: public.CreateKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        principal = call.principal
        columns = mapper.to_columns(request.knowledge, _CREATED)
        document_ids: list[int] = columns.pop("sources")
        is_everybodys = columns["level"] != "individual"
        if is_everybodys:
            require_role(principal, "superadmin")
        _refuse_secrets(columns)
        _refuse_secrets({"content": f"{columns['title']} {columns['content']}"})
        answer = await self._answer(request.message_id, call)
        source_type: Any = "answer" if answer else "document" if document_ids else "manual"
        alpha, beta = PRIORS[source_type]
        async with self._database.session() as session:
            await require_documents(session, principal, document_ids)
            row = _Entity(
                **columns,
                embedding_id=str(uuid4()),
                user_id=principal.user_id,
                source_type=source_type,
                source_session_id=answer.chat_session_id if answer else None,
                session_time=answer.creation_date if answer else None,
                metadata_={"messageIds": [answer.id]} if answer else {},
                prior_alpha=alpha,
                prior_beta=beta,
                alpha=alpha,
                beta=beta,
            )
            session.add(row)
            await reload(session, row)
            session.add(revision_of(row, principal.user_id))
            await set_sources(session, row.id, document_ids)
            if answer:
                await add_session_sources(session, row.id, answer.chat_session_id)
            if is_everybodys:
                await reviews.require_unrestricted(session, row)
                row.review_status = "approved"
                reviews.verify(row, principal)
                audit(session, call, f"knowledge/{row.id}", title=row.title, level=row.level)
            model = await to_model(session, principal, row)
        await index_soon(self._database.pool, self._bus)
        return model

    @override
    async def update_knowledge(
        self, request: public.UpdateKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        principal = call.principal
        columns = mapper.to_columns(request.knowledge, request.update_mask or [])
        document_ids: list[int] | None = columns.pop("sources", None)
        if document_ids is not None or "level" in columns:
            require_role(principal, "superadmin")
        _refuse_secrets(columns)
        async with self._database.session() as session:
            row = await find(session, principal, request.id, manage=True)
            _refuse_secrets({"content": f"{columns.get('title', row.title)} {columns.get('content', row.content)}"})
            _check_level(row, columns)
            is_revised = bool(REVISED & {name for name, value in columns.items() if getattr(row, name) != value})
            if is_revised and row.review_status == "rejected":
                row.review_status = "none"
            for name, value in columns.items():
                setattr(row, name, value)
            if is_revised:
                reviews.revise(session, row, principal)
            row.user_id_last_update = principal.user_id
            if document_ids is not None:
                await require_documents(session, principal, document_ids)
                await set_sources(session, row.id, document_ids)
            if row.level != "individual":
                await reviews.require_unrestricted(session, row)
                reviews.verify(row, principal)
                audit(session, call, f"knowledge/{row.id}", fields=sorted(columns))
            model = await to_model(session, principal, row)
        await audit_others(self._database, call, row, write=True)
        await index_soon(self._database.pool, self._bus)
        return model

    @override
    async def delete_knowledge(self, request: public.DeleteKnowledgeRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id, manage=True)
            await session.delete(row)
            if row.level != "individual":
                audit(session, call, f"knowledge/{row.id}", title=row.title)
        await audit_others(self._database, call, row, write=True)
        await index_soon(self._database.pool, self._bus)
        return Empty()

    @override
    async def search_knowledge(
        self, request: public.SearchKnowledgeRequest, call: CallContext
    ) -> public.SearchKnowledgeResponse:
        matches = await self._search.search(call.principal, request.query, request.limit or _DEFAULT_LIMIT)
        by_id = {match.found.id: match for match in matches}
        async with self._database.session() as session:
            query = readable(call.principal).where(_Entity.id.in_(by_id))
            models = await to_models(session, call.principal, (await session.scalars(query)).all())
        found = sorted(models, key=lambda model: (-by_id[model.id].score, model.id))
        return public.SearchKnowledgeResponse(hits=[_hit(model, by_id[model.id]) for model in found])

    # -- opinions ------------------------------------------------------------------------------------------------------
    @override
    async def set_knowledge_feedback(
        self, request: public.SetKnowledgeFeedbackRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        if request.feedback.chat_session_id:
            await require_session(self._database, call, request.feedback.chat_session_id, "manage")
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id)
            await opinions.set_opinion(session, row.id, call.principal.user_id, request.feedback)
            return await to_model(session, call.principal, row)

    @override
    async def delete_knowledge_feedback(
        self, request: public.DeleteKnowledgeFeedbackRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id)
            await opinions.withdraw_opinion(session, row.id, call.principal.user_id)
            return await to_model(session, call.principal, row)

    @override
    async def list_knowledge_feedback(
        self, request: public.ListKnowledgeFeedbackRequest, call: CallContext
    ) -> public.ListKnowledgeFeedbackResponse:
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id, manage=True)
            found = await opinions.list_opinions(session, request)
        await audit_others(self._database, call, row, write=False)
        return found

    @override
    async def list_knowledge_revisions(
        self, request: public.ListKnowledgeRevisionsRequest, call: CallContext
    ) -> public.ListKnowledgeRevisionsResponse:
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id, manage=True)
            found = await list_revisions(session, call.principal, row, request)
        await audit_others(self._database, call, row, write=False)
        return found

    # -- review --------------------------------------------------------------------------------------------------------
    @override
    async def propose_knowledge(
        self, request: public.ProposeKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        if request.level is public.KnowledgeLevel.INDIVIDUAL:
            rule = "propose it for the organization, or as public"
            raise ValidationFailedError(f"level: {rule}.", level=rule)
        level: Any = "organization" if request.level is public.KnowledgeLevel.UNSPECIFIED else request.level.word
        async with self._database.session() as session:
            row = await reviews.propose(session, call.principal, request.id, level, request.note)
            return await to_model(session, call.principal, row)

    @override
    async def withdraw_knowledge(
        self, request: public.WithdrawKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        async with self._database.session() as session:
            row = await reviews.withdraw(session, call.principal, request.id)
            return await to_model(session, call.principal, row)

    @override
    async def list_knowledge_proposals(
        self, request: public.ListKnowledgeProposalsRequest, call: CallContext
    ) -> public.ListKnowledgeProposalsResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            found = await list_proposals(session, call.principal, request)
        owners = {entity.user_id for entity in found.knowledge if entity.user_id}
        if others := sorted(owners - {call.principal.user_id}):
            await audit_foreign(self._database, call, "knowledge", write=False, user_ids=others)
        return found

    @override
    async def get_knowledge_review(
        self, request: public.GetKnowledgeReviewRequest, call: CallContext
    ) -> public.KnowledgeReview:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await reviews.proposed(session, call.principal, request.id)
            found = await reviews.review(session, call.principal, self._search, row)
        await audit_others(self._database, call, row, write=False)
        return found

    @override
    async def approve_knowledge(
        self, request: public.ApproveKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await reviews.approve(session, call.principal, request.id, request.revision, request.replaced_id)
            audit(session, call, f"knowledge/{request.id}", title=row.title, level=row.level, stands_as=row.id)
            model = await to_model(session, call.principal, row)
        await index_soon(self._database.pool, self._bus)
        return model

    @override
    async def reject_knowledge(
        self, request: public.RejectKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await reviews.reject(session, call.principal, request.id, request.comment)
            audit(session, call, f"knowledge/{row.id}", title=row.title)
            return await to_model(session, call.principal, row)

    @override
    async def verify_knowledge(
        self, request: public.VerifyKnowledgeRequest, call: CallContext
    ) -> public.KnowledgeEntity:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await find(session, call.principal, request.id, manage=True)
            if row.level == "individual":
                raise state_error(row, "individual", "Only what is everybody's is verified: propose and approve it.")
            reviews.verify(row, call.principal)
            audit(session, call, f"knowledge/{row.id}", title=row.title)
            return await to_model(session, call.principal, row)

    async def _answer(self, message_id: int, call: CallContext) -> rows.ChatMessage | None:
        """Returns the answer that is kept; None for 0.

        Raises:
            NotFoundError: There is no such answer in a conversation of the caller.
        """
        if not message_id:
            return None
        session_id = await read_session_id(self._database.pool, message_id)
        if session_id is None:
            raise missing("message", message_id)
        await require_session(self._database, call, session_id, "manage", "message", message_id)
        async with self._database.session() as session:
            message = await session.get_one(rows.ChatMessage, message_id)
        if message.role != "assistant":
            raise missing("answer", message_id)
        return message


def _hit(model: public.KnowledgeEntity, match: KnowledgeMatch) -> public.KnowledgeHit:
    return public.KnowledgeHit(
        knowledge=model, score=round(match.score, 4), likeness=round(min(1.0, match.likeness), 4)
    )


def _refuse_secrets(columns: dict[str, Any]) -> None:
    """Raises `ValidationFailedError` if a text contains a secret."""
    for field, value in columns.items():
        for text in value if isinstance(value, list) else [value or ""]:
            if (kind := secret_in(text)) is not None:
                rule = f"it holds what looks like {kind}, and secrets are not kept as knowledge"
                raise ValidationFailedError.of(field, rule)


def _check_level(row: rows.KnowledgeEntity, columns: dict[str, Any]) -> None:
    """Raises an error when the level of an entity cannot become this one."""
    level = columns.get("level", row.level)
    if row.level == "individual" and level != "individual":
        raise state_error(row, "individual", "What is one person's becomes everybody's by a proposal and its approval.")
    if level == "individual" and row.user_id is None:
        raise PermissionDeniedError("The account that this entity belonged to is not there any more.", required="owner")
