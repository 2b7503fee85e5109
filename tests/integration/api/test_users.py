"""Accounts over both transports."""

from uuid import UUID

import asyncpg
import pytest

from echomind_lib.errors import AlreadyExistsError, NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser


async def test_the_owner_is_a_superadmin(owner: Client, via: Transport) -> None:
    user = await owner.call("UserService/GetCurrentUser", via=via)
    assert user["userName"] == "owner"
    assert user["roles"] == ["ROLE_USER", "ROLE_ADMIN", "ROLE_SUPERADMIN"]
    assert user["isActive"] is True


async def test_a_profile_changes_only_where_the_mask_says(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    change = {
        "firstName": "Ada",
        "lastName": "Lovelace",
        "preferences": {"theme": "THEME_DARK", "followAnswers": False},
    }
    request = {"user": change, "updateMask": "firstName,preferences"}
    user = await somebody.call("UserService/UpdateCurrentUser", request, via)
    assert user["firstName"] == "Ada"
    assert not user.get("lastName")
    preferences = user["preferences"]
    assert (preferences["theme"], preferences["followAnswers"]) == ("THEME_DARK", False)
    assert user["lastUpdate"] >= user["creationDate"]
    request = {"user": {}, "updateMask": "firstName"}
    user = await somebody.call("UserService/UpdateCurrentUser", request, via)
    assert not user.get("firstName")
    assert user["preferences"]["theme"] == "THEME_DARK"


@pytest.mark.parametrize(
    "change", [{"roles": ["ROLE_SUPERADMIN"]}, {"groups": ["board"]}, {"isActive": False}, {"userName": "boss"}]
)
async def test_people_cannot_promote_themselves(new_user: NewUser, via: Transport, change: dict[str, object]) -> None:
    somebody = await new_user()
    with pytest.raises(PermissionDeniedError, match="You cannot change your own"):
        await somebody.call("UserService/UpdateCurrentUser", {"user": change, "updateMask": next(iter(change))}, via)


async def test_accounts_are_listed_page_by_page(
    new_user: NewUser, owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    for _ in range(3):
        await new_user()
    size = await pool.fetchval("SELECT count(*) / 2 FROM users")  # other tests create many
    seen: list[int] = []
    token = ""
    while True:
        page = await owner.call("UserService/ListUsers", {"pageSize": size, "pageToken": token}, via)
        seen += [user["id"] for user in page["users"]]
        assert len(page["users"]) <= size
        if not (token := page.get("nextPageToken", "")):
            break
    assert seen == sorted(set(seen))
    assert len(seen) >= 4


async def test_an_invalid_account_does_not_hide_others_from_the_list(
    owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    name = f"made before the rule {via}"
    user_id = await pool.fetchval(
        "INSERT INTO users (user_name, email, first_name) VALUES ($1, $1, 'Ada') RETURNING id", name
    )
    await pool.execute("INSERT INTO users (user_name, email) VALUES ($1, $1)", f"{name} later")
    listed = (await owner.call("UserService/ListUsers", {"query": name}, via))["users"]
    assert {user["userName"] for user in listed} == {name, f"{name} later"}
    found = await owner.call("UserService/GetUser", {"id": user_id}, via)
    assert (found["userName"], found["firstName"], found["roles"]) == (name, "Ada", ["ROLE_USER"])


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [("userName", "with blank", "no white space, no slash"), ("email", "nobody", "one `@` between other characters")],
)
async def test_an_invalid_name_or_address_is_rejected_with_the_rule_instead_of_its_pattern(
    owner: Client, via: Transport, field: str, value: str, words: str
) -> None:
    user = {"userName": "somebody", "email": "somebody@example.org", field: value}
    with pytest.raises(ValidationFailedError, match=words) as caught:
        await owner.call("UserService/CreateUser", {"user": user}, via)
    assert "pattern" not in caught.value.message
    assert [received for received in caught.value.metadata.values() if words in received]


async def test_names_and_addresses_are_unique_without_case(new_user: NewUser, owner: Client, via: Transport) -> None:
    known = await owner.call("UserService/GetUser", {"id": (await new_user()).user_id})
    for field, other in (("userName", "email"), ("email", "userName")):
        user = {field: known[field].upper(), other: f"other-{via}@example.org"}
        with pytest.raises(AlreadyExistsError) as caught:
            await owner.call("UserService/CreateUser", {"user": user}, via)
        assert caught.value.metadata["field"] == ("user_name" if field == "userName" else "email")


@pytest.mark.parametrize(
    "user", [{}, {"email": "a@b"}, {"userName": "a b", "email": "a@b"}, {"userName": "c", "email": "nonsense"}]
)
async def test_an_account_needs_a_name_and_no_wrong_address(
    owner: Client, via: Transport, user: dict[str, str]
) -> None:
    with pytest.raises(ValidationFailedError):
        await owner.call("UserService/CreateUser", {"user": user}, via)


async def test_groups_come_with_their_first_member_and_go_at_once(
    new_user: NewUser, owner: Client, via: Transport
) -> None:
    somebody = await new_user(groups=("alpha", "beta"))
    assert (await somebody.call("UserService/GetCurrentUser", via=via))["groups"] == ["alpha", "beta"]
    change = {"id": somebody.user_id, "user": {"groups": ["beta", "gamma"]}, "updateMask": "groups"}
    assert (await owner.call("UserService/UpdateUser", change, via))["groups"] == ["beta", "gamma"]
    connector = {"connector": {"name": "c", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_GROUP", "scopeId": "alpha"}}
    with pytest.raises(Exception, match="alpha"):
        await somebody.call("ConnectorService/CreateConnector", connector, via)


async def test_a_deactivated_account_is_out(new_user: NewUser, owner: Client, via: Transport) -> None:
    somebody = await new_user()
    await somebody.call("UserService/GetCurrentUser", via=via)
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change, via)
    with pytest.raises(Exception, match="not valid"):
        await somebody.call("UserService/GetCurrentUser", via=via)


async def test_deactivating_an_account_cancels_its_runs_and_is_audited(
    new_user: NewUser, owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody, bystander = await new_user(), await new_user()
    root = await _run(pool, somebody.user_id, "waiting_for_children")
    below = await pool.fetchval(
        "INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, status) "
        "SELECT user_id, chat_session_id, id, 'sub_agent', 'queued' FROM runs WHERE id = $1 RETURNING id",
        root,
    )
    queued, paused, running, foreign = [
        await _run(pool, user_id, status)
        for user_id, status in (
            (somebody.user_id, "queued"),
            (somebody.user_id, "paused"),
            (somebody.user_id, "running"),
            (bystander.user_id, "queued"),
        )
    ]
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change, via)
    query = "SELECT id, status, control_requested FROM runs WHERE user_id = ANY ($1)"
    found = {row["id"]: row for row in await pool.fetch(query, [somebody.user_id, bystander.user_id])}
    assert [found[run]["status"] for run in (root, below, queued, paused)] == ["cancelled"] * 4
    assert found[running]["control_requested"] == "cancel"
    assert found[foreign]["status"] == "queued"
    audited = await pool.fetch("SELECT target FROM audit_log WHERE action = 'UserService/UpdateUser' AND NOT denied")
    assert {f"runs/{run}" for run in (root, below, queued, paused, running)} <= {row["target"] for row in audited}


async def _run(pool: asyncpg.Pool, user_id: int, status: str) -> UUID:
    run: UUID = await pool.fetchval(
        "WITH session AS (INSERT INTO chat_sessions (user_id, assistant_id) "
        "SELECT $1, id FROM assistants WHERE is_default RETURNING id, assistant_id) "
        "INSERT INTO runs (user_id, chat_session_id, assistant_id, status) "
        "SELECT $1, id, assistant_id, $2 FROM session RETURNING id",
        user_id,
        status,
    )
    return run


async def test_the_last_superadmin_stays(owner: Client, via: Transport, new_user: NewUser, pool: asyncpg.Pool) -> None:
    second = await new_user("superadmin")
    # Otherwise a superadmin of another test, who can sign in, is the last one.
    insert = (
        "INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x') ON CONFLICT DO NOTHING RETURNING user_id"
    )
    had_none = await pool.fetchval(insert, owner.user_id)
    demote = {"user": {"roles": []}, "updateMask": "roles"}
    await owner.call("UserService/UpdateUser", {"id": second.user_id, **demote}, via)
    others = [
        user["id"]
        for user in (await owner.call("UserService/ListUsers", {"role": "ROLE_SUPERADMIN", "pageSize": 1000}))["users"]
        if user["id"] != owner.user_id
    ]
    before = await pool.fetch("SELECT id, roles FROM users WHERE id = ANY ($1)", others)
    for other in others:  # superadmins of other tests
        await owner.call("UserService/UpdateUser", {"id": other, **demote}, via)
    try:
        with pytest.raises(ValidationFailedError, match="superadmin"):
            await owner.call("UserService/UpdateUser", {"id": owner.user_id, **demote}, via)
        assert "ROLE_SUPERADMIN" in (await owner.call("UserService/GetCurrentUser", via=via))["roles"]
    finally:
        values = [(row["id"], row["roles"]) for row in before]
        await pool.executemany("UPDATE users SET roles = $2 WHERE id = $1", values)
        await pool.execute("DELETE FROM credentials WHERE user_id = $1", had_none)


async def test_others_are_for_administrators(new_user: NewUser, owner: Client, via: Transport) -> None:
    somebody, admin = await new_user(), await new_user("admin")
    with pytest.raises(NotFoundError):
        await somebody.call("UserService/GetUser", {"id": owner.user_id}, via)
    assert (await admin.call("UserService/GetUser", {"id": owner.user_id}, via))["userName"] == "owner"
    with pytest.raises(PermissionDeniedError):
        await admin.call("UserService/UpdateUser", {"id": somebody.user_id, "user": {}, "updateMask": "roles"}, via)
    with pytest.raises(NotFoundError):
        await admin.call("UserService/GetUser", {"id": 2_000_000_000}, via)
