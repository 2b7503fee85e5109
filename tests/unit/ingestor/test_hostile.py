"""A hostile corpus: each file ends with its text or with what to do, soon and in bounded memory."""

import resource
import time
from collections.abc import Iterator

import msgspec
import pytest

from echomind_ingestor.extract import child
from echomind_ingestor.extract import read as reading
from echomind_ingestor.extract.boundary import accept
from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.result import ScansFoundError, UnreadableError
from echomind_ingestor.extract.wire import Reply
from tests.drivers.tables import for_each
from tests.factories import hostile

_CPU_SECONDS = 20.0
_MEMORY_BYTES = 1024**3


@pytest.fixture(autouse=True)
def _is_bounded() -> Iterator[None]:
    """Fails a test that takes long, or lets the process grow."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    yield
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < _CPU_SECONDS
    assert 1024 * (after.ru_maxrss - before.ru_maxrss) < _MEMORY_BYTES


@for_each("name", hostile.REFUSED)
def test_what_cannot_be_read_says_what_to_do(name: str) -> None:
    make, advice = hostile.REFUSED[name]
    with pytest.raises(UnreadableError, match=advice):
        read(make(), name, "")


@for_each("name", hostile.ENTITY_BOMBS)
def test_entities_neither_grow_nor_read_files(name: str) -> None:
    try:
        text = read(hostile.ENTITY_BOMBS[name](), name, "").text
    except UnreadableError as error:
        text = str(error)
    assert len(text) < 10_000
    assert "root:" not in text


@pytest.mark.parametrize("name", hostile.MISLABELLED)
def test_a_false_name_does_not_mislead(name: str) -> None:
    stated, make, text = hostile.MISLABELLED[name]
    assert text in read(make(), name, stated).text


def test_mails_within_mails_are_read_one_at_a_time() -> None:
    data = hostile.nested_mail(30)
    (member,) = read(data, "nested.eml", "").members
    assert len(member.data) < len(data)
    assert len(read(member.data, member.name, "").members) == 1


def test_containers_within_containers_of_a_mail_end() -> None:
    data = hostile.multipart_bomb(300)
    found = read(data, "bomb.eml", "")
    assert found.members == ()
    assert len(found.text) <= len(data)


def test_a_pdf_of_many_pages_is_read() -> None:
    found = read(hostile.many_pages(5000), "rules.pdf", "")
    assert found.pages[-1].number == 5000
    accepted, changes = accept(found)
    assert (len(accepted.pages), changes.dropped) == (5000, 0)


def test_a_text_beyond_the_limit_says_to_divide_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_CHARACTERS", 1000)
    with pytest.raises(UnreadableError, match="more than 1,000 characters of text: divide it"):
        read(b"word " * 300, "long.txt", "")


@for_each("name", ["long.txt", "long.md", "long.csv"])
def test_a_text_far_beyond_the_limit_is_refused_before_it_is_read(name: str) -> None:
    """Whole, it would take several times its length of memory."""
    data = b"word," * 16_100_000
    with pytest.raises(UnreadableError, match="more than 20,000,000 characters of text: divide it"):
        read(data, name, "")


def test_a_file_that_is_too_large_for_the_child_says_to_divide_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(msgspec.msgpack, "decode", no_memory)
    reply = child._read(b"")
    monkeypatch.undo()
    assert "takes too much memory: divide it" in msgspec.msgpack.decode(reply, type=Reply).refusal


def test_a_page_of_scans_is_not_mistaken_for_text() -> None:
    """Reads in seconds of wall time what would take an hour of recognition: it asks for that first."""
    began = time.monotonic()
    with pytest.raises(ScansFoundError):
        read(hostile.many_pages(1).replace(b"(A page of rules.) Tj", b"                     "), "blank.pdf", "")
    assert time.monotonic() - began < _CPU_SECONDS
