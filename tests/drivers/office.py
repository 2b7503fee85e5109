"""An installation that has what the documentation speaks of, and somebody who types its commands."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from typer.testing import CliRunner, Result

from echomind.cli.app import app
from tests.drivers.model_server import Text, Tools, Turn
from tests.drivers.shell import shell_environment
from tests.drivers.snippets import snippets
from tests.drivers.up import Up
from tests.paths import ROOT

EVALUATING = ROOT / "docs" / "guide" / "evaluating-assistants.md"
PLACE = "http://127.0.0.1:8080"
"""The address of EchoMind in the documentation."""
Values = dict[str, str]
_CRON = re.compile(r"([\d*]+ ){5}")
_RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
"""A public key of age's documentation."""
_ACCOUNT = "c5d0f4a2-9a36-4b52-9d8f-0f6f2f1f3c11"
"""Of an application at Microsoft, which nobody has."""
_MESSAGES: dict[str, Any] = {
    "m0": {"id": "m0", "parentId": None, "role": "user", "content": "When does it open?", "timestamp": 1_700_000_000},
    "m1": {"id": "m1", "parentId": "m0", "role": "assistant", "content": "At six.", "timestamp": 1_700_000_001},
}
_CONVERSATION: dict[str, Any] = {
    "id": "c1",
    "title": "The garage",
    "chat": {"history": {"messages": _MESSAGES, "currentId": "m1"}},
    "created_at": 1_700_000_000,
}
"""Of Open WebUI's export."""


@dataclass
class Office:
    """The installation, with people, groups, documents, a conversation and an assistant, and a folder to type in."""

    up: Up
    folder: Path
    output: str = ""
    """The output of the last command."""
    link: str = ""
    """The last link that a command printed."""
    site: str = ""
    """The address of a small web site."""
    backups: int = 0
    """How many backups were named: a command names a file that there is not yet."""

    def _invoke(self, words: list[str]) -> Result:
        """Runs a command in a thread of its own, as it has an event loop of its own."""
        environment = shell_environment(
            ECHOMIND_URL=self.up.url,
            ECHOMIND_API_KEY=self.up.api_key,
            ECHOMIND_DATA_DIR=str(self.up.data_dir),
            ECHOMIND_CONFIG_DIR=str(self.folder / "config"),
            NO_COLOR="1",
        )
        with ThreadPoolExecutor(1) as thread, chdir(self.folder):
            done = thread.submit(CliRunner().invoke, app, words, env=environment).result()
        is_asking = "confirm it with --yes" in done.stderr
        assert done.exit_code == 0 or is_asking, (words, done.stdout, done.stderr, done.exception)
        return done

    def run(self, *words: str) -> str:
        """Runs a command, and returns what it says."""
        return str(self._invoke(list(words)).stdout)

    def json(self, *words: str) -> Any:
        """Returns what a command says to programs."""
        return json.loads(self.run(*words, "--json"))

    def type(self, command: str) -> str:
        """Runs a command of a page: one of EchoMind up to a pipe here, and confirmed; any other in a shell.

        A line of a crontab is run as cron does, whatever its time is.
        """
        if is_of_cron := _CRON.match(command):
            command = command[is_of_cron.end() :].replace(r"\%", "%")
        words = shlex.split(command)
        # A backup heeds signals, which only a main thread may do.
        if words[0] in {"echomind", "bin/echomind"} and not is_of_cron and words[1] != "backup":
            words = words[1 : words.index("|") if "|" in words else None]
            done = self._invoke(words)
            if "confirm it with --yes" in done.stderr:
                done = self._invoke([*words, "--yes"])
            self.output = done.stdout
        else:
            shell = ["bash", "-ec", command.replace("curl ", "curl --fail-with-body --max-time 60 ")]
            programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            environment = os.environ | {"KEY": self.up.api_key, "PATH": programs}
            environment |= {"ECHOMIND_URL": self.up.url, "ECHOMIND_DATA_DIR": str(self.up.data_dir)}
            self.output = subprocess.check_output(shell, text=True, timeout=120, cwd=self.folder, env=environment)
        if found := re.search(r"^https?://\S+$", self.output, re.MULTILINE):
            self.link = found[0]
        return self.output


