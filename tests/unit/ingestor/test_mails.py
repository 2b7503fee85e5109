"""E-mails in encodings that the parser does not know."""

from email.header import Header

from echomind_ingestor.extract.mails import in_utf8
from echomind_ingestor.extract.read import read
from tests.drivers.tables import for_each

SENTENCE = {
    "iso-2022-jp": "会議は金曜日の午前十時に始まります。",
    "shift_jis": "会議は金曜日の午前十時に始まります。",
    "euc-jp": "会議は金曜日の午前十時に始まります。",
    "gb2312": "申请必须在两周之前提交给主管。",
    "big5": "申請必須在兩週之前提交給主管。",
    "euc-kr": "신청은 이주 전에 제출해야 합니다.",
    "koi8-r": "Отпуск длится двадцать восемь дней.",
    "windows-1252": "Die Prüfung kostet 80 €.",
}


def mail(encoding: str, text: str, *, subtype: str = "plain", stated: str = "") -> bytes:
    subject = Header(text[:8], encoding).encode()
    kind = f"Content-Type: text/{subtype}; charset={stated or encoding}"
    return f"From: a@example.org\nSubject: {subject}\n{kind}\n\n".encode() + text.encode(encoding)


@for_each(("encoding", "text"), list(SENTENCE.items()))
def test_subject_and_text_are_read_from_their_encoding(encoding: str, text: str) -> None:
    found = read(mail(encoding, text), "m.eml", "")
    assert text in found.text
    assert found.title == text[:8].strip()


def test_text_of_a_page_is_read_from_its_encoding() -> None:
    text = SENTENCE["euc-jp"]
    assert text in read(mail("euc-jp", f"<p>{text}</p>", subtype="html"), "m.eml", "").text


def test_an_unknown_name_of_an_encoding_is_guessed_from_the_text() -> None:
    assert SENTENCE["gb2312"] in read(mail("gb2312", SENTENCE["gb2312"], stated="x-unknown"), "m.eml", "").text


def test_mails_in_known_encodings_stay_as_they_are() -> None:
    known = mail("utf-8", "Grüße")
    assert in_utf8(known) is known


def test_attachments_stay_when_a_text_is_recoded() -> None:
    parts = [
        b"Subject: x\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/plain; charset=big5\n\n",
        SENTENCE["big5"].encode("big5"),
        b'\n--B\nContent-Type: text/plain; charset=big5; name="a.txt"\nContent-Disposition: attachment\n\nabc\n--B--\n',
    ]
    found = read(b"".join(parts), "m.eml", "")
    assert SENTENCE["big5"] in found.text
    assert [(member.name, member.data.strip()) for member in found.members] == [("a.txt", b"abc")]
