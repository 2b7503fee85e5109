"""`echomind eval datasets`: questions with what their answers should be based on and say."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.options import given
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, NothingToChangeError
from echomind_lib.models import public

app = CommandGroup("Datasets of questions to evaluate assistants with.")

Name = Annotated[
    str,
    typer.Argument(metavar="DATASET", help="Name or id of a dataset.", autocompletion=completion.evaluation_datasets),
]
_Description = Annotated[str | None, typer.Option(help="What it is about.")]
_Shared = Annotated[
    bool | None, typer.Option("--shared/--private", help="Let others evaluate with it.", show_default="private")
]
_Groups = Annotated[
    list[str] | None, typer.Option("--group", help="Share it with this group alone; repeatable.", metavar="NAME")
]
_FIELDS = {"question": str, "documents": list, "passages": list, "facts": list, "answer": str}
_TOGETHER = 500
"""Questions of one request."""

_CASES = Table(
    "EvaluationDatasetService.list_evaluation_cases",
    "ID QUESTION::60 DOCUMENTS PASSAGES FACTS ANSWER::40",
    "It has no question: `echomind eval datasets import` adds some.",
    {
        "DOCUMENTS": lambda each: len(each.documents),
        "PASSAGES": lambda each: len(each.passages),
        "FACTS": lambda each: len(each.facts),
    },
)


@app.command("list")
async def list_datasets(api: Api) -> None:
    """List your datasets and those that are shared with you."""
    datasets = await find_datasets(api)
    _DATASETS.write(api.terminal, datasets)


@app.command("show")
async def show_dataset(api: Api, name: Name) -> None:
    """Show a dataset with its questions."""
    dataset = await find_dataset(api, name)
    cases = await _cases(api, dataset)
    api.terminal.json({"dataset": dataset, "cases": cases})
    api.terminal.fields(
        (
            ("Dataset", f"{dataset.name} (id {dataset.id})"),
            ("Description", dataset.description),
            ("Owner", dataset.user_name),
            ("Shared", _audience(dataset)),
        )
    )
    _CASES.write_rows(api.terminal, cases)


@app.command("add")
async def add_dataset(
    api: Api,
    name: Annotated[str, typer.Argument(metavar="DATASET", help="Name of the new dataset.")],
    description: _Description = None,
    shared: _Shared = None,
    group: _Groups = None,
) -> None:
    """Create a dataset without questions."""
    values = given(description=description, is_shared=shared or bool(group), groups=group)
    request = {"dataset": {"name": name, **values}}
    _report(api, await api.client.call(public.EvaluationDatasetService.create_evaluation_dataset, request), "Created")


@app.command("update")
async def update_dataset(
    api: Api,
    name: Name,
    rename: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    description: _Description = None,
    shared: _Shared = None,
    group: _Groups = None,
) -> None:
    """Change a dataset's name and description, and whom it is shared with."""
    is_shared = True if group else shared
    groups = group if group or shared is None else []
    values = given(name=rename, description=description, is_shared=is_shared, groups=groups)
    if not values:
        raise NothingToChangeError("Say what to change: --name, --description, --shared, --private or --group.")
    request = {"id": (await find_dataset(api, name)).id, "dataset": values, "update_mask": list(values)}
    _report(api, await api.client.call(public.EvaluationDatasetService.update_evaluation_dataset, request), "Changed")


@app.command("remove")
async def remove_dataset(api: Api, name: Name, yes: Yes = False) -> None:
    """Delete a dataset permanently, with its questions and all evaluations with it."""
    dataset = await find_dataset(api, name)
    await confirm(
        api.terminal, f"Delete the dataset {dataset.name}, its {dataset.cases} questions and all evaluations", yes=yes
    )
    await api.client.call(public.EvaluationDatasetService.delete_evaluation_dataset, {"id": dataset.id})
    _report(api, dataset, "Deleted")


@app.command("import")
async def import_cases(
    api: Api,
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines; `-` for standard input.")],
) -> None:
    """Add the questions of a file, one JSON object a line.

    Each object has `question`, and `documents`, `passages` and `facts`, which are lists, and `answer`, as far as they
    are expected: `{"question": "How long is leave?", "documents": ["leave.md"], "facts": ["30 days | thirty days"]}`.
    """
    cases = read_cases(file)
    dataset = await find_dataset(api, name)
    for begin in range(0, len(cases), _TOGETHER):
        request = {"dataset_id": dataset.id, "cases": cases[begin : begin + _TOGETHER]}
        await api.client.call(public.EvaluationDatasetService.add_evaluation_cases, request)
    _report_added(api, dataset, len(cases))


