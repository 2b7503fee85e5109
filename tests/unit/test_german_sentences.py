"""Every sentence of the server has a German text in the web UI, which finds it by the sentence."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from echomind_api.privacy.registry import STORES
from echomind_api.start.seeds import ASSISTANT_DESCRIPTION, ASSISTANT_STARTERS, BUILT_IN_NAME

ROOT = Path(__file__).parents[2]
GERMAN = ROOT / "web" / "src" / "locales" / "de" / "server-sentences.json"

INGESTOR = ROOT / "services" / "ingestor" / "echomind_ingestor"
AGENT = ROOT / "services" / "agent" / "echomind_agent"
API = ROOT / "services" / "api" / "echomind_api"
TYPES = ROOT / "echomind_lib" / "connectors" / "types"

_ENTRY = re.compile(r'^(?:msgctxt (".*")\n)?msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)', re.MULTILINE)
"""A text of a catalog: its context, itself and its translation."""

SENTENCES = (
    *sorted(INGESTOR.rglob("*.py")),
    AGENT / "steps" / "invoker.py",
    AGENT / "steps" / "executor.py",
    AGENT / "mcp" / "servers.py",
    AGENT / "tools" / "listing.py",
    AGENT / "webhooks" / "rights.py",
    AGENT / "webhooks" / "sender.py",
    API / "administration" / "health.py",
    ROOT / "echomind_lib" / "llms" / "errors.py",
)
"""Modules of which people read every sentence: what failed, and what to do."""

PROBLEMS = (
    AGENT / "mcp" / "connection.py",
    AGENT / "mcp" / "programs.py",
    INGESTOR / "connectors" / "web" / "sitemaps.py",
)
"""Modules that name what is wrong with a thing in clauses: `it did not answer in time`."""

MODEL_FAULTS = ROOT / "echomind_lib" / "llms" / "faults.py"
"""What a test of a model says: the server, what it did, and after a semicolon what to do."""

CHECKS = {"Check", "_failed", "probe"}
"""Calls whose first argument, or `name`, is the name of a check of a source."""

PARTS = {
    ROOT / "echomind_lib" / "db" / "holds.py": [
        "This cannot be deleted permanently, because your organization has to keep it. Ask an administrator.",
        "This cannot be moved or shared, because your organization has to keep it where it is. Ask an administrator.",
    ],
    API / "accounts" / "erasures.py": [
        "A legal hold is on this account, or on one of its conversations: release it before you delete the account.",
        "The account was activated again, which cancels its erasure: erase it again if you want to.",
        "No superadmin is active who could get what is shared.",
        "Something went wrong in EchoMind; the log of the API says more.",
    ],
    API / "privacy" / "counts.py": [],
    API / "privacy" / "counts.py": [
        "are deleted in the background within minutes, files of earlier versions within two hours",
        "are deleted in the background within minutes",
    ],
    ROOT / "echomind_lib" / "retrieval" / "search.py": [
        (
            "The server of the embedding model does not answer: the documents were searched by their words alone, so "
            "that passages that say it in other words may be missing."
        )
    ],
    ROOT / "echomind_lib" / "network" / "fetching.py": [
        "{1} is not an address that begins with http:// or https:// and has a host.",
        "{1} did not answer within {2} seconds.",
        "{1} cannot be found: there is no such host.",
        "{1} has a TLS certificate that does not verify.",
        "{1} could not be read: the connection failed.",
        "{1} must not be fetched: {2}.",
        "{1} is not a valid address.",
    ],
    ROOT / "echomind_lib" / "embeddings" / "served.py": [
        "The embedding model of the index was removed: tell an administrator.",
        "The server of the embedding model does not answer: try again later.",
        "The embedding model cannot be used: tell an administrator, who can test it.",
    ],
    API / "models" / "embedding_tests.py": [
        (
            "It answers with {1} dimensions and finds the right passage for {2} of {3} questions in English, German "
            "and Chinese."
        ),
        ("Its vectors have {1} dimensions instead of {2}: the server has another model."),
        (
            "It answers, but finds the right passage for only {1} of {2} questions: check that it is a model for "
            "embeddings, and its prefixes."
        ),
    ],
    ROOT / "echomind_lib" / "retrieval" / "reranking.py": [
        (
            "The reranker did not answer in time: the passages are in the search's own order, so that the best one may "
            "not be the first."
        )
    ],
    API / "models" / "reranker_tests.py": [
        "It puts the right passage first for {1} of {2} questions.",
        (
            "It answers, but puts the right passage first for only {1} of {2} questions: check that it is a model for "
            "reranking."
        ),
    ],
    API / "learned" / "knowledge" / "reviews.py": [
        "Not everybody may read the document {1}, which it was drawn from, or it is not there any more.",
        "Not everybody may read the documents {1}, which it was drawn from, or they are not there any more.",
        "{1} and others",
    ],
    API / "calls" / "shared_limits.py": [
        "{1} limit of {2} requests a minute is used up: try again in {3} s.",
        "{1} limit of {2} open streams at a time is reached: close some first.",
    ],
    ROOT / "echomind_lib" / "runs" / "unfinished.py": [
        "{1} limit of {2} unfinished questions at a time is reached: wait until one is answered."
    ],
    ROOT / "echomind_lib" / "access" / "principal.py": [
        "The API key's",
        "Your",
        "Your group's",
        "The organization's",
    ],
    API / "sources" / "connector_schedule.py": [
        "It has no credentials yet: sign in, or enter them.",
        (
            "Somebody else changed what it reads or who may read it, so the sign-in was removed: check its settings, "
            "and sign in again."
        ),
        "Whoever signed in has disconnected their account: sign in again.",
    ],
    API / "sources" / "connectors.py": [
        "The readers of its documents from before are still being removed: set this permission mode in a few minutes."
    ],
    API / "notebooks" / "notes.py": ["Somebody has changed this note since you read it."],
    API / "evaluation" / "sharing.py": [
        "documents that were removed, or that you may not read any more",
        (
            "Not everybody whom the dataset is shared with may read what the rated answers draw on: {1}. "
            "Use a dataset that is private, or shared with a group that may read it."
        ),
    ],
    API / "conversations" / "exclusions.py": [
        "Excluded a message from context",
        "Included a message in context again",
        "Excluded step {1} from context",
        "Included step {1} in context again",
    ],
    ROOT / "echomind_lib" / "runs" / "inputs.py": [
        "Answered by a person",
        "The person denied this call{1}",
    ],
    AGENT / "state" / "suspension.py": [
        (
            "The call of {1} was interrupted, and whether it took effect is not known. "
            "Please look, and say what is the case."
        )
    ],
    API / "sources" / "connector_types.py": ["Only people with the role {1} can add {2}: ask one of them."],
    TYPES / "web.py": ["must be an address that begins with https:// or http://"],
    TYPES / "storage.py": [
        "may have only letters, digits, dots, hyphens, underscores and $",
        "must be an address that begins with https:// or http://, without credentials",
        "may have only lower-case letters, digits and hyphens",
    ],
    TYPES / "teams.py": ["must be the id of a team, not its name or address"],
    TYPES / "onedrive.py": ["must be an address of a site that begins with https://"],
    TYPES / "google_drive.py": ["must be an e-mail address"],
    TYPES / "microsoft.py": ["must be an id as Entra shows it, or a domain", "must be an id as Entra shows it"],
    TYPES / "file.py": ["must be an absolute path, such as /srv/handbooks"],
    AGENT / "learning" / "knowledge" / "lessons.py": ["The model did not answer in the form it was asked for."],
    ROOT / "echomind_lib" / "learned" / "sessions" / "models.py": [
        (
            "The model did not answer in the form that learning needs. After ten conversations, learning with it "
            "pauses for a day, or until the model is changed, or these jobs are put back or discarded."
        )
    ],
    AGENT / "execution" / "notebook_summaries.py": ["A quota of whoever asked for the summary is used up."],
    AGENT / "execution" / "goal.py": [
        "The goal was not reached: {1}",
        "{1} Not done: {2}.",
        "{1}; and {2} more",
        "The goal was not reached: {1} still open.",
        "The goal was not reached: the agent did not report that it is.",
        "the todo “{1}” is",
        "the todos “{1}” are",
        "{1} The run has taken its {2} steps.",
    ],
    AGENT / "mcp" / "http.py": ["EchoMind cannot sign in at it: check the issuer, the client id and the client secret"],
    INGESTOR / "pipeline" / "claims.py": ["Reading the file"],
    INGESTOR / "pipeline" / "processing.py": [
        "Waiting for room on the disk",
        "Trying again soon, attempt {1} of {2} failed: {3}",
    ],
    INGESTOR / "pipeline" / "outcomes.py": [
        "Indexing, {1} of {2} passages done",
        "Recognising text, {1} of {2} pages done",
    ],
    INGESTOR / "pipeline" / "descriptions.py": ["Describing the image", "describes images"],
    INGESTOR / "pipeline" / "transcription.py": ["Transcribing the sound", "transcribes sound"],
    INGESTOR / "extract" / "kinds.py": [
        *("a program", "an archive", "an image", "a sound or a film", "a database"),
        "a winmail.dat of Outlook",
    ],
    INGESTOR / "extract" / "parser.py": ["document"],
    INGESTOR / "connectors" / "google_drive" / "listing.py": ["folder", "shared drive"],
    INGESTOR / "connectors" / "vendor_client.py": ["something else than JSON", "nothing"],
    INGESTOR / "connectors" / "onedrive" / "drives.py": ["The account that signed in"],
}
"""Other sentences and parts of sentences, by their modules."""


def test_each_sentence_of_the_server_has_a_german_one() -> None:
    german = json.loads(GERMAN.read_text())
    written = {sentence for path in SENTENCES for sentence in _sentences(path)}
    written |= {clause for path in PROBLEMS for clause in _clauses(path)}
    written |= set(_model_faults())
    written |= {name for path in sorted(INGESTOR.rglob("*.py")) for name in _check_names(path)}
    written |= {text for path in sorted((AGENT / "tools").glob("*.py")) for text in _tool_descriptions(path)}
    written |= {store.reason for store in STORES}
    for path, parts in PARTS.items():
        assert set(parts) <= set(_templates(path)), f"{path.name} has other texts"
        written |= set(parts)
    assert written - set(german) == set(), "without a German text"
    assert set(german) - written == set(), "not written by the server"


def test_the_texts_of_a_new_installation_are_in_the_catalogs_of_the_web_ui() -> None:
    catalogs = "".join(path.read_text() for path in GERMAN.parent.glob("*.po"))
    for text in (BUILT_IN_NAME, ASSISTANT_DESCRIPTION, *ASSISTANT_STARTERS):
        assert f'msgid "{text}"' in catalogs


def test_a_text_of_the_pages_has_one_translation() -> None:
    """The catalogs of all parts are merged: of two translations of one text, one would show everywhere."""
    translations: dict[tuple[str, ...], set[str]] = {}
    for catalog in sorted(GERMAN.parent.glob("*.po")):
        for context, text, translation in _ENTRY.findall(catalog.read_text()):
            translations.setdefault((context, text), set()).add(translation)
    assert len(translations) > 2000
    assert {key: found for key, found in translations.items() if len(found) > 1} == {}


def test_a_german_sentence_has_no_other_values() -> None:
    for english, german in json.loads(GERMAN.read_text()).items():
        assert german
        assert set(re.findall(r"\{\d\}", german)) <= set(re.findall(r"\{\d\}", english)), english


def _sentences(path: Path) -> Iterator[str]:
    for template in _templates(path):
        words = len(re.findall(r"[^\W\d_]{2,}", template))
        ends = words >= 2 and template.endswith(".")
        goes_on = words >= 4 and re.search(r"\. \{\d\}$", template) is not None  # with the sentence of a value
        if (ends or goes_on) and re.match(r"[A-Z{]", template):
            yield template


def _clauses(path: Path) -> Iterator[str]:
    return (template for template in _templates(path) if re.match(r"its? ", template))


def _model_faults() -> Iterator[str]:
    for template in _templates(MODEL_FAULTS):
        if re.match(r"(?:the answer of )?\{1\} (?!at ).*[a-z]", template):
            whole = template
        elif re.match(r"[a-z ]+ .*(?:; |content filter)", template):
            # With the server before it, and the status behind it.
            whole = f"{{1}} {template.replace('{model}', '{2}')} (HTTP {{{3 if '{model}' in template else 2}}})"
        else:
            continue
        later = re.sub(r"\{([2-9])\}", lambda number: f"{{{int(number[1]) + 1}}}", whole)
        yield later.replace("{1}", "{1} at {2}")  # provider and host


def _check_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("protocol.") in CHECKS:
            names = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "name")]
            yield from filter(None, map(_template, names))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and "check" in node.name:
            for step in ast.walk(node):
                if isinstance(step, ast.Assign) and ast.unparse(step.targets[0]) == "name":
                    yield from filter(None, [_template(step.value)])


def _tool_descriptions(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_tool = any(isinstance(each, ast.Call) and ast.unparse(each.func) == "tool" for each in node.decorator_list)
        if is_tool and (text := ast.get_docstring(node)):
            yield " ".join(text.split())
        elif is_tool:
            yield from (each for each in _templates(path) if each.endswith(".") and "your team" in each)


def _templates(path: Path) -> Iterator[str]:
    """Yields the texts of a module but docstrings and what is logged; the values in one are `{1}`, `{2}`."""
    tree = ast.parse(path.read_text())
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
        elif isinstance(node, ast.Call) and re.match(
            r"log\.|Counter|Gauge|Histogram|\w*meter\.", ast.unparse(node.func)
        ):
            skipped |= {id(part) for given in [*node.args, *node.keywords] for part in ast.walk(given)}
    for node in ast.walk(tree):
        if id(node) not in skipped and (template := _template(node)):
            yield template


def _template(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    values = iter(range(1, len(node.values) + 1))
    return "".join(str(part.value) if isinstance(part, ast.Constant) else f"{{{next(values)}}}" for part in node.values)
