"""The process of the embedded S3 server: `nanio`, with concurrent deletions and Amazon's signatures.

`python -m echomind.local.embedded.s3_server serve ...` has the arguments of nanio. nanio deletes the objects of a
request sequentially, blocks other requests meanwhile, and leaves the empty folders of their metadata behind. Each
unlink waits for the disk, so several threads delete two to four times as many a second.
"""

import asyncio
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from nanio import cli
from nanio.app_state import get_storage
from nanio.auth import sigv4
from nanio.errors import MalformedXML, S3Error
from nanio.handlers import bucket as bucket_handlers
from nanio.handlers._body import parse_xml_safely, read_bounded_body
from nanio.keys import validate_object_key
from nanio.storage.paths import bucket_dir, metadata_path, metadata_root, object_path
from nanio.xml import delete_result_xml
from starlette.requests import Request
from starlette.responses import Response

from echomind_lib.network.http_server import HttpServer

_THREADS: Final = 8
_threads: Final = ThreadPoolExecutor(_THREADS, "delete")

Failure = tuple[str, str, str]
"""An object that could not be deleted: its key, the error's code and message."""


async def delete_objects(request: Request, bucket: str) -> Response:
    """Handles DeleteObjects, in place of nanio's handler."""
    keys = _keys(await read_bounded_body(request))
    storage = get_storage(request)
    storage.head_bucket(bucket)
    delete = partial(_delete, storage.data_dir, bucket)
    loop = asyncio.get_running_loop()
    parts = [keys[first::_THREADS] for first in range(_THREADS)]
    results = await asyncio.gather(*(loop.run_in_executor(_threads, delete, part) for part in parts if part))
    failures = [failure for part in results for failure in part]
    failed = {key for key, _, _ in failures}
    body = delete_result_xml(deleted=[key for key in keys if key not in failed], errors=failures)
    return Response(content=body, media_type="application/xml")


def _keys(body: bytes) -> list[str]:
    elements = parse_xml_safely(body).iter()
    found = [element.text or "" for element in elements if element.tag.rpartition("}")[2] == "Key"]
    if not all(found) or len(found) > bucket_handlers.MAX_DELETE_KEYS:
        raise MalformedXML(f"DeleteObjects takes 1 to {bucket_handlers.MAX_DELETE_KEYS} keys")
    return found


def _delete(data_dir: Path, bucket: str, keys: Sequence[str]) -> list[Failure]:
    failures = []
    for key in keys:
        try:
            validate_object_key(key)
            _remove(object_path(data_dir, bucket, key), bucket_dir(data_dir, bucket))
            _remove(metadata_path(data_dir, bucket, key), metadata_root(data_dir, bucket))
        except S3Error as error:
            failures.append((key, error.code, error.message_text))
    return failures


def _remove(file: Path, root: Path) -> None:
    """Removes a file, and the folders above it that are empty then, up to `root`; one that is not there is no error."""
    with suppress(FileNotFoundError, NotADirectoryError):
        file.unlink()
    for folder in file.parents:
        if folder == root or not folder.is_relative_to(root):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def canonical_query(query: str) -> str:
    """Returns the canonical query of Amazon's signatures; nanio's own uses the query as sent: `prefix=a/` or `a%2F`."""
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    return "&".join(sorted(f"{_requoted(name)}={_requoted(value)}" for name, value in pairs))


def _requoted(text: str) -> str:
    return quote(unquote(text), safe="-_.~")


def main() -> int:
    """Runs nanio's command line with these, and with the server that costs less while idle."""
    bucket_handlers.delete_objects = delete_objects
    sigv4.canonical_query_string = canonical_query
    sys.modules["uvicorn.main"].Server = HttpServer  # type: ignore[attr-defined]
    return int(cli.main())


if __name__ == "__main__":
    sys.exit(main())
