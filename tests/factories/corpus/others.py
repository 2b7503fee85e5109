"""Text of all kinds: web pages, tables of values, data, books, archives."""

import json
from collections.abc import Iterator

from tests.factories.archives import tar_of
from tests.factories.corpus import Document, labelled
from tests.factories.corpus.office import untimed
from tests.factories.files import zip_of


def others() -> Iterator[Document]:
    """Yields what is neither a PDF nor of an office program."""
    yield from _pages()
    yield from _values()
    yield from _texts()
    yield from _packed()


def _pages() -> Iterator[Document]:
    rows = (("Line", "From", "Every"), ("U1", "Warschauer", "4 min"), ("U7", "Spandau", "5 min"))
    head = "".join(f"<th>{name}</th>" for name in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows[1:])
    yield Document(
        "page.html",
        (
            "<html><head><title>Underground</title></head><body><h1>Lines</h1><p>Trains run until one.</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><h2>Tickets</h2>"
            "<p>Buy them before the journey.</p></body></html>"
        ).encode(),
        "a page with a table",
        labelled(*rows),
        ("Lines", "until one", "Warschauer", "Spandau", "Tickets", "before the journey"),
        ("Lines", "Tickets"),
        questions=[("How often does the U7 run?", "5 min")],
    )
    yield Document(
        "spans.html",
        (
            b"<html><body><h1>Duty</h1><table><tr><th>Ward</th><th>Day</th><th>Nurse</th></tr>"
            b'<tr><td rowspan="2">East</td><td>Monday</td><td>Iris</td></tr><tr><td>Tuesday</td><td>Olaf</td></tr>'
            b"<tr><td>West</td><td>Monday</td><td>Runa</td></tr></table></body></html>"
        ),
        "cells that span rows",
        labelled(
            ("Ward", "Day", "Nurse"),
            ("East", "Monday", "Iris"),
            ("East", "Tuesday", "Olaf"),
            ("West", "Monday", "Runa"),
        ),
        ("Duty", "Iris", "Olaf", "Runa"),
        ("Duty",),
        questions=[("Who is on duty in the ward East on Tuesday?", "Olaf")],
    )


def _values() -> Iterator[Document]:
    rows = (("City", "Country", "People"), ("Bergen", "Norway", "289330"), ("Malmö", "Sweden", "357377"))
    lines = labelled(*rows)
    for file, separator, encoding, title in (
        ("commas.csv", ",", "utf-8", "values separated by commas"),
        ("semicolons.csv", ";", "cp1252", "values separated by semicolons, from Windows"),
        ("tabs.tsv", "\t", "utf-16", "values separated by tabs, in UTF-16"),
    ):
        data = "\r\n".join(separator.join(row) for row in rows).encode(encoding)
        yield Document(
            file, data, title, lines, ("Bergen", "Malmö"), questions=[("Which country is Malmö in?", "Sweden")]
        )
    table = "# Fees\n\nPaid once a year.\n\n| Group | Fee |\n|---|---|\n| Adults | 40 EUR |\n| Children | 12 EUR |"
    yield Document(
        "fees.md",
        f"{table}\n\n## Refunds\n\nThere are none.\n".encode(),
        "Markdown with a table",
        labelled(("Group", "Fee"), ("Adults", "40 EUR"), ("Children", "12 EUR")),
        ("Fees", "once a year", "Adults", "Children", "Refunds", "none"),
        ("Fees", "Refunds"),
        questions=[("What is the fee for children?", "12 EUR")],
    )
    settings = {"server": {"port": 8080, "host": "mail.example.org"}, "retries": 3}
    yield Document("settings.json", json.dumps(settings, indent=1).encode(), "data as JSON", order=("8080", "retries"))
    yield Document(
        "stations.xml",
        b"<?xml version='1.0'?><stations><station id='4'><name>Voss</name></station></stations>",
        "data as XML",
        order=("Voss",),
    )


def _texts() -> Iterator[Document]:
    text = "Der Schlüssel liegt beim Pförtner.\r\nEr wird täglich geprüft.\r\n"
    yield Document(
        "western.txt", text.encode("cp1252"), "a text from Windows", order=("Schlüssel", "Pförtner", "täglich")
    )
    code = (
        'def area(radius: float) -> float:\n    """Returns the area of a circle."""\n    return 3.14159 * radius**2\n'
    )
    yield Document("circle.py", code.encode(), "source code", order=("def area", "Returns the area", "radius**2"))
    rich = r"{\rtf1\ansi{\b Lost property}\par Bags are kept for {\i ninety} days.\par}"
    yield Document("letter.rtf", rich.encode(), "rich text", order=("Lost property", "Bags are kept for ninety days."))
    notebook = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "High water is at nine."]},
            {"cell_type": "code", "metadata": {}, "source": ["level = 3.4"], "outputs": [], "execution_count": 1},
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    yield Document(
        "tides.ipynb", json.dumps(notebook).encode(), "a Jupyter notebook", order=("Tides", "High water", "level = 3.4")
    )


def _packed() -> Iterator[Document]:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Orchard</dc:title></metadata>'
        '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )

    def chapter(title: str, text: str) -> str:
        return f'<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>{title}</h1><p>{text}</p></body></html>'

    files: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "c.opf": opf,
        "a.xhtml": chapter("Apples", "Prune them in February."),
        "b.xhtml": chapter("Pears", "They are picked before they are ripe."),
    }
    yield Document(
        "orchard.epub",
        untimed(zip_of(files)),
        "a book of two chapters",
        order=("Apples", "Prune them", "Pears", "picked before"),
        headings=("Apples", "Pears"),
        questions=[("When are apples pruned?", "February")],
    )
    inner = {"rules/leave.md": b"# Leave\n\nThirty days.", "rates.csv": b"City,Rate\nOslo,200\n"}
    yield Document("papers.zip", untimed(zip_of({**inner})), "an archive", order=tuple(inner), members=tuple(inner))
    yield Document("papers.tar", tar_of(inner, "w"), "an archive of Unix", order=tuple(inner), members=tuple(inner))
