"""Requests generated from the OpenAPI document cause no internal error, and valid ones are accepted.

Streams are left to `test_fuzz`: a schema says nothing of how they end.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
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

from echomind_api.main import Gateway

REQUESTS_AN_OPERATION = 5
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
# Rules that a JSON schema cannot express: about the time, stored data, or several fields.
BEYOND_SCHEMAS = (
    "must be in the future",  # an expiry
    "must be given once for each file",  # fields of an upload
    "is_visible: must be true for the default assistant",
    "config.mcpServers",  # what a server needs depends on its transport
    "connector.config: must be empty",  # what a source is set up by depends on its type
    "connector.refresh_freq_minutes: must be empty",
    "is missing: name a type, see ListConnectorTypes",  # by `type`, or by `type_name`
    "is missing: name a stored connector by `id`, or a type",
    "scope_id: needs the scope SCOPE_GROUP",
    "endpoint: ",  # whether it is required depends on the provider
    "is not a question: edit its question",
    "from_time: must be ",  # what is possible depends on `to_time`
    "selection: needs either ids or a filter",
    "price: is needed beside ",
    "document.title: must not be empty",  # an update that gives none leaves it as it is
    "cannot be changed here",  # what an update may change
    "These fields of a memory are set by the server",
    "A memory needs a text",
    "level: propose it for the organization, or as public",
    "The notebook has no source that you may read",
    "Only answers can be rated",
    "The query has no word",
)


@dataclass
class Tally:
    """What came of the requests."""

    sent: int = 0
    reached: int = 0
    """Requests that neither sign-in nor a limit refused."""
    faults: set[str] = field(default_factory=set)


def try_all(url: str, key: str) -> Tally:
    """Sends requests made from the document to each of its operations."""
    headers = {"Authorization": f"Bearer {key}"}
    schema = schemathesis.openapi.from_url(f"{url}/api/v1/openapi.json")
    tally = Tally()
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        contents = str(operation.definition.raw["responses"])
        if "text/event-stream" in contents or operation.label.endswith("/ws"):
            continue

        send(operation, url, headers, tally)
    return tally


def send(operation: Any, url: str, headers: dict[str, str], tally: Tally) -> None:
    """Sends the requests of one operation."""
    is_own = "/users/" in operation.label or "/api-keys/" in operation.label

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
        if is_own and case.path_parameters.get("id") in {1, "1"}:
            case.path_parameters["id"] = 77  # not the one that the requests are signed in by
        response = case.call(base_url=url, headers=headers, timeout=30)
        tally.sent += 1
        tally.reached += response.status_code not in {401, 429}
        tally.faults.update(f"{operation.label}: {fault}" for fault in faults_of(case, response))

    try_one()


def faults_of(case: Any, response: Any) -> list[str]:
    """Returns what is wrong with a response to a request that keeps to the document."""
    is_error = response.status_code >= 400 and "json" in response.headers["content-type"][0]
    error = response.json()["error"] if is_error else {}
    if error.get("metadata", {}).get("dependency") == "agent":
        return []
    found = []
    if error.get("reason") == "VALIDATION_FAILED" and not any(one in error["message"] for one in BEYOND_SCHEMAS):
        found.append(f"refused, although the document allows it: {error['message'][:200]}")
    if error.get("reason") == "UNAUTHENTICATED" and not case.operation.path.startswith("/auth/"):
        found.append("the credential does not count any more")
    try:
        case.validate_response(response, checks=CHECKS)
    except FailureGroup as group:
        found += [f"{type(one).__name__} {response.status_code}: {one}"[:300] for one in group.exceptions]
    except Failure as one:
        found.append(f"{type(one).__name__} {response.status_code}: {one}"[:300])
    return found


@pytest.mark.timeout(900)  # it asks each operation of the API in turn
async def test_what_the_document_allows_is_accepted_and_answered_as_it_says(
    spare_gateway: Gateway, spare_key: str
) -> None:
    tally = await asyncio.to_thread(try_all, spare_gateway.http_url, spare_key)
    assert not tally.faults, "\n".join(sorted(tally.faults))
    assert tally.sent > 500
    assert tally.reached >= 0.9 * tally.sent, f"{tally.reached} of {tally.sent} requests reached the service"
