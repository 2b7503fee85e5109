"""The best passage of a search with what stands beside it in its section."""

from collections.abc import Sequence
from uuid import UUID, uuid5

from typing_extensions import override

from echomind_lib.retrieval.hits import Hit, Hits
from echomind_lib.retrieval.neighbours import with_neighbours
from echomind_lib.vectors import Found, VectorIndex

SESSION = UUID(int=7)
TEXT = "# Leave\nEverybody has leave.\n\nIt is 30 days a year. Five may be kept.\n# Cars\nCars are shared."
PIECES = ((0, 28), (30, 51), (52, 70), (71, 95))
"""The passages of the text; white space between them belongs to none."""


def payload(position: int) -> dict[str, object]:
    start, end = PIECES[position]
    return {
        "position": position,
        "text": TEXT[start:end],
        "start": start,
        "end": end,
        "heading": ["Cars" if position == 3 else "Leave"],
        # A page begins within the first passage, and another one within the third.
        "later_pages": {0: [[8, 2]], 2: [[56, 3]]}.get(position, []),
    }


def id_of(position: int) -> str:
    return str(uuid5(SESSION, str(position)))


def hit(position: int, *, page: int | None = None, title: str = "Rules") -> Hit:
    start, end = PIECES[position]
    heading = ("Cars" if position == 3 else "Leave",)
    return Hit(
        *(id_of(position), 1, 1, str(SESSION), title, TEXT[start:end], heading, page, start, end, 0.5, 0.5),
        position=position,
        chunk_count=len(PIECES),
    )


class Index(VectorIndex):
    """Knows the passages of the text."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    @override
    async def get(self, collection: str, ids: Sequence[str], fields: Sequence[str] = ()) -> list[Found]:
        self.asked.append(list(ids))
        known = {id_of(position): position for position in range(len(PIECES))}
        # In no order, as the server returns them.
        return [Found(each, 0.0, payload(known[each]), None, frozenset()) for each in reversed(ids) if each in known]


async def test_the_best_passage_has_its_neighbours_at_their_offsets() -> None:
    index = Index()
    found = await with_neighbours(index, "c", Hits([hit(1), hit(3)], "missing", "unranked"))
    best, other = found
    assert (best.start, best.end) == (0, 70)
    assert best.chunk_id == id_of(1)
    assert best.later_pages == ((8, 2), (56, 3))
    for word in ("Everybody", "30 days", "Five"):
        assert best.text.index(word) == TEXT.index(word)
    assert other == hit(3)
    assert (found.missing, found.unranked) == ("missing", "unranked")
    assert [sorted(asked) for asked in index.asked] == [sorted([id_of(0), id_of(2)])]


async def test_a_neighbour_that_was_found_too_is_given_once() -> None:
    found = await with_neighbours(Index(), "c", Hits([hit(1), hit(0), hit(3)]))
    assert [each.position for each in found] == [1, 3]


async def test_other_sections_and_pages_are_no_neighbours() -> None:
    assert await with_neighbours(Index(), "c", Hits([hit(3)])) == [hit(3)]
    assert await with_neighbours(Index(), "c", Hits([hit(1, page=4)])) == [hit(1, page=4)]


async def test_a_document_of_one_passage_is_not_asked_for() -> None:
    index = Index()
    alone = Hit(id_of(0), 1, 1, str(SESSION), "T", "Alone.", (), None, 0, 6, 0.5, 0.5)
    assert await with_neighbours(index, "c", Hits([alone])) == [alone]
    assert index.asked == []