def furnish(office: Office, model_url: str) -> None:
    """Makes what pages speak of without making it."""
    (office.folder / "backups").mkdir()
    for name in ("handbook", "srv/handbooks/policies"):
        (office.folder / name).mkdir(parents=True)
        (office.folder / name / "garage.txt").write_text("The garage opens at six in the morning.")
    (office.folder / "examples").symlink_to(ROOT / "examples")
    shutil.copy(ROOT / "examples" / "documents" / "leave.md", office.folder / "handbook.pdf")
    for group in ("research", "hr", "board"):
        office.run("groups", "add", group)
    for person in ("ben", "ada", "eve"):
        office.run("users", "add", person, f"{person}@example.org")
    (office.folder / "contracts.json").write_text('{"s3": {"access_key": "a", "secret_key": "b"}}')
    microsoft = dict.fromkeys(("tenant_id", "client_id", "client_secret"), _ACCOUNT)
    (office.folder / "microsoft.json").write_text(json.dumps({"application": microsoft}))
    with ZipFile(office.folder / "export.zip", "w") as export:
        export.writestr("conversations.json", json.dumps([_CONVERSATION]))
    (questions,) = [snippet.text for snippet in snippets(EVALUATING) if snippet.language == "json"]
    (office.folder / "leave.jsonl").write_text(questions)
    office.run("ingest", "handbook", "--wait")
    scripted = ("--provider", "openai", "--model", "scripted", "--endpoint", model_url, "--provider-key", "none")
    office.run("llms", "add", "gpt-4o", *scripted, "--default")
    account = ("--issuer", "https://id.example.org/", "--client-id", "x", "--client-secret", "x")
    office.run("identity-providers", "add", "company", "--title", "Company", *account)
    office.run("keys", "add", "program")
    office.run("service-accounts", "add", "tickets", "--owner", "research")
    office.run("service-accounts", "add-key", "tickets", "desk")
    office.run("ask", "When does the garage open?")


def reply(body: dict[str, Any]) -> Turn:
    """What the model says: it searches, and cites what it has found; a judge finds everything good."""
    if not body.get("tools"):
        return Text('{"score": 1, "reason": "It is so."}')
    if body["messages"][-1]["role"] == "tool":
        if any(tool["function"]["name"] == "finish_goal" for tool in body["tools"]):
            goal = {"outcome": "reached", "summary": "The garage opens at six in the morning [1].", "todos": []}
            return Tools([("finish_goal", goal)])
        return Text("The garage opens at six in the morning [1].")
    return Tools([("search_documents", {"query": "When does the garage open in the morning?"})])


def _ids(office: Office, *words: str) -> list[str]:
    """Returns the ids of what a command lists."""
    (listed,) = (value for value in office.json(*words).values() if isinstance(value, list))
    return [str(each["id"]) for each in listed]


def _answer(office: Office) -> Values:
    """The answer of the newest conversation."""
    session = _ids(office, "sessions", "list")[0]
    messages = office.json("sessions", "messages", session)["messages"]
    return {"12": messages[-1]["id"], "--source 2": "--source 1"}


def _sharing(office: Office) -> Values:
    shares = (_ids(office, "shares", "list") or [""])[-1]
    return {"12": _ids(office, "sessions", "list")[-1], "3": shares, "LINK": office.link}


def _evaluations(office: Office) -> Values:
    return dict(zip(("9", "8"), _ids(office, "eval", "runs"), strict=False))


def _newest(word: str, *words: str) -> Callable[[Office], Values]:
    """The word stands for what a command lists last; nothing if there is none."""
    return lambda office: dict.fromkeys([word], (_ids(office, *words) or [""])[-1])


def _next_page(office: Office) -> Values:
    token = re.search(r'"nextPageToken": ?"([^"]*)"', office.output)
    return {"QUESTION": "When does the garage open?", "TOKEN": token[1] if token else ""}


