"""Computes the readers of synced documents from what the source reported.

The rows of folders and documents store the readers as reported by the source (`source_readers`, from `encode_readers`).
The effective readers of a document follow from its own, those of its parent folders, and group memberships. They are
updated in the transaction that stores the page, so that no document is found before its readers are known.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ARRAY, Integer, Text, bindparam, column, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert

from echomind_ingestor.connectors.protocol import Person, Readers
from echomind_lib.access.effective_readers import EFFECTIVE_READERS
from echomind_lib.db.models import SourcePrincipal
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.jobs import DOCUMENT_READERS, enqueue
from echomind_lib.text import NAME_CHARACTERS, single_line


def encode_readers(readers: Readers | None) -> dict[str, Any] | None:
    """Returns the stored form of readers for `source_readers`; None for readers that were not reported."""
    if readers is None:
        return None
    return {
        "principals": sorted(readers.principals),
        "inherits": readers.inherits,
        "is_known": readers.is_known,
    }


def decode_readers(stored: dict[str, Any] | None) -> Readers | None:
    """Returns readers from their stored form; the inverse of `encode_readers`."""
    if stored is None:
        return None
    return Readers(principals=frozenset(stored["principals"]), inherits=stored["inherits"], is_known=stored["is_known"])


# Descends from the changed folders, compares the granted readers with the stored ones, and writes the difference.
_APPLY: Final = Query(
    text(
        f"""
        WITH RECURSIVE below(source_id) AS (
            SELECT unnest(CAST(:folders AS text[]))
            UNION
            SELECT folder.source_id
            FROM below
            JOIN source_folders AS folder
                ON folder.connector_id = :connector_id AND folder.parent_source_id = below.source_id
        ), concerned AS MATERIALIZED (
            SELECT id, connector_id, folder_source_id AS folder, source_readers AS readers
            FROM documents
            WHERE (id = ANY(CAST(:documents AS bigint[])) OR container_id = ANY(CAST(:documents AS bigint[])))
                AND connector_id = :connector_id AND deleted_date IS NULL
            UNION
            SELECT documents.id, documents.connector_id, documents.folder_source_id, documents.source_readers
            FROM below
            JOIN documents ON documents.connector_id = :connector_id AND documents.folder_source_id = below.source_id
            WHERE documents.deleted_date IS NULL
        ), {EFFECTIVE_READERS}, removed AS (
            DELETE FROM document_acl
            USING concerned
            WHERE document_acl.document_id = concerned.id AND NOT EXISTS (
                SELECT FROM readers
                WHERE readers.document_id = document_acl.document_id
                    AND readers.principal_id = document_acl.principal_id
            )
            RETURNING document_acl.document_id
        ), added AS (
            INSERT INTO document_acl (document_id, principal_id)
            SELECT document_id, principal_id FROM readers
            ON CONFLICT DO NOTHING
            RETURNING document_id
        ), marked AS (
            UPDATE documents SET readers_changed_at = clock_timestamp()
            WHERE id IN (SELECT document_id FROM removed UNION SELECT document_id FROM added)
            RETURNING id
        )
        SELECT count(*) FROM marked
        """  # noqa: S608 - no value is in it
    ),
    int,
)
# Every named principal has a row, even before its group or e-mail address is known.
_NAME: Final = Command(
    text(
        """
        WITH RECURSIVE above(source_id) AS (
            SELECT unnest(CAST(:folders AS text[]))
            UNION
            SELECT folder_source_id FROM documents
            WHERE id = ANY(CAST(:documents AS bigint[])) AND folder_source_id IS NOT NULL
            UNION
            SELECT folder.parent_source_id
            FROM above
            JOIN source_folders AS folder ON folder.connector_id = :connector_id AND folder.source_id = above.source_id
        ), named AS (
            SELECT source_readers FROM documents WHERE id = ANY(CAST(:documents AS bigint[]))
            UNION
            SELECT folder.source_readers
            FROM above
            JOIN source_folders AS folder ON folder.connector_id = :connector_id AND folder.source_id = above.source_id
        )
        INSERT INTO source_principals (connector_id, key)
        SELECT DISTINCT CAST(:connector_id AS integer), granted.key
        FROM named
        CROSS JOIN LATERAL jsonb_array_elements_text(named.source_readers -> 'principals') AS granted(key)
        ORDER BY granted.key
        ON CONFLICT DO NOTHING
        """
    )
)


async def apply_readers(
    connection: Connection, connector_id: int, *, folders: Sequence[str], documents: Sequence[int]
) -> int:
    """Updates the readers of some documents; called with their new rows.

    Chunks are updated by the job `DOCUMENT_READERS`; the caller wakes workers after the commit.

    Args:
        connection: The transaction of the page.
        connector_id: The connector, whose `permission_mode` is `source`.
        folders: Source ids of folders that are new, moved or removed, or whose readers have changed; all documents
            below them are updated.
        documents: Ids of documents that are new or moved, or whose readers have changed.

    Returns:
        The number of documents whose readers have changed.
    """
    if not folders and not documents:
        return 0
    values = {"connector_id": connector_id, "folders": list(folders), "documents": list(documents)}
    await _NAME.execute(connection, **values)
    changed = await _APPLY.fetch_one(connection, **values) or 0
    if changed:
        await enqueue(connection, DOCUMENT_READERS, connector_id)
    return changed


_person = (
    func.unnest(
        bindparam("keys", type_=ARRAY(Text)),
        bindparam("names", type_=ARRAY(Text)),
        bindparam("emails", type_=ARRAY(Text)),
    )
    .table_valued(column("key", Text), column("name", Text), column("email", Text))
    .render_derived(name="given")
)
_given = insert(SourcePrincipal).from_select(
    ["connector_id", "key", "name", "email"],
    select(bindparam("connector_id", type_=Integer), _person.c.key, _person.c.name, _person.c.email).order_by(
        _person.c.key
    ),
)
_PEOPLE: Final = Command(
    _given.on_conflict_do_update(
        index_elements=[SourcePrincipal.key, SourcePrincipal.connector_id],
        set_={"name": _given.excluded.name, "email": _given.excluded.email},
        where=or_(
            SourcePrincipal.name != _given.excluded.name,
            SourcePrincipal.email != _given.excluded.email,
        ),
    )
)


async def apply_people(connection: Connection, connector_id: int, people: Iterable[Person]) -> None:
    """Stores the people in a page's readers, in the transaction of the page."""
    known = {person.key: person for person in people}
    if known:
        await _PEOPLE.execute(
            connection,
            connector_id=connector_id,
            keys=list(known),
            names=[single_line(person.name, NAME_CHARACTERS) for person in known.values()],
            emails=[single_line(person.email, NAME_CHARACTERS) for person in known.values()],
        )
