"""The rows of folders: stored per page, with paths that are updated after renames and moves."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ARRAY, Integer, Text, and_, bindparam, delete, func, literal, select, update
from sqlalchemy.dialects.postgresql import distinct_on, insert

from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models import SourceFolder
from echomind_lib.db.statements import Command, Query, columns
from echomind_lib.documents.folders import PATH_SEPARATOR

_DEEPEST: Final = 100
"""Maximum number of folders in a path; also ends cycles."""
_connector = bindparam("connector_id", type_=Integer)
_ids = bindparam("source_ids", type_=ARRAY(Text))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFolder:
    """The stored columns of a folder."""

    source_id: str
    parent_source_id: str
    name: str
    url: str | None
    source_readers: dict[str, Any] | None


_is_named = and_(SourceFolder.connector_id == _connector, SourceFolder.source_id == func.any(_ids))
KNOWN: Final = Query(select(*columns(StoredFolder, SourceFolder)).where(_is_named), StoredFolder)
"""Selects the stored folders among the given ids."""
CHILDREN: Final = Query(
    select(SourceFolder.source_id)
    .where(
        SourceFolder.connector_id == _connector,
        SourceFolder.parent_source_id == bindparam("parent", type_=Text),
        SourceFolder.source_id > bindparam("after", type_=Text),
    )
    .order_by(SourceFolder.source_id)
    .limit(bindparam("limit", type_=Integer)),
    str,
)
"""Selects the folders directly in a folder, ordered by id."""
_given = json_rows(
    "folders",
    SourceFolder.source_id,
    SourceFolder.parent_source_id,
    SourceFolder.name,
    SourceFolder.url,
    SourceFolder.source_readers,
)
_rows = insert(SourceFolder).from_select(
    ["connector_id", "source_id", "parent_source_id", "name", "url", "source_readers"],
    select(
        _connector, _given.c.source_id, _given.c.parent_source_id, _given.c.name, _given.c.url, _given.c.source_readers
    ),
)
STORE: Final = Command(
    _rows.on_conflict_do_update(
        index_elements=[SourceFolder.connector_id, SourceFolder.source_id],
        set_={name: getattr(_rows.excluded, name) for name in ("parent_source_id", "name", "url", "source_readers")},
    )
)
"""Inserts or replaces folders."""
REMOVE: Final = Command(delete(SourceFolder).where(_is_named))
"""Removes folders; their contents are removed separately by id."""

# The changed folders with all their descendants, then for each of them the names from itself up to the root.
_below = select(SourceFolder.source_id).where(_is_named).cte("below", recursive=True)
_child = SourceFolder.__table__.alias("child")
_below = _below.union(
    select(_child.c.source_id).where(
        _child.c.connector_id == _connector, _child.c.parent_source_id == _below.c.source_id
    )
)
_chain = (
    select(
        SourceFolder.source_id.label("bottom"),
        SourceFolder.parent_source_id.label("above"),
        SourceFolder.name.label("path"),
        literal(1).label("depth"),
    )
    .join(_below, and_(SourceFolder.connector_id == _connector, SourceFolder.source_id == _below.c.source_id))
    .cte("chain", recursive=True)
)
_parent = SourceFolder.__table__.alias("parent")
_chain = _chain.union_all(
    select(
        _chain.c.bottom,
        _parent.c.parent_source_id,
        _parent.c.name.concat(literal(PATH_SEPARATOR)).concat(_chain.c.path).cast(Text),
        _chain.c.depth + 1,
    ).where(_parent.c.connector_id == _connector, _parent.c.source_id == _chain.c.above, _chain.c.depth < _DEEPEST)
)
_paths = (
    select(_chain.c.bottom, _chain.c.path)
    .ext(distinct_on(_chain.c.bottom))
    .order_by(_chain.c.bottom, _chain.c.depth.desc())
    .cte("paths")
)
STORE_PATHS: Final = Command(
    update(SourceFolder)
    .where(
        SourceFolder.connector_id == _connector,
        SourceFolder.source_id == _paths.c.bottom,
        SourceFolder.path.is_distinct_from(_paths.c.path),
    )
    .values(path=_paths.c.path)
)
"""Updates the paths of new, renamed and moved folders, and of all folders below them."""
