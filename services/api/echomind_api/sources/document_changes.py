"""Changes of many documents, selected by ids or a filter."""

from typing import Final, Literal
from uuid import uuid4

import msgspec
from sqlalchemy import func, select

from echomind_api.rows import audit, missing
from echomind_api.sources.connector_rows import audit_not_shared, find_connector, read_only
from echomind_api.sources.document_lists import stored
from echomind_lib.access import Principal
from echomind_lib.access import connectors as rule_of
from echomind_lib.access.documents import documents as access_documents
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.holds import move_held
from echomind_lib.db.models import Connector, Document
from echomind_lib.documents.changes import Change, DocumentChanges, conflicts
from echomind_lib.documents.uploads import takes_uploads
from echomind_lib.errors import AlreadyExistsError, ValidationFailedError
from echomind_lib.models.public import ChangeDocumentsResponse, DocumentSelection

_RECORDED_IDS: Final = 100
"""Maximum number of documents that an entry of the audit log names; it has the number of all."""
_ONE_OF: Final = "needs either ids or a filter"


class SelectedDocuments:
    """Deletes, retries or moves the selected documents."""

    def __init__(self, database: Database, changes: DocumentChanges) -> None:
        self._database = database
        self._changes = changes

    async def change(
        self,
        call: CallContext,
        action: Literal["delete", "retry", "move"],
        selection: DocumentSelection,
        connector_id: int = 0,
        *,
        restarts: bool = False,
    ) -> ChangeDocumentsResponse:
        """Changes the selected documents: the first immediately, the others by a background job.

        Args:
            call: The call.
            action: The action.
            selection: The documents.
            connector_id: The connector to move to.
            restarts: Whether to move the documents that are queued or being processed, too: at most a batch of them,
                whose processing begins again.

        Raises:
            NotFoundError: The caller may not read one of the documents, or the connector to move to.
            PermissionDeniedError: The caller may read one of them but not change it.
            AlreadyExistsError: The connector to move to has a document with the path of one of them.
            DeletionHeldError: A legal hold keeps one of the documents to move, and would not keep it there.
            ValidationFailedError: Neither or both of ids and filter are given, or the connector does not accept files.
        """
        principal: Principal = call.principal
        if bool(selection.ids) == (selection.filter is not None):
            raise ValidationFailedError(f"selection: {_ONE_OF}", selection=_ONE_OF)
        if action == "move":
            target = await find_connector(self._database, call, connector_id, manage=True)
            if not takes_uploads(target):
                rule = "is no connector of uploads: its files are read from its source"
                raise ValidationFailedError(f"connector_id: {rule}", connector_id=rule)
        is_administrative = bool(selection.ids) and await self._check(call, selection.ids)
        async with self._database.session() as session:
            change = Change(
                action=action,
                user_id=principal.user_id,
                ids=tuple(selection.ids),
                filter=stored(selection.filter),
                last_id=await session.scalar(select(func.max(Document.id))) or 0,
                connector_id=connector_id,
            )
            if action == "move" and change.ids and (path := await conflicts(session, change)) is not None:
                raise AlreadyExistsError(
                    f"The collection has a file {path!r} already: rename or delete one of them.",
                    resource="document",
                    field="source_id",
                )
            if change.ids and is_administrative:
                recorded = {"ids": change.ids[:_RECORDED_IDS], "documents": len(change.ids)}
                audit(session, call, "documents", change=action, connector_id=connector_id, **recorded)
            elif not change.ids:
                given = selection.filter.model_dump(mode="json", exclude_defaults=True) if selection.filter else {}
                audit(session, call, "documents", change=action, filter=given, connector_id=connector_id)
        unsettled = msgspec.structs.replace(change, restarts=True)
        if action == "move":
            for each in (change, unsettled) if restarts else (change,):
                if await self._changes.are_held(each):
                    raise move_held()
        changed, left = await self._changes.apply(change)
        if restarts:
            changed += (await self._changes.apply(unsettled))[0]
        if left is None:
            return ChangeDocumentsResponse(documents=changed)
        total = changed + await self._changes.count(left)
        await self._changes.continue_later(left, uuid4())
        return ChangeDocumentsResponse(documents=total, in_background=True)

    async def _check(self, call: CallContext, ids: list[int]) -> bool:
        """Checks that the caller may change documents, and notes which were not shared with them.

        Returns whether one of them is in a connector of somebody else, or one that others read.
        """
        rule = access_documents()
        readable = (
            select(Document.id, Connector)
            .join(Connector, Connector.id == Document.connector_id)
            .where(Document.id.in_(ids), Document.deleted_date.is_(None), Connector.deleted_date.is_(None))
            .where(rule.where())
            .params(rule.values(call.principal))
        )
        async with self._database.session() as session:
            found = {row.id: row.Connector for row in await session.execute(readable)}
        for document_id in ids:
            if document_id not in found:
                raise missing("document", document_id)
            if not rule_of("manage").allows(call.principal, found[document_id]):
                raise read_only(found[document_id].id)
        await audit_not_shared(self._database, call, "documents", found.values(), ids, write=True)
        own = [row for row in found.values() if row.scope == "user" and row.user_id == call.principal.user_id]
        return len(own) < len(found)
