"""The arrangement of hits: equal passages once, and several documents before many passages of one."""

from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.retrieval.arranging import spread, without_copies
from echomind_lib.retrieval.hits import Hit

TEXT = "Employees get 28 days of paid leave each year."


def hit(
    document_id: int,
    text: str = TEXT,
    *,
    score: float = 1.0,
    signature: str = "",
    is_guide: bool = False,
    **values: object,
) -> Hit:
    given = {"title": "Leave", "heading": ("Rules",), "start": 0, **values}
    return Hit(
        f"{document_id}-{given['start']}",
        document_id,
        1,
        "session",
        str(given["title"]),
        text,
        given["heading"],  # type: ignore[arg-type]
        None,
        given["start"],  # type: ignore[arg-type]
        100,
        None,
        1.0,
        signature=signature,
        rank_score=score,
        is_guide=is_guide,
    )


def ids(hits: list[Hit]) -> list[int]:
    return [each.document_id for each in hits]


def test_a_file_and_its_export_are_one_hit_that_names_the_other() -> None:
    export = hit(2, "**Employees** get 28 days\nof paid leave, each year", title="leave.pdf", start=7)
    (found,) = without_copies([hit(1, title="Leave.md"), export, hit(3)])
    assert (found.document_id, found.copy_ids) == (1, (2, 3))


def test_files_with_the_same_bytes_are_one_hit_whatever_they_are_called() -> None:
    (found,) = without_copies([hit(1, signature="s"), hit(2, signature="s", title="Copy of Leave")])
    assert found.copy_ids == (2,)


def test_what_differs_in_a_word_a_figure_a_heading_or_the_title_is_kept() -> None:
    others = [
        hit(2, TEXT.replace("28", "30")),
        hit(3, TEXT.replace("get", "do not get")),
        hit(4, heading=("Rules of 2019",)),
        hit(5, title="Leave in Austria"),
    ]
    found = without_copies([hit(1), *others])
    assert ids(found) == [1, 2, 3, 4, 5]
    assert not any(each.copy_ids for each in found)


def test_repeated_words_of_one_document_are_one_hit_without_copies() -> None:
    (found,) = without_copies([hit(1), hit(1, start=500)])
    assert found.copy_ids == ()


def test_another_document_comes_before_a_further_passage_that_is_not_much_better() -> None:
    for other, expected in ((0.7, [1, 2, 1, 1]), (0.5, [1, 1, 2, 1]), (0.4, [1, 1, 1, 2])):
        hits = [hit(1, score=0.9), hit(1, score=0.85, start=1), hit(1, score=0.6, start=2), hit(2, score=other)]
        assert ids(spread(sorted(hits, key=lambda each: -each.rank_score))) == expected


def test_votes_keep_their_effect() -> None:
    moved = [hit(1, score=0.5), hit(2, score=0.9), hit(3, score=0.4)]
    assert ids(spread(moved)) == [1, 2, 3]


def test_the_guide_comes_after_own_documents_that_match_nearly_as_well() -> None:
    assert ids(spread([hit(1, score=1.0, is_guide=True), hit(2, score=0.9), hit(3, score=0.5)])) == [2, 1, 3]
    assert ids(spread([hit(1, score=1.0, is_guide=True), hit(2, score=0.8)])) == [1, 2]
    # Among its own pages, nothing changes.
    assert ids(spread([hit(1, score=1.0, is_guide=True), hit(2, score=0.9, is_guide=True)])) == [1, 2]


@given(st.lists(st.tuples(st.integers(1, 4), st.floats(-1, 1)), max_size=12))
def test_no_hit_is_lost_and_one_per_document_keeps_the_order(pairs: list[tuple[int, float]]) -> None:
    ranked = sorted(pairs, key=lambda pair: -pair[1])
    hits = [hit(document, score=score, start=position) for position, (document, score) in enumerate(ranked)]
    arranged = spread(hits)
    assert sorted(each.start for each in arranged) == list(range(len(hits)))
    firsts = [each.start for each in arranged if each.document_id not in ids(arranged[: arranged.index(each)])]
    assert firsts == sorted(firsts)
