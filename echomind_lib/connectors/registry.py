"""The installed types of connectors."""

from functools import cache
from importlib.metadata import entry_points

from echomind_lib.connectors.definition import ENTRY_POINTS, ConnectorDefinition


@cache
def definitions() -> dict[str, ConnectorDefinition]:
    """Returns all installed types by name, in the order of their titles.

    Raises:
        TypeError: An entry point of the group is not a definition, or has another name than its definition.
    """
    found: dict[str, ConnectorDefinition] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        definition = entry.load()
        if not isinstance(definition, ConnectorDefinition) or definition.name != entry.name:
            raise TypeError(f"The entry point {entry.name} = {entry.value} is no ConnectorDefinition of that name.")
        found[entry.name] = definition
    return dict(sorted(found.items(), key=lambda item: item[1].title.casefold()))


def find_definition(type_: str) -> ConnectorDefinition | None:
    """Returns a type by its name; None if it is not installed."""
    return definitions().get(type_)
