"""ZIP archives that are written while they are sent."""

import io
import zipfile

from echomind_api.privacy.archives import StreamedArchive
from echomind_api.privacy.exports import _safe_name


async def test_files_of_unknown_length_are_read_again_and_come_in_pieces() -> None:
    text, sent, limit = bytes(range(256)) * 4096, io.BytesIO(), 0
    with StreamedArchive() as archive:
        for name, compressed in (("a.txt", True), ("b/ä.bin", False)):
            archive.begin_file(name, compressed=compressed)
            for _ in range(2):
                async for piece in archive.write(text):
                    limit = max(limit, len(piece))
                    sent.write(piece)
            sent.write(archive.end_file())
        sent.write(archive.end())
    whole = zipfile.ZipFile(sent)
    assert whole.testzip() is None
    assert {name: whole.read(name) for name in whole.namelist()} == {"a.txt": text * 2, "b/ä.bin": text * 2}
    assert limit < 80_000


async def test_an_archive_that_breaks_off_is_none() -> None:
    sent = io.BytesIO()
    with StreamedArchive() as archive:
        archive.begin_file("a.txt")
        async for piece in archive.write(b"x" * 200_000):
            sent.write(piece)
    assert not zipfile.is_zipfile(sent)


def test_names_lead_to_no_other_folder() -> None:
    names = {
        "../../etc/passwd": "passwd",
        "..\\..\\a:b?.txt": "ab.txt",
        "..": "file",
        "": "file",
        "C:\\x\n.txt": "x.txt",
        "ä" * 200 + ".pdf": "ä" * 116 + ".pdf",
        "a. ": "a",
    }
    assert {name: _safe_name(name) for name in names} == names
