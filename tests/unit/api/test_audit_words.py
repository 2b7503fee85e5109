"""Each action that the audit log stores and that is no method of the contract has words in the web UI."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
_ACTION = re.compile(r'"([A-Z][A-Za-z-]+)/([A-Z]\w+)"')


def test_actions_outside_the_contract_have_words() -> None:
    words = (ROOT / "web" / "src" / "features" / "audit" / "words.ts").read_text()
    subjects, rest = words.split("const VERBS", 1)
    verbs, methods = rest.split("const METHODS", 1)
    folders = (ROOT / "services" / "api" / "echomind_api").rglob("*.py")
    actions = {found.groups() for path in folders for found in _ACTION.finditer(path.read_text())}
    assert ("Sign-in", "Password") in actions
    for subject, method in sorted(actions):
        verb = re.match("[A-Z][a-z]*", method)
        assert verb is not None
        assert re.search(rf'^  "?{subject}"?: ', subjects, re.MULTILINE), subject
        known = re.search(rf'^  "?({subject}/)?{method}"?: ', methods, re.MULTILINE)
        assert known or re.search(rf"^  {verb[0]}: ", verbs, re.MULTILINE), f"{subject}/{method}"
