"""The protocol that sources implement so that their documents are synced, including third-party connector types.

A sync opens a source, reads the members of groups, and then reads pages of changes. A page is applied as a whole: its
folders, documents, readers and changed files are stored durably before the page's cursor. So a source may be asked for
a page again, and an item may occur on several pages; the last occurrence counts.

    async with definition.load()(context) as source:
        async for page in source.groups(named): ...
        async for page in source.changes(cursor): ...

Rules that the conformance suite (tests/conformance) checks for each source:

- A cursor is created before a listing starts, so that changes during the listing are read afterwards.
- Nothing depends on a clock or a modification time: sources use change tokens if available, otherwise a comparison
  of `version`s with the stored ones.
- Unreadable items are reported, and never considered removed: `Page.is_complete` is False for a listing that skipped a
  part, and then unseen documents are not removed.
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
