"""Chat models. Everyone reads, superadmins manage. One of them is always the default, and one is built in."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, get_args

from sqlalchemy import Integer, func, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.models.hosts import refuse_host_of
from echomind_api.models.llm_tests import TESTED, TestedLlm, list_offered, test_model
from echomind_api.people import with_updater, with_updaters
from echomind_api.rows import audit, lock_table, missing, reload, unique
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import (
    AlreadyExistsError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.llms import LlmConfigInvalid, Provider
from echomind_lib.llms.endpoints import normalise_endpoint
from echomind_lib.mappers import llms
from echomind_lib.models import public
from echomind_lib.network.origins import same_origin
from echomind_lib.secrets import Secrets

_BUILT_IN = "extractive"
_UNIQUE = {"idx_llms_name": "name"}
_ANY = "any"
"""Stands for the name of a model where none is asked."""
_CREATED = (
    "name",
    "provider",
    "model_id",
    "endpoint",
    "api_key",
    "max_tokens",
    "temperature",
    "context_tokens",
    "input_price",
    "output_price",
    "is_default",
)


class Llms(public.LlmService):
    """The service `LlmService`."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._secrets = secrets

    @override
    async def list_llms(self, request: public.ListLlmsRequest, call: CallContext) -> public.ListLlmsResponse:
        page = read_page(request.page_size, request.page_token, tuple[int], "llms")
        query = page.select(select(rows.Llm).where(rows.Llm.deleted_date.is_(None)), rows.Llm.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
            return public.ListLlmsResponse(llms=await _visible(session, found, call), next_page_token=token)

    @override
    async def get_llm(self, request: public.GetLlmRequest, call: CallContext) -> public.Llm:
        async with self._database.session() as session:
            return (await _visible(session, [await _find(session, request.id)], call))[0]

    @override
    async def create_llm(self, request: public.CreateLlmRequest, call: CallContext) -> public.Llm:
        require_role(call.principal, "superadmin")
        if request.llm.provider is public.LlmProvider.EXTRACTIVE:
            raise AlreadyExistsError("There is a built-in model already, and only one.", resource="chat model")
        _check_endpoint(request.llm.provider, request.llm.endpoint)
        async with self._database.session() as session:
            await lock_table(session, rows.Llm)  # exactly one is the default
            columns = llms.to_columns(request.llm, _CREATED, self._secrets)
            _check_prices(columns)
            if columns["is_default"]:
                await _clear_default(session, call)
            row = rows.Llm(**columns, is_active=True)
            session.add(row)
            with unique("chat model", _UNIQUE):
                await session.flush()
            audit(session, call, f"llms/{row.id}", name=row.name, provider=row.provider)
            await reload(session, row)
            return await with_updater(session, row, llms.to_model(row))

    @override
    async def update_llm(self, request: public.UpdateLlmRequest, call: CallContext) -> public.Llm:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.Llm)  # exactly one is the default
            columns = llms.to_columns(request.llm, request.update_mask, self._secrets)
            row = await _find(session, request.id)
            _check_change(row, columns)
            _check_prices({"input_price": row.input_price, "output_price": row.output_price} | columns)
            if columns.keys() & {"provider", "endpoint"}:
                provider = public.LlmProvider.from_word(columns.get("provider", row.provider))
                _check_endpoint(provider, columns.get("endpoint", row.endpoint))
                _check_key(row, columns)
            was_default = row.is_default
            if columns.get("is_active") is False:
                columns["is_default"] = False
            if columns.get("is_default") and not was_default:
                await _clear_default(session, call)
            row = await _write(session, row.id, columns, call)
            if was_default and not row.is_default:
                await _make_built_in_default(session, call)
            audit(session, call, f"llms/{row.id}", fields=sorted(columns))
            return await with_updater(session, row, llms.to_model(row))

    @override
    async def delete_llm(self, request: public.DeleteLlmRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.Llm)  # exactly one is the default
            row = await _find(session, request.id)
            if row.provider == _BUILT_IN:
                raise PermissionDeniedError("The built-in model cannot be removed.")
            was_default = row.is_default
            await _write(session, row.id, {"deleted_date": func.now(), "is_default": False, "api_key": None}, call)
            if was_default:
                await _make_built_in_default(session, call)
            await session.execute(
                update(rows.Assistant)
                .where(rows.Assistant.llm_id == row.id)
                .values(llm_id=None, user_id_last_update=call.principal.user_id)
            )
            audit(session, call, f"llms/{row.id}", name=row.name)
        return Empty()

    @override
    async def test_llm(self, request: public.TestLlmRequest, call: CallContext) -> public.TestLlmResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
        if row.provider == _BUILT_IN:
            return public.TestLlmResponse(ok=True, message="The built-in model is always there.")
        return await test_model(TestedLlm.of(row), self._secrets)

    @override
    async def test_llm_settings(
        self, request: public.TestLlmSettingsRequest, call: CallContext
    ) -> public.TestLlmResponse:
        require_role(call.principal, "superadmin")
        if request.llm.provider is public.LlmProvider.EXTRACTIVE:
            return public.TestLlmResponse(ok=True, message="The built-in model is always there.")
        return await test_model(await self._tested(request.llm, request.id), self._secrets)

    @override
    async def list_offered_models(
        self, request: public.ListOfferedModelsRequest, call: CallContext
    ) -> public.ListOfferedModelsResponse:
        require_role(call.principal, "superadmin")
        if request.provider is public.LlmProvider.EXTRACTIVE:
            return public.ListOfferedModelsResponse(model_ids=[_BUILT_IN])
        asked = public.Llm(
            name=_ANY, model_id=_ANY, provider=request.provider, endpoint=request.endpoint, api_key=request.api_key
        )
        return await list_offered(await self._tested(asked, request.id), self._secrets)

    async def _tested(self, llm: public.Llm, stored_id: int) -> TestedLlm:
        """Returns the values to test: those given, with the key of a stored model where none is given."""
        columns = llms.to_columns(llm, TESTED, self._secrets)
        _check_endpoint(llm.provider, llm.endpoint)
        if stored_id:
            async with self._database.session() as session:
                row = await _find(session, stored_id)
            if not llm.api_key:
                del columns["api_key"]
                _check_key(row, columns)
                columns["api_key"] = row.api_key
        return TestedLlm(**columns)


