"""Teams with a small real model: `python -m bench.teams`.

A leader and its two members all work with a model of 135 million parameters, in each of the three modes, and one
assistant without members answers the same questions. Half of the questions need a member, the other half are greetings
that the leader is to answer itself. Counted is what leaders did, not how good the answers are: whether they gave a task
when it was needed and none when it was not, how many of their calls were malformed, whether each run came to its end,
and what it took beside the one assistant.

Everything goes through the running product. The model is below what can lead a team; what is measured is that teams
hold with one that makes every mistake, and what a larger model is to be compared with.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
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

Row = dict[str, Any]


def main() -> None:
    """Measures and writes `results/teams.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        command = [sys.executable, "-m", "tests.drivers.small_model", "--tools"]
        _, model = children.start_server("small-model", lambda port: [*command, "--port", str(port)])
        product = Product(children, Path(folder) / "data")
        product.settle()
        assistants = _set_up(product, f"{model}/v1")
        columns: Row = {}
        for mode in (_ALONE, *_MODES):
            asked = [_ask(product, assistants[mode], question) for question in _NEEDED[: options.questions]]
            greeted = [_ask(product, assistants[mode], question) for question in _GREETINGS[: options.questions]]
            columns[mode] = _figures(asked, greeted)
            print(mode, json.dumps(columns[mode]), flush=True)
    for column in columns.values():
        column["times the tokens of one assistant"] = column["tokens a question"] / columns[_ALONE]["tokens a question"]
    data = {"machine": describe(), "questions": options.questions, "columns": columns}
    results.write("teams", "Teams with a small real model", data, report(data), options.out)


def _set_up(product: Product, model_url: str) -> dict[str, int]:
    """Adds the model, the members and the assistants that are asked; returns these by mode."""
    product.call(
        "POST",
        "/llms",
        {
            "name": "Small",
            "provider": "LLM_PROVIDER_VLLM",
            "modelId": "small",
            "endpoint": model_url,
            "isDefault": True,
            "maxTokens": _ANSWER_TOKENS,
            "contextTokens": _CONTEXT_TOKENS,
        },
    )

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
    setting = (
        "A leader with two members, and one assistant alone, all with SmolLM2 of 135 million parameters on one thread, "
        f"answers of at most {_ANSWER_TOKENS} tokens, at most {_MAX_STEPS} steps. The model is below what can lead a "
        "team.\n"
    )
    return "\n".join([results.machine_line(data["machine"]), setting, results.table(["", *columns], rows)])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Teams with a small real model.")
    parser.add_argument("--questions", type=int, default=len(_NEEDED), help="of each kind, at most 8")
    parser.add_argument("--out", type=Path, help="folder for the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
