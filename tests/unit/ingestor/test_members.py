"""Files within files: every member of an archive and attachment of an e-mail, and nothing beyond the limits."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import pytest

from echomind_ingestor.extract import members
from echomind_ingestor.extract.boundary import accept
from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.result import Extracted, Member, UnreadableError, member_name
from tests.drivers.tables import for_each
from tests.factories.archives import encrypted_zip, gzip_bomb, linked_tar, tar_of, zip_with_wrong_sizes
from tests.factories.files import zip_of

FILES = {"rules/leave.md": b"# Leave\n\nThirty days.", "hotels.csv": b"City,Limit\nOslo,200\n"}


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.zip", zip_of({**FILES}), "application/zip"),
        ("a.tar", tar_of(FILES, "w"), "application/x-tar"),
        ("a.tar.gz", tar_of(FILES), "application/gzip"),
        ("a.tar.bz2", tar_of(FILES, "w:bz2"), "application/x-bzip2"),
        ("a.tar.xz", tar_of(FILES, "w:xz"), "application/x-xz"),
    ],
)
def test_each_file_of_an_archive_is_a_member(name: str, data: bytes, kind: str) -> None:
    found = read(data, name, "")
    assert {member.name: member.data for member in found.members} == FILES
    assert (found.content_type, found.text) == (kind, "- rules/leave.md\n- hotels.csv")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_is_a_member(pack: object) -> None:
    data = pack(b"Thirty days of leave.")  # type: ignore[operator]
    (member,) = read(data, "leave.txt.gz", "").members
    assert (member.name, member.data) == ("leave.txt", b"Thirty days of leave.")


@for_each(
    ("path", "name"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\Users\\a.txt", "C:/Users/a.txt"),
        ("a/./b//c.txt", "a/b/c.txt"),
        ("line\nbreak.txt", "line break.txt"),
        ("..", ""),
    ],
)
def test_paths_of_members_stay_within_the_archive(path: str, name: str) -> None:
    assert member_name(path) == name


def test_files_of_the_system_and_links_are_left_out() -> None:
    files = {"a.txt": b"text", "__MACOSX/a.txt": b"x", ".hidden": b"x", "b/.DS_Store": b"x", "empty.txt": b""}
    assert [member.name for member in read(tar_of(files), "a.tgz", "").members] == ["a.txt"]
    assert [member.name for member in read(linked_tar("/etc/passwd"), "a.tar", "").members] == ["note.txt"]


@for_each(
    ("made", "said"),
    [
        (lambda: gzip_bomb(300 * 1024**2), "unpacks to more than 256 MB"),
        (lambda: zip_with_wrong_sizes(1000), "damaged"),
        (encrypted_zip, "password-protected"),
        (lambda: tar_of(FILES)[:60], "damaged"),
        (lambda: zip_of({**FILES})[:-30], "damaged"),
        (lambda: tar_of({f"{number}.txt": b"x" for number in range(1001)}), "more than 1,000 files"),
        (lambda: tar_of({"empty.txt": b""}), "no files"),
    ],
    ids=["bomb", "wrong sizes", "encrypted", "truncated", "truncated zip", "too many", "empty"],
)
def test_hostile_archives_end_with_what_to_do(made: Callable[[], bytes], said: str) -> None:
    data = made()
    with pytest.raises(UnreadableError, match=said):
        read(data, "archive", "")


def test_all_files_of_an_archive_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MAX_BYTES", 100)
    with pytest.raises(UnreadableError, match="unpack it and upload these"):
        read(zip_of({"a.txt": b"x" * 60, "b.txt": b"y" * 60}), "a.zip", "")


def mail(*, picture: int = 50_000) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = "Office move"
    message["From"] = "ada@example.com"
    message.set_content("We move on Friday.")
    message.add_attachment(b"Two lorries.", maintype="text", subtype="plain", filename="plan.txt")
    message.add_attachment(b"One van.", maintype="text", subtype="plain", filename="plan.txt")
    message.add_attachment(b"\x89PNG" + bytes(picture), maintype="image", subtype="png", filename="map.png")
    message.add_attachment(b"signed", maintype="application", subtype="pkcs7-signature", filename="smime.p7s")
    return message


def test_attachments_are_members_and_not_the_mails_text() -> None:
    found = read(bytes(mail()), "move.eml", "")
    assert [(member.name, member.data[:12]) for member in found.members[:2]] == [
        ("plan.txt", b"Two lorries."),
        ("plan (2).txt", b"One van."),
    ]
    assert [member.name for member in found.members[2:]] == ["map.png"]
    assert "We move on Friday." in found.text
    assert "lorries" not in found.text
    assert "attachments: plan.txt" in found.markdown


def test_small_pictures_of_a_mail_are_left_out() -> None:
    names = [member.name for member in read(bytes(mail(picture=100)), "move.eml", "").members]
    assert names == ["plan.txt", "plan (2).txt"]


def test_an_attached_mail_is_a_member_with_its_own_attachments() -> None:
    outer = EmailMessage()
    outer["Subject"] = "Fwd"
    outer.set_content("See below.")
    outer.add_attachment(mail())
    (inner,) = read(bytes(outer), "fwd.eml", "").members
    assert inner.name == "Office move.eml"
    assert len(read(inner.data, inner.name, "").members) == 3


def test_members_of_a_compromised_child_are_checked() -> None:
    given = Extracted("", "", "application/zip", "", members=(
        Member("../up.txt", b"x", "text/plain"), Member("up.txt", b"y"), Member("", b"z"), Member("b.txt", b"", "<x>"),
    ))  # fmt: skip
    kept, changes = accept(given)
    assert [(member.name, member.content_type) for member in kept.members] == [("up.txt", "text/plain"), ("b.txt", "")]
    assert changes.dropped == 2


def test_an_archive_that_begins_with_a_pdf_is_an_archive() -> None:
    pdf = b"%PDF-1.7 not compressed"
    assert [member.data for member in read(tar_of({"a.pdf": pdf}, "w"), "a.tar", "").members] == [pdf]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.pdf", pdf)
    assert [member.data for member in read(buffer.getvalue(), "a.zip", "").members] == [pdf]


def test_an_invitation_is_a_member() -> None:
    message = EmailMessage()
    message["Subject"] = "Review"
    message.set_content("You are invited.")
    message.add_alternative("BEGIN:VCALENDAR\nEND:VCALENDAR\n", subtype="calendar")
    assert [member.name for member in read(bytes(message), "m.eml", "").members] == ["invitation.ics"]
