"""What a source implements so that its documents are synced: connector types of others, too.

A sync opens a source, reads who belongs to which group, and then reads pages of changes. A page is applied whole: its
folders, documents, their readers and the files that changed are stored durably before the page's cursor is. So a source
may be asked for any page a second time, and an item may occur on several pages; the last occurrence counts.

    async with definition.load()(context) as source:
        async for page in source.groups(named): ...
        async for page in source.changes(cursor): ...

Rules that the conformance suite (tests/conformance) proves for each source:

- A cursor is taken before a listing begins, so what changes during the listing is read afterwards.
- Nothing is decided by a clock or a modification time: tokens of the source where it has them, otherwise a comparison
  of `version`s with what is stored.
- What could not be read is reported, never taken for removed: `Page.is_complete` is False for a listing that skipped a
  part, and then nothing is removed for not having been seen.
- Readers that could not be read are `UNKNOWN`, which grants nobody.
- Paging ends: a repeated link to the next page, or one to another origin, is an error.
- Memory stays flat: pages hold at most `PAGE_ITEMS` items and content is streamed.
"""

from echomind_ingestor.connectors.protocol.errors import (
    CredentialsRejectedError,
    CursorExpiredError,
    ItemError,
    SourceError,
    SourceUnavailableError,
)
from echomind_ingestor.connectors.protocol.pages import (
    PAGE_ITEMS,
    Check,
    Content,
    Cursor,
    Failure,
    Folder,
    Item,
    Known,
    Page,
)
from echomind_ingestor.connectors.protocol.readers import (
    ANONYMOUS,
    INHERITED,
    UNKNOWN,
    Group,
    GroupPage,
    Person,
    Readers,
    group_key,
    tenant_key,
    user_key,
)
from echomind_ingestor.connectors.protocol.source import (
    Settings,
    SourceConnector,
    SourceContext,
)
from echomind_lib.text import SOURCE_ID_BYTES

__all__ = [
    "ANONYMOUS",
    "INHERITED",
    "PAGE_ITEMS",
    "SOURCE_ID_BYTES",
    "UNKNOWN",
    "Check",
    "Content",
    "CredentialsRejectedError",
    "Cursor",
    "CursorExpiredError",
    "Failure",
    "Folder",
    "Group",
    "GroupPage",
    "Item",
    "ItemError",
    "Known",
    "Page",
    "Person",
    "Readers",
    "Settings",
    "SourceConnector",
    "SourceContext",
    "SourceError",
    "SourceUnavailableError",
    "group_key",
    "tenant_key",
    "user_key",
]
