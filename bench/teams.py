"""Teams with a real model: `python -m bench.teams`.

A leader and its two members all work with one model, in each of the three modes, and one assistant without members
answers the same questions. Half of the questions need a member, the other half are greetings
that the leader is to answer itself. Counted is what leaders did, not how good the answers are: whether they gave a task
when it was needed and none when it was not, how many of their calls were malformed, whether each run came to its end,
and what it took beside the one assistant.

Everything goes through the running product. Without options the model is one of 135 million parameters, which is below
what can lead a team: what is measured is that teams hold with one that makes every mistake. A model that is to lead
teams is given by its address, and `--check` fails unless it leads well:

    MODEL_API_KEY=... python -m bench.teams --endpoint https://models.example.org/v1 --model NAME --check
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.product import Product

_MODES = ("coordinate", "route", "collaborate")
_ALONE = "alone"
_NEEDED = (
    "How many days of annual leave do I get? Ask the researcher.",
    "Find out who founded the company.",
    "Write two sentences about our summer party.",
    "Look up what the travel rules say about trains.",
    "Write a short thank-you note to Jane.",
    "Find the phone number of the help desk.",
    "Research three books for a child of nine.",
    "Write a headline for the new product.",
)
_GREETINGS = (
    "Hello!",
    "Good morning.",
    "Thank you.",
    "Hi, how are you?",
    "Bye.",
    "Nice work.",
    "Good evening!",
    "Hey!",
)
_ANSWER_TOKENS = 128
_CONTEXT_TOKENS = 4_096
_MAX_STEPS = 4
LEAST_SHARE = 7 / 8
"""Share of the questions of each kind, in each mode, for which a model that leads well delegates as it should."""
_SMALL = "SmolLM2 of 135 million parameters, which is below what can lead a team,"
_KEY_VARIABLE = "MODEL_API_KEY"

Row = dict[str, Any]


def main() -> None:
    """Measures and writes `results/teams.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        product = Product(children, Path(folder) / "data")
        product.settle()
        assistants = _set_up(product, _model(children, options))
        columns: Row = {}
        for mode in (_ALONE, *_MODES):
            asked = [_ask(product, assistants[mode], question) for question in _NEEDED[: options.questions]]
            greeted = [_ask(product, assistants[mode], question) for question in _GREETINGS[: options.questions]]
            columns[mode] = _figures(asked, greeted)
            print(mode, json.dumps(columns[mode]), flush=True)
    for column in columns.values():
        column["times the tokens of one assistant"] = column["tokens a question"] / columns[_ALONE]["tokens a question"]
    problems = shortfalls(columns)
    data = {
        "machine": describe(),
        "model": options.model or _SMALL,
        "questions": options.questions,
        "columns": columns,
        "shortfalls": problems,
    }
    results.write("teams", "Teams with a real model", data, report(data), options.out)
    if options.check and problems:
        sys.exit("\n".join(problems))


def shortfalls(columns: Mapping[str, Row]) -> list[str]:
    """Returns where a model does not lead well, a line each: in which mode, and in what."""
    found = []
    for mode in _MODES:
        row = columns[mode]
        for what, hits, of in (
            ("gives a task where one is needed", row["of these gave a task"], row["needed a member"]),
            ("gives none where none is needed", row["of these gave none"], row["needed none"]),
        ):
            if hits < LEAST_SHARE * of:
                found.append(f"{mode}: {what} for {hits} of {of} questions")
        if row["completed"] < row["runs"]:
            found.append(f"{mode}: {row['completed']} of {row['runs']} runs were completed")
    return found


def _model(children: Children, options: argparse.Namespace) -> Row:
    """Returns the model to be added: the given one, or the small one, whose server is started."""
    model: Row = {"name": "Measured", "isDefault": True, "provider": f"LLM_PROVIDER_{options.provider.upper()}"}
    if options.endpoint:
        key = os.environ.get(_KEY_VARIABLE, "")
        return model | {"modelId": options.model, "endpoint": options.endpoint} | ({"apiKey": key} if key else {})
    command = [sys.executable, "-m", "tests.drivers.small_model", "--tools"]
    _, url = children.start_server("small-model", lambda port: [*command, "--port", str(port)])
    limits = {"maxTokens": _ANSWER_TOKENS, "contextTokens": _CONTEXT_TOKENS}
    return model | {"modelId": "small", "endpoint": f"{url}/v1"} | limits


def _set_up(product: Product, model: Row) -> dict[str, int]:
    """Adds the model, the members and the assistants that are asked; returns these by mode."""
    product.call("POST", "/llms", model)

    def add(name: str, prompt: str, **more: Any) -> int:
        config = {"maxSteps": _MAX_STEPS, **more.pop("config", {})}
        assistant = {"name": name, "systemPrompt": prompt, "isVisible": True, "config": config, **more}
        return int(product.call("POST", "/assistants", assistant)["id"])

    only_search = {"tools": ["search_documents"]}
    members = [
        {"assistantId": add("Researcher", "You find facts.", config=only_search), "role": "Finds facts."},
        {"assistantId": add("Writer", "You write short texts.", config=only_search), "role": "Writes texts."},
    ]
    found = {_ALONE: add("Alone", "You are helpful.", config=only_search)}
    for mode in _MODES:
        config = {"teamMode": f"TEAM_MODE_{mode.upper()}"}
        found[mode] = add(f"Desk {mode}", "You are helpful.", config=config, members=members)
    return found


def _ask(product: Product, assistant: int, question: str) -> Row:
    """Asks in a conversation of its own; returns what the run and those below it did."""
    request = urllib.request.Request(
        f"{product.url}/api/v1/chat-sessions/-/messages:stream",
        data=json.dumps({"content": question, "assistantId": assistant}).encode(),
        headers={"Authorization": f"Bearer {product.key}", "Content-Type": "application/json"},
    )
    began, run_id = time.perf_counter(), ""
    with urllib.request.urlopen(request, timeout=900) as response:
        for line in response:
            event = json.loads(line[5:]) if line.startswith(b"data:") else {}
            if "finished" in event and not event.get("member"):
                run_id = event["runId"]
                break
    seconds = time.perf_counter() - began
    root = product.call("GET", f"/runs/{run_id}/details")
    runs = [root, *root.get("memberResponses", [])]
    steps = product.call("GET", f"/runs/{run_id}/steps").get("steps", [])
    calls = [call for step in steps for call in step.get("toolCalls", []) if call["toolName"] == "delegate_task"]
    return {
        "completed": root["run"]["status"] == "RUN_STATUS_COMPLETED",
        "delegations": len(runs) - 1,
        "malformed": sum(call["status"] == "STEP_STATUS_FAILED" and not call.get("externalTaskId") for call in calls),
        "tokens": sum(
            int(run["run"].get("promptTokens", 0)) + int(run["run"].get("completionTokens", 0)) for run in runs
        ),
        "seconds": seconds,
    }


def _figures(asked: Sequence[Row], greeted: Sequence[Row]) -> Row:
    every = [*asked, *greeted]
    return {
        "runs": len(every),
        "completed": sum(row["completed"] for row in every),
        "needed a member": len(asked),
        "of these gave a task": sum(row["delegations"] > 0 for row in asked),
        "needed none": len(greeted),
        "of these gave none": sum(row["delegations"] == 0 for row in greeted),
        "tasks given": sum(row["delegations"] for row in every),
        "malformed calls": sum(row["malformed"] for row in every),
        "tokens a question": round(statistics.mean(row["tokens"] for row in every)),
        "median seconds": round(statistics.median(row["seconds"] for row in every), 1),
    }


def report(data: Row) -> str:
    """Returns the table of a run."""
    columns = data["columns"]
    rows = [[name, *(column[name] for column in columns.values())] for name in columns[_ALONE]]
    limits = f" on one thread, answers of at most {_ANSWER_TOKENS} tokens" if data["model"] == _SMALL else ""
    setting = (
        f"A leader with two members, and one assistant alone, all with {data['model']}{limits}, at most {_MAX_STEPS} "
        "steps.\n"
    )
    problems = data["shortfalls"]
    verdict = "\n".join(["\nIt does not lead well:\n", *(f"- {line}" for line in problems)]) if problems else ""
    verdict = verdict or "\nIt leads well in each mode."
    return "\n".join([results.machine_line(data["machine"]), setting, results.table(["", *columns], rows), verdict])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Teams with a real model.")
    parser.add_argument("--endpoint", help=f"address of the model's server; its key is read from {_KEY_VARIABLE}")
    parser.add_argument("--model", default="", help="the server's name for the model")
    parser.add_argument("--provider", default="vllm", help="openai, anthropic, ollama, vllm or tgi")
    parser.add_argument("--questions", type=int, default=len(_NEEDED), help="of each kind, at most 8")
    parser.add_argument("--check", action="store_true", help="fail unless the model leads well in each mode")
    parser.add_argument("--out", type=Path, help="folder for the results")
    options = parser.parse_args()
    if bool(options.endpoint) != bool(options.model):
        parser.error("--endpoint and --model belong together")
    return options


if __name__ == "__main__":
    main()
