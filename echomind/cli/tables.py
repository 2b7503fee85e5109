"""Tables of the contract's lists. Their columns are written as in `kubectl get --output custom-columns`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from echomind.cli.lists import ALL, items_field, more, read_until
from echomind.cli.rendering import moment, one_line

if TYPE_CHECKING:
    from echomind.cli.api import Api
    from echomind.cli.terminal import Terminal

Cell = Callable[[Any], object]


@dataclass(frozen=True)
class Table:
    """How a list is shown.

    Attributes:
        call: The call that lists, `SessionShareService.list_session_shares`.
        columns: Headings, with `_` for a space. Each may be followed by the path of a field, which otherwise has the
            heading's name, and by the most characters of its text or by what stands for an empty value:
            `ID LAST_USED:last_used_at:never TITLE:chat_session.title:60`.
        empty: What is printed when there is nothing to list.
        cells: Functions of an item, for columns that show something else, by their headings.
    """

    call: str
    columns: str
    empty: str = ""
    cells: Mapping[str, Cell] = field(default_factory=dict)

    async def show(
        self, api: "Api", request: Mapping[str, Any] | None = None, *, limit: int = ALL, empty: str = ""
    ) -> None:
        """Reads the list and writes it, as one list with `--json`; `empty` takes the place of its own sentence."""
        items, token = await read_until(api.client, self.call, request, limit=limit)
        self.write(api.terminal, items, empty=empty, token=token)

    def write(self, terminal: "Terminal", items: list[Any], *, empty: str = "", token: str = "") -> None:
        """Writes items of the list that were read before; `token` is that of what follows them, empty for nothing."""
        self.write_rows(terminal, items, empty=empty)
        terminal.json({items_field(self.call).json_name: items} | more(terminal, token, len(items)))

    def write_rows(self, terminal: "Terminal", items: Iterable[Any], *, empty: str = "") -> None:
        """Writes items for people, and nothing with `--json`."""
        columns = self.parsed()
        cells = [self.cells.get(heading) or _cell(path, form) for heading, path, form in columns]
        headings = [heading.replace("_", " ").strip() for heading, _, _ in columns]
        terminal.table(headings, ([cell(each) for cell in cells] for each in items), empty=empty or self.empty)

    def parsed(self) -> list[tuple[str, str, str | None]]:
        """Returns heading, path and form of each column; the path is empty where a function makes the cell."""
        columns: list[tuple[str, str, str | None]] = []
        for column in self.columns.split():
            heading, *rest = column.split(":", 2)
            path = "" if heading in self.cells else (rest and rest[0]) or heading.lower()
            columns.append((heading, path, rest[1] if len(rest) > 1 else None))
        return columns


def _cell(path: str, form: str | None) -> Cell:
    def cell(item: Any) -> object:
        value = item
        for name in path.split("."):
            value = None if value is None else getattr(value, name)
        if form is None:
            return shown(value)
        return one_line(shown(value), int(form)) if form.isdecimal() else shown(value) if value else form

    return cell


def shown(value: Any) -> str:
    """Returns the value of a field for people: the word of an enum, a time to the minute, `yes` for true, a list."""
    from echomind_lib.contract import ProtoEnum
    from echomind_lib.models.public import words

    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if isinstance(value, ProtoEnum):
        own = getattr(words, type(value).__name__, None)
        name = getattr(own, "__members__", {}).get(value.name)
        return "" if not value.number else name.value if name else value.word
    if isinstance(value, datetime):
        return moment(value)
    return "yes" if value is True else "" if value is None or value is False else str(value)
