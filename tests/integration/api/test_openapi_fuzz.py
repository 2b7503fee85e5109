"""Requests generated from the OpenAPI document cause no internal error, and valid ones are accepted.

Streams are left to `test_fuzz`: a schema says nothing of how they end. No request is about the account and the key that
the requests are signed in by, and failed sign-ins are forgotten, so that the requests reach the services.
"""

import asyncio
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from echomind_api.auth.tokens import prefix
from echomind_api.main import Gateway
from echomind_lib.contract.json_data import LIST_SCHEMA, OBJECT_SCHEMA, SCHEMA_NAME
from echomind_lib.contract.text import PATTERN
from tests.drivers.gateway import forget_failed_credentials

REQUESTS_AN_OPERATION = 3
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
# Rules that a JSON schema cannot express: about the time, stored data, or several fields.
BEYOND_SCHEMAS = (
    "legal_hold: name a person (user_id) or a conversation",  # of two ids, exactly one
    "known_hash: give the number and",  # of a seal that is known, or neither
    "The conversation is not valid JSON",
    "not a conversation of ChatGPT, Open WebUI or LibreChat",
    "must be in the future",  # an expiry
    "ownerGroupId: must be set",  # 0 is an absent number
    "must be given once for each file",  # fields of an upload
    "is_visible: must be true for the default assistant",
    "config.mcpServers",  # what a server needs depends on its transport
    "connector.config: must be empty",  # what a source is set up by depends on its type
    "connector.refresh_freq_minutes: must be empty",
    "is missing: name a type, see ListConnectorTypes",  # by `type`, or by `type_name`
    "name one type",
    "is missing: name a stored connector by `id`, or a type",
    "scope_id: needs the scope SCOPE_GROUP",
    "scope: quotas of API keys are set with the key",
    "issuer: must be ",  # an address with TLS, or on loopback
    "url: ",  # of a webhook: an address on the internet
    "event_types: must name at least one type",  # an update that gives none leaves them as they are
    "event_types: audit entries are for ",
    "endpoint: ",  # whether it is required depends on the provider
    "protocol: is missing",  # a built-in embedding model has none
    "cannot be changed: ",  # of a built-in model
    "cannot be changed after creation",  # an update may only repeat the value
    "is not a question: edit its question",
    "from_time: must be ",  # what is possible depends on `to_time`
    "selection: needs either ids or a filter",
    "price: is needed beside ",
    "document.title: must not be empty",  # an update that gives none leaves it as it is
    "cannot be changed here",  # what an update may change
    "A memory needs a text",
    "level: propose it for the organization, or as public",
    "The notebook has no source that you may read",
    "Only answers can be rated",
    "The query has no word",
    "choose at least one of My Drive",  # of several fields of a source's settings
    "a key with the scope administer cannot be limited",
    "set at least one of max_",
    "is for the period ",  # what a quota limits depends on its period
    "quotas: those of a minute are ",
    "is required for the scope `",  # whom a quota is for depends on its scope
    "is for the scope",
    "Name the account by",  # by `user_name` or `user_id`
    "name somebody by ",  # by `user_names` or `user_ids`
    "Name the columns of the table",  # what a template needs depends on its kind
)
# What the document says of free JSON in words, as generators of clients fail at a schema that contains itself.
FREE_JSON = {
    "anyOf": [
        {"type": ["null", "boolean"]},
        {"type": "number", "minimum": -sys.float_info.max, "maximum": sys.float_info.max},
        {"type": "string", "pattern": PATTERN},
        OBJECT_SCHEMA,
        LIST_SCHEMA,
    ]
}
LONG = 4000
"""No generated text is as long, and a limit from here on becomes a pattern that takes half a second to compile."""
LIMITS_AT_A_TIME = {"maxRequestsPerMinute", "maxConcurrentRuns", "maxConcurrentStreams"}
MANY = 2**30
"""Limits that bind the caller are at least as large."""
SHARE_SERVED = 0.9
"""Of all requests: how many are refused neither for their credential nor for their number, at least."""


@dataclass
class Tally:
    """What came of the requests."""

    statuses: Counter[int] = field(default_factory=Counter)
    faults: set[str] = field(default_factory=set)

    @property
    def share_served(self) -> float:
        """The share of the requests that neither sign-in nor a limit refused."""
        return 1 - (self.statuses[401] + self.statuses[429]) / self.statuses.total()


