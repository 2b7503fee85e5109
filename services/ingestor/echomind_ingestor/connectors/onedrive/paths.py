"""Paths of items below their drive, for patterns, as change lists refer to folders by id only."""

from collections import OrderedDict
from typing import Any, Final

from echomind_ingestor.connectors.protocol import CursorExpiredError, SourceContext, SourceError

_LIMIT: Final = 20_000
"""Maximum number of folder names kept in memory."""
_DEEPEST: Final = 500


class Paths:
    """Names of folders: from this sync's pages, otherwise the stored ones."""

    def __init__(self, context: SourceContext[Any]) -> None:
        self._context = context
        self._names: OrderedDict[str, tuple[str, str]] = OrderedDict()

    async def record(self, folder_id: str, name: str, parent_id: str, *, is_listing: bool) -> None:
        """Adds a folder of a page.

        Raises:
            CursorExpiredError: Its stored name or parent differs: its contents have other paths and may be
                selected differently by patterns, so everything is listed again.
        """
        if not is_listing:
            known = (await self._context.find_known([folder_id])).get(folder_id)
            if known is not None and (known.name, known.folder_id) != (name, parent_id):
                raise CursorExpiredError("A folder has moved, and patterns of paths select what is read.")
        self._remember(folder_id, name, parent_id)

    async def path(self, name: str, folder_id: str) -> str:
        """Returns the path of an item below its drive, with `/`.

        Raises:
            SourceError: The folders form a cycle.
        """
        parts = [name]
        for _ in range(_DEEPEST):
            if (found := await self._find(folder_id)) is None or not found[1]:
                return "/".join(reversed(parts))  # the drive's root, whose name is not part of the path
            parts.append(found[0])
            folder_id = found[1]
        raise SourceError(f"The folders above {name!r} form a circle.")

    async def _find(self, folder_id: str) -> tuple[str, str] | None:
        if folder_id in self._names:
            self._names.move_to_end(folder_id)
            return self._names[folder_id]
        if (known := (await self._context.find_known([folder_id])).get(folder_id)) is None:
            return None
        self._remember(folder_id, known.name, known.folder_id)
        return self._names[folder_id]

    def _remember(self, folder_id: str, name: str, parent_id: str) -> None:
        self._names[folder_id] = (name, parent_id)
        if len(self._names) > _LIMIT:
            self._names.popitem(last=False)
