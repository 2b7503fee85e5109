"""`echomind import conversations`: files, requests and the report."""

import json
import zipfile
from pathlib import Path

import pytest

from echomind.cli.programs.exports import conversations_in
from echomind.cli.terminal import CommandError
from tests.drivers.api_server import ApiServer, refusal
from tests.drivers.shell import Shell
from tests.drivers.traced_memory import memory_below

METHOD = "ImportService/ImportChatSession"


def test_conversations_are_imported_one_by_one(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(
        json.dumps([{"title": "A", "n": 1}, {"title": "B"}, {"title": "C"}], indent=2), encoding="utf-8-sig"
    )
    refused = refusal("VALIDATION_FAILED", "The conversation has no text.", 400)
    answers = iter([{"isNew": True, "omittedParts": 2}, refused(), {"source": "chatgpt"}])
    api.on(METHOD, lambda _: next(answers))
    done = shell.run("import", "conversations", str(file), code=1)
    assert done.stdout.splitlines() == [
        "Imported 1, 1 imported before, 1 failed.",
        "2 parts that are not text were left out: pictures, files, calls of tools.",
    ]
    assert "failed: B (conversations.json): The conversation has no text." in done.stderr
    assert [json.loads((call.body or {})["content"]) for call in api.calls] == [
        {"title": "A", "n": 1},
        {"title": "B"},
        {"title": "C"},
    ]


def test_the_report_as_json(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_text('{"conversationId": "c", "messages": []}')
    api.on(METHOD, {"isNew": True})
    report = shell.json("import", "conversations", str(file), str(file))
    counts = {"omittedParts": 0, "ratings": 0, "omittedRatings": 0, "mergedSteps": 0}
    assert report == {"imported": 2, "importedBefore": 0, "failed": []} | counts


def test_the_report_names_all_that_became_something_else(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_text("[{}, {}]")
    api.on(METHOD, {"isNew": True, "ratings": 2, "omittedRatings": 1, "mergedSteps": 3})
    assert shell.run("import", "conversations", str(file)).stdout.splitlines() == [
        "Imported 2, 0 imported before, 0 failed.",
        "4 ratings of answers are yours now.",
        "2 ratings were left out: others gave them, or they are neither helpful nor unhelpful.",
        "6 steps are together in the last steps of their runs, which have at most 10,000: none is left out.",
    ]


def test_an_archive_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("a/conversations-001.json", '[{"n": 3}]')
        archive.writestr("a/conversations-000.json", '[{"n": 1},{"n": 2}]')
    assert [json.loads(each)["n"] for each in conversations_in(path)] == [1, 2, 3]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
    with pytest.raises(CommandError, match=r"has no file conversations\.json"):
        list(conversations_in(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not valid JSON"),
        (b"[{}", "not valid JSON, or it is cut off"),
        (b'[{"a": 1}, {"b', "not valid JSON, or it is cut off"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_export_is_explained(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=message):
        list(conversations_in(path))


@pytest.mark.parametrize("suffix", ["json", "zip"])
def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path, suffix: str) -> None:
    path, conversation = tmp_path / f"large.{suffix}", json.dumps({"title": "x" * 1_500_000})
    content = f"[{','.join([conversation] * 20)}]"
    if suffix == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("conversations.json", content)
    else:
        path.write_text(content)
    with memory_below(16_000_000):
        assert sum(each == conversation for each in conversations_in(path)) == 20