@dataclass(frozen=True)
class Caller:
    """Whoever sends the requests, and must stay signed in."""

    gateway: Gateway
    headers: dict[str, str]
    ids: dict[str, int]
    """The ids of the account and of the key, by their collections in paths."""

    def spare_self(self, case: Any) -> None:
        """Directs a request about the caller's own account or key at another one."""
        for collection, own in self.ids.items():
            for name, value in (case.path_parameters or {}).items():
                is_of_it = f"/{collection}/{{{name}}}" in case.operation.path
                if is_of_it and str(value).strip().lstrip("+0") == str(own):
                    case.path_parameters[name] = own + 76
        if "/api/v1/quotas" in case.operation.path and isinstance(case.body, dict):
            for name in LIMITS_AT_A_TIME & case.body.keys():
                if isinstance(case.body[name], int) and case.body[name]:
                    case.body[name] |= MANY


def try_all(caller: Caller) -> Tally:
    """Sends requests made from the document to each of its operations."""
    document = requests.get(f"{caller.gateway.http_url}/api/v1/openapi.json", timeout=60)
    read = json.loads(document.text, object_hook=without_long_limits)
    read["components"]["schemas"][SCHEMA_NAME] = FREE_JSON
    schema = schemathesis.openapi.from_dict(read)
    tally = Tally()
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        contents = str(operation.definition.raw["responses"])
        if "text/event-stream" in contents or operation.label.endswith("/ws"):
            continue
        forget_failed_credentials(caller.gateway)
        send(operation, caller, tally)
    return tally


def without_long_limits(part: dict[str, Any]) -> dict[str, Any]:
    """Returns a part of the document without a limit of texts that are longer than any generated one."""
    limit = part.get("maxLength")
    if not isinstance(limit, int) or limit < LONG:
        return part
    return {name: value for name, value in part.items() if name != "maxLength"}


def send(operation: Any, caller: Caller, tally: Tally) -> None:
    """Sends the requests of one operation."""

    @settings(
        max_examples=REQUESTS_AN_OPERATION,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def try_one(case: Any) -> None:
        caller.spare_self(case)
        response = case.call(base_url=caller.gateway.http_url, headers=caller.headers, timeout=60)
        tally.statuses[response.status_code] += 1
        tally.faults.update(f"{operation.label}: {fault}" for fault in faults_of(case, response))

    try_one()


def faults_of(case: Any, response: Any) -> list[str]:
    """Returns what is wrong with a response to a request that keeps to the document."""
    is_error = response.status_code >= 400 and "json" in response.headers["content-type"][0]
    error = response.json()["error"] if is_error else {}
    if error.get("metadata", {}).get("dependency") == "agent":
        return []
    found = []
    if error.get("reason") == "VALIDATION_FAILED" and not any(rule in error["message"] for rule in BEYOND_SCHEMAS):
        found.append(f"refused, although the document allows it: {error['message'][:200]}")
    # The credential of these is in the request.
    takes_credential = case.operation.path.startswith("/auth/") or case.operation.path.endswith(":complete")
    if error.get("reason") == "UNAUTHENTICATED" and not takes_credential:
        found.append("the credential does not count any more")
    try:
        case.validate_response(response, checks=CHECKS)
    except FailureGroup as group:
        found += [f"{type(failure).__name__} {response.status_code}: {failure}"[:300] for failure in group.exceptions]
    except Failure as one:
        found.append(f"{type(one).__name__} {response.status_code}: {one}"[:300])
    return found


@pytest.mark.timeout(900)  # it asks each operation of the API in turn
async def test_what_the_document_allows_is_accepted_and_answered_as_it_says(
    spare_gateway: Gateway, spare_key: str
) -> None:
    pool = spare_gateway.parts.dependencies.database.pool
    key = await pool.fetchrow("SELECT id, user_id FROM api_keys WHERE prefix = $1", prefix(spare_key))
    assert key is not None
    ids = {"users": key["user_id"], "api-keys": key["id"]}
    caller = Caller(spare_gateway, {"Authorization": f"Bearer {spare_key}"}, ids)
    tally = await asyncio.to_thread(try_all, caller)
    served = f"{tally.share_served:.1%} of {tally.statuses.total()} requests were served: {dict(tally.statuses)}"
    print(served)  # noqa: T201 - the report of the test
    assert not tally.faults, "\n".join(sorted(tally.faults))
    assert tally.statuses.total() > 500
    assert tally.share_served >= SHARE_SERVED, served
