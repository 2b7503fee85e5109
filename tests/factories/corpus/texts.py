"""Texts in other encodings than UTF-8, and kinds whose marks are not part of what they say."""

from collections.abc import Iterator

from tests.factories.corpus import Document, labelled

_GERMAN = "Die Prüfung findet jährlich im März statt. Überschüsse fließen zurück, „sofort“ und für alle."
_RUSSIAN = "Заявление подаётся за две недели. Отпуск длится двадцать восемь дней."
_POLISH = "Wniosek składa się dwa tygodnie wcześniej. Urlop trwa dwadzieścia sześć dni, również w święta."
_JAPANESE = "会議は毎週金曜日の午前十時に始まります。資料は前日までに提出してください。"
_CHINESE = "员工每年有二十五天假期。申请必须在两周之前提交给主管。"
_TAIWANESE = "員工每年有二十五天假期。申請必須在兩週之前提交給主管。"
_KOREAN = "직원은 매년 이십오일의 휴가를 받습니다. 신청은 이주 전에 제출해야 합니다."
_ENCODED = (
    ("german-utf-16", _GERMAN, "utf-16"),
    ("german-utf-16-without-mark", _GERMAN, "utf-16-le"),
    ("russian-windows", _RUSSIAN, "cp1251"),
    ("russian-koi8", _RUSSIAN, "koi8_r"),
    ("polish-windows", _POLISH, "cp1250"),
    ("japanese-shift-jis", _JAPANESE, "cp932"),
    ("japanese-euc", _JAPANESE, "euc_jp"),
    ("japanese-iso-2022", _JAPANESE, "iso2022_jp"),
    ("chinese-gb18030", _CHINESE, "gb18030"),
    ("chinese-big5", _TAIWANESE, "big5"),
    ("korean-euc", _KOREAN, "euc_kr"),
)
_CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VTIMEZONE
TZID:Europe/Berlin
END:VTIMEZONE
BEGIN:VEVENT
UID:1@example.org
DTSTART;TZID=Europe/Berlin:20260312T140000
DTEND;TZID=Europe/Berlin:20260312T153000
SUMMARY:Budget review\\, second round
LOCATION:Room 4.12
ORGANIZER;CN="Berg, Ida":mailto:ida@example.org
DESCRIPTION:Bring the figures of February.\\nThe auditor atte
 nds.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""
_REVIEW = (
    "Summary: Budget review, second round; Start: 2026-03-12 14:00; End: 2026-03-12 15:30; Location: Room 4.12; "
    "Organizer: Berg, Ida (ida@example.org); Description: Bring the figures of February. The auditor attends."
)
_IDA = (
    "Name: Ida Berg; Organization: Harbour Office, Finance; Phone: +47 22 33 44 55; Address: Kai 4, Oslo, 0150, Norway"
)
_CONTACTS = """BEGIN:VCARD
VERSION:3.0
FN:Ida Berg
ORG:Harbour Office;Finance
TEL;TYPE=WORK:+47 22 33 44 55
ADR;TYPE=WORK:;;Kai 4;Oslo;;0150;Norway
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD
END:VCARD
BEGIN:VCARD
VERSION:2.1
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg =
Lund
TEL;VALUE=uri:tel:+47-99-88-77
END:VCARD
"""
_MAILBOX = """From ida@example.org Mon Mar  2 10:00:00 2026
From: ida@example.org
Subject: Key

The key is under the mat.
>From there it is not far.

From olaf@example.org Mon Mar  2 11:00:00 2026
From: olaf@example.org
Subject: Cat

The cat is fed at six.
"""
_PAGE = """<html><head><meta charset="windows-1251"></head><body><nav>Menu</nav>
<h1>Fees &amp; <em>rules</em></h1><p>The fee is <b>9&#8364;</b> for <i>adults</i>. Отпуск длится месяц.</p>
<blockquote>Dogs stay outside.</blockquote><dl><dt>Season</dt><dd>May to June</dd></dl>
<details><summary>More</summary>Bring your own cup.</details>
<table><caption>Prices</caption><tr><th>Who</th><th>Fee</th></tr><tr><td><b>Child</b></td><td>4 EUR</td></tr></table>
<footer>Imprint</footer></body></html>"""
_SVG = (
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>Piers</title><style>.a{fill:red}</style>'
    '<path d="M0 0L10 10"/><text>North pier: <tspan>4 m</tspan></text></svg>'
)


