"""Finding the thing that a person names."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from echomind.cli.rendering import one_line
from echomind.cli.terminal import CommandError

Thing = TypeVar("Thing")

_NAMED = 20
"""So many names are listed where none is right."""
_SHOWN = 100
"""So many characters of a name that is not known are repeated."""


def _name(thing: Any) -> str:
    name: str = thing.name
    return name


def find(things: Sequence[Thing], reference: str, what: str, name: Callable[[Any], str] = _name) -> Thing:
    """Returns the item with this name, or else with this id.

    Args:
        things: The items to search.
        reference: A name, compared case-insensitively if there is no exact match, or an id.
        what: Name in a message, for example `assistant`.
        name: Parser of a name.

    Raises:
        CommandError: There is no such item, or several have the name.
    """
    for matches in (
        [thing for thing in things if name(thing) == reference],
        [thing for thing in things if name(thing).casefold() == reference.casefold()],
        [thing for thing in things if str(getattr(thing, "id", "")) == reference],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(str(getattr(thing, "id", "")) for thing in matches)
            raise CommandError(f"Several have the name {reference!r}: use one of the ids {ids}.")
    names = sorted(name(thing) for thing in things)
    known = ", ".join(names[:_NAMED]) or "none"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    raise CommandError(f"There is no {what} {one_line(reference, _SHOWN)!r}. Known: {known}{more}.")
