"""The Google Drive source with rejected, expired and repeated responses, and its checks."""

from typing import Any

import pytest

from echomind_ingestor.connectors import protocol
from echomind_lib.connectors.types.google_drive import (
    GOOGLE_DRIVE,
    READ_SCOPE,
)
from tests.conformance.doubles.google.organization import Organization
from tests.conformance.doubles.google.tenant import Grant
from tests.conformance.doubles.google.tokens import CLIENT, PRIVATE_KEY, REFRESH_TOKEN
from tests.conformance.google import KEY


def test_the_type_is_installed_and_refuses_what_would_bring_in_nothing() -> None:
    from echomind_lib.connectors import SettingsError, find_definition

    assert find_definition("google_drive") is GOOGLE_DRIVE
    GOOGLE_DRIVE.read_settings({"folders": ["https://drive.google.com/drive/u/0/folders/1AbCdEfG?usp=sharing"]})
    for wrong in (
        {},
        {"all_shared_drives": True, "shared_drives": ["0AExample"]},
        {"my_drive": True, "include": ["folder/*"]},
        {"folders": ["https://example.org/x y"]},
    ):
        with pytest.raises(SettingsError):
            GOOGLE_DRIVE.read_settings(wrong)
    for unusable in ({}, {"service_account": {"key": "{}", "subject": "ann@example.org"}}):
        with pytest.raises(SettingsError) as caught:
            GOOGLE_DRIVE.read_credentials(unusable)
        assert "{}" not in str(caught.value)
    assert PRIVATE_KEY not in repr(
        GOOGLE_DRIVE.read_credentials({"service_account": {"key": KEY, "subject": "ann@example.org"}})
    )


async def test_a_forgotten_place_in_the_log_asks_for_a_full_listing(org: Organization) -> None:
    org.add("a.txt", org.ann)
    await org.sync()
    org.forget_changes()
    with pytest.raises(protocol.CursorExpiredError):
        await org.sync()
    org.stored.cursor = None
    stored = await org.sync()
    assert stored.written == []
    assert stored.names == {"a.txt"}


async def test_a_page_token_that_is_too_old_begins_its_part_again(org: Organization) -> None:
    org.page_size = 2
    for number in range(5):
        org.add(f"{number}.txt", org.ann)
    await org.sync(most_pages=1)
    org.server.forget_pages()
    assert len((await org.sync()).names) == 5


async def test_paging_continues_after_empty_pages_and_stops_at_repeated_ones(org: Organization) -> None:
    org.page_size = 2
    for number in range(5):
        org.add(f"{number}.txt", org.ann)
    org.faults.empty_pages = 1
    assert len((await org.sync()).names) == 5
    for number in range(5):
        org.add(f"new {number}.txt", org.ann)
    org.faults.is_circular = True
    with pytest.raises(protocol.SourceError, match="repeat"):
        await org.sync()


async def test_limits_of_the_rate_are_waited_for(org: Organization) -> None:
    org.add("a.txt", org.ann)
    org.faults.refusals = [
        ("/files", 403, "userRateLimitExceeded", {"Retry-After": "0"}),
        ("/files", 429, "rateLimitExceeded", {"Retry-After": "0"}),
        ("/files", 503, "backendError", {}),
    ]
    org.faults.broken_bodies = 1
    assert (await org.sync()).names == {"a.txt"}
    org.faults.refusals = [("/changes", 429, "rateLimitExceeded", {"Retry-After": "900"})]
    with pytest.raises(protocol.SourceUnavailableError) as caught:
        await org.sync()
    assert caught.value.retry_after > 800


@pytest.mark.parametrize("oauth", [True, False])
async def test_revoked_credentials_ask_to_be_connected_again(org: Organization, oauth: bool) -> None:
    org.add("a.txt", org.ann)
    await org.stored.read(org.source(oauth=oauth))
    assert org.stored.names == {"a.txt"}
    org.faults.is_revoked = True
    with pytest.raises(protocol.CredentialsRejectedError) as caught:
        await org.stored.read(org.source(oauth=oauth))
    for secret in (REFRESH_TOKEN, CLIENT[1], "PRIVATE KEY"):
        assert secret not in caught.value.message


async def test_a_test_tries_each_right_and_names_the_missing_one(org: Organization) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    settings: dict[str, Any] = {"my_drive": True, "shared_drives": [drive]}

    async def failed(**of: Any) -> dict[str, str]:
        async with org.source(**(settings | of)) as source:
            return {check.name: check.message for check in await source.check() if check.status != "passed"}

    assert await failed() == {}
    assert list(await failed(folders=["1Missing"])) == ["Find the folder 1Missing"]
    assert list(await failed(shared_drives=[drive, "0AForeign"])) == ["Find shared drives"]
    assert list(await failed(oauth=True)) == ["Read groups"]
    for scope, name in (("group", "Read groups"), ("user", "Read users")):
        org.granted -= (missing := {each for each in org.granted if f".{scope}." in each})
        found = await failed()
        assert list(found) == [name]
        assert missing <= set(found[name].replace(",", " ").split())
        org.granted |= missing
    org.granted.clear()
    found = await failed()
    assert list(found) == ["Sign in and list files"]
    assert READ_SCOPE in found["Sign in and list files"]
