"""Decoding, the kept form of texts, headings, running text of pages, and spreadsheets."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from echomind_ingestor.extract.decode import decode, normalize
from echomind_ingestor.extract.headings import front_matter, locate, markdown_headings, plain, unlink
from echomind_ingestor.extract.pages import join_pages, reflow
from echomind_ingestor.extract.result import Heading
from echomind_ingestor.extract.sheets import rows_text, sheets_text
from tests.drivers.tables import for_each

FRENCH = "Élève, où êtes-vous passé hier après-midi ? Le médecin a demandé votre présence à l'hôpital. " * 8


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_text_is_decoded_from_its_encoding(encoding: str) -> None:
    assert decode(FRENCH.encode(encoding)) == FRENCH


def test_short_western_text_is_decoded() -> None:
    assert decode("Café: 5 €".encode("cp1252")) == "Café: 5 €"


SHORT = {
    "Die Prüfung ist im März.": ("cp1252", "utf-16-le", "utf-16-be"),
    "À Noël, la forêt est fermée.": ("cp1252",),
    "Die Prüfung der Anträge ist jährlich im März, über alle Größen hinweg, und kostet nichts.": ("mac_roman", "cp850"),
    "Отпуск длится двадцать восемь дней.": ("cp1251", "koi8_r", "cp866"),
    "Wniosek składa się dwa tygodnie wcześniej, również w święta i niedziele.": ("cp1250", "iso8859_2"),
    "Η αίτηση υποβάλλεται δύο εβδομάδες πριν.": ("cp1253",),
    "会議は金曜日の午前十時に始まります。": ("cp932", "euc_jp", "iso2022_jp"),
    "申请必须在两周之前提交给主管。": ("gb18030",),
    "申請必須在兩週之前提交給主管。": ("big5",),
    "신청은 이주 전에 제출해야 합니다.": ("euc_kr",),
}


@for_each(("text", "encoding"), [(text, encoding) for text, names in SHORT.items() for encoding in names])
def test_one_sentence_is_enough_to_find_its_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_the_encoding_that_a_file_states_is_used_where_its_bytes_are_in_it() -> None:
    page = "<meta http-equiv=Content-Type content='text/html; charset=windows-1253'><p>"
    assert decode((page + "Ω").encode("cp1253")) == page + "Ω"
    assert decode((page + "Ω").encode()) == page + "Ω", "UTF-8 is not mistaken for anything else"
    stated = "<?xml version='1.0' encoding='ISO-8859-5'?><a>Ы</a>"
    assert decode(stated.encode("iso8859-5")) == stated
    wrong = "<meta charset='shift_jis'><p>Größe über alles, schöne Grüße</p>"
    assert decode(wrong.encode("cp1252")) == wrong
    assert decode("<meta charset='rot13'><p>Größe über alles</p>".encode("cp1252")) is not None


def test_bytes_of_programs_are_no_text() -> None:
    assert decode(b"\x7fELF" + bytes(range(32)) * 10) is None
    assert decode(bytes(16) + b"\x01\xd8\x02\xd9" * 100) is None


def test_kept_form() -> None:
    text = "\ufeffCafe\u0301\u00a0bar\r\n\r\n\r\n\r\nin\u00adfor\u200bmation  \x00\rend\ud800\n"
    assert normalize(text) == "Café bar\n\ninformation\nend"


@given(st.text())
@example("\u0344\u2028 \n\n\n\u0301")
def test_kept_form_stays_itself_and_can_be_stored(text: str) -> None:
    kept = normalize(text)
    assert normalize(kept) == kept
    assert "\0" not in kept
    assert kept.encode().decode() == kept
    assert unicodedata.is_normalized("NFC", kept)


def test_markdown_headings_leave_code_and_front_matter_out() -> None:
    text = normalize(
        "---\ntitle: 'The *Guide*'\n---\n# Set up ##\n\n```sh\n# no heading\n```\n\nIn two\n======\n\ntext\n\n"
        "- item\n---\n\n### `run` [it](http://x.y/z_(1))\n#no heading\n"
    )
    assert front_matter(text) == (text.index("# Set up"), "The Guide")
    assert markdown_headings(text) == [
        Heading(1, "Set up", text.index("# Set up")),
        Heading(1, "In two", text.index("In two")),
        Heading(3, "run it", text.index("### `run`")),
    ]


def test_markdown_without_end_of_front_matter_has_none() -> None:
    assert front_matter("---\ntitle: x\n\ntext") == (0, "")


def test_plain_line_of_markdown() -> None:
    assert plain('**Fees** for \\*all\\* [pages](a.html "t") and ![pic](p.png)') == "Fees for *all* pages and pic"


def test_headings_are_found_as_whole_lines_in_order() -> None:
    text = "Leave\n\nLeave is granted.\n\nSick\nleave\n\ntext\n\nLeave\n\nmore"
    headings = [Heading(1, "Leave", 0), Heading(1, "Absent", 0), Heading(2, "Sick leave", 0), Heading(1, "Leave", 0)]
    assert [heading.start for heading in locate(headings, text)] == [0, text.index("Sick"), text.rindex("Leave")]


def test_lines_of_a_page_become_running_text() -> None:
    lines = [
        "The committee has decided that infor-",
        "mation about leave is given to every",
        "employee in writing.",
        "A second paragraph follows the first and",
        "it is long enough to go on.",
        "• a point of a list that is rather long",
        "• another",
    ]
    assert reflow(lines).split("\n") == [
        "The committee has decided that information about leave is given to every employee in writing.",
        "A second paragraph follows the first and it is long enough to go on.",
        "• a point of a list that is rather long",
        "• another",
    ]


def test_running_heads_and_page_numbers_go_and_pages_are_known() -> None:
    pages = [
        f"ACME Handbook\nChapter {number}\n"
        + "\n".join(f"Line {line} of page {number} says" for line in range(8))
        + f"\n{number}"
        for number in range(1, 6)
    ]
    text, starts = join_pages(pages)
    assert "ACME" not in text
    assert [text[page.start :].split(" Line")[0].split("\n")[0] for page in starts] == [
        f"Chapter {n}" for n in range(1, 6)
    ]
    assert not any(line.isdigit() for line in text.split("\n"))


def test_short_and_empty_pages() -> None:
    text, starts = join_pages(["", "Only this", "Only this", "Only this"])
    assert text == "Only this\n\nOnly this\n\nOnly this"
    assert [page.number for page in starts] == [2, 3, 4]
    assert join_pages([]) == ("", ())


def test_rows_name_their_cells() -> None:
    assert rows_text([["Item", "Cost"], ["Desk", "100"], ["", ""], ["Lamp", ""]]) == "Item: Desk; Cost: 100\nItem: Lamp"
    assert rows_text([["1", "2"], ["3", "4"]]) == "1 | 2\n3 | 4"
    assert rows_text([["Just", "one"]]) == "Just | one"


def test_a_row_of_names_after_an_empty_one_begins_another_table() -> None:
    stock = [["Fruit", "Kilo"], ["Apple", "3"], ["", ""]]
    assert rows_text([*stock, ["City", "Zip"], ["Bonn", "53111"]]) == "Fruit: Apple; Kilo: 3\n\nCity: Bonn; Zip: 53111"
    assert rows_text([*stock, ["Pear", "few"], ["Plum", "none"]]).endswith(
        "Fruit: Pear; Kilo: few\nFruit: Plum; Kilo: none"
    )
    assert rows_text([*stock, ["Pear", "4"]]).endswith("Fruit: Pear; Kilo: 4")


def test_cells_are_read_as_they_are_shown() -> None:
    rows = [["2026-03-01 00:00:00", "1899-12-31 08:30:00", "0.15000000000000002", "2026-01-05 09:15:00"]]
    assert rows_text(rows) == "2026-03-01 | 08:30:00 | 0.15 | 2026-01-05 09:15:00"


def test_sheets_stand_under_their_names() -> None:
    text, headings = sheets_text([("A", [["x"]]), ("Empty", []), ("B", [["y"]])])
    assert text == "A\n\nx\n\nB\n\ny"
    assert headings == (Heading(1, "A", 0), Heading(1, "B", 6))


@pytest.mark.parametrize(
    ("line", "title"), [("# C#", "C#"), ("# Title ##", "Title"), ("# Title#  ", "Title#"), ("# #a # #", "#a #")]
)
def test_closing_signs_of_a_heading_are_left_out_and_others_stay(line: str, title: str) -> None:
    (heading,) = markdown_headings(line)
    assert heading.title == title


@pytest.mark.parametrize(
    "text",
    [
        "# " + "*a " * 300_000,
        "# " + "# \t" * 500_000 + "x",
        "# a" + " " * 1_000_000 + "x",
        "# " + "[" * 1_000_000,
        "\n".join("# " + "**a" * 3000 for _ in range(300)),
    ],
    ids=["emphasis", "closing signs", "blanks", "brackets", "many"],
)
def test_hostile_headings_take_no_time_that_grows_with_their_square(text: str) -> None:
    began = time.process_time()
    markdown_headings(text)
    unlink(text)
    assert time.process_time() - began < 10


def test_blanks_inside_a_line_take_no_time_that_grows_with_their_square() -> None:
    text = "a" + " " * 1_000_000 + "b"
    began = time.process_time()
    assert normalize(text + " \t \nc") == text + "\nc"
    assert time.process_time() - began < 10
