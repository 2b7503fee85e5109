"""`echomind audit`: export continues a file, verification ends with an error when something is wrong."""

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from tests.drivers.api_server import ApiServer, Call
from tests.drivers.shell import Shell

LIST = "AuditService/ListAuditEntries"
VERIFY = "AuditService/VerifyAuditLog"


def pages(total: int) -> Any:
    """Answers with 2 entries a page, from the requested id on."""

    def answer(call: Call) -> dict[str, Any]:
        after = int(call.query.get("pageToken") or call.query.get("afterId", "0"))
        ids = [str(id_) for id_ in range(after + 1, total + 1)]
        page: dict[str, Any] = {"entries": [{"id": id_, "action": "A/B", "detail": {"n": 1}} for id_ in ids[:2]]}
        return page | ({"nextPageToken": ids[1]} if len(ids) > 2 else {"throughId": "99"})

    return answer


def test_an_export_has_a_line_for_each_entry_and_continues_a_file(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    api.on(LIST, pages(3))
    shell.run("audit", "export", str(file), "--denied", "--target", "users")
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == ["1", "2", "3"]
    first = api.sent(LIST)[0].query
    assert (first["denied"], first["target"], first["oldestFirst"]) == ("true", "users", "true")
    api.on(LIST, pages(5))
    assert shell.json("audit", "export", str(file)) == {"entries": 2, "throughId": "99"}
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("kept", [1, 9, 40])
def test_an_export_that_was_killed_within_a_line_is_continued(
    api: ApiServer, shell: Shell, tmp_path: Path, kept: int
) -> None:
    file = tmp_path / "audit.jsonl"
    api.on(LIST, pages(3))
    shell.run("audit", "export", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    whole = file.read_bytes()
    file.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]) + whole.splitlines()[2][:kept])
    assert shell.json("audit", "export", str(file))["entries"] == 1
    assert file.read_bytes() == whole


def test_two_exports_do_not_write_to_a_file_at_once(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    api.on(LIST, pages(3))
    with file.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "Another export writes" in shell.run("audit", "export", str(file), code=1).stderr
    assert not file.read_bytes()
    assert not api.sent(LIST)
    shell.run("audit", "export", str(file))
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.parametrize("content", ["no entry\n", '{"id": "7", "act', "[]\n"])
def test_a_file_of_something_else_is_left_alone(api: ApiServer, shell: Shell, tmp_path: Path, content: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(content)
    api.on(LIST, pages(3))
    result = shell.run("audit", "export", str(file), code=1)
    assert "does not end with an entry" in result.stderr
    assert file.read_text() == content


def test_verification_goes_on_to_the_end_and_shows_the_newest_seal(api: ApiServer, shell: Shell) -> None:
    head = {"number": "60", "hash": "ab" * 32}

    def answer(call: Call) -> dict[str, Any]:
        last = call.query.get("firstSeal") == "51"
        return {"verifiedSeals": 10 if last else 50, "head": head, "isProtected": True} | (
            {} if last else {"nextSeal": "51"}
        )

    api.on(VERIFY, answer)
    shown = shell.run("audit", "verify", "--head", f"7:{'cd' * 32}").stdout
    assert "60, all whole" in shown
    assert f"60:{'ab' * 32}" in shown
    assert api.sent(VERIFY)[0].query == {"knownSeal": "7", "knownHash": "cd" * 32}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"defect": "AUDIT_DEFECT_REMOVED", "entryId": "12", "seal": "3"}, "Entry 12, under seal 3, was removed."),
        ({"defect": "AUDIT_DEFECT_SEAL_MISSING", "seal": "9"}, "Seal 9 is missing"),
    ],
)
def test_what_is_wrong_is_an_error(api: ApiServer, shell: Shell, found: dict[str, Any], words: str) -> None:
    api.on(VERIFY, found)
    assert words in shell.run("audit", "verify", code=1).stderr


def test_entries_that_expired_too_early_are_an_error_after_all_is_verified(api: ApiServer, shell: Shell) -> None:
    def answer(call: Call) -> dict[str, Any]:
        rest = {} if "firstSeal" in call.query else {"nextSeal": "2", "expiredEntries": 5, "earlyExpiredEntries": 3}
        return {"verifiedSeals": 1, "isProtected": True} | rest

    api.on(VERIFY, answer)
    result = shell.run("audit", "verify", code=1)
    assert "2, all whole" in result.stdout
    assert "3 entries expired before the time" in result.stderr
