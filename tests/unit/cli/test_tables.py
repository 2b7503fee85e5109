"""Tables of the contract's lists."""

import json
import pkgutil
from datetime import UTC, datetime
from importlib import import_module
from io import StringIO

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from echomind import cli
from echomind.cli.lists import items_field
from echomind.cli.tables import Table
from echomind.cli.terminal import Terminal
from echomind_lib.models import public
from tests.drivers.tables import for_each

MODULES = [import_module(each.name) for each in pkgutil.walk_packages(cli.__path__, "echomind.cli.")]
TABLES = {
    f"{module.__name__}.{name}": table
    for module in MODULES
    for name, table in vars(module).items()
    if isinstance(table, Table)
}
KEYS = "ApiKeyService.list_api_keys"


def field_of(message: Descriptor | None, path: str) -> FieldDescriptor:
    """Returns a field by its path."""
    assert message is not None
    first, _, rest = path.partition(".")
    field = message.fields_by_name[first]
    return field_of(field.message_type, rest) if rest else field


@for_each("name", TABLES)
def test_columns_are_fields_of_the_contract(name: str) -> None:
    table = TABLES[name]
    columns = table.parsed()
    assert all(field_of(items_field(table.call).message_type, path) for _, path, _ in columns if path)
    assert set(table.cells) <= {heading for heading, _, _ in columns}


def test_cells_are_fields_or_functions() -> None:
    table = Table(
        KEYS,
        "_ NAME SCOPES PREFIX::4 LAST_USED:last_used_at:never CREATED:creation_date ID::",
        "There is no key.",
        {"_": lambda key: "*" if key.name == "a" else ""},
    )
    created = datetime(2026, 5, 1, 12, 30, tzinfo=UTC).astimezone()
    scopes = [public.ApiKeyScope.READ, public.ApiKeyScope.ASK]
    key = public.ApiKey(name="a", scopes=scopes, prefix="prefix", creation_date=created)
    out, err = StringIO(), StringIO()
    table.write(Terminal(out=out, err=err), [key])
    table.write(Terminal(out=out, err=err), [])
    table.write(Terminal(out=out, err=err), [], empty="None at all.")
    headings, row = (line.split() for line in out.getvalue().splitlines())
    assert headings == ["NAME", "SCOPES", "PREFIX", "LAST", "USED", "CREATED", "ID"]
    assert row == ["*", "a", "read,", "ask", "pre…", "never", *created.strftime("%Y-%m-%d %H:%M").split()]
    assert err.getvalue().splitlines() == ["There is no key.", "None at all."]


def test_with_json_a_table_is_a_list() -> None:
    out = StringIO()
    Table(KEYS, "NAME").write(Terminal(as_json=True, out=out), [public.ApiKey(name="a")])
    assert [key["name"] for key in json.loads(out.getvalue())["apiKeys"]] == ["a"]
