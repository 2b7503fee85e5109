"""SCIM as a protocol: a tester, recorded requests of identity systems, and hostile ones."""

import asyncio
import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.drivers.scim import USER, ScimCaller, account
from tests.factories.world import name

FORMS = Path(__file__).parents[2] / "fixtures" / "scim"


@pytest.mark.timeout(300)
async def test_the_whole_tester_is_content(scim: ScimCaller) -> None:
    # Imported here, as it takes a fifth of the time in which each worker reads all test modules.
    from scim2_client.engines.httpx2 import SyncSCIMClient
    from scim2_tester import Status, check_server

    def check() -> Any:
        headers = {"Authorization": f"Bearer {scim.token}"}
        with httpx2.Client(base_url=f"{scim.client.http_url}/scim/v2", headers=headers, timeout=60) as http:
            return check_server(SyncSCIMClient(http))

    results = await asyncio.to_thread(check)
    by_status = defaultdict(list)
    for result in results:
        by_status[result.status].append((result.title, result.resource_type, result.reason))
    assert not by_status[Status.ERROR] + by_status[Status.CRITICAL]
    assert len(by_status[Status.SUCCESS]) > 60


@pytest.mark.parametrize("form", sorted(path.stem for path in FORMS.glob("*.json")))
async def test_recorded_requests_of_identity_systems(scim: ScimCaller, form: str) -> None:
    """The requests of a whole life of a user and a group, as each system sends them; `$x` is a remembered id."""
    known = {"unique": name()}

    def filled(value: Any) -> Any:
        text = json.dumps(value)
        for key, found in known.items():
            text = text.replace(f"${key}", found)
        return json.loads(text)

    for number, step in enumerate(json.loads((FORMS / f"{form}.json").read_text())["requests"]):
        body = filled(step["body"]) if "body" in step else None
        headers = {"Content_Type": step.get("contentType", "application/scim+json")} if body is not None else {}
        data = json.dumps(body).encode() if body is not None else None
        answer = await scim.send(step["method"], filled(step["path"]), data=data, **headers)
        assert answer.status == step["status"], (form, number, answer)
        for key, expected in step.get("expect", {}).items():
            found: Any = answer.body
            for part in key.split("/"):
                found = found[int(part)] if part.isdigit() else found.get(part)
            assert found == filled(expected), (form, number, key, answer.body)
        if "remember" in step:
            known[step["remember"]] = answer.body["id"]


async def test_hostile_requests_are_refused_in_the_protocols_form(scim: ScimCaller, pool: asyncpg.Pool) -> None:
    made = await scim.user(f"{name()}@example.org")
    deep = b'{"schemas":["' + USER.encode() + b'"],"userName":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    assert (await scim.send("POST", "/Users", data=deep, Content_Type="application/json")).status == 400
    parentheses = "(" * 3000 + 'userName eq "a"' + ")" * 3000
    for query, statuses in (
        (f"/Users?filter={parentheses}", {200, 400, 414}),
        ('/Users?filter=password eq "a"', {400}),
        ('/Users?filter=userName gt "a"', {400}),
        ("/Users?count=-1&startIndex=-5", {200}),
        ("/Users?count=100000000000000000000", {200, 400}),
        ("/Users?startIndex=999999999999999999999", {200, 400}),
        (f'/Users?filter=userName eq "{"x" * 3000}"', {200}),
        ("/Users/..%2f..%2fapi", {404}),
        ("/Bulk", {405, 501}),
        ("/Me", {501}),
        ("/Nothing", {404}),
    ):
        answer = await scim.send("GET", query)
        assert answer.status in statuses, (query, answer)
        assert answer.status == 200 or answer.body["schemas"], query
    huge = io.BytesIO(b"x" * (4 * 2**20 + 1))
    assert (await scim.send("POST", "/Users", data=huge)).status == 413
    bodies: tuple[Any, ...] = (
        {"userName": ""},
        {"userName": "a\nb"},
        {"userName": "x" * 256},
        {"userName": name(), "externalId": "a b\u0007"},
        {},
        [],
        "text",
    )
    for body in bodies:
        given = {"schemas": [USER]} | body if isinstance(body, dict) else body
        answer = await scim.send("POST", "/Users", given)
        assert answer.status == 400, (body, answer)
    odd = await scim.user(name(), displayName="a\u202eb\u0000c", emails=[{"value": "no address"}])
    found = await account(pool, odd["id"])
    assert (found["first_name"], found["email"]) == ("abc", None)
    hosted = await scim.send("GET", f"/Users/{made['id']}", Host="evil.example")
    # Only whoever names another host is told it; a public address replaces it.
    assert hosted.body["meta"]["location"].endswith(f"/scim/v2/Users/{made['id']}")
    conflict = await scim.send("PUT", f"/Users/{made['id']}", {"schemas": [USER], "userName": "x"}, If_Match='W/"99"')
    assert conflict.status == 412
