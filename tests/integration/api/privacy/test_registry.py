"""Every table says what an erasure does with its rows."""

from echomind_api.privacy.registry import ACCOUNT, STORES, WITHOUT_PERSON
from echomind_lib.db.models import Base

LAST_CHANGE = "user_id_last_update"


def test_every_table_is_in_the_registry() -> None:
    """A new table, or a new reference to an account or to rows of a person, must say what an erasure does with it."""
    tables = Base.metadata.tables
    named = {store.table for store in STORES}
    assert named | WITHOUT_PERSON.keys() == tables.keys()
    assert not named & WITHOUT_PERSON.keys()
    links = {(store.table, column, parent) for store in STORES for column, parent in store.links}
    deleted = {store.table for store in STORES if store.rule == "delete"}
    for table in tables.values():
        for key in table.foreign_keys:
            parent, column = key.column.table.name, key.parent.name
            if column == LAST_CHANGE:
                assert key.ondelete == "SET NULL", table.name
            elif parent == ACCOUNT or (parent in deleted and key.ondelete == "CASCADE" and table.name != parent):
                assert (table.name, column, parent) in links, (table.name, column)
    for store in STORES:
        assert store.reason
        for column, parent in store.links:
            assert column in tables[store.table].c
            assert parent == ACCOUNT or parent in deleted