async def _visible(session: AsyncSession, found: Sequence[rows.Llm], call: CallContext) -> list[public.Llm]:
    """Returns chat models as the caller may see them: where they are and who changed them only for who manages them."""
    if call.principal.has_role("superadmin"):
        return await with_updaters(session, [(row, llms.to_model(row)) for row in found])
    return [llms.to_model(row).model_copy(update={"endpoint": ""}) for row in found]


async def _find(session: AsyncSession, llm_id: int) -> rows.Llm:
    # Ids in the contract are 32-bit, the column 16-bit.
    found = type_coerce(rows.Llm.id, Integer) == llm_id
    row = await session.scalar(select(rows.Llm).where(found, rows.Llm.deleted_date.is_(None)))
    if row is None:
        raise missing("chat model", llm_id)
    return row


async def _write(session: AsyncSession, llm_id: int, columns: dict[str, Any], call: CallContext) -> rows.Llm:
    change = (
        update(rows.Llm)
        .where(rows.Llm.id == llm_id)
        .values(**columns, user_id_last_update=call.principal.user_id)
        .returning(rows.Llm)
    )
    with unique("chat model", _UNIQUE):
        return (await session.scalars(change, execution_options={"populate_existing": True})).one()


async def _clear_default(session: AsyncSession, call: CallContext) -> None:
    await session.execute(
        update(rows.Llm)
        .where(rows.Llm.is_default, rows.Llm.deleted_date.is_(None))
        .values(is_default=False, user_id_last_update=call.principal.user_id)
    )


async def _make_built_in_default(session: AsyncSession, call: CallContext) -> None:
    await session.execute(
        update(rows.Llm)
        .where(rows.Llm.provider == _BUILT_IN, rows.Llm.deleted_date.is_(None))
        .values(is_default=True, user_id_last_update=call.principal.user_id)
    )


def _check_change(row: rows.Llm, columns: dict[str, Any]) -> None:
    if columns.get("is_default") and not columns.get("is_active", row.is_active):
        raise ValidationFailedError.of("is_default", "needs an active model")
    if row.provider != _BUILT_IN:
        if columns.get("provider") == _BUILT_IN:
            raise AlreadyExistsError("There is a built-in model already, and only one.", resource="chat model")
        return
    fixed: Collection[str] = ("provider", "model_id", "endpoint", "api_key")
    if changed := [name for name in fixed if name in columns and columns[name] != getattr(row, name)]:
        raise ValidationFailedError.of(changed[0], "cannot be changed: this model is built in")
    if columns.get("is_active") is False:
        raise ValidationFailedError.of(
            "is_active", "cannot be false: the built-in model is what answers when no other can"
        )
    if row.is_default and columns.get("is_default") is False:
        raise ValidationFailedError.of("is_default", "cannot be false: make another model the default instead")


def _check_prices(columns: Mapping[str, Any]) -> None:
    for missing_one, other in (("input_price", "output_price"), ("output_price", "input_price")):
        if columns[missing_one] is None and columns[other] is not None:
            raise ValidationFailedError.of(missing_one, f"is needed beside {other}: give both prices, or neither")


def _check_key(row: rows.Llm, columns: dict[str, Any]) -> None:
    """Raises an error if the stored key would go elsewhere: for a new address the key is given again or removed."""
    if row.api_key is None or "api_key" in columns:
        return
    provider = columns.get("provider", row.provider)
    endpoint = normalise_endpoint(_provider(provider), columns.get("endpoint", row.endpoint))
    try:
        stays = provider == row.provider and same_origin(
            normalise_endpoint(_provider(provider), row.endpoint), endpoint
        )
    except LlmConfigInvalid:
        stays = False  # the stored endpoint fails the current validation
    if not stays:
        rule = (
            "must be given again, or be given empty to remove it: the stored key was given for another provider or "
            "address, and is not sent elsewhere"
        )
        raise ValidationFailedError.of("api_key", rule)


def _check_endpoint(provider: public.LlmProvider, endpoint: str | None) -> None:
    """Raises an error for an endpoint that is not allowed or not a URL."""
    if provider is public.LlmProvider.EXTRACTIVE:
        return
    refuse_host_of(endpoint)
    try:
        normalise_endpoint(_provider(provider.word), endpoint)
    except LlmConfigInvalid as error:
        raise ValidationFailedError.of("endpoint", str(error)) from None


def _provider(word: str) -> Provider:
    return next(provider for provider in get_args(Provider) if provider == word)
