"""Mails: a thread, formatted ones, attachments, mails within mails."""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime

from tests.factories.corpus import Document, labelled


def mails() -> Iterator[Document]:
    """Yields mails."""
    yield from _thread()
    yield from _formatted()
    yield from _with_files()


def _mail(subject: str, sender: str, day: int, text: str) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = f"{sender} <{sender.split(maxsplit=1)[0].lower()}@example.org>"
    message["To"] = "team@example.org"
    message["Date"] = format_datetime(datetime(2025, 3, day, 9, 30, tzinfo=UTC))
    message["Message-ID"] = f"<{day}@example.org>"
    message.set_content(text)
    return message


def _bytes(message: EmailMessage) -> bytes:
    for number, part in enumerate(message.walk()):
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            part.set_boundary(f"part-{number}")
    return bytes(message)


def _thread() -> Iterator[Document]:
    first = _mail("Server room", "Ada Holm", 3, "The cooling fails at 31 degrees.\n\nWho has the key?")
    yield Document(
        "thread-1.eml",
        _bytes(first),
        "the first mail of a thread",
        order=("The cooling fails at 31 degrees.", "Who has the key?"),
    )
    quoted = "On Monday, Ada Holm wrote:\n> The cooling fails at 31 degrees.\n>\n> Who has the key?"
    second = _mail("Re: Server room", "Ben Dahl", 4, f"The porter has it, number 17.\n\n{quoted}")
    second["In-Reply-To"] = "<3@example.org>"
    yield Document(
        "thread-2.eml",
        _bytes(second),
        "a reply with the mail that it answers",
        order=("The porter has it, number 17.", "Ada Holm wrote:", "The cooling fails at 31 degrees."),
        questions=[("Which number of the porter is it?", "The porter has it, number 17")],
    )
    third = _mail("AW: Re: Server room", "Cara Lie", 5, "Danke, die Kühlung läuft wieder.\n\n-- \nCara Lie\nTechnik")
    third["References"] = "<3@example.org> <4@example.org>"
    yield Document(
        "thread-3.eml",
        _bytes(third),
        "a reply in another language with a signature",
        order=("Danke, die Kühlung läuft wieder.", "Technik"),
    )


def _formatted() -> Iterator[Document]:
    rows = (("Room", "Seats"), ("Fjord", "12"), ("Fell", "30"))
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    message = _mail("Rooms", "Dora Moe", 6, "Please see the formatted text.")
    message.clear_content()
    message.set_content(
        f"<html><body><p>These rooms are free:</p><table>{cells}</table><p>Book by noon.</p></body></html>",
        subtype="html",
    )
    yield Document(
        "formatted.eml",
        _bytes(message),
        "a mail that is only HTML, with a table",
        labelled(*rows),
        ("Subject: Rooms", "These rooms are free:", "Fjord", "Fell", "Book by noon."),
        questions=[("How many seats has the room Fell?", "30")],
    )


def _with_files() -> Iterator[Document]:
    message = _mail("Timetable", "Eli Strand", 7, "The ferry timetable is attached.")
    message.add_attachment(b"From,To\nOslo,Kiel\n", maintype="text", subtype="csv", filename="ferry.csv")
    message.add_attachment(b"Leaves at two.", maintype="text", subtype="plain", filename="note.txt")
    yield Document(
        "attachments.eml",
        _bytes(message),
        "a mail with attachments",
        order=("The ferry timetable is attached.",),
        absent=("Leaves at two.",),
        members=("ferry.csv", "note.txt"),
    )
    outer = _mail("Fwd: Timetable", "Finn Aas", 8, "Please read the mail below.")
    outer.add_attachment(_mail("Timetable of May", "Eli Strand", 7, "The ferry leaves at three in May."))
    yield Document(
        "mail-in-mail.eml",
        _bytes(outer),
        "a mail that was forwarded as an attachment",
        order=("Please read the mail below.",),
        members=("Timetable of May.eml",),
    )