def texts() -> Iterator[Document]:
    """Yields texts."""
    for name, text, encoding in _ENCODED:
        sentences = text.replace("。", "。|").replace(". ", ".|").strip("|").split("|")
        yield Document(f"{name}.txt", text.encode(encoding), f"plain text in {encoding}", order=sentences)
    yield Document(
        "chinese-gbk.csv",
        "姓名,城市\n张三,北京\n李四,上海\n".encode("gbk"),
        "a table in GBK",
        labelled(("姓名", "城市"), ("张三", "北京"), ("李四", "上海")),
    )
    head = b"From: a@example.org\nSubject: =?ISO-2022-JP?B?GyRCMnE1RBsoQg==?=\nContent-Type: text/plain; charset="
    yield Document(
        "japanese.eml",
        head + b"ISO-2022-JP\n\n" + _JAPANESE.encode("iso2022_jp"),
        "a mail in an encoding that switches",
        order=("Subject: 会議", "午前十時に始まります。"),
    )
    yield Document(
        "mailbox.mbox", _MAILBOX.encode(), "a mailbox", order=("Key.eml", "Cat.eml"), members=("Key.eml", "Cat.eml")
    )
    yield Document(
        "page-windows-1251.html",
        _PAGE.encode("cp1251"),
        "a page that states its encoding, with emphasis, a quotation and terms",
        ["Who: Child; Fee: 4 EUR"],
        (
            "Fees & rules",
            "The fee is 9€ for adults. Отпуск длится месяц.",
            "Dogs stay outside.",
            "Season",
            "May to June",
            "More",
            "Bring your own cup.",
            "Prices",
        ),
        headings=("Fees & rules",),
        absent=("**", "Imprint", "Menu"),
        questions=[("What is the fee for a child?", "4 EUR")],
    )
    yield Document(
        "saved-page.mhtml",
        b"From: <Saved by Blink>\nSubject: Harbour page\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="B"\n\n--B\nContent-Type: text/html\n'
        b"Content-Transfer-Encoding: quoted-printable\n\n<html><body><h1>Harbour</h1><p>The pier is 120 m=\n long.</p>"
        b"</body></html>\n--B--\n",
        "a page that a browser saved",
        order=("Harbour", "The pier is 120 m long."),
        headings=("Harbour",),
    )
    yield Document(
        "review.ics",
        _CALENDAR.replace("\n", "\r\n").encode(),
        "a calendar",
        [_REVIEW],
        absent=("BEGIN", "UID", "Reminder"),
        questions=[("Where is the budget review?", "Room 4.12")],
    )
    yield Document(
        "contacts.vcf",
        _CONTACTS.replace("\n", "\r\n").encode(),
        "contacts",
        [_IDA, "Name: Jörg Lund; Phone: +47-99-88-77"],
        absent=("/9j/", "VCARD"),
        questions=[("What is the phone number of Ida Berg?", "+47 22 33 44 55")],
    )
    yield Document(
        "tour.srt",
        b"1\n00:00:01,000 --> 00:00:04,000\nWelcome to the harbour tour.\n\n2\n00:00:04,500 --> 00:00:08,000\n"
        b"<i>The lighthouse was built</i>\nin 1871.\n",
        "subtitles",
        order=("Welcome to the harbour tour.", "The lighthouse was built in 1871."),
        absent=("-->", "<i>"),
        questions=[("When was the lighthouse built?", "1871")],
    )
    yield Document(
        "tour.vtt",
        b"WEBVTT\n\nNOTE draft\n\nintro\n00:01.000 --> 00:04.000 align:start\n<v Ida>Welcome to the <c.loud>tour</c>.\n"
        b"\n00:04.500 --> 00:08.000\n<v Olaf>It was lit &amp; opened in 1871.\n",
        "subtitles of the web with speakers",
        order=("Ida: Welcome to the tour.", "Olaf: It was lit & opened in 1871."),
        absent=("draft", "-->", "<"),
    )
    yield Document("piers.svg", _SVG.encode(), "a drawing", order=("Piers", "North pier: 4 m"), absent=("<", "fill"))