@app.command("export")
async def export_cases(api: Api, name: Name) -> None:
    """Print the questions of a dataset as JSON lines, which `import` reads."""
    dataset = await find_dataset(api, name)
    cases = [_exported(case) for case in await _cases(api, dataset)]
    api.terminal.json({"id": str(dataset.id), "cases": cases})
    for case in cases:
        api.terminal.line(json.dumps(case, ensure_ascii=False))


@app.command("add-rated")
async def add_rated_answers(
    api: Api,
    name: Name,
    session: Annotated[
        int, typer.Argument(metavar="SESSION", min=1, help="Id of a session.", autocompletion=completion.sessions)
    ],
) -> None:
    """Add the questions of a session whose answers you have rated."""
    dataset = await find_dataset(api, name)
    request = {"dataset_id": dataset.id, "chat_session_id": session}
    added = len((await api.client.call(public.EvaluationDatasetService.add_rated_answers, request)).cases)
    _report_added(api, dataset, added)


@app.command("remove-question")
async def remove_question(
    api: Api, case_id: Annotated[int, typer.Argument(metavar="QUESTION", min=1, help="Id of a question.")]
) -> None:
    """Delete a question of a dataset."""
    await api.client.call(public.EvaluationDatasetService.delete_evaluation_case, {"id": case_id})
    api.terminal.report({"id": str(case_id)}, f"Deleted question {case_id}.")


async def find_dataset(api: Api, name: str) -> "public.EvaluationDataset":
    """Returns the dataset with a name or an id."""
    return find(await find_datasets(api), name, "dataset")


async def find_datasets(api: Api) -> "list[public.EvaluationDataset]":
    """Returns all datasets that the caller may read."""
    return (await api.client.collect(public.EvaluationDatasetService.list_evaluation_datasets, limit=10_000)).datasets


def read_cases(file: Path) -> list[dict[str, Any]]:
    """Returns the questions of a file of JSON lines.

    Raises:
        CommandError: A line is no question; the message names it.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not text in UTF-8: {error.reason}.") from error
    cases = [_read_case(file, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not cases:
        raise CommandError(f"{file} has no question: write one JSON object a line.")
    return cases


def _read_case(file: Path, number: int, line: str) -> dict[str, Any]:
    where = f"{file}, line {number}"
    try:
        case = json.loads(line)
    except ValueError as error:
        raise CommandError(f"{where} is not JSON: {error}.") from error
    if not isinstance(case, dict) or not case.get("question"):
        raise CommandError(f"{where} needs the field question.")
    if unknown := sorted(case.keys() - _FIELDS.keys()):
        raise CommandError(f"{where} has the unknown field {unknown[0]}. Known: {', '.join(_FIELDS)}.")
    for field, kind in _FIELDS.items():
        value = case.get(field, kind())
        if not isinstance(value, kind) or (kind is list and not all(isinstance(each, str) for each in value)):
            raise CommandError(f"{where}: {field} must be {'a list of texts' if kind is list else 'a text'}.")
    return case


def _exported(case: "public.EvaluationCase") -> dict[str, Any]:
    return {field: value for field in _FIELDS if (value := getattr(case, field))}


async def _cases(api: Api, dataset: "public.EvaluationDataset") -> "list[public.EvaluationCase]":
    request = {"dataset_id": dataset.id}
    return (
        await api.client.collect(public.EvaluationDatasetService.list_evaluation_cases, request, limit=10_000)
    ).cases


def _audience(dataset: "public.EvaluationDataset") -> str:
    if not dataset.is_shared:
        return "no"
    return f"with {', '.join(dataset.groups)}" if dataset.groups else "yes"


def _report(api: Api, dataset: "public.EvaluationDataset", done: str) -> None:
    api.terminal.report(dataset, f"{done} {dataset.name} (id {dataset.id}).")


def _report_added(api: Api, dataset: "public.EvaluationDataset", count: int) -> None:
    api.terminal.report({"id": str(dataset.id), "added": count}, f"Questions added to {dataset.name}: {count}.")


_DATASETS = Table(
    "EvaluationDatasetService.list_evaluation_datasets",
    "ID NAME QUESTIONS:cases OWNER:user_name SHARED CREATED:creation_date",
    "There is no dataset: create one with `echomind eval datasets add NAME`.",
    {"SHARED": _audience},
)
