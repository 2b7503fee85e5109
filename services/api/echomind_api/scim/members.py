"""Changes of a group's members, taken out of the body of a request before the protocol's package sees them.

Applied to the resource as a whole, a patch of a thousand members would compute for many seconds.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scim2_models import InvalidSyntaxException, InvalidValueException

MAX_REMOVED: Final = 20
"""Most members that a request removes without naming them."""
_URN: Final = "urn:ietf:params:scim:schemas:core:2.0:group:"
_NAMED: Final = re.compile(r'members\[\s*value\s+eq\s+"([^"\\]*)"\s*\]', re.IGNORECASE)


@dataclass(slots=True)
class MemberChanges:
    """What becomes of the members of a group; ids are those of the client's users."""

    added: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    is_whole: bool = False
    """Whether `added` are all members, and the others are removed."""

    def __bool__(self) -> bool:
        """Returns whether anything is to be changed."""
        return self.is_whole or bool(self.added or self.removed)

    def add(self, ids: Iterable[str]) -> None:
        """Adds members."""
        ids = set(ids)
        self.added |= ids
        self.removed -= ids

    def remove(self, ids: Iterable[str]) -> None:
        """Removes members."""
        ids = set(ids)
        self.added -= ids
        if not self.is_whole:
            self.removed |= ids

    def replace(self, ids: Iterable[str]) -> None:
        """Makes these the members."""
        self.added, self.removed, self.is_whole = set(ids), set(), True


def take_members(body: Any) -> tuple[Any, MemberChanges]:
    """Returns the body of a whole group without its members, and the members.

    Raises:
        InvalidValueException: A member has no id.
    """
    changes = MemberChanges()
    if not isinstance(body, dict):
        return body, changes
    changes.replace(_ids(_pop(body, "members")))
    return body, changes


def take_changes(body: Any) -> tuple[Any, MemberChanges]:
    """Returns the body of a patch without the operations on members, and what these change together.

    Raises:
        InvalidSyntaxException: The body has no operations.
        InvalidValueException: A member has no id.
    """
    changes = MemberChanges()
    operations = _pop(dict(body), "operations") if isinstance(body, dict) else None
    if not isinstance(operations, list) or not operations:
        raise InvalidSyntaxException(detail="A patch needs Operations")
    kept = [operation for operation in operations if not _take(operation, changes)]
    return {key: value for key, value in body.items() if key.lower() != "operations"} | {"Operations": kept}, changes


def _take(operation: Any, changes: MemberChanges) -> bool:
    """Adds an operation to the changes, if it is one on members alone. Returns whether it was."""
    if not isinstance(operation, dict):
        return False
    kind = str(_get(operation, "op") or "").lower()
    path, value = _get(operation, "path"), _get(operation, "value")
    if not isinstance(path, str) or not path:
        if not isinstance(value, dict) or kind not in {"add", "replace"}:
            return False
        names = [name for name in value if name.lower().removeprefix(_URN) == "members"]
        for name in names:
            _apply(kind, value.pop(name), changes)
        return bool(names) and not value
    path = path[len(_URN) :] if path.lower().startswith(_URN) else path
    if path.lower() == "members":
        _apply(kind, value, changes)
        return True
    if kind == "remove" and (named := _NAMED.fullmatch(path)):
        changes.remove([named[1]])
        return True
    return False


def _apply(kind: str, value: Any, changes: MemberChanges) -> None:
    ids = _ids(value)
    match kind:
        case "add":
            changes.add(ids)
        case "replace":
            changes.replace(ids)
        case "remove" if value is None:
            changes.replace([])
        case "remove":
            changes.remove(ids)
        case _:
            raise InvalidSyntaxException(detail=f"An operation is add, replace or remove, and not {kind[:40]!r}")


def _ids(value: Any) -> Sequence[str]:
    if value is None:
        return []
    ids = []
    for member in value if isinstance(value, list) else [value]:
        member_id = _get(member, "value") if isinstance(member, dict) else member
        if not isinstance(member_id, str) or not member_id:
            raise InvalidValueException(detail="Each member needs a value: the id of a user")
        ids.append(member_id)
    return ids


def _get(values: dict[str, Any], name: str) -> Any:
    return next((value for key, value in values.items() if key.lower() == name), None)


def _pop(values: dict[str, Any], name: str) -> Any:
    key = next((key for key in values if key.lower() == name), None)
    return values.pop(key) if key is not None else None
