"""Writes the corpus: `python -m tests.factories.corpus`."""

import json
from itertools import chain

from tests.factories.corpus.mails import mails
from tests.factories.corpus.office import office_files
from tests.factories.corpus.others import others
from tests.factories.corpus.pdfs import pdfs
from tests.factories.corpus.scanned import scanned
from tests.factories.corpus.texts import texts
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "data" / "documents"


def main() -> None:
    """Writes the files and what is expected of them, and removes what is no longer made."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = {
        document.file: document for document in chain(pdfs(), office_files(), mails(), others(), texts(), scanned())
    }
    for old in FOLDER.iterdir():
        if old.name not in made:
            old.unlink()
    for document in made.values():
        (FOLDER / document.file).write_bytes(document.data)
    lines = (json.dumps(document.expected(), ensure_ascii=False) for document in made.values())
    (FOLDER / "expected.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
