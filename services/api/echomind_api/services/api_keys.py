"""The caller's own keys for programs."""

from datetime import UTC, datetime

from sqlalchemy import select, update
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.principals import Principals
from echomind_api.services.rows import audit, missing, unique
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import api_keys
from echomind_lib.models.public import (
    ApiKeyService,
    CreateApiKeyRequest,
    CreateApiKeyResponse,
    DeleteApiKeyRequest,
    ListApiKeysRequest,
    ListApiKeysResponse,
)


class ApiKeys(ApiKeyService):
    """The service `ApiKeyService`."""

    def __init__(self, database: Database, principals: Principals) -> None:
        self._database = database
        self._principals = principals

    @override
    async def list_api_keys(self, request: ListApiKeysRequest, call: CallContext) -> ListApiKeysResponse:
        owner = call.principal.user_id
        page = read_page(request.page_size, request.page_token, tuple[int], "api_keys", owner)
        query = (
            select(rows.ApiKey)
            .where(rows.ApiKey.user_id == owner, ~rows.ApiKey.revoked)
            .order_by(rows.ApiKey.id.desc())
            .limit(page.limit)
        )
        if page.after:
            query = query.where(rows.ApiKey.id < page.after[0])
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        return ListApiKeysResponse(api_keys=[api_keys.to_model(row) for row in found], next_page_token=token)

    @override
    async def create_api_key(self, request: CreateApiKeyRequest, call: CallContext) -> CreateApiKeyResponse:
        if request.expires_at is not None and request.expires_at <= datetime.now(UTC):
            raise ValidationFailedError("expires_at: must be in the future", expires_at="must be in the future")
        key = tokens.new_api_key()
        row = rows.ApiKey(
            user_id=call.principal.user_id,
            name=request.name,
            prefix=tokens.prefix(key.text),
            sha256=key.sha256,
            expires_at=request.expires_at,
        )
        async with self._database.session() as session:
            session.add(row)
            with unique("API key", {"idx_api_keys_name": "name"}):
                await session.flush()
            audit(session, call, f"api-keys/{row.id}", name=row.name)
            await session.flush()
            await session.refresh(row)
            return CreateApiKeyResponse(api_key=api_keys.to_model(row), secret=key.text)

    @override
    async def delete_api_key(self, request: DeleteApiKeyRequest, call: CallContext) -> Empty:
        owner = call.principal.user_id
        revoke = (
            update(rows.ApiKey)
            .where(rows.ApiKey.id == request.id, rows.ApiKey.user_id == owner, ~rows.ApiKey.revoked)
            .values(revoked=True, user_id_last_update=owner)
            .returning(rows.ApiKey.id)
        )
        async with self._database.session() as session:
            if await session.scalar(revoke) is None:
                raise missing("API key", request.id)
            audit(session, call, f"api-keys/{request.id}")
        self._principals.forget(owner)
        return Empty()
