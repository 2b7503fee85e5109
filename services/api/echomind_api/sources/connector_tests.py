"""Tests of connectors: an ingestor tries whether a source can be read, as it has the client libraries."""

import msgspec

from echomind_api.sources import connector_settings as settings_of
from echomind_api.sources.connector_rows import find_connector
from echomind_api.sources.connector_schedule import is_of_another
from echomind_lib.access import Principal
from echomind_lib.connectors import ConnectorDefinition
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import DependencyUnavailableError, ValidationFailedError
from echomind_lib.messaging import SOURCES_TEST, Bus
from echomind_lib.models.public import ConnectorCheck, PermissionMode, TestConnectorRequest, TestConnectorResponse
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorTestReply, ConnectorTestRequest
from echomind_lib.secrets import Secrets

TEST_SECONDS = 60.0
"""Timeout for an ingestor; its own timeout for sources is shorter."""


async def test_connector(
    database: Database, bus: Bus, secrets: Secrets, request: TestConnectorRequest, call: CallContext
) -> TestConnectorResponse:
    """Tests whether a connector can read its source.

    Raises:
        NotFoundError: There is no such connector that the caller may read.
        PermissionDeniedError: The caller may not change it, or may not use these settings.
        ValidationFailedError: The settings are invalid for the type, or there is nothing to test.
        ConnectorTypeUnavailableError: The type is not installed.
        DependencyUnavailableError: No ingestor responds.
    """
    stored = await find_connector(database, call, request.id, manage=True) if request.id else None
    definition, test = _request(request, stored, secrets, call.principal)
    config = msgspec.json.decode(test.config)
    settings_of.check_may_set(definition, call.principal, config)
    if not settings_of.is_synced(definition, config):
        raise settings_of.invalid("config", "has nothing to test: documents are uploaded")
    if not test.encrypted_credentials and settings_of.needs_credentials(definition):
        raise settings_of.invalid("credentials", "are missing: enter them, or sign in once the connector is added")
    reply = await bus.request(SOURCES_TEST, test, ConnectorTestReply, TEST_SECONDS)
    if reply is None:
        raise DependencyUnavailableError(
            "No ingestor answers, and ingestors are what reads sources: check that one runs.", dependency="ingestor"
        )
    return TestConnectorResponse(checks=[ConnectorCheck.from_pb(check) for check in reply.checks])


def _request(
    request: TestConnectorRequest, stored: rows.Connector | None, secrets: Secrets, principal: Principal
) -> tuple[ConnectorDefinition, ConnectorTestRequest]:
    if stored is not None:
        definition = settings_of.installed(stored.type)
        config, encrypted, mode = stored.config, stored.encrypted_credentials, str(stored.permission_mode)
    elif request.type_name:
        definition = settings_of.installed(request.type_name)
        config, encrypted, mode = {}, None, str(definition.permission_modes[0])
    else:
        rule = "is missing: name a stored connector by `id`, or a type by `type_name`"
        raise ValidationFailedError(f"id: {rule}.", id=rule)
    config = config if request.config is None else request.config
    credentials = settings_of.stored_credentials(definition, encrypted, secrets)
    if request.credentials:
        credentials = settings_of.read_credentials(definition, request.credentials)
        encrypted = settings_of.encrypted(credentials, secrets)
    elif stored is not None and encrypted is not None:
        settings_of.check_same_origin(stored.config, config)
    if request.permission_mode is not PermissionMode.UNSPECIFIED:
        mode = request.permission_mode.word
    is_foreign = stored is not None and not request.credentials and is_of_another(stored, principal)
    if stored is not None and is_foreign and (config, mode) != (stored.config, stored.permission_mode):
        rule = "are somebody else's sign-in, for the stored settings alone: save yours, and sign in to test them"
        raise settings_of.invalid("credentials", rule)
    settings_of.check_columns(definition, {"config": config, "permission_mode": mode})
    settings_of.check_access(definition, config, credentials, mode)
    return definition, ConnectorTestRequest(
        connector_id=request.id,
        type_name=definition.name,
        config=msgspec.json.encode(config).decode(),
        encrypted_credentials=encrypted or "",
        syncs_permissions=mode == "source",
    )
