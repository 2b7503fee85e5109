"""Archives, well-formed and hostile."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping


def tar_of(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    """Returns a TAR archive, compressed by the mode of `tarfile`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def linked_tar(target: str) -> bytes:
    """Returns a TAR archive with a link to a file of the system, and a text."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        link = tarfile.TarInfo("passwd")
        link.type, link.linkname = tarfile.SYMTYPE, target
        archive.addfile(link)
        entry = tarfile.TarInfo("note.txt")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"note"))
    return buffer.getvalue()


def gzip_bomb(size: int) -> bytes:
    """Returns a small file that unpacks to `size` bytes."""
    return gzip.compress(bytes(size), compresslevel=1)


def zip_with_wrong_sizes(size: int) -> bytes:
    """Returns a ZIP archive whose file is larger than its list says."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(size))
        archive.filelist[0].file_size = 10
    return buffer.getvalue()


def encrypted_zip() -> bytes:
    """Returns a ZIP archive whose file is marked as encrypted."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "secret")
    data = bytearray(buffer.getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)
