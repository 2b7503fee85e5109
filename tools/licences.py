"""Compares the licences of the locked dependencies with the recorded ones: `python tools/licences.py [--renew]`.

`third_party/dependency-licences.tsv` has a line for each: its name, its licence as its metadata states it, and whether
its wheel has the text of the licence. A licence that changes with a new version is thereby read by somebody before it
lands.
"""

import re
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "third_party" / "dependency-licences.tsv"
_LOCKED = re.compile(r"^(?P<name>[\w.-]+)(\[[\w,.-]+\])?==", re.ASCII | re.MULTILINE)
_TEXT = re.compile(r"(?i)(^|/)(licen[cs]e|copying|notice)[^/]*(/|$)")
_REFUSED = re.compile(r"(?i)\b(A?GPL|SSPL|BUSL|Elastic|Commons[- ]Clause|Proprietary|CC-BY-NC)")
_READ = {"pyrage": "MIT"}
"""Licences of wheels that state none in their metadata, from the text that they contain."""
_PERMITTED = re.compile(r"(?i)\b(MIT|BSD|Apache|MPL|PSF|ISC|LGPL)")


def locked() -> list[str]:
    """Returns the names of the locked dependencies of the product that are installed here."""
    names = {match["name"] for match in _LOCKED.finditer((ROOT / "requirements.lock").read_text(encoding="utf-8"))}
    return sorted(name for name in names if _is_installed(name))


def licence_of(name: str) -> tuple[str, str]:
    """Returns the licence of an installed distribution in one line, and `text` if its wheel has its text, else `-`."""
    about = metadata.metadata(name)
    classifiers = [each.rpartition(" :: ")[2] for each in about.get_all("Classifier") or [] if "License ::" in each]
    stated = (
        about["License-Expression"] or (about["License"] or "").strip().partition("\n")[0] or ", ".join(classifiers)
    )
    has_text = any(_TEXT.search(str(file)) for file in metadata.files(name) or ())
    if not stated and has_text:
        stated = _READ.get(name, "")
    return " ".join(stated.split())[:100], "text" if has_text else "-"


def recorded() -> dict[str, tuple[str, str]]:
    """Returns the recorded licences by name."""
    if not RECORD.exists():
        return {}
    lines = RECORD.read_text(encoding="utf-8").splitlines()[1:]
    return {name: (licence, text) for name, licence, text in (line.split("\t") for line in lines)}


def problems() -> list[str]:
    """Returns what is wrong with the licences of the locked dependencies, in sentences."""
    known = recorded()
    found = []
    for name in locked():
        licence, text = licence_of(name)
        if not licence:
            found.append(f"{name}: its metadata states no licence.")
        elif _REFUSED.search(licence) and not ("OR" in licence and _PERMITTED.search(licence)):
            found.append(f"{name}: {licence!r} does not fit a product under Apache-2.0.")
        elif known.get(name) != (licence, text):
            before = " and ".join(known[name]) if name in known else "nothing"
            found.append(f"{name}: states {licence!r} ({text}), recorded is {before}. Read it, then --renew.")
    return found


def main() -> None:
    """Compares, or records with `--renew`."""
    if "--renew" in sys.argv:
        # Those of other systems, which are not installed here, stay recorded.
        every = recorded() | {name: licence_of(name) for name in locked()}
        lines = ["name\tlicence\tin its wheel", *("\t".join((name, *every[name])) for name in sorted(every))]
        RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if found := problems():
        sys.exit("\n".join(found))


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    main()
