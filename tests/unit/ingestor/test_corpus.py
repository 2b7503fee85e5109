"""The corpus `tests/data/documents`: rows, order, headings, pages and answers, and what peers' users complain about."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from tokenizers import Tokenizer

from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.result import Extracted, ScansFoundError
from echomind_ingestor.pipeline.chunk import Chunk, chunk
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.tokenizer import minilm_tokenizer
from echomind_lib.llms import ChatRequest, Message
from echomind_lib.llms.types import complete
from echomind_lib.retrieval import Hit
from tests.drivers.tables import for_each
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "data" / "documents"
EXPECTED: dict[str, dict[str, Any]] = {
    row["file"]: row for row in map(json.loads, (FOLDER / "expected.jsonl").read_text("utf-8").splitlines())
}


def files_with(what: str) -> list[str]:
    return [name for name, row in EXPECTED.items() if what in row and "scans" not in row]


@cache
def found(name: str) -> Extracted:
    return read((FOLDER / name).read_bytes(), name, "")


def lines(name: str) -> list[str]:
    return [line.removeprefix("- ") for line in found(name).text.split("\n")]


def test_the_corpus_is_whole() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*EXPECTED, "expected.jsonl"}
    assert len(EXPECTED) >= 60
    assert sum(name.endswith(".pdf") and "rows" in row for name, row in EXPECTED.items()) >= 30


@for_each("name", files_with("rows"))
def test_rows_are_whole_and_name_their_cells(name: str) -> None:
    assert [row for row in EXPECTED[name]["rows"] if row not in lines(name)] == []


@for_each("name", files_with("order"))
def test_text_is_in_reading_order(name: str) -> None:
    positions = [found(name).text.find(text) for text in EXPECTED[name]["order"]]
    assert -1 not in positions
    assert positions == sorted(positions)


@for_each("name", files_with("headings"))
def test_headings_are_found(name: str) -> None:
    assert [heading.title for heading in found(name).headings] == EXPECTED[name]["headings"]


@pytest.mark.parametrize("name", files_with("pages"))
def test_texts_are_on_their_pages(name: str) -> None:
    extracted = found(name)
    for number, text in EXPECTED[name]["pages"]:
        position = extracted.text.index(text)
        assert [page.number for page in extracted.pages if page.start <= position][-1] == number, text


@pytest.mark.parametrize("name", files_with("absent"))
def test_what_is_not_the_text_is_left_out(name: str) -> None:
    assert [text for text in EXPECTED[name]["absent"] if text in found(name).text] == []


@pytest.mark.parametrize("name", files_with("members"))
def test_files_within_are_members(name: str) -> None:
    assert [member.name for member in found(name).members] == EXPECTED[name]["members"]


@pytest.mark.parametrize("name", [name for name, row in EXPECTED.items() if "scans" in row])
def test_a_page_without_text_is_recognised_and_never_empty(name: str) -> None:
    """Open WebUI 17025: the text of a PDF is empty, and nothing falls back to recognition."""
    data = (FOLDER / name).read_bytes()
    with pytest.raises(ScansFoundError) as scans:
        read(data, name, "")
    assert list(scans.value.pages) == EXPECTED[name]["scans"]
    table = "| Reading | Date | Value |\n| --- | --- | --- |\n| Meter A | 3 May | 1204 |"
    recognized = dict.fromkeys(scans.value.pages, table)
    assert EXPECTED[name]["rows"][0] in read(data, name, "", recognized=recognized).text


# -- answers -----------------------------------------------------------------------------------------------------------
@cache
def tokenizer() -> Tokenizer:
    return minilm_tokenizer()


@cache
def passages(name: str) -> Sequence[Chunk]:
    return chunk(found(name), tokenizer())


class WithoutVectors(EmbeddingClient):
    """Embedding of a language that the model does not serve: answers are then found by words alone."""

    def __init__(self) -> None:
        self.languages: tuple[str, ...] = ()

    async def get_model(self, model_id: str = "") -> Any:
        return self


QUESTIONS = [(name, *asked) for name in files_with("questions") for asked in EXPECTED[name]["questions"]]


@for_each(("name", "question", "answer"), QUESTIONS)
async def test_a_question_is_answered_by_its_row(name: str, question: str, answer: str) -> None:
    """Each passage is searched: a row that was cut from its header, or from its table, is not found."""
    sources = Sources()
    sources.add(
        Hit(str(part.position), 1, part.position, "s", name, part.text, part.heading, None, 0, 1, 0.5, 0.5)
        for part in passages(name)
    )
    request = ChatRequest([Message("user", question), Message("tool", render(sources), tool_call_id="search")])
    text = (await complete(ExtractiveModel(WithoutVectors()), request)).text
    assert answer in text
    assert len(text) < 400, "the row, not the whole table"


# -- what users of peers complain about --------------------------------------------------------------------------------
def test_rows_are_not_merged() -> None:
    """RAGFlow 15742."""
    assert all(line.count("pieces") == 1 for line in lines("over-pages.pdf") if "pieces" in line)


def test_rows_are_not_split() -> None:
    """RAGFlow 7673."""
    assert sum("valve" in line or "minute" in line for line in lines("lines-in-cells.pdf")) == 1


def test_columns_are_not_merged_and_no_data_are_lost() -> None:
    """RAGFlow 10644."""
    row = (
        "Column A: a3; Column B: b3; Column C: c3; Column D: d3; Column E: e3; Column F: f3; Column G: g3; Column H: h3"
    )
    assert row in lines("table-eight-columns.pdf")


def test_three_columns_of_text_are_not_mixed() -> None:
    """RAGFlow 7643."""
    text = found("three-columns.pdf").text
    assert [
        number for number in range(14) if f"Remark {number}: the harbour office keeps the berths in the" not in text
    ] == []


def test_a_table_stays_with_the_text_that_describes_it() -> None:
    """RAGFlow 10844: tables are cut off from that text, so that searches miss them."""
    (passage,) = [part for part in passages("caption-below.pdf") if "Tetanus" in part.text]
    assert "vaccinated by the company physician" in passage.text
    assert "Table 3: Vaccinations before a journey" in passage.text
    assert all(part.heading == ("Stock",) for part in passages("over-pages.pdf")[1:])


def test_text_and_tables_of_word_files_are_not_separated() -> None:
    """RAGFlow 7848."""
    text = found("table-between-paragraphs.docx").text
    assert text.index("eighth hour") < text.index("Country: Norway") < text.index("Receipts are handed in")


@for_each("name", [name for name, row in EXPECTED.items() if "scans" not in row])
def test_no_message_of_a_parser_becomes_text(name: str) -> None:
    """RAGFlow 16060: `FAILED TO PARSE TABLE` is in the index."""
    text = found(name).text.casefold()
    assert not any(word in text for word in ("failed to", "<table", "&nbsp;", "traceback", "\ue000"))


def test_tables_of_word_files_are_not_flattened() -> None:
    """Open WebUI 28830: a table becomes `A1B1A2B2`."""
    assert "Sample: W-2; Iron: 0.9 mg" in lines("caption-and-list.docx")


def test_captions_are_kept() -> None:
    """docling 2202."""
    assert "Table 3: Vaccinations before a journey" in found("caption-below.pdf").text
    assert "Table 1: Samples of May" in found("caption-and-list.docx").text


def test_lines_within_a_cell_stay_apart() -> None:
    """docling 539: line breaks within cells are lost, so that words run together."""
    assert "What to do: Open the lid. Take the filter out." in found("lines-in-cells.pdf").text