def _backup(office: Office) -> Values:
    office.backups += 1
    file = f"{office.folder}/{office.backups}.backup"
    return {"~/echomind.backup": file, "/backups": f"{office.folder}/backups", "age1...": _RECIPIENT}


def _webhooks(office: Office) -> Values:
    hook = (_ids(office, "webhooks", "list") or [""])[-1]
    deliveries = _ids(office, "webhooks", "deliveries", hook) if hook else []
    return {"ID": hook, "DELIVERY": (deliveries or [""])[0]}


def _quotas(office: Office) -> Values:
    listed = office.json("quotas", "list").get("quotas", [])
    ids = [quota["id"] for quota in listed if quota["period"] != "QUOTA_PERIOD_MINUTE"]
    return {"ID": (ids or [""])[-1], "NAME": "program", "KEY": "desk"}


def _nothing(_: Office) -> Values:
    return {}


PLACES: dict[str, Callable[[Office], Values]] = {
    "README.md": _nothing,
    "docs/guide/getting-started.md": _nothing,
    "docs/guide/asking-questions.md": _answer,
    "docs/guide/assistants.md": _nothing,
    "docs/guide/audit-log.md": _nothing,
    "docs/guide/api-keys-and-apis.md": _next_page,
    "docs/guide/command-line.md": lambda office: {
        "QUESTION": "When?",
        "GOAL": "Find the hour.",
        "https://docs.example.com": office.site,
    },
    "docs/guide/encryption-keys.md": _nothing,
    "docs/guide/evaluating-assistants.md": _evaluations,
    "docs/guide/folders-and-stores.md": lambda office: {
        "/srv": f"{office.folder}/srv",
        **{f'"name": "{name}"': f'"name": "{name} of a program"' for name in ("Handbooks", "Contracts")},
    },
    "docs/guide/identity-providers.md": _nothing,
    "docs/guide/own-programs.md": _nothing,
    "docs/guide/quotas.md": _quotas,
    "docs/guide/retention.md": _nothing,
    "docs/guide/scim.md": _nothing,
    "docs/guide/scopes-and-permissions.md": _nothing,
    "docs/guide/sharing.md": _sharing,
    "docs/guide/teams.md": _nothing,
    "docs/guide/single-sign-on.md": _nothing,
    "docs/guide/web-sites.md": lambda _: {'"name": "Product': '"name": "Other product'},
    "docs/guide/connecting-a-model.md": _nothing,
    "docs/guide/privacy.md": lambda office: (
        _newest("4711", "sessions", "list")(office) | _newest("ID", "legal-holds", "list")(office)
    ),
    "docs/guide/webhooks.md": _webhooks,
    "docs/guide/embedding-models.md": _nothing,
    "docs/guide/importing-conversations.md": _nothing,
    "docs/guide/backup-and-upgrade.md": _backup,
    "examples/README.md": _nothing,
    "docs/guide/microsoft-365.md": lambda _: {'"name": "HR library"': '"name": "HR files"', "…": _ACCOUNT},
    "docs/guide/troubleshooting.md": _nothing,
}
"""The pages whose commands are typed, in this order, and what stands for values that a page has made up."""


def commands(page: str) -> Iterator[str]:
    """The commands of a page that are typed: `request_all` makes the calls of the API, and variables are of a start."""
    for snippet in snippets(ROOT / page):
        is_other = snippet.text.startswith("call()") or snippet.sets_variables
        if snippet.is_run and snippet.language == "sh" and not is_other:
            command = ""
            for line in snippet.text.replace("\\\n", " ").splitlines():
                command += line
                with suppress(ValueError):  # a quotation goes on
                    shlex.split(command)
                    yield command
                    command = ""


def in_place(command: str, values: Values) -> str:
    """Returns a command with values in the place of what its page has made up."""
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(values, key=len, reverse=True))
    return re.sub(pattern, lambda found: values[found[0]], command)
