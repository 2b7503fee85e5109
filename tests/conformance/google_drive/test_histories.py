"""Google Drive after any history of edits and syncs."""

import itertools
import random
from typing import Any

import pytest

from tests.conformance.doubles.google.organization import Organization
from tests.conformance.doubles.google.tenant import FOLDER, Grant


class History:
    """Random edits of My Drive and two shared drives."""

    def __init__(self, org: Organization, seed: int) -> None:
        self.org = org
        self.random = random.Random(seed)
        self.drives = [org.drive(f"Drive {number}", Grant("user", org.ann, "organizer")) for number in range(2)]
        self.team = org.group("team", org.bob)
        self.numbers = itertools.count()

    def expected(self) -> dict[str, tuple[str, set[str]]]:
        org = self.org
        return {
            node.id: (node.name, org.readers(node.id))
            for node in org.nodes.values()
            if node.mime_type == "text/plain" and not org.is_in_trash(node.id)
        }

    def here(self) -> dict[str, tuple[str, set[str]]]:
        return {key: (item.name, self.org.readers_here(item)) for key, item in self.org.stored.items.items()}

    def edit(self) -> None:
        org, choice = self.org, self.random.choice
        nodes = [node for node in org.nodes.values() if node.parent]
        folder = choice([org.root_of(org.ann), *self.drives, *(node.id for node in nodes if node.mime_type == FOLDER)])
        action = choice(
            ["file", "file", "folder", "rename", "write", "share", "move", "trash", "delete", "member", "limit"]
        )
        if action in ("file", "folder") or not nodes:
            kind = FOLDER if action == "folder" else "text/plain"
            org.add(f"{action} {next(self.numbers)}", org.ann, folder, mime_type=kind)
            return
        node = choice(nodes)
        if action == "rename":
            org.change(node, name=f"renamed {next(self.numbers)}")
        elif action == "write":
            org.change(node, content=str(next(self.numbers)).encode())
        elif action == "share":
            to = choice([Grant("user", org.bob), Grant("user", org.eve), Grant("group", self.team), Grant("anyone")])
            org.share(node, *([to] if self.random.random() < 0.7 else []))
        elif action == "move" and folder not in self.below(node.id) and self.drive_of(folder) == node.drive:
            org.move(node, folder)
        elif action == "trash":
            org.trash(node, is_trashed=not node.is_trashed)
        elif action == "delete":
            org.delete(node)
        elif action == "member":
            org.drive_grants[self.drives[0]][1:] = choice([[], [Grant("user", org.bob)], [Grant("group", self.team)]])
        elif action == "limit" and node.mime_type == FOLDER:
            org.change(node, is_limited=not node.is_limited)

    def below(self, folder: str) -> set[str]:
        found = {folder}
        for node in [node for node in self.org.nodes.values() if node.parent == folder]:
            found |= self.below(node.id)
        return found

    def drive_of(self, folder: str) -> str:
        return folder if folder in self.drives else self.org.nodes[folder].drive


@pytest.mark.parametrize("seed", range(12))
async def test_after_any_history_the_stored_state_matches_the_source(org: Organization, seed: int) -> None:
    """Edits, syncs that are killed after any page, and at the end one that is not."""
    history = History(org, seed)
    settings: dict[str, Any] = {"my_drive": True, "all_shared_drives": True}
    for _ in range(15):
        for _ in range(history.random.randrange(6)):
            history.edit()
        org.page_size = history.random.choice([1, 2, 5, 1000])
        await org.sync(most_pages=history.random.choice([1, 2, 5, None, None]), **settings)
    org.page_size = 1000
    for _ in range(3):
        await org.sync(**settings)
    assert history.here() == history.expected()
